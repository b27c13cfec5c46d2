"""Draws a film frame by frame, as GIF (through Pillow) or MP4 (through ffmpeg)."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib import style
from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, PillowWriter
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from cellrate.common.problems import BadInput
from cellrate.simulation.animation.film import LOOKS, Film, Queue
from cellrate.simulation.figures import COLOURS, FAINT, STYLE, new_figure

FRAMES_PER_SECOND = 20
DOTS_PER_INCH = 100
WIDTH, HEIGHT = 9.6, 5.4
LOST_SECONDS = 0.5
"""Seconds of film for which a lost cell is shown."""
DYES = dict(
    zip(
        LOOKS,
        (FAINT, "#e69f00", "#56b4e9", "#d55e00", "#009e73", "#cc0000", "#000000"),
        strict=True,
    )
)
SHAPES = dict(zip(LOOKS, "..>><<D", strict=True))
NAMES = {
    "data": "data cell",
    "data-marked": "data cell with EFCI",
    "frm": "forward RM cell",
    "frm-marked": "forward RM cell, CI or NI",
    "brm": "backward RM cell",
    "brm-marked": "backward RM cell, CI or NI",
    "credit": "credit cell",
}
# Distance of a cell from the middle of a line, so that both directions are apart.
ASIDE = 0.012
# A lost cell is marked below its switch.
BELOW = 0.09
BAR_WIDTH, BAR_HEIGHT = 0.016, 0.16
# Hosts are named up to this number.
NAMED_HOSTS = 24
# Without these ffmpeg writes its version and the number of threads matters.
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

    Args:
        film: The film.
        times: Simulated times of the frames.
        place: The file.
        gif: True for a GIF.
        progress: Called before each frame with the number of drawn frames and of all.

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
    """The picture of a film at a time.

    Attributes:
        figure: The matplotlib figure.
    """

    figure: Figure

    def __init__(self, film: Film, step_seconds: float) -> None:
        self._film = film
        self._kept_seconds = LOST_SECONDS * FRAMES_PER_SECOND * step_seconds
        self.figure, [panel] = new_figure(1, width=WIDTH, height=HEIGHT - 0.4)
        # Nothing moves but the cells: the layout is made once.
        self.figure.set_layout_engine("none")
        panel.set_position((0.02, 0.12, 0.96, 0.8))
        panel.set_axis_off()
        panel.set(xlim=(0, 1), ylim=(0, 1))
        self._panel = panel
        _network(panel, film)
        self._cells = film.cells.with_columns(_ends(film))
        self._dots = {
            look: panel.plot([], [], SHAPES[look], color=DYES[look], markersize=_size(look))[0]
            for look in LOOKS
        }
        [self._lost] = panel.plot([], [], "x", color="black", markersize=10, markeredgewidth=2.5)
        self._bars = _bars(panel, film)
        seen = [look for look in LOOKS if look in set(film.cells["look"])]
        handles = [self._dots[look] for look in seen]
        names = [NAMES[look] for look in seen]
        if film.losses.height:
            handles, names = [*handles, self._lost], [*names, "lost cell"]
        panel.legend(handles, names, loc="lower center", bbox_to_anchor=(0.5, -0.15), ncols=4)
        self._title = panel.set_title("")

    def show(self, time: float) -> None:
        """Changes the picture to another simulated time, in seconds."""
        there = self._cells.filter(
            pl.col("left_seconds") <= time, pl.col("arrived_seconds") >= time
        )
        for look, dots in self._dots.items():
            own = there.filter(pl.col("look") == look)
            dots.set_data(*positions(own, time))
        since = pl.col("time_seconds")
        lost = self._film.losses.filter(since <= time, since > time - self._kept_seconds)
        at = [self._film.places[self._sender(link)] for link in lost["link"]]
        self._lost.set_data([x for x, _ in at], [y - BELOW for _, y in at])
        for queue, bar, label, most in self._bars:
            cells = queue.at(time)
            bar.set_height(BAR_HEIGHT * cells / most)
            label.set_text(f"{cells:,.0f}")
        gone = self._film.losses.filter(since <= time).height
        counted = (
            f"   {gone:,} lost since the start of the film" if self._film.losses.height else ""
        )
        self._title.set_text(f"{self._film.title}   t = {time * 1e3:.4f} ms{counted}")

    def _sender(self, link: str) -> str:
        return next(known.sender.name for known in self._film.network.links if known.name == link)


def positions(
    cells: pl.DataFrame, time: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Places of cells on their links at a time: in proportion to the time since they left.

    Args:
        cells: Cells with the ends of their links, `x`, `y`, `to_x` and `to_y`.
        time: A time at which they are on their links, in seconds.
    """
    left, arrived = (cells[name].to_numpy() for name in ("left_seconds", "arrived_seconds"))
    way = np.maximum(arrived - left, 1e-15)
    share = np.clip((time - left) / way, 0.0, 1.0)
    x, y, to_x, to_y = (cells[name].to_numpy() for name in ("x", "y", "to_x", "to_y"))
    return x + share * (to_x - x), y + share * (to_y - y)


def _size(look: str) -> float:
    return 6.0 if look.startswith("data") else 8.5


def _ends(film: Film) -> list[pl.Expr]:
    """Columns with the ends of the cells' links, a little to the left of the links."""
    ends = {}
    for link in film.network.links:
        (x, y), (to_x, to_y) = film.places[link.sender.name], film.places[link.receiver.name]
        length = max(math.hypot(to_x - x, to_y - y), 1e-9)
        aside, up = -(to_y - y) / length * ASIDE, (to_x - x) / length * ASIDE
        ends[link.name] = (x + aside, y + up, to_x + aside, to_y + up)
    return [
        pl.col("link").replace_strict({name: end[at] for name, end in ends.items()}).alias(column)
        for at, column in enumerate(("x", "y", "to_x", "to_y"))
    ]


def _network(panel: Axes, film: Film) -> None:
    places = film.places
    lines = [(places[link.sender.name], places[link.receiver.name]) for link in film.network.links]
    panel.add_collection(LineCollection(lines, color="#dddddd", linewidth=1.0, zorder=0))
    hosts = [node for node in film.network.nodes if node.switch is None]
    for node in film.network.nodes:
        x, y = places[node.name]
        is_switch = node.switch is not None
        marker = (
            {"marker": "s", "markersize": 13.0} if is_switch else {"marker": "o", "markersize": 5.0}
        )
        panel.plot([x], [y], color="#444444" if is_switch else "#888888", zorder=1, **marker)  # type: ignore[arg-type]
        if is_switch:
            where = {"xytext": (0, -18), "textcoords": "offset points", "ha": "center"}
            panel.annotate(node.name, (x, y), fontsize=8, **where)  # type: ignore[arg-type]
        elif len(hosts) <= NAMED_HOSTS:
            where = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center"}
            panel.annotate(node.name, (x, y), fontsize=6.5, color="#555555", **where)  # type: ignore[arg-type]


def _bars(panel: Axes, film: Film) -> list[tuple[Queue, Rectangle, Text, float]]:
    """A bar for each queue above its switch, as high as the longest queue of the span allows."""
    beside: dict[str, int] = {}
    found = []
    for queue in film.queues:
        name = queue.port.sender.name
        at = beside.setdefault(name, 0)
        beside[name] += 1
        x, y = film.places[name]
        inside = (queue.time >= film.start_seconds) & (queue.time <= film.end_seconds)
        most = queue.limit if math.isfinite(queue.limit) else float(queue.cells[inside].max())
        corner = (x - BAR_WIDTH / 2 + at * BAR_WIDTH * 2.4, y + 0.05)
        frame = Rectangle(corner, BAR_WIDTH, BAR_HEIGHT, fill=False, color="#aaaaaa", linewidth=0.7)
        bar = Rectangle(corner, BAR_WIDTH, 0.0, color=COLOURS[0])
        panel.add_patch(frame)
        panel.add_patch(bar)
        above = (corner[0] + BAR_WIDTH / 2, corner[1] + BAR_HEIGHT + 0.01)
        label = panel.text(*above, "", fontsize=8, ha="center")
        bound = "buffer" if math.isfinite(queue.limit) else "max"
        scale = f"to {queue.port.receiver.name}\n{bound} {most:,.0f}"
        panel.text(above[0], above[1] + 0.035, scale, fontsize=6, ha="center", color="#555555")
        found.append((queue, bar, label, most))
    return found
