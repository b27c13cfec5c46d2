"""Draws a time-space diagram: each cell of a flow on its path through the network, hop by hop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cellrate.common.problems import BadInput
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.simulation.network import Flow
from cellrate.simulation.passages import Passages

LOOKS = {"data": (COLOURS[0], 0.7), "frm": (COLOURS[1], 1.4), "brm": (COLOURS[2], 1.4)}
NAMES = {"data": "data cells", "frm": "forward RM cells", "brm": "backward RM cells"}
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
# Line widths of waiting cells, and of cells of other flows on the same links.
WAITING, OTHERS = 0.35, 0.25


def time_space(found: Passages, flow: Flow) -> Figure:
    """Draws a line for each cell on each link: time across, the nodes of a flow's path upwards.

    A level line is a cell that waits in a node, including its transmission. A cross is a lost cell:
    it never left the node, although a later cell of its channel did. Cells of other flows on the
    same links are faint. Cells of the backward channel go downwards.

    Args:
        found: Cells on links.
        flow: Flow whose path is drawn.

    Raises:
        BadInput: No cell of the flow is on a link in the span of time.
    """
    nodes = [flow.forward[0].sender.name, *(link.receiver.name for link in flow.forward)]
    places = {name: float(at) for at, name in enumerate(nodes)}
    channels = {f"{flow.name}/forward": flow.forward, f"{flow.name}/backward": flow.backward}
    own = found.frame.filter(pl.col("vc").is_in(list(channels)))
    if own.is_empty():
        raise BadInput(f"no cell of {flow.name} is on a link in that span")
    ways = {
        link.name: (places[link.sender.name], places[link.receiver.name])
        for links in channels.values()
        for link in links
        if link.sender.name in places and link.receiver.name in places
    }
    size, unit = _unit(found.end_seconds - found.start_seconds)
    figure, [panel] = new_figure(1, width=9.0, height=0.9 * len(nodes) + 1.4)
    with style.context(STYLE):
        others = found.frame.filter(
            pl.col("link").is_in(list(ways)) & ~pl.col("vc").is_in(list(channels))
        )
        _cells(panel, others, ways, size, FAINT, OTHERS, "cells of other flows")
        for kind, (colour, width) in LOOKS.items():
            cells = own.filter(pl.col("kind") == kind, pl.col("link").is_in(list(ways)))
            _cells(panel, cells, ways, size, colour, width, NAMES[kind])
        for channel, links in channels.items():
            names = [link.name for link in links if link.name in ways]
            data = own.filter(pl.col("vc") == channel, pl.col("kind") == "data")
            _waits(panel, data, names, ways, size)
        panel.set_yticks(range(len(nodes)), nodes)
        panel.set_xlim(found.start_seconds / size, found.end_seconds / size)
        panel.set_ylim(-0.15, len(nodes) - 0.85)
        panel.set_xlabel(f"time ({unit})")
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        title = f"{flow.name}: cells from {nodes[0]} to {nodes[-1]} and back"
        omitted = f"; {found.omitted:,} cells on links are not drawn" if found.omitted else ""
        panel.set_title(title + omitted)
    return figure


def _unit(span: float) -> tuple[float, str]:
    return next((unit for unit in UNITS if span >= 2 * unit[0]), UNITS[-1])


def _cells(
    panel: Axes,
    cells: pl.DataFrame,
    ways: Mapping[str, tuple[float, float]],
    size: float,
    colour: str,
    width: float,
    name: str,
) -> None:
    """Draws a line for each cell on its link."""
    if cells.is_empty():
        return
    ends = np.array([ways[link] for link in cells["link"]])
    times = cells.select("left_seconds", "arrived_seconds").to_numpy() / size
    segments = np.stack([times, ends], axis=2)
    panel.add_collection(LineCollection(list(segments), color=colour, linewidth=width, label=name))


def _waits(
    panel: Axes,
    data: pl.DataFrame,
    links: Sequence[str],
    ways: Mapping[str, tuple[float, float]],
    size: float,
) -> None:
    """Draws a level line from arrival to departure of each data cell at a node; marks losses."""
    for before, after in pairwise(links):
        into = data.filter(pl.col("link") == before).select("cell", "arrived_seconds")
        out = data.filter(pl.col("link") == after).select("cell", "left_seconds")
        both = into.join(out, on="cell", how="left", maintain_order="left")
        place = ways[before][1]
        waited = both.filter(pl.col("left_seconds").is_not_null())
        times = waited.select("arrived_seconds", "left_seconds").to_numpy() / size
        segments = [[(start, place), (end, place)] for start, end in times]
        panel.add_collection(LineCollection(segments, color=LOOKS["data"][0], linewidth=WAITING))
        lost = lost_cells(both)["arrived_seconds"].to_numpy() / size
        if len(lost):
            label = None if panel.get_legend_handles_labels()[1][-1:] == ["lost"] else "lost"
            panel.plot(
                lost, np.full(len(lost), place), "x", color="black", markersize=5, label=label
            )


def lost_cells(both: pl.DataFrame) -> pl.DataFrame:
    """Cells that came to a node and did not leave it, although a later cell of the channel did.

    Args:
        both: Cells in the order of their arrival; `left_seconds` is null if they have not left.
    """
    left = pl.col("left_seconds").is_not_null()
    index = pl.int_range(pl.len())
    last = both.select(index.filter(left).max()).item()
    if last is None:
        return both.clear()
    return both.filter(~left & (index < last))
