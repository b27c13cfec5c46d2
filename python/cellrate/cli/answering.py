"""Writes the result of a command to standard output: as JSON, or as text."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate.common import terminal
from cellrate.common.to_json import json_text

if TYPE_CHECKING:
    from cellrate.common.document import Document


def hand_over(
    *,
    json: bool,
    as_json: Callable[[], Any],
    report: Callable[[], Document],
    written: Iterable[Path] = (),
) -> None:
    """Writes a result to standard output: as JSON, or as text with the names of written files."""
    if json:
        sys.stdout.write(json_text(as_json()))
        return
    terminal.show(report())
    files = [str(path) for path in written]
    if files:
        terminal.say(f"written to {', '.join(files)}")


def hand_over_of(package: Any, answer: object, written: Iterable[Path], *, json: bool) -> None:  # noqa: ANN401
    """Writes a result by the functions `as_json` and `report` of the package that computed it."""
    as_json, report = (
        functools.partial(make, answer) for make in (package.as_json, package.report)
    )
    hand_over(json=json, as_json=as_json, report=report, written=written)
