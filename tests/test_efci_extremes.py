"""Extremes of the fluid model against an integration, closed forms and the papers' conditions."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from cellrate import theory
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import (
    EfciLoop,
    clips,
    feasibility,
    limit_cycle,
    maximum_queue_bound_cells,
    printed_maximum_queue_cells,
    require_unclipped,
)
from cellrate.theory.efci.extremes import (
    LOGARITHM,
    ROOT_TERM,
    corrected_terms,
    fall_seconds,
    next_minimum,
    printed_terms,
)
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("undrawn")

OHSAKI = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rif=1 / 64, rdf=1 / 16)

# rif, 1/rdf, sources, ms; Q_max, Q_max as printed, Q_min from Euler integrations of the delayed
# equations with steps of 0.1 us, thresholds of 2898 cells.
INTEGRATED = [
    (1 / 64, 16, 10, 0.02, 6482.7, -1224.3, 2882.9),
    (1 / 64, 16, 10, 2.0, 8916.8, 1822.4, 1674.8),
    (1 / 128, 2, 10, 2.0, 4121.0, 3586.0, 255.4),
    (1 / 128, 4, 30, 2.0, 5729.1, 1909.7, 1190.5),
]


@pytest.mark.parametrize(
    ("rif", "rdff", "sources", "ms", "highest", "printed", "lowest"), INTEGRATED
)
def test_extremes_equal_the_integration(
    rif: float, rdff: float, sources: int, ms: float, highest: float, printed: float, lowest: float
) -> None:
    loop = OHSAKI.with_(sources=sources, round_trip_seconds=ms / 1e3, rif=rif, rdf=1 / rdff)
    assert maximum_queue_bound_cells(loop) == pytest.approx(highest, abs=1.1)
    assert printed_maximum_queue_cells(loop) == pytest.approx(printed, abs=0.05)
    assert limit_cycle(loop).minimum_queue_cells == pytest.approx(lowest, abs=1.1)


def test_steady_maxima_of_the_default_set() -> None:
    loops = OHSAKI.with_(sources=np.array([10, 30]))
    assert limit_cycle(loops).maximum_queue_cells == pytest.approx([6590.2, 11498.2], abs=0.1)


# Sources, ms, thresholds, 1/rif, 1/rdf: rest after some 80 and 110 cycles, and never.
RESTLESS = [
    (100, 141.9479212017233, 9857.600724922739, 1 / 0.016315770639828104, 1 / 0.36921840918228),
    (30, 13.811888071430344, 314.3611415227849, 1 / 0.14952164158194303, 1 / 0.3801304245739508),
    (10, 83.34422424921219, 6047.801247803263, 1 / 0.037549733393805164, 1 / 0.018437013017917676),
]


@pytest.mark.parametrize(
    ("loop", "rests"), [(RESTLESS[0], True), (RESTLESS[1], True), (RESTLESS[2], False)]
)
def test_swings_between_cycles_are_damped_or_refused(
    loop: tuple[int, float, float, float, float], rests: bool
) -> None:
    sources, ms, high, per_rif, per_rdf = loop
    swinging = EfciLoop(sources, 353_200.0, ms / 1e3, high, rif=1 / per_rif, rdf=1 / per_rdf)
    last = limit_cycle(swinging, settle=False)
    assert 0 < last.utilisation < 1
    if rests:
        assert limit_cycle(swinging) == last
    else:
        with pytest.raises(AssumptionError, match="too large for a cycle that repeats"):
            limit_cycle(swinging)


def test_what_is_not_told_of_a_loop_is_the_default_of_the_standard() -> None:
    told: dict[str, Any] = {"rif": 1 / 16, "rdf": 1 / 16, "nrm": 32, "mcr_cells_per_second": 0.0}
    network = (10, 353_200.0, 2e-3, 2898.0)
    default = limit_cycle(EfciLoop(*network))
    assert default == limit_cycle(EfciLoop(*network, **told, low_cells=2898.0))
    assert default != limit_cycle(EfciLoop(*network, **told | {"rif": 1 / 15}))


def test_without_gain_the_queue_stays_at_the_threshold() -> None:
    loop = OHSAKI.with_(rif=1e-9, round_trip_seconds=1e-9)
    assert maximum_queue_bound_cells(loop) == pytest.approx(2898, abs=0.01)
    assert printed_maximum_queue_cells(loop) != pytest.approx(2898, abs=0.5)


def test_a_fall_is_inverted_from_nothing_to_the_longest() -> None:
    y = np.array([0.0, 1e-6, 1e-3, 0.05, 1.0, 30.0, 1e6])
    # y - (1 - e^-y), whose terms cancel where y is small.
    depth = np.where(y < 0.1, y**2 / 2 - y**3 / 6 + y**4 / 24 - y**5 / 120, y + np.expm1(-y))
    assert fall_seconds(depth) == pytest.approx(y, rel=1e-5, abs=0)


def test_phase_one_knows_sources_and_factor_by_their_ratio_alone() -> None:
    loop = OHSAKI.with_(sources=[10, 20, 40], rdf=[1 / 16, 1 / 8, 1 / 4])
    found = np.asarray(maximum_queue_bound_cells(loop))
    assert found == pytest.approx(np.full(3, found[0]))
    printed = np.asarray(printed_maximum_queue_cells(loop))
    assert printed[1] != pytest.approx(printed[0], rel=0.01)


LOOPS = st.builds(
    lambda n, bw, tau, high, low, rif, rdf, decrease: EfciLoop(
        n,
        bw,
        tau,
        high,
        high * low,
        rif=2.0**-rif,
        rdf=2.0**-rdf,
        decrease=decrease,
        growth="delayed",
        pcr_cells_per_second=bw * 1.01,
    ),
    st.integers(1, 200),
    st.floats(1e3, 1e7),
    st.floats(1e-6, 0.05),
    st.floats(10, 1e5),
    st.floats(0.1, 1),
    st.integers(3, 15),
    st.integers(1, 15),
    st.sampled_from(["continuous", "per-cell"]),
)


@given(LOOPS)
@settings(max_examples=300, derandomize=True, deadline=None)
def test_any_cycle_is_whole(loop: EfciLoop) -> None:
    cycle = limit_cycle(loop)
    assert cycle.empties == (cycle.continued_minimum_cells < 0)
    assert (cycle.utilisation < 1) == cycle.empties
    assert (cycle.phase_3_seconds > 0) == cycle.empties == (cycle.phase_4_seconds > 0)
    assert cycle.phase_1_seconds > loop.tau
    assert 0 <= cycle.minimum_queue_cells <= loop.low <= loop.high <= cycle.maximum_queue_cells
    assert 0 < cycle.utilisation <= 1
    share = float(loop.bw / loop.n)
    assert cycle.minimum_acr_cells_per_second < share < cycle.maximum_acr_cells_per_second
    repeated = next_minimum(loop, np.asarray(cycle.continued_minimum_cells))
    scale = abs(cycle.continued_minimum_cells) + loop.high
    assert repeated == pytest.approx(cycle.continued_minimum_cells, abs=1e-9 * scale)
    # Growth delayed, as here, is slower than phase 4's: the bound holds with or without phase 3.
    assert cycle.maximum_queue_cells <= np.asarray(maximum_queue_bound_cells(loop)) * (1 + 1e-9)


def test_arrays_hold_the_same_as_their_elements() -> None:
    factors = 2.0 ** -np.arange(1, 12)
    grid = OHSAKI.with_(rif=factors[:, None], rdf=factors, high_cells=2500.0, low_cells=2000.0)
    cycles = limit_cycle(grid)
    assert cycles.empties.any()
    assert not cycles.empties.all()
    for place in [(0, 0), (3, 1), (5, 7), (10, 10)]:
        one = limit_cycle(grid.with_(rif=factors[place[0]], rdf=factors[place[1]]))
        for name, value in vars(one).items():
            assert getattr(cycles, name)[place] == pytest.approx(value, rel=1e-6), name


def test_a_decrease_per_cell_is_stronger_and_tends_to_the_continuous_one() -> None:
    rdf = np.array([1 / 2, 1 / 64, 1 / 4096])
    kappas = [OHSAKI.with_(rdf=rdf, decrease=one).kappa for one in ("per-cell", "continuous")]
    assert kappas[0] / kappas[1] == pytest.approx([2 * np.log(2), 1.00789, 1.000122], rel=1e-5)
    queues = [
        np.asarray(maximum_queue_bound_cells(OHSAKI.with_(rdf=rdf, decrease=one)))
        for one in ("per-cell", "continuous")
    ]
    assert (queues[0] < queues[1]).all()
    assert queues[0][2] == pytest.approx(queues[1][2], rel=2e-4)


def test_the_correction_for_rm_cells_is_a_narrower_link() -> None:
    narrow = OHSAKI.with_(
        bandwidth_cells_per_second=353_200 * 32 / 33, pcr_cells_per_second=353_200.0
    )
    corrected = OHSAKI.with_(rm_cells="corrected")
    found = maximum_queue_bound_cells(corrected)
    assert found == pytest.approx(maximum_queue_bound_cells(narrow))
    assert found != pytest.approx(maximum_queue_bound_cells(OHSAKI), rel=1e-3)


def test_the_sets_of_the_paper_are_feasible_and_those_of_the_standard_are_not() -> None:
    sets = OHSAKI.with_(
        sources=[10, 30, 10, 30],
        rif=[1 / 128, 1 / 128, 1 / 64, 1 / 64],
        rdf=[1 / 2, 1 / 4, 1 / 16, 1 / 16],
    )
    found = feasibility(sets, 5796)
    assert found.feasible.tolist() == [True, True, False, False]
    assert found.keeps_link_full.all()
    assert not found.avoids_steady_overflow[2:].any()


def test_no_set_fits_ten_kilobytes() -> None:
    factors = 2.0 ** -np.arange(16)
    thresholds = np.arange(1, 194, 8.0)[:, None, None]
    sets = OHSAKI.with_(
        high_cells=thresholds, low_cells=thresholds, rif=factors[:, None], rdf=factors
    )
    found = feasibility(sets, 193)
    assert not found.feasible_in_steady_state.any()
    assert found.avoids_overflow.any()
    # The second of two compromises wastes less: published throughputs are 0.435 and 0.542.
    pair = OHSAKI.with_(high_cells=96.0, low_cells=96.0, rif=1 / 256, rdf=[1 / 2, 1 / 4])
    assert np.diff(limit_cycle(pair).utilisation) > 0.1


@pytest.mark.parametrize(
    ("changes", "argument"),
    [
        ({"round_trip_seconds": 0.0}, "round_trip_seconds"),
        ({"round_trip_seconds": [1e-3, float("nan")]}, "round_trip_seconds"),
        ({"rdf": 2.0}, "rdf"),
        ({"rdf": 1.0, "decrease": "per-cell"}, "rdf"),
        ({"rif": 0.0}, "rif"),
        ({"low_cells": 3000.0}, "low_cells"),
        ({"high_cells": -1.0, "low_cells": None}, "high_cells"),
        ({"sources": 0}, "sources"),
        ({"nrm": 1}, "nrm"),
        ({"bandwidth_cells_per_second": float("inf")}, "bandwidth_cells_per_second"),
        ({"pcr_cells_per_second": 35_320.0}, "pcr_cells_per_second"),
        ({"mcr_cells_per_second": 40_000.0}, "mcr_cells_per_second"),
    ],
)
def test_the_assumption_that_fails_is_named(changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(AssumptionError) as raised:
        OHSAKI.with_(**changes)
    assert raised.value.argument == argument


def test_what_clips_is_named() -> None:
    few = OHSAKI.with_(sources=2)
    assert clips(few, limit_cycle(few))
    with pytest.raises(AssumptionError, match="ACR stays below PCR"):
        require_unclipped(few, limit_cycle(few))
    floored = OHSAKI.with_(mcr_cells_per_second=10_000.0)
    with pytest.raises(AssumptionError, match="ACR stays above MCR"):
        require_unclipped(floored, limit_cycle(floored))
    require_unclipped(OHSAKI, limit_cycle(OHSAKI))
    with pytest.raises(AssumptionError, match="before congestion is marked"):
        feasibility(OHSAKI, 2000)


def test_each_misprint_alone_is_wrong_too() -> None:
    found, printed = corrected_terms(OHSAKI), printed_terms(OHSAKI)
    root, logarithm = float(found[ROOT_TERM]), float(printed[LOGARITHM])
    only_root = float(sum(printed.values())) - float(printed[ROOT_TERM]) + root
    assert only_root == pytest.approx(7711.9, abs=0.1)
    # N RDF = 5120 cells; sqrt(2 AIR Q_H / BW) = 1.682, 2 AIR Q_H / BW = 2.830, AIR tau = 0.345.
    assert root == pytest.approx(5120 * 1.6823, rel=1e-4)
    assert logarithm == pytest.approx(-5120 * np.log(1 + 2.8301), rel=1e-4)
    assert found[LOGARITHM] == pytest.approx(-5120 * np.log(1 + 1.6823 + 0.34492), rel=1e-4)


def test_cells_add_to_the_delay() -> None:
    longer = OHSAKI.with_cell_delays()
    assert float(longer.tau) == pytest.approx(2e-3 + 14 / 353_200)
    assert limit_cycle(longer).maximum_queue_cells > limit_cycle(OHSAKI).maximum_queue_cells


def test_functions_of_numbers_are_those_of_the_loop_and_refuse_what_clips() -> None:
    numbers = (353_200.0, 2e-3, 2898.0)
    rifs = np.array([1 / 64, 1 / 128])
    found = theory.efci_maximum_queue_cells(10, *numbers, rif=rifs, rdf=1 / 16)
    assert found == pytest.approx(maximum_queue_bound_cells(OHSAKI.with_(rif=rifs)))
    for function in (theory.efci_maximum_queue_cells, theory.efci_minimum_queue_cells):
        with pytest.raises(AssumptionError, match="ACR stays below PCR"):
            function(2, *numbers, rif=1 / 64, rdf=1 / 16)


def test_growth_at_once_ends_where_numbers_do() -> None:
    steep = OHSAKI.with_(rif=1.0, rdf=0.5, high_cells=10.0, low_cells=10.0, round_trip_seconds=0.5)
    with pytest.raises(AssumptionError, match="delayed"):
        limit_cycle(steep)
    assert 0 < limit_cycle(steep.with_(growth="delayed")).utilisation < 1


@given(LOOPS)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_the_areas_are_the_corrected_equation_and_not_the_printed_one(loop: EfciLoop) -> None:
    numbers = {field.name: getattr(loop, field.name) for field in fields(loop)}
    areas = (theory.efci_phase_4_area_cells, theory.efci_phase_1_area_cells)
    area = float(sum(function(**numbers) for function in areas))
    terms = {name: float(term) for name, term in corrected_terms(loop).items()}
    size = sum(map(abs, terms.values()))
    assert maximum_queue_bound_cells(loop) == pytest.approx(area, abs=1e-8 * size)
    assert sum(terms.values()) == pytest.approx(area, abs=1e-8 * size)
    printed = {name: float(term) for name, term in printed_terms(loop).items()}
    wrong = {name for name in terms if printed[name] != terms[name]}
    # With one source the factor N is the same inside and outside the root.
    assert wrong - {ROOT_TERM} == {LOGARITHM}
    assert (ROOT_TERM in wrong) == (loop.n > 1)


def test_formulas_through_the_command(command: Command) -> None:
    network = [
        "--sources",
        "10",
        "--bandwidth",
        "353.2cells/ms",
        "--round-trip",
        "2ms",
        "--high",
        "2898cells",
    ]
    factors = ["--rif", "1/128", "--rdf", "1/2"]
    highest = json.loads(command("theory", "q-max", *network, *factors, "--json").stdout)
    assert highest["maximum_queue_cells"] == pytest.approx(4120.8, abs=0.1)
    assert highest["printed_maximum_queue_cells"] == pytest.approx(3586.0, abs=0.1)
    areas = highest["phase_1_area_cells"] + highest["phase_4_area_cells"]
    assert areas == pytest.approx(highest["maximum_queue_cells"])
    lowest = json.loads(command("theory", "q-min", *network, *factors, "--json").stdout)
    assert lowest["minimum_queue_cells"] == pytest.approx(256.07, abs=0.01)
    cycle = json.loads(command("theory", "efci-cycle", *network, *factors, "--json").stdout)
    assert cycle["period_seconds"] == pytest.approx(0.035036, abs=1e-6)
    assert cycle["utilisation"] == 1
    done = command(
        "theory", "q-min", *network[:-4], "--round-trip", "0 ms", *network[-2:], *factors
    )
    assert done.returncode == 2
    assert "--round-trip 0 ms: must be above 0" in done.stderr
