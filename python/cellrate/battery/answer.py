"""Judges schemes on the fixed set of experiments, against every built-in scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cellrate.battery import running
from cellrate.battery.contenders import Contender, built_in, contender
from cellrate.battery.experiments import JUDGED, SEEDS, Experiment
from cellrate.battery.measures import fair_load
from cellrate.battery.shipped import shipped, work
from cellrate.common.document import Shown
from cellrate.common.numbers import counted
from cellrate.common.problems import BadInput
from cellrate.simulation.network import Network
from cellrate.simulation.run_types import StreamRunner
from cellrate.studies.compare.duels import Duel, Record, Standing, Values, duels, standing

if TYPE_CHECKING:
    from cellrate.common.document import Document


@dataclass(frozen=True)
class Answer(Shown):
    """Schemes judged on the fixed set of experiments.

    Attributes:
        contenders: The schemes that the user named; none for the ranking of the built-in schemes.
        experiments: The experiments.
        seeds: The seeds of each experiment.
        records: Every run of the contenders and of the built-in schemes.
        values: Measures of all runs by scheme, experiment and measure.
        duels: Comparisons of each scheme with each built-in scheme, in one experiment and one
            measure.
        standings: Score of every scheme, the best first.
        work: Processor time per cell-hop (a cell over one link), divided by the time of ERICA, by
            scheme; None if the time could not be measured.
        irregular: Names of contenders whose repeated run had another result.
    """

    contenders: tuple[Contender, ...]
    experiments: tuple[Experiment, ...]
    seeds: tuple[int, ...]
    records: tuple[Record, ...]
    values: Values
    duels: Mapping[str, tuple[Duel, ...]]
    standings: tuple[Standing, ...]
    work: Mapping[str, float | None]
    irregular: tuple[str, ...]

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.contenders) or "built-in schemes"
        return f"<Battery of {names}: {counted(len(self.standings), 'scheme')}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contenders."""
        return tuple(one.name for one in self.contenders)

    def standing(self, scheme: str) -> Standing:
        """The score of a scheme, by its comparisons (duels) with the built-in schemes."""
        return self.standings[self.rank(scheme) - 1]

    def rank(self, scheme: str) -> int:
        """Rank of a scheme among all schemes, from 1."""
        return [one.scheme for one in self.standings].index(scheme) + 1

    def errors(self, scheme: str) -> dict[str, str]:
        """The first error of a scheme in each experiment in which it failed."""
        found: dict[str, str] = {}
        for one in self.records:
            if one.scheme == scheme and one.error:
                found.setdefault(one.experiment, one.error)
        return found

    def document(self) -> Document:
        """The report, which is also shown on the terminal and as a web page."""
        from cellrate.battery.report import report

        return report(self)


def judge(
    contenders: Sequence[Contender],
    chosen: Sequence[Experiment],
    runner: StreamRunner,
    again: StreamRunner,
) -> Answer:
    """Runs contenders (schemes to judge) and compares them with built-in schemes.

    Results of built-in schemes are not computed but come with the package.

    Args:
        contenders: The schemes; built-in schemes without settings are not run.
        chosen: The experiments.
        runner: Runs jobs, or finds their stored results.
        again: Runs jobs without a store, to check that a repeated run gives the same result.

    Raises:
        BadInput: Two contenders have the same name.
        ScenarioError: A contender is not valid in any experiment.
    """
    own = [one for one in contenders if not one.built_in]
    _require_different([*(one.name for one in own), *(one.name for one in built_in())])
    planned = running.plan(own, chosen, SEEDS)
    records = running.run(planned, runner)
    yardstick = contender(running.YARDSTICK)
    irregular = tuple(one.name for one in own if not _repeats(one, records, again))
    ratios = {one.name: running.work(one, yardstick) for one in own}
    return judged(contenders, records, chosen, ratios, irregular)


def judged(
    contenders: Sequence[Contender],
    records: Sequence[Record],
    chosen: Sequence[Experiment],
    ratios: dict[str, float | None] | None = None,
    irregular: tuple[str, ...] = (),
) -> Answer:
    """Judges schemes by their runs.

    Args:
        contenders: The schemes that the user named.
        records: Runs of these schemes, without those of built-in schemes.
        chosen: The experiments.
        ratios: Processor time per cell-hop of the schemes that were run, over the time of ERICA.
        irregular: Names of contenders whose repeated run had another result.
    """
    names = [one.name for one in chosen]
    known = [one for one in shipped() if one.experiment in names]
    everything = (*records, *known)
    values = Values(everything, {one.name: _horizon(one) for one in chosen})
    opponents = [one.name for one in built_in()]
    own = [one.name for one in contenders if not one.built_in]
    found = {}
    for scheme in (*own, *opponents):
        others = [opponent for opponent in opponents if opponent != scheme]
        found[scheme] = tuple(duels(scheme, others, names, JUDGED, values))
    standings = [standing(scheme, of_one, JUDGED) for scheme, of_one in found.items()]
    return Answer(
        tuple(contenders),
        tuple(chosen),
        SEEDS,
        everything,
        values,
        found,
        tuple(sorted(standings, key=lambda one: (-one.score, one.scheme))),
        {**work(), **(ratios or {})},
        irregular,
    )


def _horizon(experiment: Experiment) -> float:
    """Seconds from the last start of a flow, or the last change, to the end of an experiment."""
    network = Network.of_scenario(experiment.job().scenario())
    return network.duration_seconds - (fair_load(experiment).settles_from_seconds or 0.0)


def _repeats(one: Contender, records: Sequence[Record], again: StreamRunner) -> bool:
    found = [record for record in records if record.scheme == one.name and not record.error]
    return not found or running.repeats(one, found[0], again)


def _require_different(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise BadInput(
                f"two schemes are named {name}: leave one out, or rename a class of your own"
            )
