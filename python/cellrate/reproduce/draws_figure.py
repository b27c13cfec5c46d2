"""Draws each chaotic printed value of a paper into the distribution of our measured values."""

import textwrap

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from cellrate.reproduce.draws import Drawn
from cellrate.reproduce.paper_data import Paper, Published
from cellrate.reproduce.scoring import last_place
from cellrate.simulation.figures import COLOURS, STYLE, new_panels

COLUMNS = 3
BINS = 20
TITLE_WIDTH = 34


def draws_figure(paper: Paper) -> Canvas | None:
    """Figure with a panel for each quantity that has a distribution; nothing if none has."""
    known = {(e.id, p.quantity): p for e in paper.experiments for p in e.published}
    panels = [(drawn, known[drawn.experiment, drawn.of]) for drawn in paper.draws if drawn.values]
    if not panels:
        return None
    canvas, axes = new_panels(len(panels), COLUMNS, width=7.6, height=2.1)
    with style.context(STYLE):
        for each, (drawn, published) in zip(axes, panels, strict=True):
            _panel(each, paper, drawn, published)
    return canvas


def _panel(axes: Axes, paper: Paper, drawn: Drawn, published: Published) -> None:
    axes.hist(drawn.values, bins=BINS, color=COLOURS[5])
    value = published.value or 0.0
    axes.axvline(value, color=COLOURS[1], linewidth=1.6)
    place = last_place(published.printed, value)
    where = drawn.experiment.removeprefix(f"{paper.id}-")
    title = textwrap.fill(f"{where}: {drawn.of}", TITLE_WIDTH)
    axes.set_title(title, fontsize=7)
    axes.set_xlabel(
        f"{published.unit or 'value'}; printed {published.printed}: "
        f"percentile {drawn.percentile(value, place):.3g}, {drawn.seeds} seeds",
        fontsize=7,
    )
    axes.set_yticks([])
    axes.grid(visible=False)
