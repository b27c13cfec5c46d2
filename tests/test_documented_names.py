"""Files, keys, measures and code that the documentation names are there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cellrate import _core
from cellrate.language.measures import tables
from cellrate.simulation.purposes import PURPOSES
from cellrate.theory.catalogue import CATALOGUE
from component_pages import NOT_HERE, held
from conftest import HERE

ROOT = HERE.parent
DOCS = ROOT / "docs"
WALKS = sorted((DOCS / "images").glob("walk-of-*.svg"))
ENGINE = ROOT / "crates" / "engine" / "src"
# Recipes for a component, each with the trait that its state implements.
HOW_TO = {
    DOCS / "how-to" / "add-a-scheme.md": ("SwitchControl", ENGINE / "control" / "scheme.rs"),
    DOCS / "how-to" / "add-a-discard-policy.md": (
        "DiscardPolicy",
        ENGINE / "discard" / "policy.rs",
    ),
}
recipes = pytest.mark.parametrize("recipe", HOW_TO, ids=lambda recipe: recipe.stem)
WORDS = DOCS / "explanation" / "words.md"
SCHEMES = DOCS / "explanation" / "schemes.md"

BELOW = re.compile(r"<desc>Paths are below (.+)\.</desc>")
STATION = re.compile(r'<tspan class="file">([^<]+)</tspan>')
FILE = re.compile(r"`((?:crates|docs|proof|python|tests)/[\w./-]+)`")
CODE = re.compile(r"^```rust\n// (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOTTED = re.compile(r"`([a-z_]+(?:\.[a-z0-9_]+)+)`")


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.stem)
def test_the_files_of_a_diagram_exist(walk: Path) -> None:
    text = walk.read_text(encoding="utf-8")
    [below] = BELOW.findall(text)
    directory = ROOT if below == "the repository" else ROOT / below
    stations = STATION.findall(text)
    assert len(stations) > 10
    assert [station for station in stations if not (directory / station).exists()] == []


def test_the_manual_explains_every_warning_of_a_run() -> None:
    sources = (ROOT / "crates" / "cellrate" / "src").rglob("*.rs")
    texts = [path.read_text(encoding="utf-8") for path in sources if "tests" not in path.parts]
    codes = {code for text in texts for code in re.findall(r'Warning::new\(\s*"([a-z-]+)"', text)}
    rows = (DOCS / "how-to" / "read-results.md").read_text(encoding="utf-8")
    explained = {
        code
        for row in re.findall(r"^\| (`[a-z-]+`.*?) \|", rows, re.MULTILINE)
        for code in re.findall(r"`([a-z-]+)`", row)
    }
    assert len(codes) > 10
    assert codes <= explained


def test_there_are_diagrams() -> None:
    assert len(WALKS) == 3


@recipes
def test_the_files_of_a_recipe_exist(recipe: Path) -> None:
    files = FILE.findall(recipe.read_text(encoding="utf-8"))
    assert len(files) > 15
    assert [file for file in files if not (ROOT / file).exists()] == []


@recipes
def test_the_code_of_a_recipe_is_that_of_the_files(recipe: Path) -> None:
    excerpts = CODE.findall(recipe.read_text(encoding="utf-8"))
    assert len(excerpts) >= 2
    for file, code in excerpts:
        assert code in (ROOT / file).read_text(encoding="utf-8"), f"{file}:\n{code}"


@recipes
def test_a_recipe_names_all_that_the_registry_may_call(recipe: Path) -> None:
    trait, file = HOW_TO[recipe]
    source = file.read_text(encoding="utf-8")
    [body] = re.findall(rf"^pub trait {trait} \{{\n(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    told = {*re.findall(r"^    (?:fn|const) (\w+)", body, re.MULTILINE), "change"}
    assert len(told) > 5
    # Alternatives of the type that says when the queue is read.
    for alternatives in re.findall(
        r"^pub enum QueueReading \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL
    ):
        told |= set(re.findall(r"^    (\w+),", alternatives, re.MULTILINE))
    text = recipe.read_text(encoding="utf-8")
    assert (
        sorted(name for name in told if not re.search(rf"`{name}\b", text))
        == ["STATISTICS"][: "STATISTICS" in told]
    )


def test_readme_counts_schemes_and_recoveries() -> None:
    registry = json.loads(_core.registry())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    numbers = {word: number for number, word in enumerate((*words, "eleven", "twelve"))}
    [schemes] = re.findall(r"(\d+) schemes\b", readme)
    assert int(schemes) == len({one["name"] for one in registry["schemes"]} - {"none"})
    [recoveries] = re.findall(r"(\w+) recoveries\b", readme)
    assert numbers[recoveries] == len(registry["recoveries"])


def test_the_page_of_schemes_says_of_every_scheme_how_sure_it_is() -> None:
    rows = [line.split("|")[1] for line in SCHEMES.read_text("utf-8").splitlines() if "|" in line]
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    schemes = {one["name"] for one in json.loads(_core.registry())["schemes"]}
    assert sorted(schemes - {"none"} - told) == [], "without a row in docs/explanation/schemes.md"


def listed(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schema of a list's items; none if it is not a list."""
    return [schema["items"]] if "items" in schema else []


def keys(schema: dict[str, Any], definitions: dict[str, Any], path: str = "") -> Iterator[str]:
    """Paths of all tables and keys of a scenario."""
    if "$ref" in schema:
        schema = {**definitions[schema["$ref"].rpartition("/")[2]], **schema}
        schema.pop("$ref")
    inside = [*schema.get("oneOf", ()), *schema.get("anyOf", ()), *listed(schema)]
    for part in inside:
        yield from keys(part, definitions, path)
    for name, value in schema.get("properties", {}).items():
        key = f"{path}.{name}".lstrip(".")
        yield key
        yield from keys(value, definitions, key)


def test_the_keys_and_measures_of_the_words_exist() -> None:
    schemas = [json.loads(_core.schema(ethernet=over)) for over in (False, True)]
    known = {key for schema in schemas for key in keys(schema, schema["$defs"])}
    known.add("resolved.toml")
    known |= {
        measure.name.replace("[]", "") for table in tables().values() for measure in table.measures
    }
    named = DOTTED.findall(WORDS.read_text(encoding="utf-8"))
    assert len(named) > 60
    assert sorted(set(named) - known) == []


def test_the_table_of_targets_has_every_target_that_make_explains() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("Targets and their times")[2].strip().split("\n\n")[1]
    first = [row.split("|")[1] for row in table.splitlines()]
    rows = [name for cell in first for name in re.findall(r"`make ([\w-]+)`", cell)]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([\w-]+):.*## ", makefile, re.MULTILINE)
    assert sorted(rows) == sorted(targets)


def test_the_page_of_components_has_all_and_its_tests_and_formulas_exist() -> None:
    listed: dict[str, list[str]] = {}
    for kinds in PURPOSES.values():
        for kind, names in kinds.items():
            if kind not in NOT_HERE:
                listed.setdefault(kind, []).extend(names)
    found = held()
    assert {kind: sorted(names) for kind, names in found.items()} == {
        kind: sorted(names) for kind, names in listed.items()
    }
    registry = json.loads(_core.registry())
    assert registry.keys() - NOT_HERE <= found.keys()
    entries = [(f"{kind} {name}", one) for kind, of in found.items() for name, one in of.items()]
    assert [what for what, one in entries if not one.source] == []
    assert [what for what, one in entries if one.test and not is_test(one.test)] == []
    formulas = {formula.name for formula in CATALOGUE}
    assert [what for what, one in entries if not formulas.issuperset(one.theory)] == []


def is_test(place: str) -> bool:
    """True if `path::name` is a test in a file of the repository."""
    path, _, name = place.partition("::")
    file = ROOT / path
    if not file.exists():
        return False
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return bool(re.search(rf"^def {name}\(", text, re.MULTILINE)) and name.startswith("test_")
    return bool(re.search(rf"#\[test\]\n(?: *#\[.*\]\n)* *fn {name}\(", text))
