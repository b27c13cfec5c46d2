"""The gallery of the lab: runs of the papers' experiments, and small pictures of their figures.

`python lab/gallery.py OUT` writes `gallery.json`, and `pictures.json` from the runs that `cellrate
reproduce --out OUT` kept; missing runs are made. Tests compare both files with the papers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cellrate.common.picture_style import COLOURS
from cellrate.papers.collection import all_papers
from cellrate.papers.figure import PRINTED, draw
from cellrate.papers.figure_data import drawn
from cellrate.papers.paper import Experiment, Paper, Published
from cellrate.papers.runs import Outcomes, Runner, fill, job_of, run_ids, used_jobs
from cellrate.papers.stored import golden_path
from cellrate.simulation.runner import Job, default_store, run_many
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

GALLERY = Path(__file__).with_name("gallery.json")
PICTURES = Path(__file__).with_name("pictures.json")

MOST_RUNS = 4
"""Largest number of runs of an experiment in the gallery: one of each of its first variants."""

MOST_PRINTED = 6
"""Largest number of printed values that the gallery lists of an experiment."""

TOO_LARGE = frozenset({"uet-permutation"})
"""Experiments whose networks a page neither draws nor runs within minutes: 8,192 hosts."""

WIDTH, HEIGHT = 150, 90
"""Size of a picture, in the units of its coordinates; y grows downwards."""

COLUMNS = 50
"""Number of columns of a picture in which a line has points; more could not be distinguished."""

MOST_LINES = 6
"""Largest number of lines in a picture."""


def gallery() -> dict[str, Any]:
    """Texts of the scenarios, and the papers with their experiments that can be watched."""
    texts: dict[str, str] = {}
    papers = [_paper(paper, texts) for paper in all_papers()]
    return {"scenarios": dict(sorted(texts.items())), "papers": papers}


def text(found: dict[str, Any]) -> str:
    """Return the gallery or its pictures as the text of their file."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _paper(paper: Paper, texts: dict[str, str]) -> dict[str, Any]:
    holds = _verdicts(paper)
    experiments = [
        _experiment(paper, shown, texts, holds)
        for shown in paper.experiments
        if run_ids(shown) and shown.id not in TOO_LARGE
    ]
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "experiments": experiments,
    }


def _verdicts(paper: Paper) -> dict[tuple[str, str], bool]:
    """True for each claim that holds with seed 1 in the golden table, by experiment and claim."""
    lines = golden_path(paper).read_text(encoding="utf-8").splitlines()
    found = [line.split() for line in lines if line.startswith("claim ")]
    return {(experiment, claim): held == "1" for _, experiment, held, claim in found}


def _experiment(
    paper: Paper,
    experiment: Experiment,
    texts: dict[str, str],
    holds: dict[tuple[str, str], bool],
) -> dict[str, Any]:
    runs: list[dict[str, Any]] = []
    seen: set[str] = set()
    for _, variant, point in run_ids(experiment):
        if variant.name in seen or len(runs) == MOST_RUNS:
            continue
        seen.add(variant.name)
        job = job_of(paper, variant, point, seed=1)
        name = f"{paper.id}/{Path(job.path).name}"
        texts[name] = job.text
        settings = [setting.partition("=") for setting in job.overrides]
        label = fill(variant.label, {**variant.constants, **point})
        runs.append(
            {
                "label": label or variant.name,
                "scenario": name,
                "set": [[path.strip(), value.strip()] for path, _, value in settings],
            }
        )
    held = [holds[experiment.id, claim.id] for claim in experiment.claims]
    return {
        "id": experiment.id,
        "title": experiment.title,
        "where": experiment.where,
        "claim": experiment.claims[0].text if experiment.claims else "",
        "holds": held[0] if held else None,
        "claims": len(held),
        "claims_held": sum(held),
        "printed": [_printed(value) for value in experiment.published[:MOST_PRINTED]],
        "more_printed": max(0, len(experiment.published) - MOST_PRINTED),
        "runs": runs,
    }


def _printed(one: Published) -> str:
    return f"{one.quantity}: {one.with_unit}"


def pictures(runner: Runner, only: Sequence[str] | None = None) -> dict[str, Any]:
    """The first figure of every experiment that has one, as lines and points of a small picture.

    Args:
        runner: Runs jobs and returns their outcomes in order.
        only: Names of experiments; all by default.
    """
    found: dict[str, Any] = {}
    outcomes = Outcomes()
    chosen = [
        (paper, experiment)
        for paper in all_papers()
        for experiment in paper.experiments
        if experiment.figures and run_ids(experiment) and (only is None or experiment.id in only)
    ]
    outcomes.add([job for each in chosen for job in _jobs(*each)], runner)
    for paper, experiment in chosen:
        figure = experiment.figures[0]
        [axes] = draw(paper, experiment, figure, outcomes, [1]).axes
        lines = [line for line in axes.lines if _is_curve(line)]
        found[experiment.id] = {
            "title": figure.title,
            "axes": f"{figure.y.label} over {figure.x.label}",
            "lines": [_points(axes, line) for line in lines[:MOST_LINES]],
            "printed": [
                [_colour(line), _points(axes, line)]
                for line in axes.lines
                if line.get_gid() == PRINTED
            ],
        }
    return found


def _jobs(paper: Paper, experiment: Experiment) -> list[Job]:
    own = [job_of(paper, variant, point, 1) for _, variant, point in run_ids(experiment)]
    for claim in experiment.claims:
        own += used_jobs(paper, claim.uses, [claim.holds_if], 1)
    return own


def _is_curve(line: Line2D) -> bool:
    """False for caps of error bars, printed points, and lines that only the legend has."""
    drawn_line = line.get_gid() != PRINTED and line.get_linestyle() != "None"
    return drawn_line and np.size(line.get_xdata()) > 0


def _colour(line: Line2D) -> int:
    """Number of the curve that shows the same quantity as a printed point."""
    return COLOURS.index(str(line.get_markeredgecolor()))


def _points(axes: Axes, line: Line2D) -> str:
    """Points of a line inside the picture, in the notation of SVG."""
    to_axes = axes.transData + axes.transAxes.inverted()
    across, up = to_axes.transform(line.get_xydata()).T
    inside = np.flatnonzero((across > -1) & (across < 2) & np.isfinite(up))
    across, up = across[inside].clip(0, 1), up[inside].clip(0, 1)
    kept = drawn(across, up, up, COLUMNS)
    xs = np.rint(across[kept] * WIDTH).astype(int)
    ys = np.rint((1 - up[kept]) * HEIGHT).astype(int)
    pairs = [f"{x},{y}" for x, y in zip(xs, ys, strict=True)]
    return " ".join(pair for i, pair in enumerate(pairs) if i == 0 or pair != pairs[i - 1])


if __name__ == "__main__":
    [_, out] = sys.argv
    store = default_store(Path(out) / "results")
    GALLERY.write_text(text(gallery()), encoding="utf-8")
    PICTURES.write_text(text(pictures(lambda jobs: run_many(jobs, store=store))), encoding="utf-8")
