"""Writes to standard output, as wide as the terminal or else with a fixed width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

# rich loads slowly, and most errors are known before anything is shown.
if TYPE_CHECKING:
    from rich.console import Console

    from cellrate.common.document import Block, Document

# Width for files and pipes.
PLAIN_WIDTH = 120


def console() -> Console:
    """Console on standard output without markup, so that names are printed literally."""
    from rich.console import Console

    plain = Console(markup=False, highlight=False)
    return plain if plain.is_terminal else Console(markup=False, highlight=False, width=PLAIN_WIDTH)


def say(text: str) -> None:
    """Writes a line."""
    console().print(text, soft_wrap=True)


def show(document: Document) -> None:
    """Writes a document."""
    from cellrate.common.document import terminal_text

    terminal_text.show(document, console())


def show_parts(parts: Sequence[Block]) -> None:
    """Writes parts of a document."""
    from cellrate.common.document import terminal_text

    terminal_text.show_parts(parts, console())
