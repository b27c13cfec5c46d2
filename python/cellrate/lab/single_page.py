"""The lab as one file that opens from a disk or from mail."""

from __future__ import annotations

from cellrate.lab import pages
from cellrate.lab.given import Given

PLACE = "<!--given-->"


def single_page(given: Given) -> str:
    """The page with a scenario in it: HTML that asks for nothing else.

    Raises:
        BadInput: The page has not been built.
    """
    shell = pages.read(pages.SINGLE).decode("utf-8")
    before, place, after = shell.partition(PLACE)
    if not place:
        raise RuntimeError(f"{pages.SINGLE} has no {PLACE}")
    data = f'<script type="application/json" id="given">{given.json()}</script>'
    return before + data + after
