"""The bench with its history: what changed since the last entry, for `make bench`.

The history is the table of docs/evidence/speed.md: the ratio of each workload to its bare loop, by
commit. Between kinds of processors ratios differ by 10 % and more, times by far more. `--keep`
appends an entry, which names the commit; so it is refused if the sources differ from it. No timing
decides a test.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellrate import _core
from cellrate.cli import tables
from cellrate.cli.progress import ProgressBar

ROOT = Path(__file__).parents[1]
HISTORY = ROOT / "docs" / "evidence" / "speed.md"
MEASURED = "crates", "Cargo.toml", "Cargo.lock"
"""The files that an entry measures: the engine, the loops, and what they are built with."""
HEAD = "| Date | Commit | Workload | Beside | Ratio |\n|---|---|---|---|--:|\n"
CELLS = "its cells alone"
"""The loop that does only the arithmetic of a workload's cells."""
FEEDBACK = "its cells and feedback"
"""The loop that does the acknowledgements and RM cells of W2 as well."""
STEADY = 0.05
"""Part by which the ratio of an unchanged engine differs from run to run on a busy machine."""


class Refused(Exception):
    """An entry cannot be kept."""


@dataclass(frozen=True)
class Entry:
    """The ratio of a workload to a bare loop, at a commit.

    Attributes:
        date: Day of the measurement, as 2026-01-31.
        commit: Beginning of the commit's hash.
        workload: The workload.
        beside: What the loop does.
        ratio: Time for each cell-hop / time of the loop for each cell-hop.
    """

    date: str
    commit: str
    workload: str
    beside: str
    ratio: float


def ratios(report: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Ratios of a report of the bench, by workload and loop."""
    floors = report["floor"]
    found = {
        (f"W1, {count} sources, 5 ms links", CELLS): nanoseconds / floors[count]
        for count, nanoseconds in report["w1"].items()
    }
    found["W1, 15 sources, 5 us links", CELLS] = report["w1_lan"] / report["floor_lan"]
    for key, length in (("w2", "5 ms"), ("w2_lan", "5 us")):
        own = report.get(f"floor_{key}")
        beside, floor = (CELLS, floors["15"]) if own is None else (FEEDBACK, own)
        found[f"W2, {length} links", beside] = report[key] / floor
    return found


def entries(page: str) -> list[Entry]:
    """The entries of a page, in its order.

    Raises:
        Refused: The page has no table, or a line that is no entry.
    """
    _, head, rows = page.partition(HEAD)
    if not head:
        raise Refused(f"{HISTORY.name} has no table that begins with {HEAD.splitlines()[0]}")
    found = []
    for line in rows.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        try:
            date, commit, workload, beside, ratio = cells
            found.append(Entry(date, commit, workload, beside, float(ratio)))
        except ValueError as error:
            raise Refused(f"{HISTORY.name}: this is no entry: {line}") from error
    return found


def row(entry: Entry) -> str:
    """The line of an entry."""
    cells = entry.date, entry.commit, entry.workload, entry.beside, f"{entry.ratio:.2f}"
    return f"| {' | '.join(cells)} |\n"


def changes(history: Sequence[Entry], now: Mapping[tuple[str, str], float]) -> list[str]:
    """A line for each workload: its ratio now, and beside its last entry with the same loop."""
    last = {(entry.workload, entry.beside): entry for entry in history}
    lines = []
    for (workload, beside), ratio in now.items():
        told = f"{workload}: {ratio:.2f} of {beside}"
        before = last.get((workload, beside))
        if before is None:
            lines.append(f"{told}, no entry before")
            continue
        part = ratio / before.ratio - 1.0
        steady = f"; runs differ by {STEADY:.0%}" if abs(part) <= STEADY else ""
        lines.append(
            f"{told}, {part:+.0%} since {before.commit} ({before.ratio:.2f}, {before.date}){steady}"
        )
    return lines


def commit() -> str:
    """Beginning of the hash of the commit that is measured.

    Raises:
        Refused: The sources differ from it, or git does not know.
    """

    def git(*command: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603  words of this file
                ["git", *command],  # noqa: S607
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise Refused(f"git does not name the commit: {error}") from error
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", *MEASURED)
    if changed:
        raise Refused(
            f"an entry names a commit; commit these files first, which differ from it:\n{changed}"
        )
    return git("rev-parse", "--short=9", "HEAD")


def main(arguments: Sequence[str] | None = None) -> int:
    """Times the engine, shows it beside the last entries, and appends new ones if asked to."""
    parser = argparse.ArgumentParser(prog="python -m proof.bench_history", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the times as JSON instead")
    parser.add_argument("--keep", action="store_true", help="append the ratios to the history")
    asked = parser.parse_args(arguments)
    try:
        history = entries(HISTORY.read_text(encoding="utf-8"))
        measured = commit() if asked.keep else ""
    except Refused as error:
        sys.stderr.write(f"bench: {error}\n")
        return 1
    with ProgressBar("timing") as progress:
        text = _core.bench(None, progress)
    report = json.loads(text)
    now = ratios(report)
    if asked.json:
        sys.stdout.write(text.rstrip("\n") + "\n")
    else:
        tables.show_bench(report)
        sys.stdout.write("\n" + "\n".join(changes(history, now)) + "\n")
    if asked.keep:
        today = dt.datetime.now(dt.UTC).date().isoformat()
        with HISTORY.open("a", encoding="utf-8") as page:
            page.writelines(row(Entry(today, measured, *key, ratio)) for key, ratio in now.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
