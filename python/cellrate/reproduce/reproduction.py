"""Part of a reproduction that concerns one paper."""

from dataclasses import dataclass, field

from cellrate.reproduce.errata import ErratumResult
from cellrate.reproduce.paper_data import Experiment, Paper
from cellrate.reproduce.results import ExperimentResult
from cellrate.reproduce.sensitivity import Sensitivity
from cellrate.reproduce.tally import Tally, tally


@dataclass
class Reproduction:
    """Selected experiments of a paper, and their results.

    `has_new_draws` is true if distributions of the paper were measured anew.
    """

    paper: Paper
    experiments: list[Experiment]
    results: list[ExperimentResult] = field(default_factory=list)
    errata: list[ErratumResult] = field(default_factory=list)
    sensitivities: list[Sensitivity] = field(default_factory=list)
    has_new_draws: bool = False

    @property
    def ids(self) -> list[str]:
        """Ids of the experiments."""
        return [experiment.id for experiment in self.experiments]

    @property
    def tally(self) -> Tally:
        """Counts of the claims that hold and the numbers that are met."""
        return tally(self.results)
