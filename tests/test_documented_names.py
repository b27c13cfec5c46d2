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
from conftest import HERE

ROOT = HERE.parent
DOCS = ROOT / "docs"
WALKS = sorted((DOCS / "images").glob("walk-of-*.svg"))
HOW_TO = DOCS / "how-to" / "add-a-scheme.md"
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


def test_the_files_of_the_recipe_for_a_scheme_exist() -> None:
    files = FILE.findall(HOW_TO.read_text(encoding="utf-8"))
    assert len(files) > 20
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_the_code_of_the_recipe_for_a_scheme_is_that_of_the_files() -> None:
    excerpts = CODE.findall(HOW_TO.read_text(encoding="utf-8"))
    assert len(excerpts) > 5
    for file, code in excerpts:
        assert code in (ROOT / file).read_text(encoding="utf-8"), f"{file}:\n{code}"


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


def test_the_table_of_targets_has_what_make_builds_and_proves() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("Targets and their times")[2].partition("What runs where")[0]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):.*## ", makefile, re.MULTILINE))
    steps = {"help", "install", "lint", "format", "test-lab", "clean"}  # need no row
    rest = {one for one in targets - steps if not one.startswith("lock")}
    assert sorted(one for one in rest if f"`make {one}`" not in table) == []
