"""The common style of figures, and plots of traces; colours are safe for the colour-blind."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cycler import cycler
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from cellrate.common import whole_file
from cellrate.simulation.series import Series
from cellrate.simulation.shown_figure import ShownFigure

# Okabe and Ito's palette without yellow, which is too light for a line on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
FAINT = "#999999"

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "savefig.dpi": 150,
    "svg.hashsalt": "cellrate",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}

FORMATS: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "cellrate"},
    "pdf": {"CreationDate": None, "Creator": "cellrate", "Producer": None},
}
"""File formats of figures, with metadata that keeps times and versions out of the files."""

# A legend has at most so many names.
NAMED_LINES = len(COLOURS)
OF_PORTS = ("queue", "utilisation")
# Share of the highest peak below which a port's trace is a line along the axis.
NEGLIGIBLE = 0.01


@dataclass(frozen=True, slots=True)
class Scale:
    """Axis label of a quantity, and the divisor of its values."""

    label: str
    divisor: float = 1.0


SCALES = {
    "queue": Scale("queue (cells)"),
    "acr": Scale("ACR (1000 cells/s)", 1e3),
    "cwnd": Scale("cwnd (kB)", 1e3),
    "sequence": Scale("acknowledged (MB)", 1e6),
    "utilisation": Scale("utilisation"),
}


def new_figure(
    rows: int = 1, *, width: float = 7.0, height: float = 2.4, shared: bool = True
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with panels above each other.

    Args:
        rows: Number of panels.
        width: Width of the figure, in inches.
        height: Height of each panel, in inches.
        shared: True if the panels share the time axis.
    """
    with style.context(STYLE):
        figure = _blank(width, height * rows + 0.4)
        panels = figure.subplots(rows, 1, sharex=shared, squeeze=False)
        return figure, list(panels[:, 0])


def new_grid(
    rows: int, columns: int, *, width: float = 7.0, height: float = 2.8
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with panels in rows, which share both axes.

    Args:
        rows: Number of panels above each other.
        columns: Number of panels side by side.
        width: Width of the figure, in inches.
        height: Height of each panel, in inches.

    Returns:
        The figure, and its panels row by row.
    """
    with style.context(STYLE):
        figure = _blank(width, height * rows + 0.4)
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        return figure, list(panels.flat)


def new_panels(
    count: int, columns: int, *, width: float = 7.0, height: float = 2.0
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with panels in rows, each with axes of its own.

    Args:
        count: Number of panels; the last row may be incomplete.
        columns: Number of panels side by side.
        width: Width of the figure, in inches.
        height: Height of each panel, in inches.
    """
    rows = -(-count // columns)
    with style.context(STYLE):
        figure = _blank(width, height * rows + 0.2)
        panels = list(figure.subplots(rows, columns, squeeze=False).flat)
        for unused in panels[count:]:
            unused.set_visible(False)
        return figure, panels[:count]


def _blank(width: float, height: float) -> Figure:
    figure = ShownFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def time_traces(traces: Sequence[Series], kinds: Sequence[str] = ()) -> Figure:
    """Plots traces over time, one panel per kind.

    Args:
        traces: The traces of a run.
        kinds: Kinds of traces, from top to bottom; all by default.

    Raises:
        ValueError: A kind was not traced, or the run has no traces.
    """
    traced = list(dict.fromkeys(series.kind for series in traces))
    missing = [kind for kind in kinds if kind not in traced]
    if missing or not traced:
        wanted = ", ".join(missing) or "anything"
        raise ValueError(f"the run did not trace {wanted}; set measure.traces in the scenario")
    shown = list(kinds) or traced
    figure, panels = new_figure(len(shown))
    with style.context(STYLE):
        divisor, unit = _time_scale(traces)
        for panel, kind in zip(panels, shown, strict=True):
            draw_kind(panel, [one for one in traces if one.kind == kind], kind, divisor)
        panels[-1].set_xlabel(f"time ({unit})")
    return figure


def draw_kind(panel: Axes, traces: Sequence[Series], kind: str, time_divisor: float) -> None:
    """Draws traces of one kind into one panel.

    Of the queues and utilisations of many ports only the highest are drawn, since most ports are
    idle; many traces of another kind are drawn as thin lines without names.
    """
    scale = SCALES.get(kind, Scale(kind))
    shown = _highest(traces) if kind in OF_PORTS else traces
    many = len(shown) > NAMED_LINES
    for number, series in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        draw(panel, series, scale.divisor, time_divisor, colour=colour, faint=many)
    panel.set_ylabel(scale.label)
    panel.set_ylim(bottom=0)
    panel.margins(x=0)
    if many:
        panel.set_title(f"{len(shown)} traces: {shown[0].entity} to {shown[-1].entity}")
    else:
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    if len(shown) < len(traces):
        panel.set_title(f"{len(shown)} of {len(traces)} ports")


def _highest(traces: Sequence[Series]) -> list[Series]:
    """The traces with the highest peaks, as many as fit into the legend, in their order."""
    peaks = [float(series.maximum.max(initial=0.0)) for series in traces]
    by_peak = sorted(range(len(traces)), key=lambda number: -peaks[number])[:NAMED_LINES]
    return [traces[n] for n in sorted(by_peak) if peaks[n] >= NEGLIGIBLE * max(peaks)]


def draw(
    panel: Axes,
    series: Series,
    divisor: float = 1.0,
    time_divisor: float = 1.0,
    *,
    colour: str = COLOURS[0],
    faint: bool = False,
    name: str | None = None,
) -> None:
    """Draws one trace as a line; a thinned trace also as a band from least to greatest value.

    Its name is that of its entity unless another is given.
    """
    time = series.time / time_divisor
    low, high = series.minimum / divisor, series.maximum / divisor
    width, strength = (0.6, 0.6) if faint else (1.1, 1.0)
    panel.plot(
        time,
        series.middle / divisor,
        color=colour,
        lw=width,
        alpha=strength,
        label=name or series.entity,
    )
    if not np.array_equal(low, high):
        panel.fill_between(time, low, high, color=colour, alpha=0.25 * strength, lw=0)


def save(figure: Figure, stem: Path, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Writes a figure into files; equal figures give equal bytes.

    Args:
        figure: The figure.
        stem: Path without suffix.
        formats: Keys of `FORMATS`.
    """
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    with style.context(STYLE):
        for file, suffix in zip(files, formats, strict=True):
            with whole_file.replacing(file) as fresh:
                figure.savefig(fresh, format=suffix, metadata=FORMATS[suffix])
    return files


def svg(figure: Figure) -> str:
    """The figure as an SVG element; equal figures give equal texts."""
    buffer = io.StringIO()
    with style.context(STYLE | {"svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _time_scale(traces: Sequence[Series]) -> tuple[float, str]:
    """Divisor of times in seconds, and the resulting unit."""
    end = max((float(series.time[-1]) for series in traces if len(series)), default=1.0)
    if end < 1e-3:
        return 1e-6, "µs"
    return (1e-3, "ms") if end < 1.0 else (1.0, "s")
