"""Every parameter that can be tuned declares how; whatever it declares can be simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cellrate import _core
from cellrate.studies.parameters.keys import Key, Keys
from cellrate.studies.parameters.ranges import SCALES
from cellrate.studies.parameters.schema import NUMBERS, QUANTITIES, definition, resolve, schema

BUFFER, PCR = 1000, 100.0
BASE = f"""
[run]
duration = "10 ms"
[topology]
template = "single-switch"
link_rate = "150 Mbit/s"
access = "0.5 ms"
bottleneck = "0.5 ms"
[switch]
buffer = "{BUFFER} cells"
[abr]
pcr = "{PCR} Mbit/s"
[[flow]]
name = "tcp"
count = 2
service = "abr"
"""
# Tables that exist only if they are asked for.
ABSENT = {"erica": ["switch.control.queue_control={}"]}
# Other settings that a value needs to be right.
NEEDS = {
    "switch.control.low": ["switch.control.high=950 cells"],
    "switch.control.high": ["switch.control.low=0 cells"],
    "switch.control.qt": ["switch.control.dqt=950 cells"],
    "switch.control.dqt": ["switch.control.qt=0 cells"],
    "tcp.recovery.alpha": ["tcp.recovery.beta=32"],
    "abr.air": ['abr.rules="prca"'],
    "abr.mdf": ['abr.rules="prca"', 'abr.air="1 Mbit/s"'],
    "abr.time_constant": ['abr.rules="smith-predictor"'],
}


def settings() -> Iterator[tuple[str, list[str]]]:
    """Every table with parameters of a scheme or protocol, and what makes a scenario have it."""
    registry = json.loads(_core.registry())
    for scheme in registry["schemes"]:
        chosen = f'switch.control={{scheme="{scheme["name"]}"}}'
        yield "switch.control", [chosen, *ABSENT.get(scheme["name"], ())]
    for policy in registry["policies"]:
        yield "switch.discard", [f'switch.discard={{policy="{policy["name"]}"}}']
    for recovery in registry["recoveries"]:
        chosen = f'tcp.recovery="{recovery["name"]}"'
        # Recoveries without parameters are not tables.
        if "[tcp.recovery]" in _core.Scenario(BASE, "base", [chosen]).resolved():
            yield "tcp.recovery", [chosen]
    yield "abr", []
    yield "tcp", []


def parameters() -> Iterator[tuple[Key, list[str]]]:
    """Every number and quantity of these tables."""
    for table, overrides in settings():
        for key in Keys(_core.Scenario(BASE, "base", overrides).resolved()).below(table):
            if key.kind not in {"choice", "boolean"}:
                yield key, overrides


def named(one: object) -> str:
    """Name of a parameter in a test's name."""
    return one.path if isinstance(one, Key) else ""


PARAMETERS = list(parameters())


def numbers_of(names: tuple[str, ...]) -> int:
    """Numbers and quantities in the definitions of these names and in what they refer to."""
    count = 0
    for name in names:
        node = schema()["$defs"][name]
        tables = [{**resolve(one), **one} for one in node.get("oneOf", [node])]
        for value in (value for table in tables for value in table.get("properties", {}).values()):
            kind = resolve(value).get("type")
            if "properties" in resolve(value):
                count += numbers_of((definition(value),))
            elif definition(value) in QUANTITIES or kind in NUMBERS:
                count += 1
    return count


def test_no_parameter_is_forgotten() -> None:
    known = ("ControlConfig", "DiscardConfig", "AbrConfig", "TcpConfig", "Recovery")
    assert len(PARAMETERS) == numbers_of(known) > 40


@pytest.mark.parametrize(
    ("key", "_overrides"), PARAMETERS, ids=lambda one: getattr(one, "path", "")
)
def test_a_number_says_how_it_is_searched_or_why_not(key: Key, _overrides: list[str]) -> None:
    assert (key.search is None) != (key.not_searched is None)
    if key.search is not None:
        assert key.search["scale"] in SCALES
        assert set(key.search) <= {"low", "high", "scale", "step", "of", "when"}
    if key.not_searched is not None:
        assert len(key.not_searched) > 10


SEARCHED = [(key, overrides) for key, overrides in PARAMETERS if key.search is not None]


@pytest.mark.parametrize(("key", "overrides"), SEARCHED, ids=named)
def test_both_ends_of_a_range_can_be_simulated(key: Key, overrides: list[str]) -> None:
    assert key.search is not None
    found = []
    for end in ("low", "high"):
        value: Any = key.search[end]
        if "of" in key.search:
            size, unit = {"buffer": (BUFFER, "cells"), "pcr": (PCR, "Mbit/s")}[key.search["of"]]
            value = f"{value * size:g} {unit}"
        settings = [*overrides, *NEEDS.get(key.path, ()), f"{key.path}={json.dumps(value)}"]
        found.append(Keys(_core.Scenario(BASE, "base", settings).resolved()).find(key.path).value)
    assert None not in found
    assert found[0] != found[1]


def test_a_condition_names_a_key_beside_it() -> None:
    conditions = [(key, name) for key, _ in SEARCHED for name in (key.search or {}).get("when", {})]
    assert conditions
    for key, name in conditions:
        siblings = {one.path for one, _ in PARAMETERS}
        place = key.path.rpartition(".")[0]
        assert f"{place}.{name}" in siblings or name in key.siblings
