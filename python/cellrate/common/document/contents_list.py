"""Names of the sections of a page, and the list of contents that leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cellrate.common.document.content import (
    Block,
    Detail,
    Figure,
    Folded,
    Section,
    Span,
    Table,
    joined,
    plain,
)

LEAST_SECTIONS = 3
"""A page with fewer sections has no contents."""
MOST_LINES = 40
"""Contents that would be longer leave out the sections of sections."""
HEADING = re.compile(r'<h([23]) id="([^"]*)">(.*?)</h\1>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def named(parts: Sequence[Block]) -> tuple[Block, ...]:
    """The parts with a name for each section, of its title; names that parts have are kept."""
    return _named(parts, set(_names(parts)))


def contents(page: str) -> str:
    """The contents of a page as HTML; empty if it has few sections.

    Args:
        page: The parts of the page as HTML.
    """
    found = HEADING.findall(page)
    if sum(level == "2" for level, _, _ in found) < LEAST_SECTIONS:
        return ""
    if len(found) > MOST_LINES:
        found = [one for one in found if one[0] == "2"]
    lines: list[str] = []
    for place, (level, name, title) in enumerate(found):
        before = found[place - 1][0] if place else ""
        if level == "3":
            lines.append("<ul>" if before == "2" else "</li>" if before == "3" else "<li><ul>")
        elif place:
            lines.append("</li></ul></li>" if before == "3" else "</li>")
        lines.append(f'<li><a href="#{name}">{TAG.sub("", title)}</a>')
    lines.append("</li></ul></li>" if found[-1][0] == "3" else "</li>")
    inner = "".join(lines)
    return (
        '<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>'
        f"<ul>{inner}</ul></details></nav>\n"
    )


def _named(parts: Sequence[Block], taken: set[str]) -> tuple[Block, ...]:
    found: list[Block] = []
    for part in parts:
        if isinstance(part, Section):
            name = part.anchor or _free(plain(part.title), taken)
            found.append(replace(part, anchor=name, parts=_named(part.parts, taken)))
        elif isinstance(part, Detail | Folded):
            found.append(replace(part, parts=_named(part.parts, taken)))
        else:
            found.append(part)
    return tuple(found)


def _free(title: str, taken: set[str]) -> str:
    """A name that is not taken; takes it."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}-{count}"
    taken.add(name)
    return name


def _names(parts: Sequence[Block]) -> Iterator[str]:
    """All names that parts have already."""
    for part in parts:
        if isinstance(part, Section | Figure | Folded) and part.anchor:
            yield part.anchor
        if isinstance(part, Section):
            yield from _in_text(part.title)
        if isinstance(part, Section | Detail | Folded):
            yield from _names(part.parts)
        if isinstance(part, Table):
            for cell in (cell for row in part.rows for cell in (*row.cells, row.note)):
                yield from _names([cell]) if isinstance(cell, Folded) else _in_text(cell)


def _in_text(text: object) -> Iterator[str]:
    spans = joined(text) if isinstance(text, str | Span | tuple) else ()
    yield from (one.anchor for one in spans if isinstance(one, Span) and one.anchor)
