"""Values and dataclasses in a form that JSON can hold, and as JSON text."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def to_json(
    value: Any,  # noqa: ANN401
    names: Mapping[str, str] | None = None,
    *,
    without: Collection[str] = (),
) -> Any:  # noqa: ANN401
    """A value in a form that JSON can hold.

    Dataclasses and mappings become objects, sequences arrays, and numbers without a limit null.

    Args:
        value: A dataclass, mapping, sequence, text, number, truth value or None.
        names: Keys of a dataclass that are not the names of its fields, by field.
        without: Fields of dataclasses to leave out.

    >>> to_json({"cells": (1, float("inf"))})
    {'cells': [1, None]}
    """
    if is_dataclass(value):
        known = names or {}
        own = (field.name for field in fields(value) if field.name not in without)
        return {known.get(name, name): to_json(getattr(value, name)) for name in own}
    if isinstance(value, Mapping):
        return {key: to_json(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_text(answer: Any, *, indent: int | None = None) -> str:  # noqa: ANN401
    """The text of a JSON value, with a newline at its end.

    Args:
        answer: Mappings, sequences, texts, finite numbers, truth values and None.
        indent: Spaces of each level; a single line if None.

    Raises:
        ValueError: A number is infinite or NaN.
    """
    return json.dumps(answer, indent=indent, allow_nan=False) + "\n"
