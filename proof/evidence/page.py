"""The page as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proof.evidence.promises import ROOT, Area, Promise, Trial, areas

RESULTS = ROOT / "proof" / "results"

HEAD = """# What was tried to prove us wrong

Written by `make evidence`: each promise of README, the tests that try to break it, and what they
found. `make test` runs what is named by a file; a `make` target is a campaign that takes longer,
and its figures are those of its last run. Papers, formulas and tuned parameters have pages of their
own: [all evidence](evidence/index.md).
"""


def results(folder: Path = RESULTS) -> dict[str, Any]:
    """Findings of each campaign, by the campaign's name."""
    files = sorted(folder.glob("*.json"))
    return {path.stem.replace("-", "_"): json.loads(path.read_text()) for path in files}


def page() -> str:
    """The whole page.

    Raises:
        KeyError: A promise quotes a figure that no campaign has.
    """
    figures, all_areas = results(), areas()
    sections = [_section(area, figures) for area in all_areas]
    return "\n".join([HEAD, *sections, _bugs(all_areas), _unproved(all_areas)])


def _section(area: Area, figures: dict[str, Any]) -> str:
    pictures = [
        f"![{caption}](evidence/{name})\n\n*{caption}*\n" for name, caption in area.figures.items()
    ]
    promises = [_promise(promise, figures) for promise in area.promises]
    return "\n".join([f"## {area.title}\n", *pictures, *promises])


def _promise(promise: Promise, figures: dict[str, Any]) -> str:
    rows = [_row(trial, figures) for trial in promise.trials]
    head = ["| tried by | how | found |", "|---|---|---|"]
    return "\n".join([f"**{promise.means}**\n", *head, *rows, ""])


def _row(trial: Trial, figures: dict[str, Any]) -> str:
    # Side by side a file and a long name of a test would leave no room for what follows.
    tried = trial.command.replace("::", "` `")
    return f"| `{tried}` | {trial.tries} | {trial.finds.format_map(figures)} |"


def _bugs(all_areas: list[Area]) -> str:
    rows = [f"| {bug.by} | {bug.was} | {bug.fix} |" for area in all_areas for bug in area.bugs]
    lines = [
        "## Faults that were found, and mended\n",
        "| by | what was wrong | now |",
        "|---|---|---|",
    ]
    return "\n".join([*lines, *rows, ""])


def _unproved(all_areas: list[Area]) -> str:
    left = [one for area in all_areas for one in area.promises if one.unproved]
    lines = [f"- *{promise.means}* {promise.unproved}" for promise in left]
    return "\n".join(["## What is still unproved\n", *lines, ""])
