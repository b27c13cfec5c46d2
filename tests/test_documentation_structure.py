"""Every recipe is in one group of the documentation, and every command answers a question."""

from __future__ import annotations

import re

import cellrate
from cellrate.cli.parser import app
from conftest import HERE

DOCS = HERE.parent / "docs"
# They serve other commands, and answer no question about a network.
NO_QUESTION = {"completion", "dissector", "--help", "-h", "--version"}


def test_every_recipe_is_in_one_group_and_in_the_table() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    recipes = sorted(path.stem for path in (DOCS / "how-to").glob("*.md"))
    assert sorted(re.findall(r"^how-to/([\w-]+)$", index, re.MULTILINE)) == recipes
    assert sorted(re.findall(r"\(how-to/([\w-]+)\.md\)", index)) == recipes


def test_every_command_answers_a_question_and_no_other_is_named() -> None:
    page = (DOCS / "which-command.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`cellrate ([\w-]+)", page))
    assert sorted(named) == sorted(set(app) - NO_QUESTION)


def test_every_public_name_of_the_package_is_on_one_page_of_the_python_reference() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "reference" / "python").iterdir()]
    shown = re.findall(
        r"auto(?:class|function|exception):: cellrate\.(\w+)$", "\n".join(pages), re.MULTILINE
    )
    public = set(cellrate.__all__) - {"__version__"}
    assert sorted(name for name in shown if name in public) == sorted(public)
