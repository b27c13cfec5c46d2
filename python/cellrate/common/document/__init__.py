"""Documents of reports, which renderers write to the terminal, as HTML or as Markdown."""

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
        style: Style of the text; "good" and "bad" are verdicts.
        link: Address of a link on a page; empty without a link.
    """

    text: str
    style: Style = "plain"
    link: str = ""


Text: TypeAlias = "str | Span | tuple[str | Span, ...]"
"""A text in one or several styles."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of prose."""

    text: Text
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Remark:
    """A reservation about the preceding part, such as an assumption that does not hold.

    Attributes:
        text: The remark.
        style: "faint" for a note, "bad" for a warning.
    """

    text: Text
    style: Style = "faint"


@dataclass(frozen=True, slots=True)
class Command:
    """Shell commands; no renderer breaks their lines."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Items with bullets; an item that is a `Listing` belongs to the item before it."""

    items: tuple[Text | Listing, ...]


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """Links of a web page, each with a small picture; other renderers leave them out.

    Attributes:
        items: The links, each with its picture as an SVG element.
    """

    items: tuple[tuple[Span, str], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Title of the column; a newline in it is a line break.
        align: "right" for numbers, which are never broken into lines.
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
        """The title on one line; words and paths broken behind `-` or `.` are joined."""
        return self.title.replace("-\n", "-").replace(".\n", ".").replace("\n", " ")


@dataclass(frozen=True, slots=True)
class Folded:
    """Details that a web page shows on a click; terminals leave them out.

    Attributes:
        title: Text that is clicked.
        parts: Parts that the click shows.
        anchor: Target name for links of a page, which open the details; empty without one.
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
        svg: Draws the figure as an SVG element; only called by renderers that show it.
        about: Text that describes the figure, for screen readers.
        anchor: Target name for links of a page; empty without one.
        file: Name of the image file, which Markdown needs to show the figure.
        data: Path, without suffix, of the figure's data as `.csv` and `.parquet` beside the page;
            empty without data.
    """

    svg: Callable[[], str]
    about: str
    anchor: str = ""
    file: str = ""
    data: str = ""


@dataclass(frozen=True, slots=True)
class Detail:
    """Further parts that terminals leave out."""

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
    Paragraph | Remark | Command | Listing | Thumbnails | Table | Figure | Detail | Folded | Section
)


@dataclass(frozen=True, slots=True)
class Document:
    """A report.

    Attributes:
        title: Title of the report and of the browser's window.
        parts: Parts of the report in order.
        above: A line above the title of a page, such as a link to another page; may be empty.
    """

    title: str
    parts: tuple[Block, ...]
    above: Text = ""


def walk(parts: Iterable[Block]) -> Iterator[Block]:
    """The parts and all parts within them, in order, without cells of tables."""
    for part in parts:
        yield part
        if isinstance(part, Section | Detail | Folded):
            yield from walk(part.parts)


def changed(parts: Iterable[Block], change: Callable[[Block], Block]) -> tuple[Block, ...]:
    """Replaces each part by the result of `change`, and then the parts within the result."""
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
    ('ACR ', 'is ', Span(text='PCR', style='strong', link=''))
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
        """The object as a document."""

    def _repr_html_(self) -> str:
        from cellrate.common.document.web_page import fragment

        return fragment(self.document())
