"""Writes to standard output, in the width of the terminal or else in a fixed width."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

# Imported late, because rich loads slowly and most errors are known before any output.
if TYPE_CHECKING:
    from rich.console import Console

    from cellrate.common.document import Block, Document
    from cellrate.common.document.terminal_text import Line

# Width of tables in files and pipes.
PLAIN_WIDTH = 120


# Environment variables that tell rich whether to write as to a terminal.
ASKING = ("FORCE_COLOR", "TTY_COMPATIBLE")


def is_plain(stream: TextIO) -> bool:
    """True if a stream is surely not a terminal, so that text gets no styles."""
    return not stream.isatty() and not any(name in os.environ for name in ASKING)


def console() -> Console:
    """Console on standard output without markup, so that names are printed literally."""
    from rich.console import Console

    return Console(
        markup=False, emoji=False, highlight=False, width=None if width() else PLAIN_WIDTH
    )


def width() -> int | None:
    """Columns of the terminal; None without one.

    A file or a pipe gets whole lines, so that programs such as grep see them whole.
    """
    if is_plain(sys.stdout):
        return None
    from rich.console import Console

    plain = Console()
    return plain.width if plain.is_terminal else None


def say(text: str, hanging: int = 2) -> None:
    """Writes lines; lines wider than the terminal are broken between words.

    Args:
        text: One or several lines.
        hanging: Additional indent of continuation lines.
    """
    if is_plain(sys.stdout):
        sys.stdout.write(f"{text}\n")
        # A reader of a pipe may wait for this line, such as for the address of a server.
        sys.stdout.flush()
        return
    for line in fitted(text, width(), hanging):
        console().print(line, soft_wrap=True)


def fitted(text: str, width: int | None, hanging: int = 2) -> list[str]:
    """Lines of a text, no wider than `width` unless a single word is wider.

    >>> fitted("a text of words", 10)
    ['a text of', '  words']

    Args:
        text: One or several lines.
        width: Greatest number of characters; None for any.
        hanging: Additional indent of continuation lines.
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

    _show(terminal_text.lines(document, _columns()))


def show_parts(parts: Sequence[Block]) -> None:
    """Writes parts of a document."""
    from cellrate.common.document import terminal_text

    _show(terminal_text.lines_of_parts(parts, _columns()))


def _columns() -> int:
    """Width of documents, in columns."""
    return PLAIN_WIDTH if is_plain(sys.stdout) else console().width


def _show(lines: Iterable[Line]) -> None:
    from cellrate.common.document import terminal_text

    if not is_plain(sys.stdout):
        terminal_text.show_lines(lines, console())
        return
    is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    for line in lines:
        text = line.plain if is_unicode else terminal_text.in_ascii(line.plain)
        sys.stdout.write(f"{text}\n")
