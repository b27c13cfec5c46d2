"""Varies each open assumption of the papers: `python -m proof.measured.sensitivity [PAPER ...]`.

Each paper's sensitivity.csv keeps the values and claims that change. `make docs` builds the pages.
"""

import csv
import sys
from pathlib import Path

from cellrate.papers.collection import all_papers
from cellrate.papers.evidence import sensitivity_rows
from cellrate.papers.reproduction import Options, compute

from proof.campaign import end_with, runner

TITLES = "experiment", "instead", "result", "assumed", "then"


def main() -> int:
    """Writes sensitivity.csv of each named paper, or of all papers."""
    for name in sys.argv[1:] or [paper.id for paper in all_papers()]:
        computed = compute(Options(Path("out"), name, sensitivity=True), runner())
        [part] = computed.parts
        path = part.paper.directory / "sensitivity.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([TITLES, *sensitivity_rows(part.sensitivities)])
    return 0


if __name__ == "__main__":
    end_with(main)
