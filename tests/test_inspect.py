"""`cellrate new`, `validate`, `schema`, `list`."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from cellrate import _core
from conftest import HERE, Command

LISTS = (
    "experiments",
    "measures",
    "schemes",
    "credit",
    "policies",
    "sources",
    "recoveries",
    "templates",
)
TEMPLATES = [entry["name"] for entry in json.loads(_core.registry())["templates"]]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_is_commented_valid_and_runs(command: Command, template: str) -> None:
    text = command("new", template).stdout
    assert text.count("#") > 10
    done = command("validate", "-", stdin=text)
    assert done.returncode == 0, done.stderr
    assert "is a valid scenario" in done.stdout
    done = command("run", "-", "--json", stdin=text)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cell_hops"] > 0


@pytest.mark.parametrize("what", LISTS)
def test_lists_are_json_arrays_of_names_and_readable_text(command: Command, what: str) -> None:
    names = json.loads(command("list", what, "--json").stdout)
    assert names
    assert all(isinstance(name, str) for name in names)
    assert len(set(names)) == len(names)
    lines = command("list", what).stdout.splitlines()
    assert [line.split()[0] for line in lines] == names


def test_without_a_name_every_component_is_listed_with_its_source(command: Command) -> None:
    listed: dict[str, list[str]] = json.loads(command("list", "--json").stdout)
    kinds = re.split(r"^(\w+):$", command("list").stdout, flags=re.MULTILINE)[1:]
    lines = {
        kind: text.strip().splitlines() for kind, text in zip(kinds[::2], kinds[1::2], strict=True)
    }
    assert {kind: [line.split()[0] for line in found] for kind, found in lines.items()} == listed
    del lines["templates"]
    assert all(re.search(r" \[.+\]$", line) for found in lines.values() for line in found), lines


def test_lists_hold_what_the_field_expects(command: Command) -> None:
    def listed(what: str) -> set[str]:
        return set(json.loads(command("list", what, "--json").stdout))

    assert {"none", "efci", "erica"} <= listed("schemes")
    assert listed("credit") == {"fcvc"}
    assert {"tail-drop", "ppd", "epd", "intelligent-tail-drop"} <= listed("policies")
    assert {"tahoe", "reno", "timeout-only", "sack", "jacobson88"} <= listed("recoveries")
    assert {
        "greedy",
        "transfer",
        "cbr",
        "on-off",
        "exponential-on-off",
        "mmdp",
        "mpeg2",
        "transport-stream",
        "rate-trace",
        "messages",
        "www",
    } <= listed("sources")
    assert {"n-source", "parking-lot", "gfc-1", "gfc-2", "satellite", "graph"} <= listed(
        "templates"
    )


def test_a_measure_is_listed_with_all_that_it_is(command: Command) -> None:
    done = command("list", "measures", "flows.tcp_throughput_bits_per_second")
    assert done.returncode == 0, done.stderr
    for word in ("bit/s", "8 delivered_bytes / window", "Kalyanaraman 97 section 8.8"):
        assert word in done.stdout
    # A key without its table is looked for in all of them, and in the language of measures.
    found = json.loads(command("list", "measures", "cell_loss_ratio", "--json").stdout)
    tables = {one["table"] for one in found}
    assert tables == {"run", "classes", "ports", "expressions"}
    wrong = command("list", "measures", "trougput_mbit")
    assert wrong.returncode == 2
    assert "did you mean 'throughput_mbit'?" in wrong.stderr
    assert len(wrong.stderr) < 1000


def test_one_of_a_list_can_be_asked_for(command: Command) -> None:
    assert command("list", "schemes", "erica").stdout.startswith("erica ")
    assert command("list", "schemes", "--json", "erica").stdout == '["erica"]\n'
    wrong = command("list", "policies", "edp")
    assert wrong.returncode == 2
    assert "did you mean" in wrong.stderr


def test_the_schema_is_a_json_schema_of_every_section(command: Command) -> None:
    schema = json.loads(command("schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    names = "run measure topology switch fcvc link_errors tcp abr aal5 flow"
    assert " ".join(schema["properties"]) == names


def test_validate_prints_json(command: Command) -> None:
    text = command("new", "n-source").stdout
    found = json.loads(command("validate", "-", "--json", stdin=text).stdout)
    assert found["warnings"] == []
    assert 0 < found["estimate"]["memory_bytes"] < found["estimate"]["available_bytes"]


def test_the_version_is_the_package_s(command: Command) -> None:
    manifest = tomllib.loads((HERE.parent / "Cargo.toml").read_text(encoding="utf-8"))
    assert command("--version").stdout.strip() == manifest["workspace"]["package"]["version"]
