"""A film: cells or frames on links during a short span of a run, with queues and losses."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from cellrate import _core
from cellrate.common import scratch
from cellrate.common.numbers import seconds
from cellrate.common.problems import BadInput
from cellrate.simulation import captures, output, source
from cellrate.simulation.animation.node_places import Map, Places, node_places
from cellrate.simulation.api import Result
from cellrate.simulation.network import Link, Network
from cellrate.simulation.network.ethernet_view import FrameNetwork, network_of
from cellrate.simulation.passages import MOST, Passages, passages
from cellrate.simulation.runner import Job, Progress, run_one
from cellrate.simulation.spans import OPTIONS, refuse_outside

LOOKS = ("data", "data-marked", "frm", "frm-marked", "brm", "brm-marked", "credit")
"""Kinds of cells in a film; "marked" means EFCI for data cells, CI or NI for RM cells."""
FRAME_LOOKS = (
    *("data", "data-marked", "ack", "ack-marked", "record", "record-marked"),
    *("nak", "nak-marked", "cnp", "cnp-marked", "credit", "pause"),
    *("request", "request-marked", "stop", "stop-marked"),
    *("pull", "pull-marked", "trimmed", "trimmed-marked", "again", "again-marked"),
)
"""Kinds of frames in a film; "marked" means CE, or for a rate record (a frame with an RM cell's
fields) CI or NI.
"""
TRIPS, FRAME_TRIPS = 2, 8
"""Length of a film in round trips by default, over ATM and over Ethernet.

Over Ethernet a film has more round trips, because hosts send few frames in a round trip.
"""
MOST_QUEUES = 8
"""Greatest number of queues that a film over Ethernet shows; the longest queues are shown."""
# Points of a queue's trace in the span, and greatest number in the run; more would be thinned.
POINTS, MOST_POINTS = 400, 4000
PICOSECONDS = 1e12
BYTES_PER_KB = 1000
# Capture files round times down to 2^-32 s, 233 ps.
ROUNDING = 0.5e-9
# Bytes of the Extensible Record Format: header; record (header, cell header without HEC, payload).
HEADER, RECORD = 16, 16 + 4 + 48
FRACTION = 2.0**32
CREDIT_VCI = 31
RESOURCE_MANAGEMENT, CONGESTION = 0b110, 0b010
CONGESTED, NO_INCREASE = 0x20, 0x10


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """A queue of an output port over time.

    Attributes:
        sender: Node of the port.
        receiver: Node at the far end of the port's link.
        time: Times in seconds.
        lengths: Greatest queue length in the trace interval of each time, in cells or kB.
        limit: Limit of the buffer, in the unit of the lengths; infinity if there is none.
    """

    sender: str
    receiver: str
    time: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    limit: float

    def at(self, seconds: float) -> float:
        """Length of the queue at a time."""
        return float(self.lengths[max(int(np.searchsorted(self.time, seconds, "right")) - 1, 0)])


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """A span of a run as a film shows it.

    Attributes:
        title: Name of the scenario, its control and seed.
        start_seconds: Start of the span.
        end_seconds: End of the span.
        network: The network.
        places: Place of each node, both coordinates from 0 to 1.
        moving: A row for each cell or frame on each link, in the order of departure: `link`, `look`
            (of `LOOKS` or `FRAME_LOOKS`), `left_seconds` and `arrived_seconds` of its last bit; of
            a frame also `began_seconds`, at which its first bit left.
        queues: Queues of the output ports in which a cell or frame has waited.
        losses: A row for each lost cell or frame: `time_seconds`, `link` (the link of the port that
            lost it).
        step_seconds: Sampling interval of the queues' traces.
        has_frames: True over Ethernet.
    """

    title: str
    start_seconds: float
    end_seconds: float
    network: Map
    places: Places
    moving: pl.DataFrame
    queues: tuple[Queue, ...]
    losses: pl.DataFrame
    step_seconds: float
    has_frames: bool = False

    @property
    def looks(self) -> tuple[str, ...]:
        """The kinds of cells or frames that occur in the film."""
        return FRAME_LOOKS if self.has_frames else LOOKS

    @property
    def units(self) -> str:
        """The word `cells` or `frames`, by the link layer."""
        return "frames" if self.has_frames else "cells"

    def length_text(self, length: float) -> str:
        """The length of a queue as text with its unit."""
        return f"{length:,.1f}" if self.has_frames else f"{length:,.0f}"


class TooManyCells(BadInput):
    """Raised if more cells are on links in a span than a film can show.

    Attributes:
        fits: End in seconds of a shorter span that probably holds few enough cells.
    """

    def __init__(self, message: str, fits: float) -> None:
        super().__init__(message)
        self.fits = fits


def shown_film(
    job: Job,
    begin: float | None,
    end: float | None,
    place: Path,
    progress: Progress = lambda *_: None,
) -> Film:
    """The film of a span; `begin` or `end`, if None, is chosen so that cells move in the span.

    Without a start time the span begins with the first flow. Without an end it lasts `TRIPS` or
    `FRAME_TRIPS` times the longest round trip. If that span has more cells than a film can show,
    shorter spans are simulated, and the progress begins anew with each.

    Raises:
        BadInput: The span is not within the run, or contains no cell or too many cells.
    """
    network = network_of(job.scenario())
    starts = [flow.start_seconds for flow in network.flows]
    first = min(starts, default=0.0) if begin is None else begin
    if end is not None:
        return film(job, (first, end), place, progress)
    if isinstance(network, FrameNetwork):
        trips = FRAME_TRIPS * max(
            (flow.least_round_trip_seconds for flow in network.flows), default=0
        )
    else:
        trips = TRIPS * max(
            (flow.propagation_round_trip_seconds or 0.0 for flow in network.flows), default=0
        )
    until = min(first + (trips or 1e-3), network.duration_seconds)
    while True:
        try:
            return film(job, (first, until), place, progress)
        except TooManyCells as error:
            until = error.fits


def film(
    job: Job,
    span: tuple[float, float],
    beside: Path,
    progress: Progress = lambda *_: None,
) -> Film:
    """Simulates a scenario up to the end of a span, and makes the film of the span.

    Over ATM three simulations are made. The plain engine, which handles one event at a time,
    records each cell on each link, then in a second run the marks of the cells. The fast engine
    records queues and losses. Both engines agree in every cell.

    Temporary files may be written to the directory `beside`; the span is in seconds. The progress
    counts the first two simulations; the third takes little time.

    Raises:
        ScenarioError: The scenario is wrong.
        BadInput: The span is not within the run, or contains no cell or too many cells.
    """
    start, end = span
    scenario = job.scenario()
    refuse_outside(scenario, span, OPTIONS)
    network = network_of(scenario)
    has_frames = isinstance(network, FrameNetwork)
    step = max((end - start) / POINTS, end / MOST_POINTS)
    until = math.ceil(end * PICOSECONDS)
    settings = (
        f"run.duration={until / 1e6:.6f} us",
        "measure.from=0 s",
        f"measure.to={until / 1e6:.6f} us",
        'measure.traces=["queue"]',
        *(("measure.slowdown=false",) if has_frames else ('measure.events=["loss"]',)),
        f"measure.sample={math.ceil(step * PICOSECONDS) / 1e6:.6f} us",
    )
    short = replace(job, overrides=(*job.overrides, *settings)).scenario()
    seen = passages(short, span, MOST, lambda now, until: progress(now / until, 2))
    units = "frames" if has_frames else "cells"
    if seen.beyond_seconds is not None:
        left = seen.frame["began_seconds" if has_frames else "left_seconds"]
        if (left <= start).all():
            raise BadInput(
                f"more than {MOST:,} {units} are on links at --from already, the most that a film "
                f"shows: choose another --from, or links that hold fewer {units}"
            )
        # The shorter span has a reserve of a tenth: records are not quite in order of time.
        # The time of a cell that left before the span does not tell how long the span may be.
        inside = seen.beyond_seconds - start
        fits = start + 0.9 * (inside if inside > 0 else (end - start) / 2)
        raise TooManyCells(
            f"more than {MOST:,} {units} are on links between --from and --to, the most that a "
            f"film shows: let --to be {seconds(fits)} or earlier",
            fits,
        )

    def second(done: float, _total: int) -> None:
        progress(1 + done, 2)

    if isinstance(network, FrameNetwork):
        moving, losses = _frames(seen)
        aqm = tomllib.loads(short.resolved())["switch"]["aqm"]["algorithm"]
        recoveries = sorted({flow.recovery for flow in network.flows if flow.tcp})
        control = [*recoveries, "tail drop" if aqm == "none" else aqm]
    else:
        longest = max(link.delay_seconds for link in network.links)
        left_from = max(start - longest - 1e-9, 0.0)
        marks = marked_cells(short, network, (left_from, end), beside, second)
        moving, losses = _cells(seen, marks, network), pl.DataFrame()
        control = sorted({node.switch.scheme for node in network.nodes if node.switch is not None})
    if moving.is_empty():
        raise BadInput(f"no {units[:-1]} is on a link between --from and --to")
    result = Result(run_one(short, progress=second if has_frames else None))
    if isinstance(network, FrameNetwork):
        queues = _frame_queues(result, network, span)
    else:
        queues, losses = _queues(result, network, span), _losses(result, network, span)
    drawn = Map.of(network)
    return Film(
        f"{source.stem(job.path)}: {', '.join(control)}, seed {network.seed}",
        start,
        end,
        drawn,
        node_places(drawn),
        moving,
        queues,
        losses,
        step,
        has_frames,
    )


def _frames(seen: Passages) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The frames on links, and the dropped frames."""
    ending = pl.when("marked").then(pl.lit("-marked")).otherwise(pl.lit(""))
    on_links = seen.frame.filter(~pl.col("dropped")).select(
        "link",
        (pl.col("kind") + ending).alias("look"),
        "left_seconds",
        "arrived_seconds",
        "began_seconds",
    )
    dropped = seen.frame.filter("dropped").select(
        pl.col("left_seconds").alias("time_seconds"), "link"
    )
    return on_links.sort("began_seconds", maintain_order=True), dropped


def _frame_queues(
    result: Result, network: FrameNetwork, span: tuple[float, float]
) -> tuple[Queue, ...]:
    """The longest queues, in kB, among those that held more than the longest frame."""
    longest = max(flow.frame_bytes for flow in network.flows)
    traces = [trace for trace in result.traces if trace.kind == "queue"]
    ports = {port.name: port for port in network.ports}
    found = []
    for trace in traces:
        port = ports[trace.entity.rpartition("/")[0]]
        inside = (trace.time >= span[0]) & (trace.time <= span[1])
        most = trace.maximum[inside].max(initial=0.0)
        if most > longest:
            lengths = trace.maximum / BYTES_PER_KB
            held = math.inf if network.lossless is not None else port.buffer_bytes
            limit = held / BYTES_PER_KB
            queue = Queue(port.sender, port.receiver, trace.time, lengths, limit)
            found.append((most, queue))
    most_shown = sorted((most for most, _ in found), reverse=True)[:MOST_QUEUES]
    return tuple(queue for most, queue in found if most in most_shown)


def _cells(seen: Passages, marks: Mapping[str, MarkedCells], network: Network) -> pl.DataFrame:
    """The passages of cells over links with their marks, and the credit cells.

    Raises:
        RuntimeError: A passage is not among the captured cells, a defect of the simulator.
    """
    found = []
    left = seen.frame.filter(pl.col("left_seconds") < seen.end_seconds)
    for link in network.links:
        own = left.filter(pl.col("link") == link.name).sort("left_seconds")
        captured = marks[link.name]
        times = own["left_seconds"].to_numpy()
        at = np.searchsorted(captured.left_seconds, times - ROUNDING)
        inside = at < len(captured.left_seconds)
        if not inside.all() or (abs(captured.left_seconds[at] - times) > ROUNDING).any():
            raise RuntimeError(
                f"a defect of cellrate, please report it: a cell on {link.name} is not captured"
            )
        marked = pl.Series("marked", captured.marked[at], dtype=pl.Boolean)
        found.append(
            own.select(
                "link",
                (
                    pl.col("kind") + pl.when(marked).then(pl.lit("-marked")).otherwise(pl.lit(""))
                ).alias("look"),
                "left_seconds",
                "arrived_seconds",
            )
        )
        found.append(_credit(link, captured, seen))
    return pl.concat(found).sort("left_seconds", maintain_order=True)


def _credit(link: Link, captured: MarkedCells, seen: Passages) -> pl.DataFrame:
    times = captured.left_seconds[captured.credit]
    times = times[times + link.delay_seconds >= seen.start_seconds]
    columns = {
        "link": [link.name] * len(times),
        "look": ["credit"] * len(times),
        "left_seconds": times,
        "arrived_seconds": times + link.delay_seconds,
    }
    text, number = pl.String(), pl.Float64()
    types = [text, text, number, number]
    return pl.DataFrame(columns, schema=dict(zip(columns, types, strict=True)))


def _queues(result: Result, network: Network, span: tuple[float, float]) -> tuple[Queue, ...]:
    """The queues that held more than one cell; the first cell is in transmission."""
    found = []
    for port in network.ports:
        for trace in result.traces:
            if trace.kind != "queue":
                continue
            if trace.entity != port.name and not trace.entity.startswith(f"{port.name}/"):
                continue
            inside = (trace.time >= span[0]) & (trace.time <= span[1])
            if inside.any() and trace.maximum[inside].max() > 1:
                limit = port.switch.buffer_cells
                ends = port.sender.name, port.receiver.name
                found.append(Queue(*ends, trace.time, trace.maximum, limit))
    return tuple(found)


def _losses(result: Result, network: Network, span: tuple[float, float]) -> pl.DataFrame:
    """Lost cells, each with a link.

    The link is that of the port that refused the cell, or the link that lost the cell. A cell that
    the source queue refused has the first link of its flow.
    """
    time = pl.col("time_seconds")
    first = {f"{flow.name}/forward": flow.forward[0].name for flow in network.flows}
    first |= {
        f"{flow.name}/backward": flow.backward[0].name for flow in network.flows if flow.backward
    }
    at_source = pl.col("vc").replace_strict(first, return_dtype=pl.String)
    return result.events.filter(pl.col("kind") == "loss", time >= span[0], time < span[1]).select(
        "time_seconds", pl.col("port").fill_null(at_source).alias("link")
    )


def frame_times(
    film: Film, seconds_per_second: float, frames_per_second: int, most: int
) -> Sequence[float]:
    """Simulated times of the frames of a film.

    Raises:
        BadInput: There would be more than `most` frames, or fewer than two.
    """
    step = seconds_per_second / frames_per_second
    count = round((film.end_seconds - film.start_seconds) / step)
    if not 2 <= count <= most:
        raise BadInput(
            f"the film would have {count:,} pictures, {frames_per_second} a second; allowed are 2 "
            f"to {most:,}: choose another span, --speed or --length"
        )
    return [film.start_seconds + step * at for at in range(count)]


@dataclass(frozen=True, slots=True)
class MarkedCells:
    """The cells of one link in the order in which they left.

    Attributes:
        left_seconds: Time at which the last bit left, rounded down to 2^-32 s.
        marked: True for a data cell with EFCI and for an RM cell with CI or NI.
        credit: True for cells of credit control.
    """

    left_seconds: npt.NDArray[np.float64]
    marked: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.bool_]


def marked_cells(
    scenario: _core.Scenario,
    network: Network,
    span: tuple[float, float],
    beside: Path,
    progress: Progress | None = None,
) -> dict[str, MarkedCells]:
    """Simulates a scenario one event at a time, and reads the marks of all cells on links.

    The span limits the times of departure, in seconds. Temporary captures are written to the
    directory `beside`.

    Returns:
        The cells of each link, by its name.

    Raises:
        BadInput: The scenario has a header size that a capture cannot write.
    """
    taps = [f"{link.name}:cells" for link in network.links]
    with scratch.directory(beside) as place:
        try:
            index = captures.record(scenario, taps, place, span, progress)
        except captures.NothingToCapture as error:
            raise BadInput(f"the marks of cells cannot be read: {error}") from error
        folder = place / output.CAPTURES
        return {tap["point"]: _read(folder / tap["files"][0]["name"]) for tap in index["taps"]}


def _read(file: Path) -> MarkedCells:
    records = np.frombuffer(file.read_bytes(), np.uint8).reshape(-1, RECORD)
    stamps = records[:, :8].copy().view("<u8")[:, 0]
    words = records[:, HEADER : HEADER + 4].copy().view(">u4")[:, 0]
    channel, kind = words >> 4 & 0xFFFF, words >> 1 & 0b111
    flags = records[:, HEADER + 5]
    is_rm = kind == RESOURCE_MANAGEMENT
    in_rm = (flags & (CONGESTED | NO_INCREASE)) != 0
    efci = (kind & CONGESTION) != 0
    return MarkedCells(stamps / FRACTION, np.where(is_rm, in_rm, efci), channel == CREDIT_VCI)
