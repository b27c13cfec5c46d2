"""Simulates settings of parameters with several seeds; each setting and seed is run once."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self, TypeAlias

from cellrate import ScenarioError
from cellrate.advice.tuning.measures import Criterion, Measures, rise, traced
from cellrate.advice.tuning.shares import mcr_shares, over_atm, over_ethernet
from cellrate.simulation.network import Network
from cellrate.simulation.network.ethernet_view import FrameNetwork, network_of
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Setting:
    """Values of the parameters that are tuned.

    Attributes:
        values: Dotted path and value of each parameter, as in a scenario; empty for the scenario as
            it is.
    """

    values: tuple[tuple[str, str], ...] = ()

    @property
    def overrides(self) -> tuple[str, ...]:
        """The values as overrides of a run."""
        return tuple(f"{path}={value}" for path, value in self.values)

    @property
    def flags(self) -> str:
        """The values as options of `cellrate run FILE`."""
        return " ".join(f"--set {shlex.quote(override)}" for override in self.overrides)

    @property
    def label(self) -> str:
        """The values as text; each path is cut to its last part unless two paths share it."""
        values: dict[str, set[str]] = {}
        for path, value in self.values:
            values.setdefault(path.rpartition(".")[2], set()).add(value)
        named = {
            path if len(values[path.rpartition(".")[2]]) > 1 else path.rpartition(".")[2]: value
            for path, value in self.values
        }
        parts = (f"{name} {shown(value)}" for name, value in named.items())
        return ", ".join(parts) or "as it is"


AS_IT_IS = Setting()
PROOF = 2
"""Number of seeds whose runs are compared to find out whether runs are random."""


def shown(value: str) -> str:
    """A value as it is displayed: 1/128 rather than 0.0078125.

    >>> shown("0.0078125"), shown("0.3"), shown("5 ms")
    ('1/128', '0.3', '5 ms')
    """
    try:
        fraction = Fraction(float(value)) if math.isfinite(float(value)) else Fraction(1)
    except ValueError:
        return value
    whole = fraction.numerator == 1 and fraction.denominator > 1
    powers = fraction.denominator & (fraction.denominator - 1) == 0
    return str(fraction) if whole and powers else value


# Sources without random numbers.
CERTAIN = frozenset({"greedy", "transfer", "persistent", "cbr"})


def draws_nothing(network: Network | FrameNetwork) -> bool:
    """True if no run of the scenario draws a random number, as far as is known.

    Random numbers may decide starts, sources, losses on links and the clocks of hosts, and over
    Ethernet the order of simultaneous frames.
    """
    if isinstance(network, FrameNetwork):
        return False
    return (
        network.start_jitter_seconds == 0
        and not network.links_lose
        and all(flow.kind in CERTAIN for flow in network.flows)
        and all(
            flow.tcp is None or flow.tcp.parameters["clock"] == "shared" for flow in network.flows
        )
    )


def same_with_each_seed(runs: Sequence[Measures]) -> bool:
    """True if the runs of all seeds have the same measures."""
    return len({tuple(run.values.items()) for run in runs}) == 1


Run: TypeAlias = tuple[tuple[str, ...], int | None]
"""Overrides and seed of a run."""


@dataclass
class Laboratory:
    """Runs of one scenario with different settings.

    Attributes:
        base: The scenario; its seed is replaced.
        seeds: Seeds in the order in which they are used. All settings use the same seeds, so that
            they are compared under the same random numbers.
        ports: Names of the bottleneck ports.
        runner: Runs jobs.
        is_known: Returns True if the result of a job is already stored.
        trials: Measures of each setting, seed by seed.
        refused: Settings that the scenario does not allow, with the error of each.
        names: The first setting by the key of its run (a hash of the resolved scenario). A later
            setting with the same key is replaced by the first one.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results were already stored.
        more: Criteria besides those of the link layer.
        by_shares: True if fairness counts the max-min shares of the flows in each run, which over
            Ethernet depend on the paths of its seed.
    """

    base: Job
    seeds: tuple[int, ...]
    ports: frozenset[str]
    runner: Runner
    is_known: Callable[[Job], bool]
    trials: dict[Setting, tuple[Measures, ...]] = field(default_factory=dict)
    refused: dict[Setting, ScenarioError] = field(default_factory=dict)
    names: dict[str, Setting] = field(default_factory=dict)
    simulated: int = 0
    known: int = 0
    more: tuple[Criterion, ...] = ()
    by_shares: bool = False
    _of_runs: dict[Run, tuple[Criterion, ...]] = field(default_factory=dict)

    def with_seeds(self, seeds: tuple[int, ...]) -> Self:
        """A laboratory without a run, for the same scenario with other seeds."""
        new: dict[str, Any] = {"trials": {}, "refused": {}, "names": {}, "simulated": 0, "known": 0}
        return replace(self, seeds=seeds, **new)

    def job(self, setting: Setting, seed: int) -> Job:
        """The run of a setting with a seed."""
        return Job(self.base.text, self.base.path, self.base.overrides + setting.overrides, seed)

    def allowed(self, settings: Iterable[Setting]) -> list[Setting]:
        """Returns the settings that the scenario allows, and adds the rest to `refused`."""
        accepted = []
        for setting in settings:
            try:
                key = self.job(setting, self.seeds[0]).key()
            except ScenarioError as error:
                self.refused[setting] = error
            else:
                accepted.append(self.names.setdefault(key, setting))
        return list(dict.fromkeys(accepted))

    def measure(self, settings: Sequence[Setting], seeds: int) -> None:
        """Runs each setting with the first `seeds` seeds, except those that were run before.

        If two seeds give the same run and the scenario draws no random number, further seeds are
        not run.

        Raises:
            ScenarioError: The scenario does not allow a setting.
            KeyboardInterrupt: Ctrl-C was pressed; complete runs are kept.
        """
        unlike = list(dict.fromkeys(settings))
        for stage in dict.fromkeys((min(seeds, PROOF), seeds)):
            self._run(unlike, stage)
            alike = [setting for setting in unlike if self.is_same_again(setting)]
            for setting in alike:
                self._repeat(setting, seeds)
            unlike = [setting for setting in unlike if setting not in alike]

    def is_same_again(self, setting: Setting) -> bool:
        """True if a setting draws no random number, and two seeds gave the same run.

        Equal runs alone are no proof, since a rare loss may occur with the next seed.
        """
        runs = self.trials.get(setting, ())
        digests = {run.digest for run in runs}
        alike = len(runs) >= PROOF and len(digests) == 1 and "" not in digests
        return alike and draws_nothing(network_of(self.job(setting, 0).scenario()))

    def _repeat(self, setting: Setting, seeds: int) -> None:
        """Adds results for further seeds as copies of the first result."""
        runs = self.trials[setting]
        more = (replace(runs[0], seed=seed) for seed in self.seeds[len(runs) : seeds])
        self.trials[setting] = (*runs, *more)

    def _run(self, settings: Sequence[Setting], seeds: int) -> None:
        wanted = [
            (setting, seed)
            for setting in settings
            for seed in self.seeds[len(self.trials.get(setting, ())) : seeds]
        ]
        jobs = [self.job(setting, seed) for setting, seed in wanted]
        for (setting, _), measures in zip(wanted, self.measured(jobs), strict=True):
            self.trials[setting] = (*self.trials.get(setting, ()), measures)

    def rise(self, setting: Setting) -> float:
        """Growth of the utilisation within the measuring window, in one more run that traces it."""
        job = self.job(setting, self.seeds[0])
        settings = traced(network_of(job.scenario()))
        [outcome] = self.runner([replace(job, overrides=job.overrides + settings)])
        return rise(outcome, json.loads(outcome.summary()), self.ports)

    def changed(
        self, setting: Setting, overrides: tuple[str, ...], seeds: Sequence[int]
    ) -> tuple[Measures, ...]:
        """The measures of a setting in a changed scenario; these runs are not counted.

        Raises:
            ScenarioError: The changed scenario is not valid.
        """
        jobs = [self.job(setting, seed) for seed in seeds]
        return tuple(
            self._run_all([replace(one, overrides=one.overrides + overrides) for one in jobs])
        )

    def measured(self, jobs: Sequence[Job]) -> list[Measures]:
        """The measures of runs, which are counted in `known` or `simulated`."""
        known = sum(self.is_known(job) for job in jobs)
        found = self._run_all(jobs)
        self.known += known
        self.simulated += len(jobs) - known
        return found

    def _run_all(self, jobs: Sequence[Job]) -> list[Measures]:
        return [
            Measures.of(outcome, self.ports, self._more(job))
            for job, outcome in zip(jobs, self.runner(jobs), strict=True)
        ]

    def _more(self, job: Job) -> tuple[Criterion, ...]:
        if not self.by_shares:
            return self.more
        run = job.overrides, job.seed
        if run not in self._of_runs:
            network = network_of(job.scenario())
            self._of_runs[run] = (
                over_ethernet(network)
                if isinstance(network, FrameNetwork)
                else (over_atm(network)[0], *mcr_shares(network))
            )
        return (*self.more, *self._of_runs[run])
