"""Part of a reproduction that concerns one paper."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from cellrate.reproduce.errata import ErratumResult
from cellrate.reproduce.paper_data import Experiment, Paper
from cellrate.reproduce.results import ExperimentResult
from cellrate.reproduce.sensitivity import Sensitivity
from cellrate.reproduce.tally import Tally, tally

# Experiments that the name of a page names.
MOST_NAMED = 3


def fingerprint(changes: Sequence[str]) -> str:
    """A short name of settings, so that other settings have other pages."""
    return hashlib.sha256("\n".join(changes).encode()).hexdigest()[:6]


@dataclass
class Reproduction:
    """Selected experiments of a paper, and their results.

    `has_new_draws` is true if distributions of the paper were measured anew. `changes` are settings
    of the user, with which the runs are not those of the paper.
    """

    paper: Paper
    experiments: list[Experiment]
    results: list[ExperimentResult] = field(default_factory=list)
    errata: list[ErratumResult] = field(default_factory=list)
    sensitivities: list[Sensitivity] = field(default_factory=list)
    has_new_draws: bool = False
    changes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[str]:
        """Ids of the experiments."""
        return [experiment.id for experiment in self.experiments]

    @property
    def is_whole(self) -> bool:
        """True if these are all experiments of the paper."""
        return not self.changes and self.ids == [one.id for one in self.paper.experiments]

    @property
    def page_name(self) -> str:
        """Name of its page: that of the paper, and of the experiments if some are left out."""
        if self.is_whole:
            return self.paper.id
        names = [one.removeprefix(f"{self.paper.id}-") for one in self.ids]
        more = ["and-more"] if len(names) > MOST_NAMED else []
        more += [f"changed-{fingerprint(self.changes)}"] if self.changes else []
        return "-".join([self.paper.id, *names[:MOST_NAMED], *more])

    @property
    def tally(self) -> Tally:
        """Counts of the claims that hold and the numbers that are met."""
        return tally(self.results)
