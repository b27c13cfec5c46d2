"""Checks that the compiled extension was built from the sources of this package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

PACKAGE = Path(__file__).parents[1]
SOURCES = PACKAGE.parents[1] / "crates"
"""The sources of the extension; only a checkout has them."""
REMEDY = "build it again with `make install` (for tests: `make tested`)"


def refuse_other(core: ModuleType) -> None:
    """Refuses an extension with another interface than that of the package's `_core.pyi`.

    The extension carries the text that `_core.pyi` had when the extension was built.

    Raises:
        ImportError: The interfaces differ.
    """
    try:
        text = (PACKAGE / "_core.pyi").read_text(encoding="utf-8")
    except FileNotFoundError:  # a bundle of the program has no such files, and nothing to build
        return
    if getattr(core, "__interface__", "") != text:
        message = f"{core.__file__} was built from other sources than this package: {REMEDY}"
        raise ImportError(message, name=core.__name__, path=core.__file__)


def note_if_older(error: BaseException, core: ModuleType) -> None:
    """Adds a note to an error if the extension is older than its sources."""
    built = Path(str(core.__file__)).stat().st_mtime
    if any(source.stat().st_mtime > built for source in SOURCES.glob("*/src/**/*.rs")):
        error.add_note(f"{core.__file__} is older than its sources in {SOURCES}: {REMEDY}")
