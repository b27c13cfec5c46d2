"""Documents as text for a terminal, or for a pipe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cellrate.common.document import (
    Block,
    Cell,
    Command,
    Detail,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Remark,
    Section,
    Span,
    Style,
    Table,
    Text,
    Thumbnails,
    joined,
    plain,
)
from cellrate.common.document.table_layout import Layout, layouts

if TYPE_CHECKING:
    from rich.console import Console


UNSEEN = dict.fromkeys((7, 8, 11, 12, 13))
"""Control characters that would move the cursor, which are left out."""

ONE_COLUMN = re.compile(r"[ -~\u00a0-\u02ff\u0370-\u0482\u2500-\u25ff]*")
"""Matches texts whose characters each take one column: Latin, Greek, Cyrillic, box drawing."""


class Line:
    """A line of text in pieces, each with a style of the library rich, such as ``bold red``."""

    __slots__ = ("pieces",)

    def __init__(self, text: str = "", style: str = "") -> None:
        shown = text.translate(UNSEEN)
        self.pieces: list[tuple[str, str]] = [(shown, style)] if shown else []

    @classmethod
    def of(cls, pieces: Iterable[tuple[str, str]]) -> Line:
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
        """Adds a text at the end of the line."""
        shown = text.translate(UNSEEN)
        if self.pieces and self.pieces[-1][1] == style:
            self.pieces[-1] = self.pieces[-1][0] + shown, style
        elif shown:
            self.pieces.append((shown, style))

    def append_line(self, line: Line) -> Line:
        """Appends another line to this line, and returns this line."""
        for text, style in line.pieces:
            self.append(text, style)
        return self

    def styled(self, style: str) -> Line:
        """The line in a style, to which the styles of its pieces are added."""
        return Line.of((text, f"{style} {own}".strip()) for text, own in self.pieces)

    def trimmed(self) -> Line:
        """The line without the spaces at its end."""
        return self.part(0, len(self.plain.rstrip()))

    def part(self, begin: int, end: int) -> Line:
        """The characters from `begin` to before `end`, counted from 0."""
        found, at = Line(), 0
        for text, style in self.pieces:
            found.append(text[max(begin - at, 0) : max(end - at, 0)], style)
            at += len(text)
        return found

    def split(self) -> Iterator[Line]:
        """The lines between newlines."""
        begin = 0
        for line in self.plain.split("\n"):
            yield self.part(begin, begin + len(line))
            begin += len(line) + 1


def columns(text: str) -> int:
    """Width of a text in columns of the terminal; East Asian characters take two columns.

    >>> columns("queue"), columns("待ち行列")
    (5, 8)
    """
    if text.isascii() or ONE_COLUMN.fullmatch(text):
        return len(text)
    from rich.cells import cell_len  # only needed for other alphabets

    return cell_len(text)


# Imported late, because rich loads slowly and files and pipes do not need it.

STYLES: dict[Style, str] = {
    "plain": "",
    "faint": "dim",
    "good": "green",
    "bad": "bold red",
    "strong": "bold",
    "emphasis": "italic",
    "code": "",
}
RULE = "─"
INDENT = 2
"""Spaces before the parts of a section, and before the second line of a paragraph."""


def lines(document: Document, width: int) -> Iterator[Line]:
    """Lines of a document, without parts of type `Figure`, `Detail` or `Folded`, and without links.

    Lines are at most `width` wide, except commands, which are not broken.
    """
    yield Line(document.title, "bold")
    yield from lines_of_parts(document.parts, width)


def lines_of_parts(parts: Sequence[Block], width: int) -> Iterator[Line]:
    """Lines of parts of a document; neighbours share the blank line between them."""
    is_blank = False
    for line in _blocks(parts, 0, width):
        shown = line.trimmed()
        if not shown.pieces:
            is_blank = True
            continue
        if is_blank:
            yield Line()
        is_blank = False
        yield shown


def show_lines(shown: Iterable[Line], console: Console) -> None:
    """Prints lines in their styles."""
    from rich.text import Text as RichText

    for line in shown:
        pieces = line.pieces
        if console.options.ascii_only:
            pieces = [(in_ascii(text), style) for text, style in pieces]
        console.print(RichText.assemble(*pieces), soft_wrap=True)


def in_ascii(text: str) -> str:
    """The text with horizontal rules of ASCII characters."""
    return text.replace(RULE, "-")


def _blocks(parts: Iterable[Block], indent: int, width: int) -> Iterator[Line]:
    for part in parts:
        yield from _block(part, indent, width)


def _block(part: Block, indent: int, width: int) -> Iterator[Line]:
    match part:
        case Section():
            inner = list(_blocks(part.parts, indent + INDENT, width))
            if inner:
                yield Line()
                yield from _prose(part.title, indent, width, "bold")
                yield from inner
        case Paragraph():
            yield from _prose(part.text, indent, width, STYLES[part.style])
        case Remark():
            yield from _prose(part.text, indent + 2 * INDENT, width, STYLES[part.style])
        case Command():
            yield from (Line(" " * indent + line) for line in part.lines)
        case Listing():
            yield from _items(part, indent, width)
        case Table():
            yield from _table(part, indent, width)
        case Detail() | Figure() | Folded() | Thumbnails():
            return


def _prose(text: Text, indent: int, width: int, style: str) -> Iterator[Line]:
    """Lines of a text, broken between words; all but the first are indented further."""
    spaces = " " * indent
    for line in wrapped(text, max(width - indent, 1), INDENT):
        yield Line(spaces).append_line(line.styled(style))


def _items(part: Listing, indent: int, width: int) -> Iterator[Line]:
    for item in part.items:
        if isinstance(item, Listing):
            yield from _items(item, indent + INDENT, width)
        else:
            yield from _prose(joined("- ", item), indent, width, "")


def wrapped(text: Cell, width: int, hanging: int = 0) -> list[Line]:
    """Lines of a text, no wider than `width` unless a single word is wider.

    Args:
        text: The text.
        width: Greatest number of characters in a line.
        hanging: Spaces before every line but the first.
    """
    found: list[Line] = []
    for paragraph in _styled(text).split():
        line = Line()
        for word in _words(paragraph):
            if line.pieces and line.width + word.width - _trailing(word) > width:
                found.append(line)
                line = Line(" " * hanging)
            line.append_line(word)
        found.append(line)
    return [line.trimmed() for line in found]


def _words(line: Line) -> Iterator[Line]:
    """Words with the spaces behind them, in their styles."""
    for match in re.finditer(r"\S*\s*", line.plain):
        if match.group():
            yield line.part(match.start(), match.end())


def _trailing(word: Line) -> int:
    return len(word.plain) - len(word.plain.rstrip())


def _styled(cell: Cell) -> Line:
    if isinstance(cell, Folded):
        return Line(cell.title)
    line = Line()
    for one in joined(cell):
        if isinstance(one, Span):
            line.append(one.text, STYLES[one.style])
        else:
            line.append(one)
    return line


def _table(part: Table, indent: int, width: int) -> Iterator[Line]:
    if not part.rows:
        return
    kept = part.rows if part.most is None else part.rows[: part.most]
    shown = Table(part.columns, kept)
    for layout in layouts(shown, width - indent):
        yield Line()
        yield from _laid_out(layout, indent, width)
        if layout.left_out:
            names = f"not shown in {width} columns: {', '.join(layout.left_out)}"
            yield from _prose(names, indent, width, "dim")
    others = len(part.rows) - len(kept) + part.others
    if others:
        rest = f"{others:,} more {part.more}".rstrip()
        yield from _prose(rest, indent, width, "dim")
    yield Line()


def _laid_out(layout: Layout, indent: int, width: int) -> Iterator[Line]:
    table, spaces = layout.table, " " * indent
    # A title may also be broken behind a hyphen, as in rate-limited, but not in 1e-05.
    titles = tuple(
        re.sub(r"-(?=\w)", "-\n", column.title)
        if len(column.title) > most and not column.number
        else column.title
        for column, most in zip(table.columns, layout.widths, strict=True)
    )
    heads = list(_cells(titles, layout, bottom=True))
    total = sum(layout.widths) + layout.gap * (len(layout.widths) - 1)
    if any(titles):
        yield from (Line(spaces).append_line(head) for head in heads)
        yield Line(spaces + RULE * total, "dim")
    for row in table.rows:
        yield from (Line(spaces).append_line(line) for line in _cells(row.cells, layout))
        if plain(row.note):
            yield from _prose(row.note, indent + INDENT, width, "dim")


def _cells(cells: Sequence[Cell], layout: Layout, *, bottom: bool = False) -> Iterator[Line]:
    """Lines of a row; short cells begin at its top, or end at its bottom."""
    broken = [wrapped(cell, width) for cell, width in zip(cells, layout.widths, strict=True)]
    height = max(map(len, broken))
    for number in range(height):
        line = Line()
        for at, lines in enumerate(broken):
            place = number - (height - len(lines)) if bottom else number
            piece = lines[place] if 0 <= place < len(lines) else Line()
            left = layout.table.columns[at].align == "left"
            room = " " * max(layout.widths[at] - piece.width, 0)
            line.append(" " * layout.gap if at else "")
            line.append("" if left else room)
            line.append_line(piece)
            line.append(room if left else "")
        yield line
