"""Studies: many runs from one file, with a design, replications and a data set."""

from __future__ import annotations

from pathlib import Path

from cellrate.studies.study.definition import Point, Study
from cellrate.studies.study.file import parse_study, read
from cellrate.studies.study.plan import Plan, may_exceed, plan, refuse_bad_points
from cellrate.studies.study.running import Executor, Notice, Running, StudySummary

__all__ = [
    "Plan",
    "Point",
    "Study",
    "StudySummary",
    "may_exceed",
    "parse_study",
    "plan",
    "read",
    "refuse_bad_points",
    "run_study",
]


def run_study(study: Study, executor: Executor, directory: Path, notice: Notice) -> StudySummary:
    """Runs a study and writes its data set; see `Running`."""
    return Running(study, executor, directory, notice).run()
