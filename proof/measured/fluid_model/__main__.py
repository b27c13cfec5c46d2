"""`python -m proof.measured.fluid_model`: the fluid model beside runs, and its pictures.

It writes the tables of docs/evidence/fluid-model.md, and the pictures in docs/images.
"""

from collections.abc import Sequence

import numpy as np
from cellrate.advice.efci_figures import Region, region_figure, trajectory_figure
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, save
from cellrate.simulation.runner import default_store
from cellrate.theory.efci import EfciLoop, Integrated, LimitCycle, periodic_trajectory
from cellrate.theory.efci.feasible import OHSAKI_POINTS
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from proof.campaign import ROOT, end_with, write_rows
from proof.measured.fluid_model.cases import Case, TwoGroups, grid, two_groups
from proof.measured.fluid_model.measured import (
    Measured,
    crossings,
    deviations,
    far_share,
    often,
    simulate,
)

CYCLES = 80
# Ten sources, tau = 2 ms, buffer of 300 Kbyte, thresholds at half of the buffer (Ohsaki et al.
# 1995, section III).
OHSAKI = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rdf=1 / 2, growth="delayed")
OHSAKI_BUFFER = 5796.0
SHOWN = 18  # index in the grid: N = 10, tau = 2 ms, RIF 1/256, RDF 1/2


def main() -> int:
    """Simulates the grid, and writes tables and pictures."""
    store = default_store(ROOT / "out" / "results")
    cases, groups = grid(), two_groups()
    measured, grouped = simulate(cases, CYCLES, store=store), simulate(groups, CYCLES, store=store)
    pairs = list(zip(cases, measured, strict=True))
    write_rows(
        "fluid-model.md",
        [_row(*pair) for pair in pairs],
        [_group_row(*pair) for pair in zip(groups, grouped, strict=True)],
    )
    greatest = np.abs([deviations(*pair) for pair in pairs if often(pair[0])]).max(axis=0)
    print("greatest deviation of maximum queue, period and utilisation, as the page has them:")
    print(f"{greatest[0]:.1%}, {greatest[1]:.1%}, {greatest[2]:.3f}")
    emptying = OHSAKI.with_(rif=1 / 64, rdf=1 / 4, high_cells=700.0, low_cells=400.0)
    figures = {
        "fluid-check": picture(cases, measured, SHOWN),
        "feasible-region": region_figure(Region(OHSAKI, OHSAKI_BUFFER), OHSAKI_POINTS[:3]),
        "fluid-cycle": trajectory_figure(emptying, periodic_trajectory(emptying)),
    }
    for name, figure in figures.items():
        save(figure, ROOT / "docs" / "images" / name, ("svg",))
    return 0


def _row(case: Case, measured: Measured) -> list[str]:
    interval = case.rm_interval_seconds / case.round_trip_seconds
    cycle = case.cycle
    return [
        f"{case.sources}",
        f"{case.round_trip_seconds * 1e3:g} ms",
        *_factors(case),
        f"{interval:.2f}",
        *_queues_and_periods(measured, cycle),
        f"{measured.utilisation:.4f}",
        f"{cycle.utilisation:.4f}",
    ]


def _group_row(case: TwoGroups, measured: Measured) -> list[str]:
    model = case.integrated
    near, far = model.throughput_cells_per_second
    return [
        *_factors(case),
        f"{case.round_trip_seconds * 1e3:g} ms, {case.far_seconds * 1e3:g} ms",
        *_queues_and_periods(measured, model),
        f"{far_share(measured):.3f}",
        f"{far / near:.3f}",
    ]


def _factors(case: Case) -> list[str]:
    return [f"1/{1 / factor:.0f}" for factor in (case.rif, case.rdf)]


def _queues_and_periods(measured: Measured, model: LimitCycle | Integrated) -> list[str]:
    """Maximum and minimum of the queue, and the period: each as measured, then by the model."""
    return [
        f"{measured.maximum_queue_cells:,.0f}",
        f"{model.maximum_queue_cells:,.0f}",
        f"{measured.minimum_queue_cells:,.0f}",
        f"{model.minimum_queue_cells:,.0f}",
        f"{measured.period_seconds * 1e3:.2f} ms",
        f"{model.period_seconds * 1e3:.2f} ms",
    ]


def picture(cases: Sequence[Case], measured: Sequence[Measured], shown: int) -> Figure:
    """Figure with the queue of one case, and all deviations against the interval of RM cells."""
    with style.context(STYLE):
        figure = Figure(figsize=(7.0, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 1)
        _draw_queue(above, cases[shown], measured[shown])
        x = [case.rm_interval_seconds / case.round_trip_seconds for case in cases]
        found = np.array([deviations(*pair) for pair in zip(cases, measured, strict=True)])
        names = ("maximum queue", "period", "utilisation")
        for name, values, colour, marker in zip(names, found.T, COLOURS, "os^", strict=False):
            below.plot(x, 100 * values, marker, color=colour, ms=4, mew=0, alpha=0.8, label=name)
        below.axhline(0, color=FAINT, lw=0.8)
        below.axvline(1, color=FAINT, lw=0.8, ls="--")
        below.set_xscale("log")
        below.set_xlabel("time between RM cells of a source, in round trips")
        below.set_ylabel("measured - model (%)")
        below.legend(loc="upper left")
    return figure


def _draw_queue(panel: Axes, case: Case, measured: Measured) -> None:
    model = periodic_trajectory(case.loop)
    begin = measured.time_seconds[crossings(measured.queue_cells, case.high_cells)[0]]
    inside = measured.time_seconds - begin
    chosen = (inside >= 0) & (inside < 2 * model.period_seconds)
    panel.plot(inside[chosen] * 1e3, measured.queue_cells[chosen], label="simulated")
    twice = np.concatenate([model.time_seconds, model.time_seconds + model.period_seconds])
    panel.plot(twice * 1e3, np.tile(model.queue_cells, 2), "--", label="model")
    panel.set_xlabel("time (ms)")
    panel.set_ylabel("queue (cells)")
    rif, rdf = _factors(case)
    tau = f"{case.round_trip_seconds * 1e3:g} ms"
    panel.set_title(f"N = {case.sources}, tau = {tau}, RIF {rif}, RDF {rdf}")
    panel.legend(loc="upper right")


if __name__ == "__main__":
    end_with(main)
