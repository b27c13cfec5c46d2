"""Every key of a scenario, in every variant of its table, changes what it should as it should."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from cellrate import Job, Result, run_many
from choice_effects import CHOICES, Choice
from conftest import SCENARIOS
from credit_effects import CREDIT_EFFECTS
from discard_effects import DISCARD_KEYS
from end_system_effects import ABR_KEYS, TCP_KEYS
from erica_effects import ERICA_KEYS
from flow_effects import FLOW_KEYS
from key_effects import PAIR, Effect
from network_effects import RUN, SWITCH_KEYS, TOPOLOGIES, TOPOLOGY
from recovery_effects import RECOVERY_KEYS
from schema_keys import CHOICES as NAMES
from schema_keys import KEYS, key_of
from scheme_effects import SCHEME_EFFECTS
from source_effects import SOURCE_KEYS

EFFECTS = [
    *RUN,
    *TOPOLOGY,
    *SWITCH_KEYS,
    *DISCARD_KEYS,
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
    "changes.at": "crates/cellrate/src/run/tests/changes.rs: the same before, not after",
    "changes.set": "the same, for every key that can change",
    "abr.law.law": "tests/test_schemes.py: PRCA as a law is its twin, and no other",
    "tcp.ecn": "crates/engine/src/tcp/sender/tests/ecn.rs: acts over Ethernet only",
    "tcp.recovery.dctcp.g": "crates/engine/src/tcp/recovery/dctcp.rs: marks over Ethernet only",
    "tcp.recovery.dctcp.initial_alpha": "the same",
    **{
        f"switch.schedule.{discipline}.classes.strict": "test_class_weights: it changes `weights`"
        for discipline in ("weighted-round-robin", "scfq", "wf2q-plus")
    },
    "topology": "below: each topology gives a run of its own",
    "topology.graph.node": "test_bad_input: hosts end flows, switches forward",
    "topology.graph.node.host.name": "test_bad_input: names that are unknown or not unique",
    "topology.graph.node.switch.name": "the same",
    "flow.source.rate-trace.sha256": "crates/cellrate/src/traffic_files/tests.rs: another content",
    "flow.source.transport-stream.sha256": "the same",
}


def run(text: str, file: str, settings: Sequence[Sequence[str]]) -> list[Result]:
    """A scenario's results with each of several lists of settings."""
    jobs = [Job(text, file, tuple(one)) for one in settings]
    return [Result(outcome) for outcome in run_many(jobs, workers=1)]


def key_of_effect(effect: Effect) -> str:
    """The key that an effect is of."""
    text = (SCENARIOS / effect.scenario).read_text(encoding="utf-8")
    settings = effect.settings(effect.first or effect.second)
    return key_of(effect.path, text, effect.scenario, list(settings))


def key_of_choice(choice: Choice) -> str:
    """The key that a choice is of: a tag stands for its table, but for `rules`, which is a key."""
    text = (SCENARIOS / choice.scenario).read_text(encoding="utf-8")
    key = key_of(choice.path, text, choice.scenario, list(choice.context))
    return key if key in KEYS else f"{key}.{choice.tag}"


def effect_id(effect: Effect) -> str:
    """Short for the listing."""
    return f"{effect.path}={effect.second}"


@pytest.mark.parametrize("effect", EFFECTS, ids=effect_id)
def test_a_key_has_its_effect(effect: Effect) -> None:
    text = (SCENARIOS / effect.scenario).read_text(encoding="utf-8")
    settings = [effect.settings(value) for value in (effect.first, effect.second)]
    first, second = map(effect.measure, run(text, effect.scenario, settings))
    if effect.relation == "differs":
        assert first != second
    elif effect.relation == "rises":
        assert first < second  # type: ignore[operator]
    else:
        assert effect.relation == "falls"
        assert first > second  # type: ignore[operator]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.path)
def test_each_name_gives_a_run_of_its_own(choice: Choice) -> None:
    text = (SCENARIOS / choice.scenario).read_text(encoding="utf-8")
    names = KEYS[key_of_choice(choice)]
    settings = [(*choice.context, choice.setting(name)) for name in names]
    found: dict[str, list[str]] = {}
    for name, result in zip(names, run(text, choice.scenario, settings), strict=True):
        found.setdefault(result.digest, []).append(name)
    assert [same for same in found.values() if len(same) > 1] == []
    assert len(names) > 1


def test_each_topology_gives_a_run_of_its_own() -> None:
    assert TOPOLOGIES.keys() == set(NAMES["topology"])
    text = (SCENARIOS / PAIR).read_text(encoding="utf-8")
    digests = {result.digest for result in run(text, PAIR, list(TOPOLOGIES.values()))}
    assert len(digests) == len(TOPOLOGIES)


def test_no_key_is_without_an_effect() -> None:
    chosen = [key_of_choice(choice) for choice in CHOICES]
    tested = {*map(key_of_effect, EFFECTS), *chosen}
    assert sorted(KEYS.keys() - tested - ELSEWHERE.keys()) == [], "without a row in *_effects.py"
    # A table is no key of its own, but its presence may have an effect.
    tables = {path for path in tested if any(key.startswith(f"{path}.") for key in KEYS)}
    assert sorted((tested | ELSEWHERE.keys()) - KEYS.keys() - tables) == []
    assert sorted(tested & ELSEWHERE.keys()) == []


def test_every_name_is_tried() -> None:
    tried = {key_of_choice(choice) for choice in CHOICES}
    assert sorted(NAMES.keys() - ELSEWHERE.keys() - tried) == []
