"""A name of a module means one thing in all packages."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import cellrate
import pytest

PACKAGE = Path(cellrate.__file__).parent
# Modules of `cli` are named after the commands, hence often after the module that a command uses.
NAMED_AFTER_COMMANDS = "cli"
MEANINGS = {
    "answer": "the typed result of a command's computation",
    "columns": "columns of the tables of a data set",
    "credit": "credit-based flow control: its formulas, and these at a port",
    "figure": "an answer as a matplotlib figure",
    "laboratory": "runs of one scenario or paper with varied settings, each made once",
    "measures": "numbers that are read from a run, and their units",
    "over_ethernet": "what a command says of a scenario over Ethernet",
    "report": "an answer as a document for the terminal and a web page, and in other forms",
    "running": "the runs of an operation, made and collected",
    "runs": "the runs that an experiment or an expression names, and access to their results",
    "search": "the search for the best value by runs",
}
# Names that once meant several things.
NOT_USED = {"drawing", "model", "page", "screen", "words"}


def modules() -> list[Path]:
    """Modules of the package, paths relative to it."""
    files = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
    return [path for path in files if not path.stem.startswith("__")]


def returned(name: str) -> dict[str, set[str]]:
    """Return types of the public functions of all modules of a name, by module."""
    found: dict[str, set[str]] = {}
    for path in (path for path in modules() if path.stem == name and path.parts[0] != "cli"):
        tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
        functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
        public = (one for one in functions if not one.name.startswith("_") and one.returns)
        found[str(path)] = {ast.unparse(one.returns) for one in public if one.returns}
    return found


def test_names_that_occur_more_than_once_are_explained() -> None:
    places = defaultdict(list)
    for path in modules():
        if path.parts[0] != NAMED_AFTER_COMMANDS:
            places[path.stem].append(str(path))
    repeated = {name: where for name, where in places.items() if len(where) > 1}
    assert repeated.keys() == MEANINGS.keys()


def test_names_with_several_meanings_are_gone() -> None:
    assert {path.stem for path in modules()} & NOT_USED == set()


@pytest.mark.parametrize(("name", "kind"), [("report", "Document"), ("figure", "Figure")])
def test_modules_of_a_name_make_the_same_kind_of_thing(name: str, kind: str) -> None:
    found = returned(name)
    assert len(found) > 1
    for module, kinds in found.items():
        assert any(kind in one or one == "Canvas" for one in kinds), module


def test_every_module_as_json_has_a_function_of_that_name() -> None:
    for path in (path for path in modules() if path.stem == "as_json"):
        assert "\ndef as_json(" in (PACKAGE / path).read_text(encoding="utf-8"), path
