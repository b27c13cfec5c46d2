"""The fluid model of a scenario, and the sets of parameters that it proposes."""

from __future__ import annotations

import numpy as np
import pytest
from cellrate import _core
from cellrate.advice.tuning.fluid_model import FluidModel, NoFluidModel, model_of
from cellrate.advice.tuning.proposal import judged, proposal
from cellrate.simulation.network import Network
from cellrate.studies.parameters.keys import Keys
from conftest import SCENARIOS
from hypothesis import given
from hypothesis import strategies as st

EFCI = (SCENARIOS / "efci.toml").read_text(encoding="utf-8")


def model(*overrides: str, text: str = EFCI) -> FluidModel:
    resolved = _core.Scenario(text, "scenario", list(overrides)).resolved()
    return model_of(Network.of(text, "scenario", overrides), Keys(resolved))


def test_the_scenario_becomes_one_loop() -> None:
    loop = model().loop
    assert (int(loop.n), float(loop.tau), float(loop.high)) == (5, 4e-4, 500.0)
    assert float(loop.bw) == pytest.approx(149.9e6 / 424)
    assert float(loop.pcr) == pytest.approx(150e6 / 424)
    assert float(loop.low) == 500.0
    apart = model('switch.control={scheme="efci", high="700 cells", low="300 cells"}').loop
    assert (float(apart.high), float(apart.low)) == (700.0, 300.0)


def test_cells_add_to_the_round_trip_of_what_is_simulated() -> None:
    one = model()
    simulated = one.simulated(1 / 64, 1 / 16)
    # Two links there, two back; five cells of other sources and of its own between marks
    assert float(simulated.tau) == pytest.approx(4e-4 + (5 + 4) * 424 / 149.9e6)
    assert simulated.decrease == "per-cell"


def test_groups_with_factors_of_their_own_are_set_where_they_are() -> None:
    own = model("flow.source.abr.rif=0.5", "flow.source.abr.rdf=0.5")
    assert own.paths == (("flow.source.abr.rif",), ("flow.source.abr.rdf",))
    assert model().paths == (("abr.rif",), ("abr.rdf",))


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        (['switch.control={scheme="erica"}'], "uses 'erica'"),
        (['flow.source.service="ubr"'], "one bottleneck with ABR flows; the scenario has none"),
        (["switch.buffer=400 cells"], "buffer_cells"),
        (["switch.control.mark_at=enqueue"], "A->sink marks them when they enter it"),
        (["abr.mcr=30 Mbit/s", "abr.icr=30 Mbit/s"], "mcr"),
    ],
)
def test_it_says_which_assumption_fails(overrides: list[str], reason: str) -> None:
    with pytest.raises(NoFluidModel, match=reason):
        model(*overrides)


def test_flows_that_differ_have_no_model() -> None:
    other = EFCI + '\n[[flow]]\nname = "far"\nservice = "abr"\naccess = "9 ms"\n'
    with pytest.raises(NoFluidModel, match=r"round trip in s ranges from 0\.0004 to 0\.0182"):
        model(text=other)
    slower = EFCI + '\n[[flow]]\nname = "slow"\nservice = "abr"\nabr = { nrm = 16 }\n'
    with pytest.raises(NoFluidModel, match="Nrm ranges from 16 to 32"):
        model(text=slower)
    beside = EFCI + '\n[[flow]]\nname = "best-effort"\nservice = "ubr"\n'
    with pytest.raises(NoFluidModel, match=r"best-effort\.1 over A->sink does not"):
        model(text=beside)


def test_what_the_model_leaves_out_is_said() -> None:
    assert model().cautions == ()
    [fast] = model("abr.icr=45 Mbit/s").cautions
    assert fast.startswith("the initial rates together are 1.5 of the bottleneck")
    assert "TCP windows limit" in model("flow.source.source={kind='greedy'}").cautions[0]


def test_an_unlimited_buffer_never_overflows() -> None:
    judgement = judged(model("switch.buffer=infinite"))
    assert (judgement.overflow_cells < 0).all()
    assert judgement.feasible.sum() == (judgement.idle_cells < 0).sum() > 0


def test_several_bottlenecks_have_no_model() -> None:
    chain = """
[run]
duration = "10 ms"
[topology]
template = "graph"
node = [
    { name = "a", kind = "host" },
    { name = "b", kind = "host" },
    { name = "X", kind = "switch" },
    { name = "Y", kind = "switch" },
    { name = "Z", kind = "switch" },
]
link = [
    { from = "a", to = "X", rate = "20 Mbit/s", delay = "0.1 ms" },
    { from = "X", to = "Y", rate = "10 Mbit/s", delay = "0.1 ms" },
    { from = "Y", to = "Z", rate = "5 Mbit/s", delay = "0.1 ms" },
    { from = "Z", to = "b", rate = "20 Mbit/s", delay = "0.1 ms" },
]
[switch]
control = { scheme = "efci" }
[[flow]]
name = "flow"
service = "abr"
from = "a"
to = "b"
"""
    with pytest.raises(NoFluidModel, match="the scenario has 2: X->Y, Y->Z"):
        model(text=chain)


def test_background_takes_its_mean_off_the_bottleneck() -> None:
    source = 'source = { kind = "cbr", rate = "49.9 Mbit/s" }'
    beside = EFCI + f'\n[[flow]]\nname = "cbr"\nservice = "cbr"\n{source}\n'
    assert float(model(text=beside).loop.bw) == pytest.approx(100e6 / 424)


@given(st.integers(2, 30))
def test_proposals_lie_where_they_say(settings: int) -> None:
    one = model()
    judgement = judged(one)
    found = proposal(one, judgement, settings)
    feasible = {
        one.setting(float(rif), float(rdf))
        for rif, rdf, good in zip(judgement.rif, judgement.rdf, judgement.feasible, strict=True)
        if good
    }
    assert set(found.feasible) <= feasible
    assert not set(found.boundary) & feasible
    assert len(found.settings) <= settings
    assert found.feasible
    sets = {
        one.setting(float(judgement.rif[at]), float(judgement.rdf[at])): at
        for at in range(judgement.rif.size)
    }
    places = np.log2([judgement.rif, judgement.rdf])
    near = places[:, judgement.feasible]
    outside = [sets[setting] for setting in found.boundary]
    for at in outside:
        assert (np.abs(near - places[:, [at]]).max(axis=0) <= 1).any()
    overflow, idle = judgement.overflow_cells, judgement.idle_cells
    for side in (overflow > 0, overflow <= 0):
        missed = [max(overflow[at], idle[at]) for at in outside if side[at]]
        assert missed == sorted(missed)
        assert settings < 6 or missed


def test_the_best_has_the_least_maximum_of_those_that_use_as_much() -> None:
    one = model("run.duration=10 s")
    judgement = judged(one)
    used = np.round(judgement.utilisation, 2)
    most = judgement.feasible & (used == used[judgement.feasible].max())
    assert most.sum() > 1
    queue = np.where(most, judgement.found.maximum_queue_cells, np.inf)
    at = int(np.argmin(queue))
    best = one.setting(float(judgement.rif[at]), float(judgement.rdf[at]))
    assert proposal(one, judgement, 6).feasible[0] == best


def test_a_slow_start_is_used_as_far_as_it_comes() -> None:
    short, long = (judged(model(f"run.duration={span}")) for span in ("300 ms", "100 s"))
    at = int(np.flatnonzero((short.rif == 2.0**-11) & (short.rdf == 2.0**-11))[0])
    # AIR = RIF PCR / Nrm; the integral of 25/149.9 e^(AIR t) over 0.3 s, which ends below the link
    air = 2.0**-11 * 150e6 / 424 / 32
    alone = 25 / 149.9 * np.expm1(air * 0.3) / (air * 0.3)
    assert short.utilisation[at] == pytest.approx(alone, rel=0.01)
    steady = float(np.asarray(long.found.utilisation)[at])
    assert long.utilisation[at] == pytest.approx(steady, abs=0.01)
    later = judged(model("measure.from=290 ms"))
    assert short.utilisation[at] < later.utilisation[at] < steady
    started = judged(model("abr.icr=30 Mbit/s"))
    assert started.utilisation == pytest.approx(np.asarray(started.found.utilisation))


def test_a_start_grows_as_fast_as_feedback_returns() -> None:
    brief = judged(model("run.duration=1 ms"))
    at = int(np.flatnonzero((brief.rif == 1 / 4) & (brief.rdf == 1 / 2))[0])
    air, tau = 150e6 / 424 / 4 / 32, 4e-4 + 9 * 424 / 149.9e6
    rate = 0.0
    for _ in range(200):  # of the slowest mode: rate = AIR e^(-rate tau), damped
        rate = (rate + air * np.exp(-rate * tau)) / 2
    assert rate < 0.6 * air
    used = 25 / 149.9 * np.expm1(rate * 1e-3) / (rate * 1e-3)
    assert brief.utilisation[at] == pytest.approx(used)


def test_sources_that_start_later_are_measured_from_then_on() -> None:
    late = judged(model("run.duration=500 ms", "measure.from=200 ms", "flow.source.start=200 ms"))
    assert late.utilisation == pytest.approx(judged(model()).utilisation)


def test_without_a_feasible_set_both_ways_out_are_proposed() -> None:
    one = model("switch.buffer=520 cells", "run.duration=10 s")
    judgement = judged(one)
    assert not judgement.feasible.any()
    found = proposal(one, judgement, 9)
    assert (len(found.lossless), len(found.full)) == (5, 4)
    assert not found.feasible + found.boundary
    sets = {
        one.setting(float(judgement.rif[at]), float(judgement.rdf[at])): at
        for at in range(judgement.rif.size)
    }
    used = np.round(judgement.utilisation, 2)
    overflows = judgement.overflow_cells > 0
    for proposed, side in ((found.lossless, ~overflows), (found.full, overflows)):
        chosen = [sets[setting] for setting in proposed]
        assert side[chosen].all()
        assert used[chosen[0]] == used[side].max()
