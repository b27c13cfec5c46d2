"""Runs the benchmark and shows changes since the last entry of its history, for `make bench`.

The history is proof/results/speed.csv: by commit, the time of each workload divided by the time of
a bare loop of its arithmetic. Between kinds of processors ratios differ by 10 % and more, times by
far more. `--keep` appends an entry, which names the commit; so it is refused if the sources differ
from the commit. No timing decides a test.
"""

import argparse
import csv
import datetime as dt
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from cellrate import _core
from cellrate.cli import tables
from cellrate.cli.progress import ProgressBar

from proof.campaign import ROOT, end_with

HISTORY = ROOT / "proof" / "results" / "speed.csv"
MEASURED = "crates", "Cargo.toml", "Cargo.lock"
"""The files on which an entry depends: engine, bare loops, and dependencies of the build."""
CELLS = "its cells alone"
"""The bare loop that does only the arithmetic of a workload's cells."""
FEEDBACK = "its cells and feedback"
"""The bare loop that also does the arithmetic of acknowledgements and RM cells of workload W2."""
FRAMES = "the frames of E1 alone"
"""The bare loop that does only the arithmetic of the frames of workload E1."""
STEADY = 0.05
"""Share by which the ratio of an unchanged engine differs from run to run on a busy machine."""


def ratios(report: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Ratios of a report of the benchmark, by workload and bare loop."""
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
    for name, nanoseconds in report["packets"].items():
        found[name.upper(), FRAMES] = nanoseconds / report["floor_packets"]
    return found


def last_entries() -> dict[tuple[str, str], list[str]]:
    """By workload and bare loop, the five cells of the last row of the history."""
    with HISTORY.open(encoding="utf-8", newline="") as file:
        _titles, *entries = csv.reader(file)
    return {(entry[2], entry[3]): entry for entry in entries}


def change(key: tuple[str, str], ratio: float, last: list[str] | None) -> str:
    """A sentence with a workload's ratio now, and its change since the last entry for the loop."""
    now = f"{key[0]}: {ratio:.2f} of {key[1]}"
    if last is None:
        return f"{now}, no entry before"
    date, commit, _, _, before = last
    part = ratio / float(before) - 1.0
    steady = f"; runs differ by {STEADY:.0%}" if abs(part) <= STEADY else ""
    return f"{now}, {part:+.0%} since {commit} ({before}, {date}){steady}"


def commit() -> str:
    """Beginning of the hash of the commit that is measured.

    Raises:
        ValueError: The sources differ from the commit.
        CalledProcessError: The directory is no checkout of git.
    """

    def git(*command: str) -> str:
        return subprocess.run(
            ["git", *command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()

    changed = git("status", "--porcelain", "--", *MEASURED)
    if changed:
        raise ValueError(
            f"an entry names a commit; commit these files first, which differ from it:\n{changed}"
        )
    return git("rev-parse", "--short=9", "HEAD")


def main() -> int:
    """Times the engine, compares ratios with the last entries, and appends new ones if asked."""
    parser = argparse.ArgumentParser(prog="python -m proof.bench_history", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="append the ratios to the history")
    keep = parser.parse_args().keep
    try:
        history = last_entries()
        measured = commit() if keep else ""
    except (ValueError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    with ProgressBar("timing") as progress:
        report = json.loads(_core.bench(None, progress))
    now = ratios(report)
    tables.show_bench(report)
    print("", *(change(key, ratio, history.get(key)) for key, ratio in now.items()), sep="\n")
    if keep:
        today = dt.datetime.now(dt.UTC).date().isoformat()
        entries = [[today, measured, *key, f"{ratio:.2f}"] for key, ratio in now.items()]
        with HISTORY.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(entries)
    return 0


if __name__ == "__main__":
    end_with(main)
