"""Finds the papers' data: in the installed package, or in the checkout beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from cellrate.common import papers_place
from cellrate.papers.paper import Experiment, Paper, ReproduceError
from cellrate.papers.reading import read_paper


def papers_root() -> Path:
    """Directory that holds `words.toml` and one directory per paper.

    Raises:
        ReproduceError: If the data is not there.
    """
    root = papers_place.papers_root()
    if root is None:
        raise ReproduceError("the papers' data is neither in the package nor beside it")
    return root


@cache
def all_papers() -> tuple[Paper, ...]:
    """Every paper, in the order of the directory names."""
    directories = sorted(p.parent for p in papers_root().glob("*/paper.toml"))
    return tuple(read_paper(directory) for directory in directories)


@cache
def words() -> dict[str, Callable[..., bool]]:
    """Predicates for vague words of papers, such as "fair", with the thresholds of `words.toml`."""
    table = tomllib.loads((papers_root() / "words.toml").read_text("utf-8"))
    slightly, about, much = (
        table["slightly"]["ratio"],
        table["about_equal"],
        table["much"]["factor"],
    )
    return {
        "fair": lambda jain: jain >= table["fair"]["jain_at_least"],
        "high": lambda share: share >= table["high"]["ratio"],
        "small": lambda share: share <= table["small"]["ratio"],
        "about_equal": lambda a, b: abs(a - b) <= about["ratio"] * max(abs(a), abs(b)),
        "slightly_below": lambda a, b: b * (1 - slightly) <= a <= b,
        "slightly_above": lambda a, b: b <= a <= b * (1 + slightly),
        "much_smaller": lambda a, b: a * much <= b and a < b,
        "much_larger": lambda a, b: a >= b * much and a > b,
    }


def experiment_ids() -> list[str]:
    """Ids of all experiments, paper after paper."""
    return [experiment.id for paper in all_papers() for experiment in paper.experiments]


def select(paper: str | None, wanted: Sequence[str] | None) -> list[tuple[Paper, list[Experiment]]]:
    """Papers that a request names, each with the requested experiments.

    Args:
        paper: Id of a paper or of an experiment; all papers if absent.
        wanted: Ids of experiments, with or without the paper's prefix, or of papers; all if absent.

    Raises:
        ReproduceError: If a paper or experiment does not exist; the message lists all that do.
    """
    papers = list(all_papers())
    if paper is not None and paper in experiment_ids():
        wanted, paper = [*(wanted or []), paper], paper.split("-", 1)[0]
    if paper is not None:
        papers = [p for p in papers if p.id == paper]
        if not papers:
            known = ", ".join(p.id for p in all_papers())
            raise ReproduceError(f"there is no paper `{paper}`; there are {known}")
    chosen = [(p, [e for e in p.experiments if _is_wanted(p, e, wanted)]) for p in papers]
    for name in wanted or []:
        if not any(_is_wanted(p, e, [name]) for p in papers for e in p.experiments):
            known = ", ".join(e.id for p in papers for e in p.experiments)
            raise ReproduceError(f"there is no experiment `{name}`; there are {known}")
    return [(p, experiments) for p, experiments in chosen if experiments]


def _is_wanted(paper: Paper, experiment: Experiment, wanted: Sequence[str] | None) -> bool:
    names = {experiment.id, experiment.id.removeprefix(f"{paper.id}-"), paper.id}
    return not wanted or not names.isdisjoint(wanted)
