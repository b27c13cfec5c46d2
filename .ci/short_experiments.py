"""Prints the experiments whose runs send few cells by their golden tables.

The others take three quarters of the time that all take. `make test-results` has them, too.
"""

import sys

from cellrate.papers.collection import all_papers
from cellrate.papers.stored import read_golden

MOST_CELLS = 100_000_000
"""Of all runs of an experiment together."""


def main() -> None:
    """Prints their names on a line."""
    short = []
    for paper in all_papers():
        runs = [line.split(" ") for line in read_golden(paper) if line.startswith("run ")]
        for experiment in paper.experiments:
            cells = [int(run[4]) for run in runs if run[1] == experiment.id]
            if sum(cells) < MOST_CELLS:
                short.append(experiment.id)
    sys.stdout.write(" ".join(short) + "\n")


if __name__ == "__main__":
    main()
