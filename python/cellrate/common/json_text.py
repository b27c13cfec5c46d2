"""Writes results as JSON text; infinity and NaN are refused, because JSON has neither."""

from __future__ import annotations

import json
from typing import Any


def json_text(answer: Any, *, indent: int | None = None) -> str:  # noqa: ANN401
    """The text of a JSON value, with a newline at its end.

    Args:
        answer: Mappings, sequences, texts, finite numbers, truth values and None.
        indent: Spaces of each level; a single line if None.

    Raises:
        ValueError: A number is infinite or NaN.
    """
    return json.dumps(answer, indent=indent, allow_nan=False) + "\n"
