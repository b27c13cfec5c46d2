"""Findings of the comparison with a simulator: results, a figure and a page."""

import csv
import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from cellrate.simulation.figures import STYLE
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from proof.oracles import traces
from proof.oracles.patterns import DATA, ROOT
from proof.oracles.traces import Event

RESULTS = ROOT / "proof" / "results"
PAGES = ROOT / "docs" / "evidence"
RULES = DATA.parent / "support" / "one_way" / "plain" / "rules.rs"
CAPTION = (
    "*Thick and light: there; thin: here. Left of each pair cwnd in packets without inflation, "
    "right the packets sent (strokes) and the acknowledgements (line).*"
)
PICTURED = ("second-copy-too",)


@dataclass(frozen=True)
class Run:
    """One pattern in one variant.

    Attributes:
        variant: Its name here.
        pattern: What was lost or delayed.
        events: How many there are in the other simulator's trace.
        equal: How many of them are the same here before the first that is not.
        first: The rules that make the first difference.
        reasons: All rules that the run there follows and the one here does not.
    """

    variant: str
    pattern: str
    events: int
    equal: int
    first: tuple[str, ...]
    reasons: tuple[str, ...]


def read_runs(name: str) -> list[Run]:
    """The table that the engine's test keeps.

    Args:
        name: Of the simulator.
    """
    with (DATA / name / "differences.csv").open(newline="") as file:
        return [
            Run(
                variant=row["variant"],
                pattern=row["pattern"],
                events=int(row["events"]),
                equal=int(row["equal"]),
                first=tuple(row["first"].split()),
                reasons=tuple(row["reasons"].split()),
            )
            for row in csv.DictReader(file)
        ]


def read_rules() -> dict[str, str]:
    """Texts of the plain sender's rules, by name."""
    found = re.findall(r"((?: +/// .*\n)+) +([A-Z]\w+),\n", RULES.read_text())
    return {rule: " ".join(re.findall(r"/// (.*)", text)) for text, rule in found}


def write(name: str, title: str, version: str, corrected: Sequence[str] = ()) -> None:
    """Writes the results, the figure and the page, and prints a table.

    Args:
        name: Of the simulator.
        title: Its name for people.
        version: That made the traces.
        corrected: Variants in which the simulator does not run as it is.
    """
    runs = read_runs(name)
    RESULTS.mkdir(exist_ok=True)
    results = _results(version, runs, corrected)
    if windows := read_windows(name):
        results["windows"] = windows
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=2) + "\n")
    _picture(name, title, runs)
    (PAGES / f"tcp-{name}.md").write_text(_page(name, title, version, runs, corrected))
    for variant, group in groupby(runs, lambda run: run.variant):
        sys.stdout.write(_line(variant, list(group)) + "\n")


def _equal(runs: Sequence[Run]) -> int:
    return sum(run.events == run.equal for run in runs)


def _results(version: str, runs: Sequence[Run], corrected: Sequence[str]) -> dict[str, object]:
    rules = read_rules()
    plain = [run for run in runs if run.variant not in corrected]
    reasons = sorted({rule for run in runs for rule in run.reasons})
    return {
        "version": version,
        "runs": len(runs),
        "events": sum(run.events for run in runs),
        "equal": sum(run.equal for run in runs),
        "runs_equal": _equal(runs),
        "uncorrected": len(plain),
        "uncorrected_equal": _equal(plain),
        "reasons": {rule: rules[rule] for rule in reasons},
        "differences": [
            {
                "variant": run.variant,
                "pattern": run.pattern,
                "first": list(run.first),
                "reasons": list(run.reasons),
            }
            for run in runs
            if run.reasons
        ],
    }


def _line(variant: str, runs: Sequence[Run]) -> str:
    events, equal = sum(run.events for run in runs), sum(run.equal for run in runs)
    whole = _equal(runs)
    return f"{variant:14} {len(runs):3} runs, {whole:3} equal; {equal:5} of {events:5} events"


def ours(name: str, run: Run) -> list[Event]:
    """The engine's events: those it shares, and those kept from the first difference on.

    Args:
        name: Of the simulator.
        run: Which.
    """
    rest = traces.read(DATA / name / "ours.csv")
    return theirs(name, run)[: run.equal] + rest.get(f"{run.variant}/{run.pattern}", [])


def theirs(name: str, run: Run) -> list[Event]:
    """The other simulator's events.

    Args:
        name: Of the simulator.
        run: Which.
    """
    path = DATA / name / f"{run.variant.removesuffix('-bsd')}.csv"
    return traces.read(path)[run.pattern]


def _picture(name: str, title: str, runs: Sequence[Run]) -> None:
    chosen = [run for run in runs if run.pattern in PICTURED]
    rows = len(chosen) // len(PICTURED)
    with style.context([*STYLE, {"svg.fonttype": "none", "svg.hashsalt": name}]):
        figure = Figure(figsize=(8.0, 1.7 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, 2 * len(PICTURED), sharex="col", squeeze=False)
        for place, run in enumerate(chosen):
            row, column = divmod(place, len(PICTURED))
            pair = panels[row][2 * column : 2 * column + 2]
            _panels(list(pair), theirs(name, run), ours(name, run))
            pair[0].set_title(f"{run.variant}: {run.pattern}", loc="left")
        for panel in panels[-1]:
            panel.set_xlabel("time (s)")
        panels[0][0].plot([], [], color="C0", lw=2.5, alpha=0.5, label=title)
        panels[0][0].plot([], [], color="black", lw=0.8, label="here")
        panels[0][0].legend(loc="upper left")
        figure.savefig(PAGES / f"tcp-{name}.svg", metadata={"Date": None})


def _panels(panels: Sequence[Axes], there: Sequence[Event], here: Sequence[Event]) -> None:
    window, sequence = panels
    for events, colour, width, alpha in ((there, "C0", 2.5, 0.5), (here, "black", 0.8, 1.0)):
        times = [event.time_us / 1e6 for event in events]
        window.plot(
            times,
            [event.cwnd for event in events],
            drawstyle="steps-post",
            color=colour,
            lw=width,
            alpha=alpha,
        )
        # One path of short strokes is a tenth of as many markers.
        sent = [(event.time_us / 1e6, event.packet) for event in events if not event.ack]
        sequence.plot(
            [moment for time, _ in sent for moment in (time, time + 0.012, math.nan)],
            [number for _, packet in sent for number in (packet, packet, math.nan)],
            color=colour,
            lw=2 * width,
            alpha=alpha,
        )
        acks = [event for event in events if event.ack]
        sequence.plot(
            [event.time_us / 1e6 for event in acks],
            [event.packet for event in acks],
            drawstyle="steps-post",
            color=colour,
            lw=width / 2,
            alpha=alpha,
        )
    window.set_ylabel("cwnd")
    sequence.set_ylabel("packet")


def _page(
    name: str, title: str, version: str, runs: Sequence[Run], corrected: Sequence[str]
) -> str:
    rules = read_rules()
    reasons = [rule for rule in rules if any(rule in run.reasons for run in runs)]
    plain = [run for run in runs if run.variant not in corrected]
    head = Path(__file__).with_name(name) / "page.md"
    lines = [head.read_text().replace("VERSION", version).rstrip(), ""]
    agreed = f"Of {len(runs)} runs {_equal(runs)} agree in every event"
    if corrected:
        agreed += f"; of the {len(plain)} in which {title} runs as it is, {_equal(plain)}"
    lines += [f"{agreed}.", ""]
    lines += [f"![cwnd, packets and acknowledgements, {title} and here](tcp-{name}.svg)", ""]
    lines += [
        CAPTION,
        "",
        "## Reasons",
        "",
    ]
    lines += [f"- **{rule}**: {rules[rule]}" for rule in reasons]
    lines += ["", "## Runs", "", "| variant | pattern | events | equal | first difference | all |"]
    lines += ["|---|---|--:|--:|---|---|"]
    for run in runs:
        cells = [run.variant, run.pattern, str(run.events), str(run.equal)]
        lines.append(f"| {' | '.join([*cells, ', '.join(run.first), ', '.join(run.reasons)])} |")
    return "\n".join([*lines, *_windows(name)]) + "\n"


def read_windows(name: str) -> list[dict[str, str]]:
    """The table of window functions that the engine's test keeps; empty if it keeps none.

    Args:
        name: Of the simulator.
    """
    path = DATA / name / "windows.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _windows(name: str) -> list[str]:
    rows = read_windows(name)
    if not rows:
        return []
    head = Path(__file__).with_name(name) / "windows.md"
    table = [f"| {' | '.join(row.values())} |" for row in rows]
    rule = f"|{'---|' * 2}{'--:|' * (len(rows[0]) - 2)}"
    return ["", head.read_text().rstrip(), "", f"| {' | '.join(rows[0])} |", rule, *table]
