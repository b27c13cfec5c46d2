"""Documents of reports: content without a medium, written to the terminal, HTML or Markdown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Style: TypeAlias = Literal["plain", "faint", "good", "bad", "strong", "emphasis", "code"]
Align: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text in one style; a newline in it is a line break.

    Attributes:
        text: The text, unescaped.
        style: Its style; "good" and "bad" are verdicts.
        link: Address to which it leads on a page; empty without a link.
        anchor: Name by which links on a page lead to it; empty without one.
    """

    text: str
    style: Style = "plain"
    link: str = ""
    anchor: str = ""


Text: TypeAlias = "str | Span | tuple[str | Span, ...]"
"""A text in one or several styles."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of prose."""

    text: Text
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Remark:
    """A reservation about the part before it, such as an assumption that does not hold.

    Attributes:
        text: The remark.
        style: "faint" for a note, "bad" for a warning.
    """

    text: Text
    style: Style = "faint"


@dataclass(frozen=True, slots=True)
class Command:
    """Lines to type into a shell; no renderer breaks them."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Items with bullets; an item that is a `Listing` belongs to the item before it."""

    items: tuple[Text | Listing, ...]


@dataclass(frozen=True, slots=True)
class Links:
    """Links of a page to its parts, or to other pages; pages alone have them."""

    items: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """Links of a page with a small picture each; pages alone have them.

    Attributes:
        items: The links, each with its picture as an SVG element.
    """

    items: tuple[tuple[Span, str], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Title of the column; a newline in it is a line break.
        align: "right" for numbers, whose cells are never broken into lines.
        optional: True if a narrow terminal may leave the column out; the terminal then says so.
        detail: True for a column that terminals always leave out.
        number: True if the title is a number, which is not broken into lines.
    """

    title: str
    align: Align = "left"
    optional: bool = False
    detail: bool = False
    number: bool = False

    @property
    def name(self) -> str:
        """The title of the column on one line."""
        return self.title.replace("-\n", "-").replace("\n", " ")


@dataclass(frozen=True, slots=True)
class Folded:
    """Details that a page shows on a click, and a terminal not at all.

    Attributes:
        title: Text that is clicked.
        parts: Parts that the click shows.
        anchor: Name by which links on a page lead to the details, and open them; empty without one.
    """

    title: str
    parts: tuple[Block, ...]
    anchor: str = ""


Cell: TypeAlias = "Text | Folded"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        cells: A cell for every column.
        note: An explanation below the row, as wide as the table; empty without one.
    """

    cells: tuple[Cell, ...]
    note: Text = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        columns: Columns of the table.
        rows: Rows of the table.
        wide: True for many columns: on a page in smaller type, with a scroll bar of its own.
        most: Greatest number of rows on a terminal; None for all.
        more: Place that has the rest of the rows, as in "on the page".
        others: Number of further rows that are only counted.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    wide: bool = False
    most: int | None = None
    more: str = ""
    others: int = 0

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{len(row.cells)} cells in a row; columns: {len(self.columns)}")


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing; terminals leave it out.

    Attributes:
        svg: Draws it as an SVG element; called only by renderers that show it.
        about: Description for readers who do not see it.
        anchor: Name by which links of a page lead to it; empty without one.
        file: Name of its file, for Markdown, which shows no drawing without a file.
        data: Path of its numbers beside the page, as `.csv` and `.parquet`, without that end; empty
            without them.
    """

    svg: Callable[[], str]
    about: str
    anchor: str = ""
    file: str = ""
    data: str = ""


@dataclass(frozen=True, slots=True)
class Detail:
    """Parts for readers who have time; terminals leave them out."""

    parts: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Parts under a heading; renderers leave out a section without parts.

    Attributes:
        title: Heading of the section.
        parts: The parts, which may be sections.
        anchor: Name by which links of a page lead to it; empty without one.
    """

    title: Text
    parts: tuple[Block, ...]
    anchor: str = ""


Block: TypeAlias = (
    Paragraph
    | Remark
    | Command
    | Listing
    | Links
    | Thumbnails
    | Table
    | Figure
    | Detail
    | Folded
    | Section
)


@dataclass(frozen=True, slots=True)
class Document:
    """A report.

    Attributes:
        title: Title of the report, which is also that of a browser's window.
        parts: Parts of the report in order.
        above: A line above the title of a page, as a link to another one; empty without one.
    """

    title: str
    parts: tuple[Block, ...]
    above: Text = ""


def walk(parts: Iterable[Block]) -> Iterator[Block]:
    """The parts and all parts within them, in order; cells of tables are not among them."""
    for part in parts:
        yield part
        if isinstance(part, Section | Detail | Folded):
            yield from walk(part.parts)


def changed(parts: Iterable[Block], change: Callable[[Block], Block]) -> tuple[Block, ...]:
    """Parts with each replaced by its change, before the parts in it."""
    found = map(change, parts)
    return tuple(
        replace(part, parts=changed(part.parts, change))
        if isinstance(part, Section | Detail | Folded)
        else part
        for part in found
    )


def joined(*texts: Text) -> tuple[str | Span, ...]:
    """Texts in different styles as one text.

    >>> joined("ACR ", ("is ", Span("PCR", "strong")))
    ('ACR ', 'is ', Span(text='PCR', style='strong', link='', anchor=''))
    """
    found: list[str | Span] = []
    for text in texts:
        found += text if isinstance(text, tuple) else (text,)
    return tuple(found)


def plain(cell: Cell) -> str:
    """A text without its styles.

    >>> plain(("ACR is ", Span("PCR", "strong")))
    'ACR is PCR'
    """
    if isinstance(cell, Folded):
        return cell.title
    return "".join(one.text if isinstance(one, Span) else one for one in joined(cell))


def columns(*titles: str | Column, numbers: Iterable[int] = ()) -> tuple[Column, ...]:
    """Columns from their titles.

    Args:
        titles: Titles, or whole columns.
        numbers: Indices of the columns of numbers, from 0.
    """
    right = frozenset(numbers)
    return tuple(
        title if isinstance(title, Column) else Column(title, "right" if at in right else "left")
        for at, title in enumerate(titles)
    )


def rows(found: Iterable[Sequence[Cell]]) -> tuple[Row, ...]:
    """Rows without notes."""
    return tuple(Row(tuple(cells)) for cells in found)


class Shown:
    """An object that a notebook shows as its document, by `_repr_html_`."""

    __slots__ = ()

    @abstractmethod
    def document(self) -> Document:
        """The object as a document, which is also rendered for the terminal and web pages."""

    def _repr_html_(self) -> str:
        from cellrate.common.document.web_page import fragment

        return fragment(self.document())
