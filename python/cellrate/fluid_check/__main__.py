"""`python -m cellrate.fluid_check docs` writes the comparison into the documentation."""

from __future__ import annotations

import sys
from pathlib import Path

from cellrate.figures import save
from cellrate.fluid_check.cases import grid, two_groups
from cellrate.fluid_check.measured import simulate
from cellrate.fluid_check.page import page, picture
from cellrate.runner import default_store

CYCLES = 80
SHOWN = 18  # of the grid: N = 10, tau = 2 ms, RIF 1/256, RDF 1/2


def main(directory: Path) -> None:
    """Simulates the grid and writes `evidence/fluid-model.md` and `images/fluid-check.svg`."""
    store = default_store(Path("out") / "results")
    cases, groups = grid(), two_groups()
    measured, grouped = simulate(cases, CYCLES, store=store), simulate(groups, CYCLES, store=store)
    text = page(cases, measured, groups, grouped)
    (directory / "evidence" / "fluid-model.md").write_text(text, encoding="utf-8")
    drawn = save(picture(cases, measured, SHOWN), directory / "images" / "fluid-check")
    drawn[0].unlink()  # pages show the vector form


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m cellrate.fluid_check DIRECTORY-OF-DOCUMENTATION")
    main(Path(sys.argv[1]))
