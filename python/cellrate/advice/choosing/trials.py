"""Runs a control: settings in unlimited buffers, and the best settings in smaller buffers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean

from cellrate.advice.choosing.candidates import (
    POLICIES,
    Candidate,
    Option,
    limited,
    own_buffer_cells,
    own_policy,
)
from cellrate.advice.choosing.waits import Waits
from cellrate.advice.formulas.credit import reserved_cells
from cellrate.advice.tuning.declared import ResolvedScenario, declared, parameter_tables
from cellrate.advice.tuning.fluid_model import NoFluidModel, model_of
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import RISE, Measures, bottleneck, traced
from cellrate.advice.tuning.objective import Objective, means_of
from cellrate.advice.tuning.proposal import judged, proposal
from cellrate.advice.tuning.race import race
from cellrate.advice.tuning.search import search
from cellrate.advice.tuning.shares import BACKGROUND, are_files, kept_mcrs, mcr_shares, over_atm
from cellrate.simulation.network import Network
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.ranges import Space
from cellrate.theory import pipe_cells

# Smaller buffers that are tried if loss is allowed, as shares of the lossless buffer.
SHARES = (0.5, 0.25, 0.125, 0.0625)
LEAST_CELLS = 32
# Number of pairs of RIF and RDF that the fluid model proposes.
MODELLED = 6
SEARCH_SEED = 1


@dataclass
class Trials:
    """Runs of one candidate (a control), and options made from them.

    Attributes:
        candidate: The control that is run.
        laboratory: Runs settings of the control, in buffers without a limit.
        scenario: The scenario with the candidate as its control.
        plain: The scenario as the user wrote it.
        finite: Options in smaller buffers.
    """

    candidate: Candidate
    laboratory: Laboratory
    scenario: ResolvedScenario
    plain: ResolvedScenario
    finite: list[Option] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        candidate: Candidate,
        base: Job,
        plain: ResolvedScenario,
        seeds: tuple[int, ...],
        runner: Runner,
        is_known: Callable[[Job], bool],
    ) -> Trials:
        """The trials of a candidate, before the first run.

        Raises:
            ScenarioError: The scenario does not allow this control.
        """
        own = (*candidate.overrides(plain), *traced(plain.cells))
        job = replace(base, overrides=(*base.overrides, *own))
        scenario = ResolvedScenario.of(job.scenario(), plain.own_abr)
        ports = bottleneck(scenario.cells)
        # No control changes what is fair.
        more = (RISE, *over_atm(plain.cells), *mcr_shares(plain.cells))
        laboratory = Laboratory(job, seeds, ports, runner, is_known, more=more)
        laboratory.allowed([AS_IT_IS])
        return cls(candidate, laboratory, scenario, plain)

    @cached_property
    def waits(self) -> Waits:
        """Waits at the bottlenecks."""
        return Waits.of(self.scenario.cells, self.laboratory.ports)

    def search(self, settings: int, objective: Objective) -> None:
        """Searches the control's parameters, and runs the best settings with every seed.

        The ends of each range are tried, too, one parameter at a time, since a sampler only comes
        near them. If the fluid model of EFCI applies to the scenario, the pairs of RIF and RDF that
        it proposes are tried as well.

        Args:
            settings: Greatest number of settings besides the usual setting.
            objective: Ranks the settings.
        """
        space = self.space()
        ends = self.laboratory.allowed(_ends(space))
        found = search(self.laboratory, space, settings, objective, SEARCH_SEED) if space else []
        tried = [*self._usual(), *ends, *self._modelled(), *found]
        race(self.laboratory, tried, [AS_IT_IS], objective)

    def _usual(self) -> list[Setting]:
        """Source settings that suit this kind of control; none unless it is the scenario's own."""
        if not self.candidate.is_own:
            return []
        values = (one.partition("=") for one in self.candidate.sources(self.scenario))
        setting = Setting(tuple((path, value) for path, _, value in values))
        return self.laboratory.allowed([setting]) if setting.values else []

    def _modelled(self) -> list[Setting]:
        """Pairs of RIF and RDF that the fluid model of EFCI proposes; none if it does not apply."""
        try:
            model = model_of(self.scenario.cells, self.scenario.keys, self.plain.own_abr)
        except NoFluidModel:
            return []
        proposed = proposal(model, judged(model), MODELLED).settings
        return self.laboratory.allowed(proposed)

    def space(self) -> Space:
        """The parameters of the control that declare a range.

        The range of a threshold is a share of the buffer. Since the buffer has no limit yet, it is
        taken as a share of the pipe (the cells under way in a round trip).
        """
        if self.candidate.ability == "credit":
            return declared(self.scenario, ("fcvc",))[0]
        network = self.scenario.cells
        trip = max((f.propagation_round_trip_seconds or 0.0 for f in network.flows), default=0.0)
        rate = max(port.bits_per_second for port in network.ports)
        pipe = max(LEAST_CELLS, round(float(pipe_cells(rate, trip))))
        overrides = (*self.laboratory.base.overrides, *limited(self.plain, pipe, "tail-drop"))
        job = replace(self.laboratory.base, overrides=overrides)
        with_pipe = ResolvedScenario.of(job.scenario(), self.plain.own_abr)
        return declared(with_pipe, parameter_tables(self.scenario))[0]

    def options(self) -> list[Option]:
        """Options of `whole`, with their least lossless buffers, and options in smaller buffers."""
        return [*map(self.lossless, self.whole), *self.finite]

    @property
    def whole(self) -> list[Setting]:
        """Settings that were run with every seed.

        If there is none, this is the default setting with the seeds so far.
        """
        runs = self.laboratory.trials
        found = [setting for setting in runs if len(runs[setting]) == len(self.laboratory.seeds)]
        return found or ([AS_IT_IS] if AS_IT_IS in runs else [])

    def lossless(self, setting: Setting) -> Option:
        """A setting with the least buffer that is lossless with every seed so far, as an option."""
        runs = self.laboratory.trials[setting]
        cells = self._buffer_cells(setting, runs)
        return self._option(setting, "tail-drop", cells, runs)

    def again(self, option: Option) -> Option:
        """Runs an option's setting in this (changed) scenario, with its own lossless buffer."""
        self.laboratory.measure([option.setting], len(self.laboratory.seeds))
        return self.lossless(option.setting)

    def check(self, option: Option, seeds: tuple[int, ...]) -> Option:
        """Runs an option with other seeds.

        An option of `try_smaller` is run in its own finite buffer, and its loss is measured. For
        any other option the least lossless buffer is found again.
        """
        at = self.laboratory
        laboratory = at.with_seeds(seeds)
        other = replace(self, laboratory=laboratory)
        found = (
            other.with_buffer(option.setting, option.policy, option.buffer_cells)
            if option in self.finite
            else other.again(option)
        )
        at.simulated += laboratory.simulated
        at.known += laboratory.known
        return found

    def try_smaller(
        self, setting: Setting, most_cells: int | None, shares: Sequence[float] = SHARES
    ) -> None:
        """Runs a setting in smaller buffers, where it may lose cells.

        Args:
            setting: Parameters of the control.
            most_cells: Greatest buffer that the goals allow, which is tried, too; None for no
                limit.
            shares: The other buffers, as shares of the lossless buffer.
        """
        whole = self.lossless(setting).buffer_cells
        most = whole - 1 if most_cells is None else min(most_cells, whole - 1)
        # EPD needs a buffer that holds a whole PDU.
        segments = [flow.tcp.segment_cells for flow in self.scenario.cells.flows if flow.tcp]
        least = max(LEAST_CELLS, *segments) if segments else LEAST_CELLS
        sizes = [round(share * whole) for share in shares]
        if most_cells is not None:
            sizes.append(most)
        for policy in POLICIES if self.candidate.ability != "credit" else ():
            for cells in dict.fromkeys(size for size in sizes if least <= size <= most):
                self.finite.append(self.with_buffer(setting, policy, cells))

    def try_as_it_is(self) -> None:
        """Runs the scenario's own control with its own discard policy in its own buffer."""
        policy, cells = own_policy(self.plain), own_buffer_cells(self.plain)
        if self.candidate.is_own and policy and cells is not None:
            self.finite.append(self.with_buffer(AS_IT_IS, policy, cells))

    def with_buffer(self, setting: Setting, policy: str, cells: int) -> Option:
        """Runs a setting in a finite buffer; the option's loss is that of the whole run."""
        at = self.laboratory
        buffer = limited(self.plain, cells, policy)
        windowed = replace(at.base, overrides=(*at.base.overrides, *buffer))
        whole = replace(windowed, overrides=(*windowed.overrides, 'measure.from="0 s"'))
        runs: list[tuple[Measures, ...]] = []
        for base in (windowed, whole):
            laboratory = replace(at.with_seeds(at.seeds), base=base)
            laboratory.measure([setting], len(at.seeds))
            runs.append(laboratory.trials[setting])
            at.simulated += laboratory.simulated
            at.known += laboratory.known
        return self._option(setting, policy, (cells,), runs[0], _each(runs[1], "loss"))

    def _buffer_cells(self, setting: Setting, runs: tuple[Measures, ...]) -> tuple[int, ...]:
        """The longest queue with each seed; under credit control at least the reserved cells."""
        longest = (max(1, round(run.values["queue-peak"] or 0.0)) for run in runs)
        reserved = self._reserved_cells(setting, runs[0].seed)
        return tuple(max(cells, reserved) for cells in longest)

    def _reserved_cells(self, setting: Setting, seed: int) -> int:
        """The greatest reserve of credits at a port; 0 without credits."""
        if self.candidate.ability != "credit":
            return 0
        network = Network.of_scenario(self.laboratory.job(setting, seed).scenario())
        return max(math.ceil(reserved_cells(network, port)) for port in network.ports)

    def _option(
        self,
        setting: Setting,
        policy: str,
        by_seed_cells: tuple[int, ...],
        runs: tuple[Measures, ...],
        losses: tuple[float, ...] = (),
    ) -> Option:
        buffer_cells = max(by_seed_cells)
        longest = max(run.values["queue-peak"] or 0.0 for run in runs)
        has_background = BACKGROUND in runs[0].values
        files, means = are_files(self.scenario.cells.flows), means_of(runs)
        own = self.candidate.overrides(self.plain)
        return Option(
            candidate=self.candidate,
            setting=setting,
            policy=policy,
            buffer_cells=buffer_cells,
            by_seed_cells=by_seed_cells,
            seeds=len(runs),
            throughput_bits_per_second=_mean(runs, "throughput"),
            utilisation=_mean(runs, "utilisation"),
            loss=fmean(losses) if losses else 0.0,
            mean_delay_seconds=self.waits.mean_seconds(_mean(runs, "queue")),
            longest_delay_seconds=self.waits.longest_seconds(longest),
            fairness=None if files else _mean(runs, "fairness"),
            settling_seconds=max(_settling(run) for run in runs),
            overrides=_last((*own, *setting.overrides, *limited(self.plain, buffer_cells, policy))),
            locked_runs=sum(run.locked for run in runs),
            reserved_cells=self._reserved_cells(setting, runs[0].seed),
            # The line of files that all end is idle in the end.
            rise=0.0 if files else _mean(runs, RISE.name),
            background_bits_per_second=_mean(runs, BACKGROUND) if has_background else None,
            unfinished=means["unfinished"] if files else None,
            completion_seconds=means["completion"] if files else None,
            mcr_shares=tuple(kept_mcrs(means).items()),
            fairness_by_seed=() if files else _each(runs, "fairness"),
            loss_by_seed=losses,
        )


def _ends(space: Space) -> list[Setting]:
    """Settings with one parameter at an end of its range."""
    return [
        Setting(parameter.pairs(text))
        for parameter in space
        for text in (
            (parameter.values[0], parameter.values[-1])
            if parameter.values is not None
            else (parameter.at(0.0), parameter.at(1.0))
        )
    ]


def _each(runs: tuple[Measures, ...], measure: str) -> tuple[float, ...]:
    return tuple(run.values[measure] or 0.0 for run in runs)


def _mean(runs: tuple[Measures, ...], measure: str) -> float:
    return fmean(_each(runs, measure))


def _settling(run: Measures) -> float:
    return math.inf if run.settling_seconds is None else run.settling_seconds


def _last(overrides: tuple[str, ...]) -> tuple[str, ...]:
    """Overrides without those that a later override of the same path replaces."""
    by_path = {override.partition("=")[0]: override for override in overrides}
    return tuple(by_path.values())
