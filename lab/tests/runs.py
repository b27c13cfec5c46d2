"""Prints the shortest run of each experiment with its golden digest, for the tests of the lab."""

from __future__ import annotations

import json
import sys

from cellrate.papers.collection import all_papers
from cellrate.papers.runs import job_of, run_ids
from cellrate.papers.stored import read_golden

MOST_CELLS = 8_000_000
"""Some runs of 18 to 45 million cells would take most of the time of all."""


def runs(most_cells: float) -> list[dict[str, object]]:
    """Scenario, overrides and golden digest of each experiment with a run of so few cells."""
    found: list[dict[str, object]] = []
    for paper in all_papers():
        lines = [line.split(" ") for line in read_golden(paper) if line.startswith("run ")]
        for experiment in paper.experiments:
            golden = [line for line in lines if line[1] == experiment.id]
            ran = [*zip(golden, run_ids(experiment), strict=True)]
            ran = [one for one in ran if int(one[0][4]) <= most_cells]
            if not ran:
                continue
            line, (_, variant, point) = min(ran, key=lambda one: int(one[0][4]))
            job = job_of(paper, variant, point, seed=1)
            found.append(
                {
                    "name": experiment.id,
                    "text": job.text,
                    "set": [*job.overrides, "run.seed=1"],
                    "digest": line[3],
                }
            )
    return found


if __name__ == "__main__":
    json.dump(runs(float("inf") if "--all" in sys.argv else MOST_CELLS), sys.stdout)
