"""Parameters that are varied: ranges that parameters declare, and those that are asked for."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import cellrate
import pytest
from cellrate import _core
from cellrate.advice.tuning.declared import ResolvedScenario, declared, parameter_tables
from cellrate.advice.tuning.laboratory import shown
from cellrate.advice.tuning.options import varied
from cellrate.common.problems import BadInput
from cellrate.simulation.network import Network
from cellrate.simulation.runner import run_one
from cellrate.studies.parameters import schema
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.parameters.ranges import Range, Scale, written
from conftest import SCENARIOS
from hypothesis import given
from hypothesis import strategies as st

EFCI = (SCENARIOS / "efci.toml").read_text(encoding="utf-8")


def scenario(text: str = EFCI, *overrides: str) -> ResolvedScenario:
    resolved = _core.Scenario(text, "scenario", list(overrides)).resolved()
    return ResolvedScenario(Keys(resolved), Network.of(text, "scenario", overrides))


@pytest.mark.parametrize("kind", ["Time", "Rate", "Cells", "Bytes", "Buffer", "Delay"])
@given(value=st.floats(1e-6, 1e6))
def test_what_is_written_is_read_again(kind: str, value: float) -> None:
    # Rates are whole thousandths of a bit per second.
    whole = kind in {"Cells", "Bytes", "Buffer", "Rate"}
    exact = 1e3 * math.ceil(value) if whole else value
    assert _core.quantity(written(exact, kind), kind.lower()) == pytest.approx(exact, rel=1e-6)


@given(share=st.floats(0, 1))
def test_a_range_stays_within_its_ends(share: float) -> None:
    scales: tuple[Scale, ...] = ("linear", "log")
    for scale in scales:
        one = Range("x", "number", 0.013, 7.7, scale)
        assert 0.013 <= float(one.at(share)) <= 7.7
    assert 3 <= int(Range("x", "integer", 3, 900, "log").at(share)) <= 900


def test_scales() -> None:
    assert Range("x", "number", 1.0, 9.0, "linear").at(0.5) == "5.0"
    assert Range("x", "number", 1.0, 9.0, "log").at(0.5) == "3.0"
    powers = Range("x", "number", 2.0**-3, 1.0, "powers-of-two")
    assert powers.values == ("0.125", "0.25", "0.5", "1.0")
    assert Range("x", "integer", 2, 5, "linear").values == ("2", "3", "4", "5")
    # 10 ms to 10.23 s in steps of 10 ms, as ADTF has them
    stepped = Range("x", "Time", 0.01, 10.23, "log", 0.01)
    assert stepped.values is None
    assert stepped.at(0.5) == "0.32 s"  # sqrt(0.01 * 10.23) = 0.3198


def test_powers_of_two_are_shown_as_fractions() -> None:
    assert [shown(text) for text in ("0.0078125", "0.1", "2", "1 ms")] == [
        *("1/128", "0.1", "2", "1 ms")
    ]


def test_a_declared_share_is_taken_of_the_buffer() -> None:
    [threshold] = varied(scenario(), ["switch.control.threshold"])
    assert threshold == Range("switch.control.threshold", "Cells", 20.0, 950.0, "linear")
    with pytest.raises(BadInput, match="share of an infinite buffer"):
        varied(scenario(EFCI, "switch.buffer=infinite"), ["switch.control.threshold"])


def test_lengths_of_queues_have_the_unit_of_the_scenario() -> None:
    """In the template of DCQCN a frame has 1,086 bytes, and both thresholds are in bytes."""
    text = _core.template("dcqcn")
    found = ResolvedScenario.of(_core.Scenario(text, "dcqcn", []))
    for key in ("switch.aqm.min", "switch.aqm.max"):
        [own] = varied(found, [key])
        other = ResolvedScenario.of(
            _core.Scenario(text, "d", ["switch.aqm.min=4 packets", "switch.aqm.max=9 packets"])
        )
        [packets] = varied(other, [key])
        assert isinstance(own, Range)
        assert isinstance(packets, Range)
        assert (own.kind, packets.kind) == ("Bytes", "QueueLength")
        assert (own.low, own.high) == (1086 * packets.low, 1086 * packets.high)


def test_units_may_stand_at_the_end() -> None:
    [icr] = varied(scenario(), ["abr.icr=1..100 Mbit/s"])
    assert icr == Range("abr.icr", "Rate", 1e6, 1e8, "log")
    [listed] = varied(scenario(), ["abr.rif=1/8,1/2,1/4"])
    assert listed.values == ("0.125", "0.25", "0.5")


def test_conditions_decide_what_is_varied_by_itself() -> None:
    def names(*overrides: str) -> set[str]:
        place = scenario(EFCI, 'switch.control={scheme="erica"}', *overrides)
        space, _ = declared(place, parameter_tables(place))
        return {one.path.removeprefix("switch.control.") for one in space}

    usual = {"target_utilisation", "interval", "interval_cells", "delta"}
    assert names() == usual
    assert names("switch.control.average_sources=true") == {*usual, "source_decay"}
    assert names("switch.control.max_alloc=false") == usual - {"delta"}
    averaging = 'switch.control.load_averaging="load-factor"'
    assert names(averaging) == {*usual, "load_weight"}
    plus = {f"queue_control.{name}" for name in ("target_delay", "a", "b", "drain_limit")}
    assert names("switch.control.queue_control={}") == usual | plus


def test_marking_goes_with_the_factors_of_the_sources() -> None:
    space, left = declared(scenario(), parameter_tables(scenario()))
    assert [one.path for one in space] == ["switch.control.threshold", "abr.rif", "abr.rdf"]
    assert left == ()
    high = scenario(EFCI, 'switch.control={scheme="efci", high="600 cells", low="300 cells"}')
    space, _ = declared(high, parameter_tables(high))
    assert [one.path.rpartition(".")[2] for one in space] == ["high", "low", "rif", "rdf"]
    relative = scenario(EFCI, 'switch.control={scheme="rrm-p"}')
    space, _ = declared(relative, parameter_tables(relative))
    paths = [one.path.rpartition(".")[2] for one in space]
    assert paths == ["sampling", "low", "high", "rif", "rdf"]
    proportional = scenario(EFCI, 'abr.rules="prca"', 'abr.air="1 Mbit/s"')
    space, _ = declared(proportional, parameter_tables(proportional))
    assert [one.path.rpartition(".")[2] for one in space] == ["threshold", "air", "mdf"]


@pytest.mark.parametrize("control", [one["name"] for one in json.loads(_core.registry())["roce"]])
def test_marks_are_searched_only_for_sources_over_roce_that_obey_them(control: str) -> None:
    red = 'algorithm="red",ecn=true,weight=1,gentle=false'
    settings = (f'flow.answer.roce.control={{algorithm="{control}"}}', 'run.duration="8 ms"')

    def place(thresholds: str) -> _core.Scenario:
        overrides = [*settings, f"switch.aqm={{{red},{thresholds}}}"]
        return _core.Scenario(cellrate.template("dcqcn"), "s", overrides)

    few, many = (
        place(f'hard_drop=false,max_p=1,min="{least} bytes",max="{2 * least} bytes"')
        for least in (4_000_000, 400)
    )
    runs = [json.loads(run_one(one).summary())["flows"] for one in (few, many)]
    marked = [sum(flow["packets_marked"] for flow in flows) for flows in runs]
    assert marked[0] == 0 < marked[1]
    ends, other_ends = ([flow["completion_seconds"] for flow in flows] for flows in runs)
    tables = parameter_tables(ResolvedScenario.of(many))
    assert ("switch.aqm" in tables) is (ends != other_ends)
    assert "flow.answer.roce.control" in tables
    # Drops affect every source.
    assert "switch.aqm" in parameter_tables(ResolvedScenario.of(place("hard_drop=true")))


def test_control_is_searched_only_for_abr() -> None:
    assert parameter_tables(scenario(EFCI, 'flow.source.service="ubr"')) == ("switch.discard",)


def test_a_switch_with_a_scheme_of_its_own_is_varied_too() -> None:
    text = (SCENARIOS / "graph.toml").read_text(encoding="utf-8")
    place = scenario(text, 'topology.node.X.control={scheme="erica"}')
    space, _ = declared(place, parameter_tables(place))
    paths = [one.path for one in space]
    assert "topology.node.X.control.interval" in paths
    assert "switch.control.threshold" in paths


def test_a_scheme_that_is_added_later_is_known_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    later = copy.deepcopy(schema.schema())
    gain: dict[str, Any] = {"type": "number", "x-search": {"low": 0.1, "high": 0.4}}
    gain["x-search"]["scale"] = "linear"
    properties = {"scheme": {"type": "string", "const": "later"}, "gain": gain}
    later["$defs"]["ControlConfig"]["oneOf"].append({"properties": properties})
    monkeypatch.setattr(schema, "schema", lambda _="atm": later)
    monkeypatch.setattr(schema, "_definitions", schema._definitions.__wrapped__)  # noqa: SLF001
    place = scenario()
    place.keys.document["switch"]["control"] = {"scheme": "later", "gain": 0.2}
    space, _ = declared(place, ["switch.control"])
    assert space == (Range("switch.control.gain", "number", 0.1, 0.4, "linear"),)


def test_rounding_stays_within_the_range() -> None:
    one = Range("abr.crm", "number", 1.004, 9.996, "linear")
    assert [one.at(share) for share in (0.0, 0.5, 1.0)] == ["1.004", "5.5", "9.996"]
