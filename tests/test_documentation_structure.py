"""Every recipe is in one group of the documentation, and every command answers a question."""

from __future__ import annotations

import re

from cellrate.cli.app import app
from conftest import HERE

DOCS = HERE.parent / "docs"
# They serve other commands, and answer no question about a network.
NO_QUESTION = {"dissector", "--help", "-h", "--version"}


def test_every_recipe_is_in_one_group_and_in_the_table() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    recipes = sorted(path.stem for path in (DOCS / "how-to").glob("*.md"))
    assert sorted(re.findall(r"^how-to/([\w-]+)$", index, re.MULTILINE)) == recipes
    assert sorted(re.findall(r"\(how-to/([\w-]+)\.md\)", index)) == recipes


def test_every_command_answers_a_question_and_no_other_is_named() -> None:
    page = (DOCS / "which-command.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`cellrate ([\w-]+)", page))
    assert sorted(named) == sorted(set(app) - NO_QUESTION)
