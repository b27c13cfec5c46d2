"""Hands the answer of a command over: as JSON, or as text on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate.common import terminal
from cellrate.common.json_text import json_text

if TYPE_CHECKING:
    from cellrate.common.document import Document


def hand_over(
    *,
    json: bool,
    as_json: Callable[[], Any],
    report: Callable[[], Document],
    written: Iterable[Path] = (),
) -> None:
    """Writes an answer to standard output.

    Args:
        json: True to write JSON instead of text.
        as_json: Makes the JSON value.
        report: Makes the document that is shown as text.
        written: Files that the command wrote, which the text names.
    """
    if json:
        sys.stdout.write(json_text(as_json()))
        return
    terminal.show(report())
    files = [str(path) for path in written]
    if files:
        terminal.say(f"written to {', '.join(files)}")
