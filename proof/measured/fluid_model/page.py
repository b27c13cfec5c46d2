"""Evidence page of the comparison, and its picture."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from cellrate.simulation.figures import COLOURS, FAINT, STYLE
from cellrate.theory.efci import periodic_trajectory
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from proof.measured.fluid_model.cases import Case, TwoGroups
from proof.measured.fluid_model.measured import Measured, crossings

TITLES = (
    "| N | tau | RIF | RDF | N Nrm / (BW tau) | Q_max | | Q_min | | period | | utilisation | |",
    "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
)
GROUP_TITLES = (
    "| RIF | RDF | tau near, far | Q_max | | Q_min | | period | | far / near | |",
    "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
)


def deviations(case: Case, measured: Measured) -> tuple[float, float, float]:
    """Deviations of the simulation from the model.

    Those of maximum queue and period are relative; that of utilisation is a difference.
    """
    cycle = case.cycle
    return (
        measured.maximum_queue_cells / cycle.maximum_queue_cells - 1,
        measured.period_seconds / cycle.period_seconds - 1,
        measured.utilisation - cycle.utilisation,
    )


def often(case: Case) -> bool:
    """True if each source receives at least one RM cell per round trip."""
    return case.rm_interval_seconds <= case.round_trip_seconds


def page(
    cases: Sequence[Case],
    measured: Sequence[Measured],
    groups: Sequence[TwoGroups],
    grouped: Sequence[Measured],
) -> str:
    """Markdown text of the page."""
    pairs = list(zip(cases, measured, strict=True))
    greatest = np.abs([deviations(*pair) for pair in pairs if often(pair[0])]).max(axis=0)
    text = files("proof.measured.fluid_model").joinpath("page.md").read_text(encoding="utf-8")
    group_pairs = zip(groups, grouped, strict=True)
    return text.format(
        most_maximum=f"{greatest[0]:.1%}",
        most_period=f"{greatest[1]:.1%}",
        most_utilisation=f"{greatest[2]:.3f}",
        rows="\n".join([*TITLES, *(_row(*pair) for pair in pairs)]),
        group_rows="\n".join([*GROUP_TITLES, *(_group_row(*pair) for pair in group_pairs)]),
    )


def _row(case: Case, measured: Measured) -> str:
    cycle = case.cycle
    interval = case.rm_interval_seconds / case.round_trip_seconds
    queues = (
        measured.maximum_queue_cells,
        cycle.maximum_queue_cells,
        measured.minimum_queue_cells,
        cycle.minimum_queue_cells,
    )
    cells = [
        f"{case.sources}",
        f"{case.round_trip_seconds * 1e3:g} ms",
        *_factors(case),
        f"{interval:.2f}",
        *(f"{queue:,.0f}" for queue in queues),
        f"{measured.period_seconds * 1e3:.2f} ms",
        f"{cycle.period_seconds * 1e3:.2f} ms",
        f"{measured.utilisation:.4f}",
        f"{cycle.utilisation:.4f}",
    ]
    return f"| {' | '.join(cells)} |"


def _factors(case: Case) -> list[str]:
    return [f"1/{1 / factor:.0f}" for factor in (case.rif, case.rdf)]


def far_share(measured: Measured) -> float:
    """Mean number of cells that a far source sent, over that of a near source."""
    sent = {
        name: np.mean(
            [cells for flow, cells in measured.sent_cells.items() if flow.startswith(name)]
        )
        for name in ("near", "far")
    }
    return float(sent["far"] / sent["near"])


def _group_row(case: TwoGroups, measured: Measured) -> str:
    model = case.integrated
    near, far = model.throughput_cells_per_second
    queues = (
        measured.maximum_queue_cells,
        model.maximum_queue_cells,
        measured.minimum_queue_cells,
        model.minimum_queue_cells,
    )
    cells = [
        *_factors(case),
        f"{case.round_trip_seconds * 1e3:g} ms, {case.far_seconds * 1e3:g} ms",
        *(f"{queue:,.0f}" for queue in queues),
        f"{measured.period_seconds * 1e3:.2f} ms",
        f"{model.period_seconds * 1e3:.2f} ms",
        f"{far_share(measured):.3f}",
        f"{far / near:.3f}",
    ]
    return f"| {' | '.join(cells)} |"


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
