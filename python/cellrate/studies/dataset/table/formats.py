"""The formats of a table; each is a function with an entry in `FORMATS`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from html import escape

from cellrate.common import terminal
from cellrate.studies.dataset.table import tabulation
from cellrate.studies.dataset.table.tabulation import Tabulation

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "µ": r"\textmu{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex(table: Tabulation) -> str:
    """The table as an environment `table`; the document needs the package booktabs."""
    rows = tabulation.body(table)
    heads = [[head.title] for head in table.rows] + tabulation.heads(table)
    height = max(len(head) for head in heads)
    padded = [[""] * (height - len(head)) + head for head in heads]
    lines = [
        line
        for at in range(height)
        for line in _heads([head[: at + 1] for head in padded], len(table.rows))
    ]
    form = "l" * len(table.rows) + "r" * (len(heads) - len(table.rows))
    caption = " ".join([f"{tabulation.caption(table)}.", *table.notes])
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{escaped(caption)}}}",
            rf"\begin{{tabular}}{{{form}}}",
            r"\toprule",
            *lines,
            r"\midrule",
            *(_line([*keys, *cells]) for keys, cells in rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _heads(heads: list[list[str]], keys: int) -> list[str]:
    """Lines of one level of headers; equal neighbours become one header.

    Args:
        heads: The headers of each column down to this level, as ``name = value`` above columns of
            a factor.
        keys: Number of columns with the factors of the rows.
    """
    left = [head[-1] for head in heads[:keys]]
    above = [head[-1].partition(" = ") for head in heads[keys:]]
    if (
        len(above) < 2
        or not all(equals for _, equals, _ in above)
        or len({a[0] for a in above}) > 1
    ):
        return _spanned(left, heads[keys:], [head[-1] for head in heads[keys:]])
    name = _spanned([""] * keys, [[""]] * len(above), [above[0][0]] * len(above))
    return [*name, *_spanned(left, heads[keys:], [level for _, _, level in above])]


def _spanned(left: list[str], paths: list[list[str]], shown: list[str]) -> list[str]:
    """A line of headers, and rules beneath the headers above several columns.

    Args:
        left: Headers of the columns with the factors of the rows.
        paths: For each other column the headers above it; equal neighbours share a header.
        shown: The header of each column.
    """
    cells, rules, at = list(map(escaped, left)), [], 0
    while at < len(paths):
        count = next((n for n in range(at, len(paths)) if paths[n] != paths[at]), len(paths)) - at
        text = escaped(shown[at])
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{text}}}" if count > 1 else text)
        if count > 1:
            first = len(left) + at + 1
            rules.append(rf"\cmidrule(lr){{{first}-{first + count - 1}}}")
        at += count
    return [" & ".join(cells) + r" \\", *([" ".join(rules)] if rules else [])]


def escaped(text: str) -> str:
    """The text with LaTeX's special characters escaped."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _line(cells: list[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"


def written(table: Tabulation, form: str) -> str:
    """The table in a format, one of `FORMATS`."""
    return FORMATS[form](table)


def as_text(table: Tabulation, width: int | None = None) -> str:
    """Plain text in aligned columns.

    Args:
        table: The table.
        width: Greatest length of a line. Columns that do not fit are written below, with the names
            of the rows repeated. None for lines of any length.
    """
    heads = [[head.title] for head in table.rows] + tabulation.heads(table)
    lines = max(len(head) for head in heads)
    grid = [[([""] * (lines - len(head)) + head)[line] for head in heads] for line in range(lines)]
    grid += [[*keys, *cells] for keys, cells in tabulation.body(table)]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    left = len(table.rows)

    def line(cells: list[str], shown: list[int]) -> str:
        aligned = [
            cells[at].ljust(widths[at]) if at < left else cells[at].rjust(widths[at])
            for at in shown
        ]
        return "  ".join(aligned).rstrip()

    parts = terminal.fitted(tabulation.caption(table), width)
    for shown in _groups(widths, left, width):
        rows = [line(cells, shown) for cells in grid]
        rule = "  ".join("-" * widths[at] for at in shown)
        parts += ["", *rows[:lines], rule, *rows[lines:]]
    notes = [line for note in table.notes for line in terminal.fitted(note, width)]
    return "\n".join([*parts, *(["", *notes] if notes else [])]) + "\n"


def _groups(widths: list[int], left: int, width: int | None) -> list[list[int]]:
    """Groups of columns that fit into a width; each group begins with the first `left` columns."""
    names = list(range(left))
    groups: list[list[int]] = [list(names)]
    for at in range(left, len(widths)):
        wanted = [*groups[-1], at]
        total = sum(widths[one] for one in wanted) + 2 * (len(wanted) - 1)
        if width is not None and total > width and len(groups[-1]) > left:
            groups.append([*names, at])
        else:
            groups[-1] = wanted
    return groups


def as_markdown(table: Tabulation) -> str:
    """A table in GitHub's Markdown."""

    def line(cells: list[str]) -> str:
        return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"

    def plain(text: str) -> str:
        return escape(text, quote=False)

    heads = [plain(head.title) for head in table.rows]
    heads += ["<br>".join(map(plain, lines)) for lines in tabulation.heads(table)]
    left = len(table.rows)
    rule = f"|{'|'.join(['---'] * left + ['---:'] * (len(heads) - left))}|"
    rows = [
        line([plain(cell) for cell in (*keys, *cells)]) for keys, cells in tabulation.body(table)
    ]
    parts = [plain(tabulation.caption(table)), "", line(heads), rule, *rows]
    notes = (part for note in table.notes for part in ("", plain(note)))
    return "\n".join([*parts, *notes]) + "\n"


def as_html(table: Tabulation) -> str:
    """An HTML table, without a page around it."""
    heads = [head.title for head in table.rows] + ["\n".join(h) for h in tabulation.heads(table)]
    cells = "".join(f"<th>{escape(one).replace(chr(10), '<br>')}</th>" for one in heads)
    caption = escape(" ".join([tabulation.caption(table), *table.notes]))
    lines = ["<table>", f"<caption>{caption}</caption>", f"<thead><tr>{cells}</tr></thead>"]
    lines.append("<tbody>")
    for keys, values in tabulation.body(table):
        left = "".join(f"<th>{escape(one)}</th>" for one in keys)
        right = "".join(f"<td>{escape(one)}</td>" for one in values)
        lines.append(f"<tr>{left}{right}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"]) + "\n"


def as_csv(table: Tabulation) -> str:
    """CSV for other programs: a line per cell, numbers with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [str(head) for head in (*table.rows, *table.columns)]
    writer.writerow([*heads, "measure", "unit", "mean", "low", "high", "replications"])
    for row in table.row_keys:
        for column in table.column_keys:
            for measure in table.measures:
                cell = table.cells.get((row, column, measure.name))
                if cell is not None:
                    keys = [tabulation.exact_key(one) for one in (*row, *column)]
                    numbers = map(tabulation.exact, (cell.mean, cell.low, cell.high))
                    writer.writerow(
                        [*keys, measure.name, measure.unit, *numbers, cell.replications]
                    )
    return out.getvalue()


FORMATS: Mapping[str, Callable[[Tabulation], str]] = {
    "text": as_text,
    "md": as_markdown,
    "csv": as_csv,
    "latex": latex,
    "html": as_html,
}
