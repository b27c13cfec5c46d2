"""Documents as self-contained web pages in one style; they load nothing from elsewhere.

A page is readable without its script, which sorts tables, copies commands and opens details.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from importlib import resources

from cellrate.common.document import (
    Block,
    Cell,
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Remark,
    Row,
    Section,
    Span,
    Style,
    Table,
    Text,
    Thumbnails,
    changed,
    inline_svg,
    joined,
    plain,
    walk,
)

LEAST_SECTIONS = 3
"""Least number of sections with which a page has a table of contents."""
MOST_LINES = 40
"""Greatest number of lines of a table of contents with subsections.

A longer table lists only sections, as does a table in which subsections have equal titles.
"""
HEADING = re.compile(r'<h([23]) id="([^"]*)">(.*?)</h\1>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def named(parts: Sequence[Block]) -> tuple[Block, ...]:
    """The parts with an anchor for each section, made from its title; existing anchors are kept."""
    taken = set(_names(parts))

    def name(part: Block) -> Block:
        if not isinstance(part, Section) or part.anchor:
            return part
        return replace(part, anchor=_free(plain(part.title), taken))

    return changed(parts, name)


def contents(page: str) -> str:
    """The table of contents of a page as HTML; empty if the page has few sections.

    Args:
        page: The parts of the page as HTML.
    """
    found = HEADING.findall(page)
    if sum(level == "2" for level, _, _ in found) < LEAST_SECTIONS:
        return ""
    below = [title for level, _, title in found if level == "3"]
    if len(found) > MOST_LINES or len(set(below)) < len(below):
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


def _free(title: str, taken: set[str]) -> str:
    """An unused anchor for a title, which is added to the used ones."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}-{count}"
    taken.add(name)
    return name


def _names(parts: Sequence[Block]) -> Iterator[str]:
    """All anchors of the parts."""
    for part in walk(parts):
        if isinstance(part, Section | Figure | Folded) and part.anchor:
            yield part.anchor
        if isinstance(part, Table):
            cells = (cell for row in part.rows for cell in row.cells)
            yield from _names([cell for cell in cells if isinstance(cell, Folded)])


def head(title: str, style: str, script: str) -> str:
    """The head of a page as HTML, up to and including the style.

    The content security policy (W3C, Content Security Policy Level 3) names the hashes of the style
    and of the script. So a browser runs no other script and loads nothing else.

    Args:
        title: Title of the page.
        style: The style sheet in the page.
        script: The script in the page, as between its tags.
    """
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{fingerprint(script)}'",
            f"style-src '{fingerprint(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style></head>"
    )


def fingerprint(text: str) -> str:
    """The SHA-256 of an element's text as a content security policy names it.

    >>> fingerprint("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# Levels 1 and 2 belong to the title and the sections of the page around the fragment.
TITLE_LEVEL = 3


def fragment(document: Document) -> str:
    """The document as an HTML element with its style; text and background colours are the page's.

    So the element is readable on light and on dark pages. Figures keep a white background.
    """
    title = f"<h{TITLE_LEVEL}>{escape(document.title)}</h{TITLE_LEVEL}>"
    return (
        f'<div class="cellrate">\n<style>\n{_style()}</style>\n{title}\n'
        f"{blocks(document.parts, level=TITLE_LEVEL + 1)}\n</div>\n"
    )


@cache
def _style() -> str:
    place = resources.files("cellrate.common.document").joinpath("fragment.css")
    return place.read_text("utf-8")


TAGS: dict[Style, str] = {"strong": "strong", "emphasis": "em", "code": "code"}
NAMED = re.compile(r"`([^`\n]+)`")
# Code that begins with this text is a command, and gets a button to copy it.
PROGRAM = "cellrate "
# HTML has no headings below this level.
LAST_HEADING = 6


def web_page(document: Document) -> str:
    """The document as HTML."""
    place = resources.files("cellrate.common.document")
    style, script = (place.joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    above = f'<p class="faint">{text(document.above)}</p>\n' if document.above else ""
    body = inline_svg.fit(blocks(named(document.parts), level=2))
    # What comes before the first section says most, so it comes before the table of contents.
    at = body.find("<h2 ")
    lead, rest = (body, "") if at < 0 else (body[:at], body[at:])
    return (
        f"{head(document.title, style, script)}<body>\n"
        f"{above}<h1>{escape(document.title)}</h1>\n{lead}{contents(body)}{rest}\n"
        f"<script>{script}</script>\n</body></html>\n"
    )


def blocks(parts: Sequence[Block], level: int = 2) -> str:
    """Parts of a document as HTML; `level` is that of the headings of their sections."""
    found = (_block(part, level) for part in parts)
    return "\n".join(one for one in found if one)


def text(content: Text) -> str:
    """A text as HTML."""
    return "".join(_span(one) for one in joined(content))


def _span(one: str | Span) -> str:
    if isinstance(one, str):
        return _broken(one)
    inner = _broken(one.text)
    if one.style == "code" and one.text.startswith(PROGRAM):
        inner = f'<code class="command">{inner}</code>'
    elif one.style in TAGS:
        inner = f"<{TAGS[one.style]}>{inner}</{TAGS[one.style]}>"
    elif one.style != "plain":
        inner = f'<span class="{one.style}">{inner}</span>'
    return f'<a href="{escape(one.link)}">{inner}</a>' if one.link else inner


def _broken(content: str) -> str:
    """The escaped text; parts between backticks become code."""
    named = NAMED.sub(r"<code>\1</code>", escape(content))
    return named.replace("\n", "<br>")


def _block(part: Block, level: int) -> str:
    if isinstance(part, Section):
        return _section(part, level)
    if isinstance(part, Detail):
        return blocks(part.parts, level)
    if isinstance(part, Folded):
        return _folded(part, level)
    return _leaf(part)


def _leaf(
    part: Paragraph | Remark | Command | Listing | Thumbnails | Table | Figure,
) -> str:
    match part:
        case Paragraph():
            kind = "" if part.style == "plain" else f' class="{part.style}"'
            return f"<p{kind}>{text(part.text)}</p>"
        case Remark():
            return f'<p class="{"why" if part.style == "bad" else "note"}">{text(part.text)}</p>'
        case Command():
            return _command(part)
        case Listing():
            return _listing(part)
        case Thumbnails():
            return _thumbnails(part)
        case Table():
            return _table(part)
        case Figure():
            return _figure(part)


def _thumbnails(part: Thumbnails) -> str:
    items = (
        f'<a href="{escape(link.link)}">{picture}{_broken(link.text)}</a>'
        for link, picture in part.items
    )
    return f'<nav class="thumbnails">{"".join(items)}</nav>' if part.items else ""


def _command(part: Command) -> str:
    return f'<pre class="command">{escape(chr(10).join(part.lines))}</pre>' if part.lines else ""


def _section(part: Section, level: int) -> str:
    inner = blocks(part.parts, level + 1)
    if not inner:
        return ""
    name = f' id="{escape(part.anchor)}"' if part.anchor else ""
    heading = f"h{min(level, LAST_HEADING)}"
    return f"<{heading}{name}>{text(part.title)}</{heading}>\n{inner}"


def _folded(part: Folded, level: int) -> str:
    inner = blocks(part.parts, level)
    if part.anchor:
        # A browser opens folded details when a link leads into them, even without a script.
        inner = f'<div id="{escape(part.anchor)}">{inner}</div>' if inner else ""
    return f"<details><summary>{escape(part.title)}</summary>{inner}</details>" if inner else ""


def _listing(part: Listing) -> str:
    items: list[str] = []
    for item in part.items:
        if not isinstance(item, Listing):
            items.append(text(item))
        elif items:
            items[-1] += _listing(item)
        else:
            items.append(_listing(item))
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if any(items) else ""


def _table(part: Table) -> str:
    heads = "".join(_cell(one.title, one, "th") for one in part.columns)
    body = "".join(_row(row, part.columns) for row in part.rows)
    # The table has its own scroll bar, so that a narrow window does not scroll the page.
    kind = "table wide" if part.wide else "table"
    if not body:
        return ""
    place = ' tabindex="0"' if part.wide else ""  # so that keys can scroll it
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="{kind}"{place}>{table}</div>'


def _row(row: Row, columns: Sequence[Column]) -> str:
    cells = "".join(_cell(cell, at, "td") for cell, at in zip(row.cells, columns, strict=True))
    if not row.note:
        return f"<tr>{cells}</tr>"
    note = f'<td colspan="{len(columns)}"><div class="why">{text(row.note)}</div></td>'
    return f'<tr>{cells}</tr><tr class="of-above">{note}</tr>'


def _cell(cell: Cell, column: Column, tag: str) -> str:
    kind = ' scope="col"' if tag == "th" else ""
    kind += ' class="number"' if column.align == "right" else ""
    inner = _folded(cell, LAST_HEADING) if isinstance(cell, Folded) else text(cell)
    return f"<{tag}{kind}>{inner}</{tag}>"


def _figure(part: Figure) -> str:
    name = f' id="{escape(part.anchor)}"' if part.anchor else ""
    label = f'<svg role="img" aria-label="{escape(part.about)}" '
    drawing, is_wide = inline_svg.enlarged(part.svg())
    kind = ' class="wide"' if is_wide else ""
    return f"<figure{kind}{name}>{drawing.replace('<svg ', label, 1)}{_data(part)}</figure>"


def _data(part: Figure) -> str:
    """Links to a figure's numbers."""
    if not part.data:
        return ""
    links = (
        f'<a class="button" href="{escape(part.data)}.{end}" download>{name}</a>'
        for end, name in (("csv", "CSV"), ("parquet", "Parquet"))
    )
    return f"<figcaption>Data: {' '.join(links)}</figcaption>"
