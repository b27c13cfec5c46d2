"""Prepares SVG drawings for a page with several drawings and a policy against style attributes.

The content security policy of a page permits only style elements whose hashes it names. Drawings of
matplotlib have their styles in attributes, and all drawings use the same ids.
"""

from __future__ import annotations

import re

LARGER = 1.35
WIDE_POINTS = 500.0
SIZE = re.compile(r' width="([\d.]+)pt" height="([\d.]+)pt"')
DRAWING = re.compile(r"<svg .*?</svg>", re.DOTALL)
STYLE_ELEMENT = re.compile(r"<style\b[^>]*>(.*?)</style>\s*", re.DOTALL)
METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
FOR_ALL = re.compile(r"\s*\*\s*\{([^{}]*)\}\s*")
STYLE_ATTRIBUTE = re.compile(r' style="([^"]*)"')
NAMES = (
    re.compile(r'( id=")([^"]+)'),
    re.compile(r'((?:xlink:)?href="#)([^"]+)'),
    re.compile(r"(url\(#)([^)]+)"),
)
PRESENTATION = frozenset(
    {
        *("clip-path", "clip-rule", "color", "display", "fill", "fill-opacity", "fill-rule"),
        *("font-family", "font-size", "font-stretch", "font-style", "font-variant", "font-weight"),
        *("image-rendering", "marker-end", "opacity", "shape-rendering", "stop-color"),
        *("stop-opacity", "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit", "stroke-opacity", "stroke-width"),
        *("text-anchor", "text-rendering", "vector-effect", "visibility", "white-space"),
    }
)
"""Properties that SVG permits as attributes (Scalable Vector Graphics 2, section 6.6)."""


def enlarged(drawing: str) -> tuple[str, bool]:
    """A drawing in the size for a page, and True if it is a wide drawing.

    Drawings are made for print. A page enlarges them until their letters are as large as the text
    of the page.
    """
    size = SIZE.search(drawing)
    if size is None:
        return drawing, False
    width, height = (float(one) * LARGER for one in size.groups())
    whole = f' width="{width:g}pt" height="{height:g}pt"'
    return SIZE.sub(whole, drawing, count=1), float(size[1]) > WIDE_POINTS


def fit(page: str) -> str:
    """The page with drawings that have no style attributes, and whose ids differ.

    >>> fit('<svg id="a"><use style="fill: red" href="#a"/></svg>')
    '<svg id="drawing-1-a"><use fill="red" href="#drawing-1-a"/></svg>'

    Raises:
        ValueError: A drawing has a style that SVG does not permit as an attribute.
    """
    count = 0

    def one(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return _with_own_names(_without_styles(found[0]), f"drawing-{count}-")

    return DRAWING.sub(one, page)


def _without_styles(drawing: str) -> str:
    """Turns styles into SVG attributes.

    A rule for all elements becomes attributes of the drawing.
    """
    whole: dict[str, str] = {}
    for rule in STYLE_ELEMENT.findall(drawing):
        found = FOR_ALL.fullmatch(rule)
        if found is None:
            raise ValueError(f"the style {rule!r} of a drawing is not one rule for all elements")
        whole |= _properties(found[1])
    drawing = STYLE_ELEMENT.sub("", METADATA.sub("", drawing))
    drawing = STYLE_ATTRIBUTE.sub(lambda found: _attributes(_properties(found[1])), drawing)
    return drawing.replace("<svg", f"<svg{_attributes(whole)}", 1)


def _properties(style: str) -> dict[str, str]:
    parts = (part.partition(":") for part in style.split(";") if part.strip())
    found = {name.strip(): value.strip() for name, _, value in parts}
    if not PRESENTATION.issuperset(found):
        [name, *_] = found.keys() - PRESENTATION
        raise ValueError(f"the style {name!r} of a drawing is no attribute of SVG")
    return found


def _attributes(properties: dict[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in properties.items())


def _with_own_names(drawing: str, before: str) -> str:
    """Adds a prefix to each id of a drawing and to the references to it."""
    ids = set(re.findall(r' id="([^"]+)"', drawing))

    def named(found: re.Match[str]) -> str:
        return f"{found[1]}{before}{found[2]}" if found[2] in ids else found[0]

    for pattern in NAMES:
        drawing = pattern.sub(named, drawing)
    return drawing
