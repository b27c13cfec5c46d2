"""`python -m proof.measured.fluid_model docs` writes the comparison into the documentation."""

from __future__ import annotations

import sys
from pathlib import Path

from cellrate.advice.feasible_region import Region
from cellrate.advice.feasible_region import draw as draw_region
from cellrate.advice.fluid_picture import draw
from cellrate.simulation.figures import save
from cellrate.simulation.runner import default_store
from cellrate.theory.efci import EfciLoop, periodic_trajectory
from cellrate.theory.efci.region import OHSAKI_POINTS
from matplotlib.figure import Figure

from proof.measured.fluid_model.cases import grid, two_groups
from proof.measured.fluid_model.measured import simulate
from proof.measured.fluid_model.page import page, picture

CYCLES = 80
# Ten sources, tau = 2 ms, buffer of 300 Kbyte, thresholds at half of the buffer (Ohsaki et al.
# 1995, section III).
OHSAKI = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rdf=1 / 2, growth="delayed")
OHSAKI_BUFFER = 5796.0
SHOWN = 18  # index in the grid: N = 10, tau = 2 ms, RIF 1/256, RDF 1/2


def main(directory: Path) -> None:
    """Simulates the grid and writes its page and all pictures of the fluid model.

    Args:
        directory: The documentation (`docs`).
    """
    store = default_store(Path("out") / "results")
    cases, groups = grid(), two_groups()
    measured, grouped = simulate(cases, CYCLES, store=store), simulate(groups, CYCLES, store=store)
    text = page(cases, measured, groups, grouped)
    (directory / "evidence" / "fluid-model.md").write_text(text, encoding="utf-8")
    keep(picture(cases, measured, SHOWN), directory / "images" / "fluid-check")
    illustrate(directory)


def illustrate(directory: Path) -> None:
    """Draws the pictures of the explanation, which need no simulation."""
    region = Region(OHSAKI, OHSAKI_BUFFER)
    keep(draw_region(region, OHSAKI_POINTS[:3]), directory / "images" / "feasible-region")
    emptying = OHSAKI.with_(rif=1 / 64, rdf=1 / 4, high_cells=700.0, low_cells=400.0)
    drawn = draw(emptying, periodic_trajectory(emptying))
    keep(drawn, directory / "images" / "fluid-cycle")


def keep(figure: Figure, stem: Path) -> None:
    """Writes a figure as SVG only, the format that the pages show."""
    save(figure, stem)[0].unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m proof.measured.fluid_model DIRECTORY-OF-DOCUMENTATION")
    main(Path(sys.argv[1]))
