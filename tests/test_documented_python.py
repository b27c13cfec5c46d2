"""The Python that pages show gives what they show beside it."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from conftest import HERE

DOCS = HERE.parent / "docs"
SHOWN = re.compile(r"(?<=^```\{doctest\}\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
PAGES = {
    page.relative_to(DOCS): found
    for page in sorted(DOCS.rglob("*.md"))
    if (found := SHOWN.findall(page.read_text(encoding="utf-8")))
}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_python_of_a_page_gives_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block goes on with the names of those before it."""
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest("\n".join(PAGES[page]), {}, str(page), None, 0)
    assert examples.examples
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=report.append)
    assert report == []


def test_pages_show_python() -> None:
    assert len(PAGES) >= 6
