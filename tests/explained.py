"""Shared parts of the tests of `explain`: what it says of a scenario, and what a run measures."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from cellrate import _core, run
from cellrate.advice.explain import Explanation, Statement, explain
from cellrate.advice.explain.report import as_json
from cellrate.simulation.network import Network
from cellrate.theory.catalogue import CATALOGUE

PAPERS = Path(__file__).parents[1] / "papers"
LINK = 155.52e6 / 424


def of(path: str, *overrides: str) -> Explanation:
    return explain(Network.of((PAPERS / path).read_text(encoding="utf-8"), path, overrides))


def template(name: str, *overrides: str) -> Explanation:
    return explain(Network.of(_core.template(name), name, overrides))


def find(explanation: Explanation, topic: str, value: str) -> list[Statement]:
    """Statements of a topic that have a value."""
    return [one for one in explanation.statements if one.topic == topic and value in one.values]


def one(explanation: Explanation, topic: str, value: str) -> object:
    """A value that a single statement of a topic has."""
    [statement] = find(explanation, topic, value)
    return statement.values[value]


def number(value: object) -> float:
    assert isinstance(value, (int, float))
    return value


def silence(explanation: Explanation) -> dict[str, str]:
    return {one.formula: one.reason for one in explanation.without_statement}


def well_formed(explanation: Explanation) -> None:
    names = {formula.name for formula in CATALOGUE} | {""}
    assert explanation.statements
    for statement in explanation.statements:
        assert statement.text.endswith(".")
        assert statement.formula in names
        for value in statement.values.values():
            assert not isinstance(value, float) or math.isfinite(value)
    for missing in explanation.without_statement:
        assert missing.formula in names
        assert missing.reason
    json.dumps(as_json(explanation), allow_nan=False)


GREEDY = 'source={kind="greedy"}'


UBR = ('switch.control={scheme="none"}', "abr={}", "flow.tcp.service=ubr", "tcp.window=64 KiB")


def measured(text: str, *settings: str, seed: int = 1) -> dict[str, Any]:
    """The summary of a run."""
    return run(text, overrides=[*settings, "measure.events=[]"], seed=seed).summary


def broken(explanation: Explanation, summary: dict[str, Any]) -> list[str]:
    """Bounds that a run breaks."""
    return [
        f"{statement.text} Measured: {found}"
        for statement in explanation.statements
        if statement.kind == "bound"
        for claim in statement.claims
        if not claim.holds(found := claim.measured(summary))
    ]


PLAIN = 'switch.control={scheme="none"}', "flow.tcp.service=ubr"


SHORTLY = "run.duration=1 s", "measure.from=500 ms"
