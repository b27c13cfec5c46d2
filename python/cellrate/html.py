"""Self-contained web pages in the house style; nothing in them is fetched from anywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from importlib import resources

__all__ = ["Markup", "details", "document", "escape", "figure", "link", "table"]


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def link(text: str, href: str) -> Markup:
    """A link, of plain texts."""
    return Markup(f'<a href="{escape(href)}">{escape(text)}</a>')


def document(title: str, parts: Iterable[str]) -> str:
    """A page.

    Args:
        title: Plain text, for the window's title.
        parts: What the body holds, as HTML; empty parts are left out.
    """
    style = resources.files("cellrate").joinpath("page.css").read_text("utf-8")
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
    """A table of plain texts; what is `Markup` is taken as it is.

    Args:
        columns: Titles.
        rows: As many cells each as there are columns.
        numbers: Which columns are set to the right, counted from 0.
        wide: Whether it has many columns: set smaller, its last column in lines of some length, and
            scrolled by itself if the window is too narrow.
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
    """A part that opens on a click; nothing if there is nothing in it."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>" if inner else ""


def figure(svg: str, anchor: str = "") -> str:
    """A drawing, see `cellrate.figures.svg`; links may lead to its anchor."""
    name = f' id="{escape(anchor)}"' if anchor else ""
    return f"<figure{name}>{svg}</figure>"
