"""Documents as Markdown for the documentation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

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
)

MARKS: dict[Style, str] = {
    "strong": "**",
    "bad": "**",
    "emphasis": "*",
    "code": "`",
}
SPECIAL = {"|": "\\|", "*": "\\*", "_": "\\_", "<": "&lt;"}
# A `<` before a space does not begin an HTML tag.
CHARACTERS = re.compile(r"[|*_]|<(?! )")


def markdown(document: Document) -> str:
    """The document as Markdown, without folded details."""
    above = [text(document.above)] if document.above else []
    parts = [*above, f"# {escaped(document.title)}", *_blocks(document.parts, level=2)]
    return "\n\n".join(parts) + "\n"


def text(content: Text) -> str:
    """A text as Markdown, its special characters escaped."""
    return "".join(_span(one) for one in joined(content))


def escaped(content: str) -> str:
    """A text with `|`, `*` and `_` escaped, and `<` unless a space follows."""
    return CHARACTERS.sub(lambda found: SPECIAL[found[0]], content)


def _span(one: str | Span) -> str:
    if isinstance(one, str):
        return escaped(one)
    mark = MARKS.get(one.style, "")
    inner = one.text if one.style == "code" else escaped(one.text)
    marked = f"{mark}{inner}{mark}" if inner else ""
    return f"[{marked}]({one.link})" if one.link else marked


def _blocks(parts: Sequence[Block], level: int) -> list[str]:
    return [block for part in parts for block in _block(part, level)]


def _block(part: Block, level: int) -> list[str]:
    match part:
        case Section():
            inner = _blocks(part.parts, level + 1)
            return [f"{'#' * level} {text(part.title)}", *inner] if inner else []
        case Detail():
            return _blocks(part.parts, level)
        case Folded() | Thumbnails():
            return []
        case Paragraph():
            return [text(part.text)]
        case Remark():
            return [f"> {text(part.text)}"]
        case Command():
            return ["\n".join(["```console", *(f"$ {line}" for line in part.lines), "```"])]
        case Listing():
            return ["\n".join(_items(part, ""))] if part.items else []
        case Table():
            return [_table(part)] if part.rows else []
        case Figure():
            return [f"![{part.about}.]({part.file})"] if part.file else []


def _items(part: Listing, indent: str) -> list[str]:
    found = []
    for item in part.items:
        found += (
            _items(item, f"{indent}  ")
            if isinstance(item, Listing)
            else [f"{indent}- {text(item)}"]
        )
    return found


def _table(part: Table) -> str:
    titles = [one.name for one in part.columns]
    head = "|" + "|".join(f" {escaped(title)} " if title else " " for title in titles) + "|"
    rules = "|".join("--:" if one.align == "right" else "---" for one in part.columns)
    lines = [head, f"|{rules}|"]
    for row in part.rows:
        *cells, last = map(_cell, row.cells)
        note = f"<br>{_cell(row.note)}" if row.note else ""
        lines.append(f"| {' | '.join([*cells, last + note])} |")
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    """A cell on one line, its bars escaped even in code (GitHub Flavored Markdown, 4.10)."""
    if isinstance(cell, Folded):
        found = escaped(cell.title)
    else:
        found = "".join(map(_span_in_table, joined(cell)))
    return found.replace("\n", "<br>")


def _span_in_table(one: str | Span) -> str:
    if isinstance(one, Span) and one.style == "code":
        one = replace(one, text=one.text.replace("|", SPECIAL["|"]))
    return _span(one)
