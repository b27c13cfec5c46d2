"""Writes to standard output, as wide as the terminal or else with a fixed width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

# rich loads slowly, and most errors are known before anything is shown.
if TYPE_CHECKING:
    from rich.console import Console

    from cellrate.common.document import Block, Document

# Width of tables in files and pipes.
PLAIN_WIDTH = 120


def console() -> Console:
    """Console on standard output without markup, so that names are printed literally."""
    from rich.console import Console

    return Console(markup=False, highlight=False, width=None if width() else PLAIN_WIDTH)


def width() -> int | None:
    """Columns of the terminal; None without one.

    A file or a pipe gets whole lines, so that programs such as grep see them whole.
    """
    from rich.console import Console

    plain = Console()
    return plain.width if plain.is_terminal else None


def say(text: str, hanging: int = 2) -> None:
    """Writes lines; those that are wider than the terminal go on below, words being kept whole.

    Args:
        text: One or several lines.
        hanging: Indent of what goes on below, behind that of its line.
    """
    for line in fitted(text, width(), hanging):
        console().print(line, soft_wrap=True)


def fitted(text: str, width: int | None, hanging: int = 2) -> list[str]:
    """Lines of a text that are no wider than a width, unless one word is.

    >>> fitted("a text of words", 10)
    ['a text of', '  words']

    Args:
        text: One or several lines.
        width: Greatest number of characters; None for any.
        hanging: Indent of what goes on below, behind that of its line.
    """
    lines = []
    for line in text.split("\n"):
        if width is None or len(line) <= width:
            lines.append(line)
            continue
        own = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(
            line.strip(), width, initial_indent=own, subsequent_indent=own + " " * hanging,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return lines


def show(document: Document) -> None:
    """Writes a document."""
    from cellrate.common.document import terminal_text

    terminal_text.show(document, console())


def show_parts(parts: Sequence[Block]) -> None:
    """Writes parts of a document."""
    from cellrate.common.document import terminal_text

    terminal_text.show_parts(parts, console())
