"""The bench of components: everything that the registries know is in it, and works."""

from __future__ import annotations

import json

import pytest
from cellrate import _core
from cellrate.cli.parser import app
from cellrate.simulation import component_bench
from cellrate.simulation.component_bench import KINDS, components, measure, needs_file


def test_every_component_is_timed_in_a_scenario_that_is_right() -> None:
    registry = json.loads(_core.registry())
    found = {(kind.registry, name) for kind, name, _ in components() if kind in KINDS}
    assert found == {
        (kind.registry, each["name"]) for kind in KINDS for each in registry[kind.registry]
    }
    for kind in KINDS:
        assert (kind.registry, kind.plain) in found
    texts = [text for kind, _, text in components() if kind in KINDS]
    assert len(set(texts)) == len(texts)
    for kind, name, text in components():
        if not needs_file(name):
            # Parsing raises for what is refused.
            resolved = _core.Scenario(text, name).resolved()
            assert kind not in KINDS or f'"{name}"' in resolved, f"{kind.name} {name}"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bench that takes no time."""
    network = component_bench.NETWORK.replace('"2 s"', '"20 ms"').replace('"1000 km"', '"10 km"')
    monkeypatch.setattr(component_bench, "NETWORK", network)


@pytest.mark.usefixtures("short")
def test_the_command_prints_what_each_costs(capsys: pytest.CaptureFixture[str]) -> None:
    app(["bench", "--components", "--json"], result_action="return_value")
    costs = json.loads(capsys.readouterr().out)
    assert len(costs) == sum(not needs_file(name) for _, name, _ in components())
    for cost in costs:
        assert cost["nanoseconds"] > 0
        assert cost["ratio"] > 0
    plain = [cost for cost in costs if cost["ratio"] == 1]
    assert {cost["name"] for cost in plain} >= {kind.plain for kind, _, _ in components()}


@pytest.mark.usefixtures("short")
def test_it_can_be_stopped() -> None:
    asked: list[tuple[float, float]] = []

    def after_three(done: float, total: float) -> bool:
        asked.append((done, total))
        return done < 3

    with pytest.raises(_core.Cancelled):
        measure(after_three)
    assert [done for done, _ in asked] == [1, 2, 3]
    assert asked[0][1] > 100
