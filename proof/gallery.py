"""The gallery of the lab: what every experiment of the papers shows, and its runs.

`python -m proof.gallery` writes it; a test compares it with the papers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cellrate.reproduce.paper_data import Experiment, Paper, Published
from cellrate.reproduce.papers import all_papers
from cellrate.reproduce.runs import fill, job_of, run_ids

PLACE = Path(__file__).parents[1] / "lab" / "gallery.json"

MOST_RUNS = 4
"""Runs of an experiment that the gallery offers: the first of each of its first variants."""

MOST_PRINTED = 6
"""Printed values of an experiment that it lists."""


def gallery() -> dict[str, Any]:
    """Texts of the scenarios, and the papers with their experiments that can be watched."""
    texts: dict[str, str] = {}
    papers = [_paper(paper, texts) for paper in all_papers()]
    return {"scenarios": dict(sorted(texts.items())), "papers": papers}


def text(found: dict[str, Any]) -> str:
    """The gallery as it is kept."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _paper(paper: Paper, texts: dict[str, str]) -> dict[str, Any]:
    shown = [_experiment(paper, one, texts) for one in paper.experiments if run_ids(one)]
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "experiments": shown,
    }


def _experiment(paper: Paper, experiment: Experiment, texts: dict[str, str]) -> dict[str, Any]:
    runs: list[dict[str, Any]] = []
    seen: set[str] = set()
    for _, variant, point in run_ids(experiment):
        if variant.name in seen or len(runs) == MOST_RUNS:
            continue
        seen.add(variant.name)
        job = job_of(paper, variant, point, seed=1)
        name = f"{paper.id}/{Path(job.path).name}"
        texts[name] = job.text
        settings = [one.partition("=") for one in job.overrides]
        label = fill(variant.label, {**variant.constants, **point})
        runs.append(
            {
                "label": label or variant.name,
                "scenario": name,
                "set": [[path.strip(), value.strip()] for path, _, value in settings],
            }
        )
    return {
        "id": experiment.id,
        "title": experiment.title,
        "where": experiment.where,
        "claim": experiment.claims[0].text if experiment.claims else "",
        "printed": [_printed(one) for one in experiment.published[:MOST_PRINTED]],
        "more_printed": max(0, len(experiment.published) - MOST_PRINTED),
        "runs": runs,
    }


def _printed(one: Published) -> str:
    return f"{one.quantity}: {one.with_unit}"


if __name__ == "__main__":
    PLACE.write_text(text(gallery()), encoding="utf-8")
    sys.stdout.write(f"{PLACE.name}: {PLACE.stat().st_size} bytes\n")
