"""A line of text in styles; for documents on the terminal, whose library loads slowly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

UNSEEN = dict.fromkeys((7, 8, 11, 12, 13))
"""Control characters that would move the cursor: they are left out."""

ONE_COLUMN = re.compile(r"[ -~\u00a0-\u02ff\u0370-\u0482\u2500-\u25ff]*")
"""Texts of Latin, Greek and Cyrillic letters and of lines, which take a column for each."""


class StyledLine:
    """Pieces of text, each in a style as rich writes it, such as ``bold red``; empty for none."""

    __slots__ = ("pieces",)

    def __init__(self, text: str = "", style: str = "") -> None:
        shown = text.translate(UNSEEN)
        self.pieces: list[tuple[str, str]] = [(shown, style)] if shown else []

    @classmethod
    def of(cls, pieces: Iterable[tuple[str, str]]) -> StyledLine:
        """A line of pieces, each a text with its style."""
        line = cls()
        for text, style in pieces:
            line.append(text, style)
        return line

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self.pieces)

    @property
    def width(self) -> int:
        """Columns of the terminal that the line takes."""
        return columns(self.plain)

    def append(self, text: str, style: str = "") -> None:
        """Adds a text behind the line."""
        shown = text.translate(UNSEEN)
        if self.pieces and self.pieces[-1][1] == style:
            self.pieces[-1] = self.pieces[-1][0] + shown, style
        elif shown:
            self.pieces.append((shown, style))

    def append_line(self, line: StyledLine) -> StyledLine:
        """Adds a line behind this one, and returns this one."""
        for text, style in line.pieces:
            self.append(text, style)
        return self

    def styled(self, style: str) -> StyledLine:
        """The line in a style, to which the pieces add their own."""
        return StyledLine.of((text, f"{style} {own}".strip()) for text, own in self.pieces)

    def trimmed(self) -> StyledLine:
        """The line without the spaces at its end."""
        return self.part(0, len(self.plain.rstrip()))

    def part(self, begin: int, end: int) -> StyledLine:
        """The characters from `begin` to before `end`, counted from 0."""
        found, at = StyledLine(), 0
        for text, style in self.pieces:
            found.append(text[max(begin - at, 0) : max(end - at, 0)], style)
            at += len(text)
        return found

    def split(self) -> Iterator[StyledLine]:
        """The lines between newlines."""
        begin = 0
        for line in self.plain.split("\n"):
            yield self.part(begin, begin + len(line))
            begin += len(line) + 1


def columns(text: str) -> int:
    """Columns of the terminal that a text takes; East Asian characters take two.

    >>> columns("queue"), columns("待ち行列")
    (5, 8)
    """
    if text.isascii() or ONE_COLUMN.fullmatch(text):
        return len(text)
    from rich.cells import cell_len  # only other alphabets need its table

    return cell_len(text)
