"""Every key of a scenario changes what it should, in the direction in which it should."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cellrate import Job, Result, _core, run_many
from conftest import SCENARIOS
from credit_effects import CREDIT_EFFECTS
from end_system_effects import ABR_KEYS, TCP_KEYS
from erica_effects import ERICA_KEYS
from flow_effects import FLOW_KEYS
from key_effects import Effect
from network_effects import RUN, SWITCH_KEYS, TOPOLOGY
from recovery_effects import RECOVERY_KEYS
from scheme_effects import SCHEME_EFFECTS
from source_effects import SOURCE_KEYS

EFFECTS = [
    *RUN,
    *TOPOLOGY,
    *SWITCH_KEYS,
    *ERICA_KEYS,
    *TCP_KEYS,
    *RECOVERY_KEYS,
    *ABR_KEYS,
    *FLOW_KEYS,
    *SOURCE_KEYS,
    *SCHEME_EFFECTS,
    *CREDIT_EFFECTS,
]

# Keys whose effect is no difference between two runs, and who tests them.
ELSEWHERE = {
    "run.strict": "test_bad_input: an error becomes a warning",
    "topology.template": "test_inspect: every template runs",
    "topology.node.kind": "test_bad_input: hosts end flows, switches forward",
    "topology.node.name": "test_bad_input: names that are unknown or not unique",
    "flow.source.sha256": "crates/cellrate/src/traffic_files/tests.rs: another content is refused",
    "flow.source.kind": "the effect of flow.source",
    "tcp.recovery.policy": "the effect of tcp.recovery",
}
# Tables that stand for all their keys, since these have effects of their own elsewhere.
WHOLE = {
    "flow.tcp",
    "flow.abr",
    "topology.node.control",
    "topology.node.discard",
    "topology.node.vsvd",
}
# After these comes the name or number of one of several tables.
NUMBERED = ("flow", "topology.node", "topology.link")


def key_of(path: str) -> str:
    """Path of a key in the schema, from its path in a setting."""
    for table in NUMBERED:
        if path.startswith(f"{table}."):
            return f"{table}.{path.removeprefix(f'{table}.').partition('.')[2]}"
    return path


def keys(schema: dict[str, Any], definitions: dict[str, Any], path: str = "") -> Iterator[str]:
    """Every key of the schema, in whatever variant of its table it stands."""
    if "$ref" in schema:
        schema = {**definitions[schema["$ref"].rpartition("/")[2]], **schema}
        schema.pop("$ref")
    parts = [*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())]
    inner = [found for part in parts for found in keys(part, definitions, path)]
    inner += list(keys(schema["items"], definitions, path)) if "items" in schema else []
    for name, value in schema.get("properties", {}).items():
        key = f"{path}.{name}".lstrip(".")
        below = [] if key in WHOLE else list(keys(value, definitions, key))
        inner += [key] if key in WHOLE or not below else below
    return iter(inner)


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: f"{effect.path}={effect.second}")
def test_a_key_has_its_effect(effect: Effect) -> None:
    text = (SCENARIOS / effect.scenario).read_text(encoding="utf-8")
    jobs = [
        Job(text, effect.scenario, (*effect.context, f"{effect.path}={value}"))
        for value in (effect.first, effect.second)
    ]
    first, second = (effect.measure(Result(outcome)) for outcome in run_many(jobs, workers=1))
    if effect.relation == "differs":
        assert first != second
    elif effect.relation == "rises":
        assert first < second  # type: ignore[operator]
    else:
        assert effect.relation == "falls"
        assert first > second  # type: ignore[operator]


def test_no_key_is_without_an_effect() -> None:
    schema = json.loads(_core.schema())
    known = set(keys(schema, schema["$defs"]))
    tested = {key_of(effect.path) for effect in EFFECTS} | set(ELSEWHERE)
    prefixes = {key.rpartition(".")[0] for key in known}
    assert sorted(known - tested) == []
    assert sorted(tested - known - prefixes) == []
