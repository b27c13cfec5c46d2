"""Fits a table into the width of a terminal without breaking numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cellrate.common.document import Cell, Column, Row, Table, plain

GAPS = (2, 1)
"""Number of spaces between columns: by default, and on a narrow terminal."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A table whose columns fit the terminal.

    Attributes:
        table: The table, without the columns that were left out.
        widths: Width of each column, in characters.
        gap: Spaces between columns.
        left_out: Titles of the columns that were left out.
    """

    table: Table
    widths: tuple[int, ...]
    gap: int
    left_out: tuple[str, ...] = ()


def layouts(table: Table, width: int) -> list[Layout]:
    """Fits a table into columns of a terminal: whole, without optional columns, or transposed.

    A transposed table has a column per row, and is split into as many tables as the width requires.
    A number or word is broken only if it is wider than the terminal.

    Returns:
        One layout, or several if the table is transposed.
    """
    table = _only(table, [not column.detail for column in table.columns])
    needed = _only(table, [not column.optional for column in table.columns])
    for candidate in (table, needed):
        for gap in GAPS:
            widths = _widths(candidate, width, gap)
            if widths is not None:
                kept = {one.title for one in candidate.columns}
                left_out = tuple(one.name for one in table.columns if one.title not in kept)
                return [Layout(candidate, widths, gap, left_out)]
    return _turned(table, width)


def _only(table: Table, shown: Sequence[bool]) -> Table:
    """The table with some of its columns."""
    kept = [at for at, is_shown in enumerate(shown) if is_shown]
    return replace(
        table,
        columns=tuple(table.columns[at] for at in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[at] for at in kept)) for row in table.rows),
    )


def _turned(table: Table, width: int) -> list[Layout]:
    """The transposed table, split into as many tables as the width requires."""
    if len(table.columns) == 1:
        return [Layout(table, (width,), 1)]
    found: list[Layout] = []
    rows = list(table.rows)
    while rows:
        # As many records side by side as fit, at least one.
        layout, count = _record(table, rows[0], width), 1
        for more in range(2, len(rows) + 1):
            wider = _records(table, rows[:more])
            fitting = _widths(wider, width, GAPS[0])
            if fitting is None:
                break
            layout, count = Layout(wider, fitting, GAPS[0]), more
        found.append(layout)
        rows = rows[count:]
    return found


def _record(table: Table, row: Row, width: int) -> Layout:
    """One row of the table as a column: values beside the titles or, if too wide, below them."""
    record, gap = _records(table, [row]), GAPS[-1]
    widths = _widths(record, width, gap)
    if widths is not None:
        return Layout(record, widths, gap)
    # Text may be broken between words, numbers may not.
    names = _least(record.columns[0], [one.cells[0] for one in record.rows])
    needed = max(
        _longest(plain(row.note).split()),
        *(
            _least(replace(column, title=""), [cell])
            for column, cell in zip(table.columns, row.cells, strict=True)
        ),
    )
    room = width - names - gap
    if needed <= room:
        return Layout(record, (names, room), gap)
    heads = [head.title for head in record.columns]
    below = tuple(Row((cell,)) for one in record.rows for cell in one.cells)
    head = replace(record.columns[1], title="\n".join(heads), align="left")
    return Layout(Table((head,), below), (width,), gap)


def _records(table: Table, rows: Sequence[Row]) -> Table:
    """The transposed table: the first column becomes the heading, the notes become a last row."""
    first, *others = table.columns
    heads = (
        Column(first.name),
        *(Column(plain(row.cells[0]), "right", number=first.align == "right") for row in rows),
    )
    turned = []
    for at, column in enumerate(others, 1):
        cells: tuple[Cell, ...] = tuple(row.cells[at] for row in rows)
        turned.append(Row((column.name, *cells)))
    if any(row.note for row in rows):
        turned.append(Row(("note", *(row.note for row in rows))))
    return Table(heads, tuple(turned))


def _widths(table: Table, width: int, gap: int) -> tuple[int, ...] | None:
    """Widths of the columns of a table; None if they do not fit."""
    columns = list(zip(*(row.cells for row in table.rows), strict=True))
    least = [_least(column, cells) for column, cells in zip(table.columns, columns, strict=True)]
    left = width - sum(least) - gap * (len(least) - 1)
    if left < 0:
        return None
    wanted = [_natural(column, cells) for column, cells in zip(table.columns, columns, strict=True)]
    # Columns that need the least additional width get it first; the others share the rest.
    found = list(least)
    order = sorted(range(len(least)), key=lambda at: wanted[at] - least[at])
    for place, at in enumerate(order):
        more = min(wanted[at] - least[at], left // (len(order) - place))
        found[at] += more
        left -= more
    return tuple(found)


def _least(column: Column, cells: Sequence[Cell]) -> int:
    """Least width of a column: numbers whole, words whole."""
    broken = column.title.split("\n") if column.number else column.title.replace("-", "- ").split()
    title = _longest(broken)
    if column.align == "right":
        return max(title, _natural(replace(column, title=""), cells))
    return max(title, *(_longest(plain(cell).split()) for cell in cells))


def _natural(column: Column, cells: Sequence[Cell]) -> int:
    """Width of a column whose lines are not broken."""
    lines = [line for cell in (column.title, *map(plain, cells)) for line in cell.split("\n")]
    return _longest(lines)


def _longest(texts: Sequence[str]) -> int:
    return max(map(len, texts), default=0)
