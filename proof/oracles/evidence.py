"""Findings of the comparison with a simulator: results, a figure and a page."""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellrate.simulation.figures import STYLE, svg
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from proof.campaign import keep, kept
from proof.oracles import traces
from proof.oracles.patterns import DATA
from proof.oracles.traces import Event

RULES = DATA.parent / "support" / "one_way" / "plain" / "rules.rs"
CAPTION = (
    "*Thick and light: there; thin: here. Left of each pair cwnd in packets without inflation, "
    "right the packets sent (strokes) and the acknowledgements (line).*"
)
PICTURED = "second-copy-too"
"""The pattern that the figure shows in every variant."""


@dataclass(frozen=True)
class Run:
    """One pattern in one variant.

    Attributes:
        events: Number of events in the other simulator's trace.
        equal: Number of equal events in cellrate's trace before the first difference.
        first: Names of the rules that make the first difference.
        reasons: Names of all rules that only the other simulator's run follows.
    """

    variant: str
    pattern: str
    events: int
    equal: int
    first: str
    reasons: str

    @property
    def cells(self) -> list[str]:
        """The row of the run in the page's table."""
        rules = (", ".join(names.split()) for names in (self.first, self.reasons))
        return [self.variant, self.pattern, str(self.events), str(self.equal), *rules]


def _read(path: Path) -> list[dict[str, str]]:
    """Rows of a table that the engine's test keeps; none if it keeps no such table."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _table(heads: Sequence[str], alignments: str, rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(heads)} |", alignments, *(f"| {' | '.join(row)} |" for row in rows)]


def _runs(name: str) -> list[Run]:
    rows: list[dict[str, Any]] = [
        {**row, "events": int(row["events"]), "equal": int(row["equal"])}
        for row in _read(DATA / name / "differences.csv")
    ]
    return [Run(**row) for row in rows]


def write_page(name: str, title: str, corrected: Sequence[str], directory: Path) -> None:
    """Writes the page of a simulator and its figure into a directory; see `Oracle`."""
    runs = _runs(name)
    plain = [run for run in runs if run.variant not in corrected]
    lines = _page(name, title, kept(name)["version"], runs, plain)
    (directory / f"tcp-{name}.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    picture = svg(_picture(name, title, runs))
    (directory / f"tcp-{name}.svg").write_text(picture, encoding="utf-8")


def write_results(name: str, version: str, corrected: Sequence[str]) -> None:
    """Writes the results of a simulator; see `Oracle`."""
    runs = _runs(name)
    plain = [run for run in runs if run.variant not in corrected]
    results = {
        "version": version,
        "runs": len(runs),
        "runs_equal": _equal(runs),
        "events": sum(run.events for run in runs),
        "equal": sum(run.equal for run in runs),
        "uncorrected": len(plain),
        "uncorrected_equal": _equal(plain),
    }
    print(results)
    keep(name, results)


def _equal(runs: Sequence[Run]) -> int:
    return sum(run.events == run.equal for run in runs)


def _page(
    name: str, title: str, version: str, runs: Sequence[Run], plain: Sequence[Run]
) -> Iterator[str]:
    """Lines of the page."""
    prose = Path(__file__).with_name(name)
    yield (prose / "page.md").read_text().replace("VERSION", version)
    agreed = f"Of {len(runs)} runs {_equal(runs)} agree in every event"
    if len(plain) < len(runs):
        agreed += f"; of the {len(plain)} in which {title} runs as it is, {_equal(plain)}"
    yield f"{agreed}.\n"
    yield f"![cwnd, packets and acknowledgements, {title} and here](tcp-{name}.svg)\n"
    yield f"{CAPTION}\n\n## Reasons\n"
    used = {rule for run in runs for rule in run.reasons.split()}
    for text, rule in re.findall(r"((?: +/// .*\n)+) +([A-Z]\w+),\n", RULES.read_text()):
        if rule in used:
            yield f"- **{rule}**: {' '.join(re.findall('/// (.*)', text))}"
    yield "\n## Runs\n"
    heads = "variant", "pattern", "events", "equal", "first difference", "all"
    yield from _table(heads, "|---|---|--:|--:|---|---|", [run.cells for run in runs])
    for table, text in [("windows.csv", "windows.md"), ("codel.csv", "queues.md")]:
        if rows := _read(DATA / name / table):
            yield f"\n{(prose / text).read_text()}"
            alignments = f"|{'---|' * 2}{'--:|' * (len(rows[0]) - 2)}"
            yield from _table(list(rows[0]), alignments, [list(row.values()) for row in rows])


def _picture(name: str, title: str, runs: Sequence[Run]) -> Figure:
    chosen = [run for run in runs if run.pattern == PICTURED]
    rest = traces.read(DATA / name / "ours.csv")
    with style.context([*STYLE, {"svg.fonttype": "none", "svg.hashsalt": name}]):
        figure = Figure(figsize=(8.0, 1.7 * len(chosen)), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(len(chosen), 2, sharex="col", squeeze=False)
        for run, (window, sequence) in zip(chosen, panels, strict=True):
            theirs = traces.read(DATA / name / f"{run.variant.removesuffix('-bsd')}.csv")
            there = theirs[run.pattern]
            # Of the engine's trace, only the part from the first difference is stored.
            here = there[: run.equal] + rest.get(f"{run.variant}/{run.pattern}", [])
            _draw(window, sequence, there, "C0", 2.5, 0.5)
            _draw(window, sequence, here, "black", 0.8, 1.0)
            window.set_title(f"{run.variant}: {run.pattern}", loc="left")
            window.set_ylabel("cwnd")
            sequence.set_ylabel("packet")
        for panel in panels[-1]:
            panel.set_xlabel("time (s)")
        panels[0][0].plot([], [], color="C0", lw=2.5, alpha=0.5, label=title)
        panels[0][0].plot([], [], color="black", lw=0.8, label="here")
        panels[0][0].legend(loc="upper left")
    return figure


def _draw(
    window: Axes, sequence: Axes, events: Sequence[Event], colour: str, width: float, alpha: float
) -> None:
    times = [event.time_us / 1e6 for event in events]
    look: dict[str, Any] = {"color": colour, "alpha": alpha}
    steps = {**look, "drawstyle": "steps-post"}
    window.plot(times, [event.cwnd for event in events], lw=width, **steps)
    # One path of short strokes takes a tenth of the bytes of as many markers.
    sent = [(event.time_us / 1e6, event.packet) for event in events if not event.ack]
    sequence.plot(
        [moment for time, _ in sent for moment in (time, time + 0.012, math.nan)],
        [number for _, packet in sent for number in (packet, packet, math.nan)],
        lw=2 * width,
        **look,
    )
    acks = [event for event in events if event.ack]
    ack_times = [event.time_us / 1e6 for event in acks]
    sequence.plot(ack_times, [event.packet for event in acks], lw=width / 2, **steps)
