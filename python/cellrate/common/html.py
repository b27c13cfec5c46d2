"""Self-contained web pages in a common style; they load nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from importlib import resources

__all__ = ["Markup", "details", "document", "escape", "figure", "link", "table"]


class Markup(str):
    """A text in HTML, which is not escaped again."""

    __slots__ = ()


def link(text: str, href: str) -> Markup:
    """A link; both arguments are plain texts."""
    return Markup(f'<a href="{escape(href)}">{escape(text)}</a>')


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page.

    Args:
        title: Title of the window, as plain text.
        parts: Contents of the body, as HTML; empty parts are left out.
    """
    style = resources.files("cellrate.common").joinpath("page.css").read_text("utf-8")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style}</style></head><body>",
            *(part for part in parts if part),
            "</body></html>\n",
        ]
    )


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[int] = (),
    *,
    wide: bool = False,
) -> str:
    """A table of plain texts; cells of type `Markup` are not escaped.

    Args:
        columns: Titles of the columns.
        rows: Rows, each with a cell for every column.
        numbers: Indices of the right-aligned columns, from 0.
        wide: True for a table with many columns: in smaller type, with a least width of the last
            column, and with a scroll bar of its own if the window is too narrow.
    """

    def line(cells: Sequence[str], tag: str) -> str:
        style = [' class="number"' if index in numbers else "" for index in range(len(cells))]
        shown = (
            f"<{tag}{s}>{cell if isinstance(cell, Markup) else escape(cell)}</{tag}>"
            for s, cell in zip(style, cells, strict=True)
        )
        return f"<tr>{''.join(shown)}</tr>"

    found = f"<table>{line(columns, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"
    return f'<div class="wide">{found}</div>' if wide else found


def details(title: str, inner: str) -> str:
    """A part that opens on a click; empty if its content is empty."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>" if inner else ""


def figure(svg: str, anchor: str = "") -> str:
    """A drawing, see `cellrate.simulation.figures.svg`, with an optional anchor for links."""
    name = f' id="{escape(anchor)}"' if anchor else ""
    return f"<figure{name}>{svg}</figure>"
