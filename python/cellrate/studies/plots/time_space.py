"""Draws a time-space diagram: each cell or frame of a flow on its path, hop by hop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from cellrate.common.problems import BadInput
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure
from cellrate.simulation.network import Flow
from cellrate.simulation.network.ethernet_view import FrameFlow
from cellrate.simulation.passages import Passages

LOOKS = {"data": (COLOURS[0], 0.7), "frm": (COLOURS[1], 1.4), "brm": (COLOURS[2], 1.4)}
NAMES = {"data": "data cells", "frm": "forward RM cells", "brm": "backward RM cells"}
FRAME_LOOKS = {
    "data": (COLOURS[0], "frames with data"),
    "ack": (COLOURS[2], "acknowledgements"),
    "record": (COLOURS[1], "rate records"),
    "credit": (COLOURS[3], "credits"),
}
# Width of the edge of a band, which keeps a short frame visible and separates neighbours, and the
# opacity of bands of the flow and of other flows.
EDGE, OPAQUE, PALE = 0.5, 0.6, 0.25
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
# Line widths of waiting cells, and of cells of other flows on the same links.
WAITING, OTHERS = 0.35, 0.25


@dataclass(frozen=True)
class _Path:
    """The nodes of a flow's path with their heights, and the links between them.

    Attributes:
        nodes: Names of the nodes.
        channels: Names of the links of each channel of the flow.
        ways: Heights of the ends of each link between these nodes.
    """

    nodes: tuple[str, ...]
    channels: Mapping[str, tuple[str, ...]]
    ways: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, flow: Flow | FrameFlow) -> _Path:
        if isinstance(flow, FrameFlow):
            ends = [(line.name, line.sender, line.receiver) for line in flow.lines]
            back = [(line.name, line.sender, line.receiver) for line in flow.lines_back]
            nodes = _one_way(flow)
        else:
            ends = [(link.name, link.sender.name, link.receiver.name) for link in flow.forward]
            back = [(link.name, link.sender.name, link.receiver.name) for link in flow.backward]
            nodes = (ends[0][1], *(receiver for _, _, receiver in ends))
        places = {name: float(at) for at, name in enumerate(nodes)}
        ways = {
            name: (places[sender], places[receiver])
            for name, sender, receiver in (*ends, *back)
            if sender in places and receiver in places
        }
        channels = {"forward": ends, "backward": back}
        return cls(
            nodes,
            {
                f"{flow.name}/{name}": tuple(link for link, _, _ in links if link in ways)
                for name, links in channels.items()
            },
            ways,
        )


def _one_way(flow: FrameFlow) -> tuple[str, ...]:
    """Nodes of the path of a flow; if switches spray the flow's frames, of its first path."""
    nodes = [flow.hops[0][0].sender]
    for hop in flow.hops:
        nodes.append(next(line.receiver for line in hop if line.sender == nodes[-1]))
    return tuple(nodes)


def time_space(found: Passages, flow: Flow | FrameFlow) -> Figure:
    """Draws a line for each cell on each link: time across, the nodes of a flow's path upwards.

    A frame is a band between its first and its last bit. A level line is a cell or a frame that
    waits in a node; the line of a cell includes its transmission. A cross is a lost cell or a
    dropped frame. A cell is lost if it never left the node although a later cell of its channel
    did. Cells and frames of other flows on the same links are faint. Cells and frames of the
    backward channel go downwards.

    Raises:
        BadInput: No cell or frame of the flow is on a link in the span of time.
    """
    path, has_frames = _Path.of(flow), isinstance(flow, FrameFlow)
    units = "frames" if has_frames else "cells"
    own = found.frame.filter(pl.col("vc").is_in(list(path.channels)))
    if own.is_empty():
        raise BadInput(f"no {units[:-1]} of {flow.name} is on a link between --from and --to")
    size, unit = _unit(found.end_seconds - found.start_seconds)
    figure, [panel] = new_figure(1, width=9.0, height=0.9 * len(path.nodes) + 1.4)
    with style.context(STYLE):
        on_links = pl.col("link").is_in(list(path.ways))
        others = found.frame.filter(on_links & ~pl.col("vc").is_in(list(path.channels)))
        if has_frames:
            _draw_frames(panel, own.filter(on_links), others, path, size)
        else:
            _draw_cells(panel, own.filter(on_links), others, path, size)
        panel.set_yticks(range(len(path.nodes)), path.nodes)
        panel.set_xlim(found.start_seconds / size, found.end_seconds / size)
        panel.set_ylim(-0.15, len(path.nodes) - 0.85)
        panel.set_xlabel(f"time ({unit})")
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        title = f"{flow.name}: {units} from {path.nodes[0]} to {path.nodes[-1]} and back"
        beyond = found.beyond_seconds
        drawn = "" if beyond is None else f", drawn up to {beyond / size:.4g} {unit}"
        panel.set_title(title + drawn)
    return figure


def _draw_cells(
    panel: Axes, own: pl.DataFrame, others: pl.DataFrame, path: _Path, size: float
) -> None:
    _cells(panel, others, path.ways, size, FAINT, OTHERS, "cells of other flows")
    for kind, (colour, width) in LOOKS.items():
        cells = own.filter(pl.col("kind") == kind)
        _cells(panel, cells, path.ways, size, colour, width, NAMES[kind])
    for channel, links in path.channels.items():
        data = own.filter(pl.col("vc") == channel, pl.col("kind") == "data")
        _waits(panel, data, links, path.ways, size)


def _draw_frames(
    panel: Axes, own: pl.DataFrame, others: pl.DataFrame, path: _Path, size: float
) -> None:
    _bands(panel, others, path, size, FAINT, "frames of other flows", PALE)
    for kind, (colour, name) in FRAME_LOOKS.items():
        _bands(panel, own.filter(pl.col("kind") == kind), path, size, colour, name, OPAQUE)
    for channel, links in path.channels.items():
        of_channel = own.filter(pl.col("vc") == channel)
        for before, after in pairwise(links):
            if path.ways[before][1] != path.ways[after][0]:
                continue  # the way back may cross other nodes
            into = of_channel.filter(pl.col("link") == before, ~pl.col("dropped"))
            out = of_channel.filter(pl.col("link") == after)
            both = into.select("packet", "arrived_seconds").join(
                out.select("packet", "began_seconds"), on="packet", maintain_order="left"
            )
            place = path.ways[before][1]
            times = both.select("arrived_seconds", "began_seconds").to_numpy() / size
            segments = [[(start, place), (end, place)] for start, end in times]
            waits = LineCollection(segments, color=FRAME_LOOKS["data"][0], linewidth=WAITING)
            panel.add_collection(waits)
    dropped = own.filter("dropped")
    if dropped.height:
        at = [path.ways[link][0] for link in dropped["link"]]
        times = dropped["left_seconds"].to_numpy() / size
        panel.plot(times, at, "x", color="black", markersize=5, label="lost")


def _bands(
    panel: Axes,
    frames: pl.DataFrame,
    path: _Path,
    size: float,
    colour: str,
    name: str,
    alpha: float,
) -> None:
    """Draws a band for each frame on its link, between its first bit and its last bit."""
    frames = frames.filter(~pl.col("dropped"))
    if frames.is_empty():
        return
    low, high = np.array([path.ways[link] for link in frames["link"]]).T
    times = frames.select("began_seconds", "left_seconds", "arrived_seconds").to_numpy() / size
    began, left, arrived = times.T
    corners = ((began, low), (left, low), (arrived, high), (began + arrived - left, high))
    shapes = np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)
    band = PolyCollection(
        list(shapes),
        facecolor=(colour, alpha),
        edgecolor=(colour, min(2 * alpha, 1.0)),
        linewidth=EDGE,
        label=name,
    )
    panel.add_collection(band)


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
    """Lost cells: they entered a node and did not leave it, but a later cell of the channel did.

    Args:
        both: Cells in the order of their arrival; `left_seconds` is null if they have not left.
    """
    left = pl.col("left_seconds").is_not_null()
    index = pl.int_range(pl.len())
    last = both.select(index.filter(left).max()).item()
    if last is None:
        return both.clear()
    return both.filter(~left & (index < last))
