"""Documents as a part of somebody else's page, such as the output of a cell in a notebook."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib import resources

from cellrate.common.document.content import Document
from cellrate.common.document.web_page import blocks

# The page's own title and sections have the levels above.
TITLE_LEVEL = 3


def fragment(document: Document) -> str:
    """The document as an HTML element with its style; it takes ink and ground from the page.

    So it can be read on light and on dark pages. Figures keep a white ground.
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
