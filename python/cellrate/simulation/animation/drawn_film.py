"""Draws a film frame by frame, as GIF (through Pillow) or MP4 (through ffmpeg)."""

from __future__ import annotations

import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib import style
from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, PillowWriter
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from cellrate.common.problems import BadInput
from cellrate.simulation.animation.film import Film, Queue
from cellrate.simulation.animation.node_places import name_sides
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure

FRAMES_PER_SECOND = 20
DOTS_PER_INCH = 100
WIDTH, HEIGHT = 9.6, 5.4
LOST_SECONDS = 0.5
"""Seconds of film for which a lost cell or frame is shown."""
OF_CONTROL = {
    "nak": ("negative acknowledgement", "#8b4513"),
    "cnp": ("congestion notification", "#0072b2"),
    "request": ("request for credits", "#56b4e9"),
    "stop": ("stop of credits", "#8b4513"),
    "pull": ("pull of packets", "#000000"),
    "trimmed": ("trimmed packet", "#e69f00"),
    "again": ("request for a trimmed packet", "#8b4513"),
}
"""Names and colours of control frames and trimmed packets; CE does not change the colour."""
DYES = {
    "data": FAINT,
    "data-marked": "#e69f00",
    "frm": "#56b4e9",
    "frm-marked": "#d55e00",
    "brm": "#009e73",
    "brm-marked": "#cc0000",
    "credit": "#000000",
    "ack": "#009e73",
    "ack-marked": "#cc0000",
    "record": "#56b4e9",
    "record-marked": "#d55e00",
    "pause": "#cc79a7",
    **{look + end: dye for look, (_, dye) in OF_CONTROL.items() for end in ("", "-marked")},
}
SHAPES = {"frm": ">", "brm": "<", "credit": "D"}
NAMES = {
    "data": "data cell",
    "data-marked": "data cell with EFCI",
    "frm": "forward RM cell",
    "frm-marked": "forward RM cell, CI or NI",
    "brm": "backward RM cell",
    "brm-marked": "backward RM cell, CI or NI",
    "credit": "credit cell",
}
FRAME_NAMES = {
    "data": "frame with data",
    "data-marked": "frame with data and CE",
    "ack": "acknowledgement",
    "ack-marked": "acknowledgement with CE",
    "record": "record of rates",
    "record-marked": "record, CI, NI or CE",
    "credit": "credit",
    "pause": "pause or its end",
    **{look: name for look, (name, _) in OF_CONTROL.items()},
    **{f"{look}-marked": f"{name} with CE" for look, (name, _) in OF_CONTROL.items()},
}
# Width of a frame on its link.
THICK = 3.0
# Distance of a cell or a frame from the middle of its link, so that both directions are visible.
ASIDE = 0.012
# Height of the mark of a lost cell or frame, below its switch.
BELOW = 0.09
BAR_WIDTH, BAR_HEIGHT = 0.016, 0.16
# Place of a name beside its node, by the side of the node; distances in points.
BESIDE: dict[str, dict[str, Any]] = {
    side: {"textcoords": "offset points", "xytext": offset, "ha": across, "va": up}
    for side, offset, across, up in (
        ("left", (-5, 0), "right", "center_baseline"),
        ("right", (5, 0), "left", "center_baseline"),
        ("below", (0, -5), "center", "top"),
        ("switch", (0, -10), "center", "top"),
    )
}
# With these options the bytes of the file depend neither on ffmpeg's version nor on the number of
# threads.
SAME_BYTES = [
    *("-fflags", "+bitexact", "-flags:v", "+bitexact", "-threads", "1"),
    *("-map_metadata", "-1", "-pix_fmt", "yuv420p", "-crf", "20"),
]


def write(
    film: Film,
    times: Sequence[float],
    place: Path,
    *,
    gif: bool,
    progress: Callable[[int, int], None],
) -> None:
    """Writes a GIF that repeats for ever, or an MP4 (H.264).

    Before each frame `progress` gets the number of drawn frames and of all frames.

    Raises:
        BadInput: There is no `ffmpeg` on the path.
    """
    writer: AbstractMovieWriter
    if gif:
        writer = PillowWriter(fps=FRAMES_PER_SECOND)
    else:
        require_ffmpeg(place)
        writer = FFMpegWriter(fps=FRAMES_PER_SECOND, codec="libx264", extra_args=SAME_BYTES)
    with style.context(STYLE):
        picture = Picture(film, times[1] - times[0])
        with writer.saving(picture.figure, str(place), DOTS_PER_INCH):
            for drawn, time in enumerate(times):
                progress(drawn, len(times))
                picture.show(time)
                writer.grab_frame()


def has_ffmpeg() -> bool:
    """True if `ffmpeg` is on the path."""
    return shutil.which("ffmpeg") is not None


def require_ffmpeg(place: Path) -> None:
    """Checks that a film can be written as MP4.

    Raises:
        BadInput: There is no `ffmpeg` on the path.
    """
    if not has_ffmpeg():
        raise BadInput(
            f"-o {place}: mp4 needs the program ffmpeg, which is not on the path; install it, or "
            "write .html or .gif"
        )


class Picture:
    """The picture of a film at one simulated time.

    Attributes:
        figure: The matplotlib figure.
    """

    figure: Figure

    def __init__(self, film: Film, step_seconds: float) -> None:
        self._film = film
        self._kept_seconds = LOST_SECONDS * FRAMES_PER_SECOND * step_seconds
        self.figure, [panel] = new_figure(1, width=WIDTH, height=HEIGHT - 0.4)
        # Nodes and links never move, so they are drawn once.
        self.figure.set_layout_engine("none")
        panel.set_position((0.02, 0.12, 0.96, 0.8))
        panel.set_axis_off()
        # The margins at the sides have the names of the outermost hosts.
        panel.set(xlim=(-0.05, 1.05), ylim=(0, 1))
        self._panel = panel
        _network(panel, film)
        self._moving = film.moving.with_columns(_ends(film))
        self._drawn = _drawn(panel, film)
        [self._lost] = panel.plot([], [], "x", color="black", markersize=10, markeredgewidth=2.5)
        self._bars = _bars(panel, film)
        seen = [look for look in film.looks if look in set(film.moving["look"])]
        handles: list[Artist] = [self._drawn[look] for look in seen]
        names = [names_of(film)[look] for look in seen]
        if film.losses.height:
            handles, names = [*handles, self._lost], [*names, f"lost {film.units[:-1]}"]
        panel.legend(handles, names, loc="lower center", bbox_to_anchor=(0.5, -0.15), ncols=4)
        self._title = panel.set_title("")

    def show(self, time: float) -> None:
        """Changes the picture to another simulated time, in seconds."""
        first = "began_seconds" if self._film.has_frames else "left_seconds"
        there = self._moving.filter(pl.col(first) <= time, pl.col("arrived_seconds") >= time)
        for look, drawn in self._drawn.items():
            own = there.filter(pl.col("look") == look)
            if isinstance(drawn, LineCollection):
                ends = (positions(own, time), positions(own, time, "began_seconds"))
                drawn.set_segments(list(np.stack([np.stack(end, axis=1) for end in ends], axis=1)))
            else:
                drawn.set_data(*positions(own, time))
        since = pl.col("time_seconds")
        lost = self._film.losses.filter(since <= time, since > time - self._kept_seconds)
        at = [self._film.places[self._sender(link)] for link in lost["link"]]
        self._lost.set_data([x for x, _ in at], [y - BELOW for _, y in at])
        for queue, bar, label, most in self._bars:
            length = queue.at(time)
            bar.set_height(BAR_HEIGHT * length / most)
            label.set_text(self._film.length_text(length))
        gone = self._film.losses.filter(since <= time).height
        counted = (
            f"   {gone:,} lost since the start of the film" if self._film.losses.height else ""
        )
        self._title.set_text(f"{self._film.title}   t = {time * 1e3:.4f} ms{counted}")

    def _sender(self, link: str) -> str:
        return next(known.sender for known in self._film.network.ways if known.name == link)


Points: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def positions(moving: pl.DataFrame, time: float, since: str = "left_seconds") -> Points:
    """Places of last bits on their links, in proportion to the time since their departure.

    Args:
        moving: Cells or frames with the ends of their links, `x`, `y`, `to_x` and `to_y`.
        time: A time, in seconds.
        since: Column with the departures; `began_seconds` for the first bits of frames.
    """
    left, arrived = (moving[name].to_numpy() for name in ("left_seconds", "arrived_seconds"))
    way = np.maximum(arrived - left, 1e-15)
    share = np.clip((time - moving[since].to_numpy()) / way, 0.0, 1.0)
    x, y, to_x, to_y = (moving[name].to_numpy() for name in ("x", "y", "to_x", "to_y"))
    return x + share * (to_x - x), y + share * (to_y - y)


def names_of(film: Film) -> Mapping[str, str]:
    """Names of the kinds of cells or frames in the legend of a film."""
    return FRAME_NAMES if film.has_frames else NAMES


def _drawn(panel: Axes, film: Film) -> dict[str, Line2D | LineCollection]:
    """Artists by kind: points for cells; for frames lines from the last bit to the first."""
    if not film.has_frames:
        return {
            look: panel.plot(
                [], [], SHAPES.get(look, "."), color=DYES[look], markersize=_size(look)
            )[0]
            for look in film.looks
        }
    found: dict[str, Line2D | LineCollection] = {}
    for look in film.looks:
        lines = LineCollection([], colors=DYES[look], linewidths=THICK, capstyle="butt")
        panel.add_collection(lines, autolim=False)
        found[look] = lines
    return found


def _size(look: str) -> float:
    return 6.0 if look.startswith("data") else 8.5


def _ends(film: Film) -> list[pl.Expr]:
    """Columns with the ends of the links, shifted a little to the left."""
    ends = {}
    for link in film.network.ways:
        (x, y), (to_x, to_y) = film.places[link.sender], film.places[link.receiver]
        length = max(math.hypot(to_x - x, to_y - y), 1e-9)
        aside, up = -(to_y - y) / length * ASIDE, (to_x - x) / length * ASIDE
        ends[link.name] = (x + aside, y + up, to_x + aside, to_y + up)
    return [
        pl.col("link").replace_strict({name: end[at] for name, end in ends.items()}).alias(column)
        for at, column in enumerate(("x", "y", "to_x", "to_y"))
    ]


def _network(panel: Axes, film: Film) -> None:
    places, network = film.places, film.network
    lines = [(places[way.sender], places[way.receiver]) for way in network.ways]
    panel.add_collection(LineCollection(lines, color="#dddddd", linewidth=1.0, zorder=0))
    for name, is_switch in network.nodes.items():
        x, y = places[name]
        marker = (
            {"marker": "s", "markersize": 13.0} if is_switch else {"marker": "o", "markersize": 5.0}
        )
        panel.plot([x], [y], color="#444444" if is_switch else "#888888", zorder=1, **marker)  # type: ignore[arg-type]
    _names(panel, film)


def _names(panel: Axes, film: Film) -> None:
    """Writes names of nodes; a row or column in which one name does not fit gets no names."""
    sides = name_sides(film.network)
    together: dict[tuple[str, float], list[str]] = defaultdict(list)
    for name in sorted(film.network.nodes, key=sides.__contains__):
        x, y = film.places[name]
        side = sides.get(name, "switch")
        together[side, x if side in {"left", "right"} else y].append(name)
    taken = [
        Bbox.from_bounds(x - 3, y - 3, 6, 6)
        for x, y in panel.transData.transform(list(film.places.values()))
    ]
    for (side, _), names in together.items():
        size, colour = (8.0, "black") if side == "switch" else (6.5, "#555555")
        # Most crowded columns are left out before any text is measured, which takes long.
        heights = sorted(panel.transData.transform(film.places[name])[1] for name in names)
        pixels = size * DOTS_PER_INCH / 72
        if side in {"left", "right"} and any(b - a < pixels for a, b in pairwise(heights)):
            continue
        texts = [
            panel.annotate(name, film.places[name], fontsize=size, color=colour, **BESIDE[side])
            for name in names
        ]
        boxes = [text.get_window_extent() for text in texts]
        page = panel.figure.bbox
        is_free = all(page.x0 <= box.x0 and box.x1 <= page.x1 for box in boxes)
        if (
            is_free
            and not any(a.overlaps(b) for a, b in pairwise(boxes))
            and not any(box.count_overlaps(taken) for box in boxes)
        ):
            taken += boxes
        else:
            for text in texts:
                text.remove()


def _bars(panel: Axes, film: Film) -> list[tuple[Queue, Rectangle, Text, float]]:
    """A bar for each queue above its switch; the longest queue of the span has the full height."""
    beside: dict[str, int] = {}
    found = []
    for queue in film.queues:
        name = queue.sender
        at = beside.setdefault(name, 0)
        beside[name] += 1
        x, y = film.places[name]
        inside = (queue.time >= film.start_seconds) & (queue.time <= film.end_seconds)
        most = queue.limit if math.isfinite(queue.limit) else float(queue.lengths[inside].max())
        corner = (x - BAR_WIDTH / 2 + at * BAR_WIDTH * 2.4, y + 0.05)
        frame = Rectangle(corner, BAR_WIDTH, BAR_HEIGHT, fill=False, color="#aaaaaa", linewidth=0.7)
        bar = Rectangle(corner, BAR_WIDTH, 0.0, color=COLOURS[0])
        panel.add_patch(frame)
        panel.add_patch(bar)
        above = (corner[0] + BAR_WIDTH / 2, corner[1] + BAR_HEIGHT + 0.01)
        label = panel.text(*above, "", fontsize=8, ha="center")
        bound = "buffer" if math.isfinite(queue.limit) else "max"
        scale, higher = f"to {queue.receiver}\n{bound} {most:,.0f}", 0.0
        if film.has_frames:
            # The names of neighbouring ports are wider than a bar.
            scale, higher = f"to {queue.receiver}, {bound} {most:,.4g} kB", at * BAR_WIDTH
        panel.text(
            above[0], above[1] + 0.035 + higher, scale, fontsize=6, ha="center", color="#555555"
        )
        found.append((queue, bar, label, most))
    return found
