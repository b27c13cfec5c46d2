"""Chooses TCP's recovery, queue management and control for a scenario over Ethernet."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from cellrate import ScenarioError
from cellrate.advice.choosing.answer import left_out
from cellrate.advice.choosing.candidates import ABILITIES, AT_ONCE, BY_MARKS, Candidate, candidates
from cellrate.advice.choosing.checking import CHECKS, rejected, unchecked, unused
from cellrate.advice.choosing.choosing import Budget, Effort, OutOfTime, Phases
from cellrate.advice.choosing.goals import Goals
from cellrate.advice.locked_phases import doubt
from cellrate.advice.tuning.declared import ResolvedScenario, declared, parameter_tables
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import Criterion, Measures, bottleneck
from cellrate.advice.tuning.objective import Means, Objective, means_of
from cellrate.advice.tuning.race import race
from cellrate.advice.tuning.search import search
from cellrate.common.document import Command, Document, Listing, Paragraph, Table, columns, rows
from cellrate.common.numbers import number
from cellrate.common.problems import BadInput
from cellrate.simulation.network.ethernet_view import FrameFlow, FrameNetwork
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job, run_many

RECOVERIES = ("reno", "newreno", "sack", "dctcp")
ALGORITHMS = ("none", "threshold", "red", "codel", "pie")
SEARCH_SEED = 1
STUDY = (
    "compare controls such as PFC, DCQCN and HPCC by a study with alternatives, as "
    "examples/studies/credit-against-rate.toml"
)
SHOWN = ("throughput", "completion", "loss", "queue", "queue-max", "fairness")


@dataclass(frozen=True)
class Alternative:
    """A recovery of TCP with a queue algorithm, or a control scheme for rate-controlled flows.

    Attributes:
        recovery: Recovery of TCP; empty for the scenario's recovery.
        algorithm: Algorithm of `switch.aqm`; empty for the scenario's algorithm.
        marks: True if the algorithm marks packets instead of dropping them.
        control: Control of the flows that obey rates; None for the scenario's control.
    """

    recovery: str = ""
    algorithm: str = ""
    marks: bool = False
    control: Candidate | None = None

    @property
    def name(self) -> str:
        """Name of the alternative: control, or recovery, algorithm, and drops or marks."""
        if self.control is not None:
            return f"control {self.control.name}"
        if not self.recovery:
            return "the scenario's own"
        marked = " with ECN" if self.marks and self.recovery != "dctcp" else ""
        return f"{self.recovery}{marked}, {self.algorithm}"

    @property
    def kind(self) -> str:
        """The queue algorithm of the alternative, or "control" for a control scheme.

        The parameters of the best alternative of each kind are searched.
        """
        return self.algorithm if self.control is None else "control"

    def overrides(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Settings that turn the scenario into this alternative."""
        groups = scenario.keys.document["flow"]
        if self.control is not None:
            by_marks = self.control.ability in {"efci", "relative-rate"}
            of_abr = BY_MARKS if by_marks else AT_ONCE
            return (
                f'switch.control={{scheme="{self.control.name}"}}',
                *(
                    f"flow.{one['name']}.rate_control.{key.removeprefix('abr.')}"
                    for one in groups
                    if "rate_control" in one
                    for key in of_abr
                ),
            )
        if not self.recovery:
            return ()
        own = (one["name"] for one in groups if {"recovery", "ecn"} & one.get("tcp", {}).keys())
        ecn = ", ecn=true" if self.marks and self.algorithm != "threshold" else ""
        keys = (f'recovery="{self.recovery}"', f"ecn={str(self.marks).lower()}")
        tables = ("tcp", *(f"flow.{name}.tcp" for name in own))
        return (
            *(f"{table}.{key}" for table in tables for key in keys),
            f'switch.aqm={{algorithm="{self.algorithm}"{ecn}}}',
        )


def alternatives(flows: Sequence[FrameFlow]) -> Iterator[Alternative]:
    """The scenario as it is, and then all alternatives that suit its flows.

    For flows over TCP, the alternatives are each recovery with each queue algorithm, with drops and
    with marks. For flows that obey rates, they are all controls.
    """
    yield Alternative()
    for recovery in RECOVERIES if any(flow.tcp for flow in flows) else ():
        for algorithm in ALGORITHMS:
            if recovery != "dctcp" and algorithm != "threshold":
                yield Alternative(recovery, algorithm)
            if algorithm != "none":
                yield Alternative(recovery, algorithm, marks=True)
    for control in candidates() if any(flow.rate_controlled for flow in flows) else ():
        if control.ability != "credit":
            yield Alternative(control=control)


@dataclass(frozen=True)
class AtMost(Criterion):
    """A criterion with a threshold: values below the threshold are equally good.

    Attributes:
        most: The threshold.
    """

    most: float = 0.0

    def reaches(self, value: float, best: float) -> bool:
        """True if a value does not exceed the threshold, or is the best if all exceed it."""
        return value <= max(self.most, best)


@dataclass(frozen=True)
class AtLeast(Criterion):
    """A criterion with a threshold: values above the threshold are equally good.

    Attributes:
        least: The threshold.
    """

    least: float = 0.0

    def reaches(self, value: float, best: float) -> bool:
        """True if a value reaches the threshold, or is the best where no value reaches it."""
        return value >= min(self.least, best)


def objective_of(goals: Goals, *, files: bool) -> Objective:
    """Ranks by the goals in their order: fairness, loss, speed, and last the shortest mean queue.

    If no alternative meets a goal, the nearest alternatives stay in the ranking.

    Args:
        goals: The goals.
        files: True if all flows transfer files, so that completion times measure the speed.
    """
    speed = "completion" if files and goals.bits_per_second is None else "throughput"
    known = Objective.named(f"fairness,loss,{speed},queue", "ethernet")
    fairness, loss, carried, queue = known.criteria
    fair = AtLeast(**_fields(fairness), least=goals.fairness)
    lost = AtMost(**_fields(loss), most=goals.loss)
    fast = replace(carried, tolerance=1 - goals.throughput)
    if goals.bits_per_second is not None:
        fast = AtLeast(**_fields(carried), least=goals.bits_per_second)
    return replace(known, criteria=(fair, lost, fast, queue))


def _fields(criterion: Criterion) -> dict[str, Any]:
    return {one.name: getattr(criterion, one.name) for one in fields(Criterion)}


@dataclass(frozen=True)
class PacketOption:
    """An alternative with its parameters, and its means over seeds.

    Attributes:
        alternative: Recovery and algorithm.
        setting: Parameters of the algorithm that were varied.
        seeds: Number of seeds with which the option was run.
        means: Means of the criteria.
        acts: Number of packets that queue management dropped or marked, in all runs.
        locked_runs: Number of runs in which the phases of TCP sources locked.
        overrides: Settings that turn the scenario into this option.
    """

    alternative: Alternative
    setting: Setting
    seeds: int
    means: Means
    acts: int
    locked_runs: int
    overrides: tuple[str, ...]

    @property
    def label(self) -> str:
        """Name of the option, with the parameters that were varied."""
        return self.alternative.name + (f" ({self.setting.label})" if self.setting.values else "")


@dataclass(frozen=True)
class PacketChoice:
    """Result of `choose` over Ethernet: the recommended option, and all options that were run.

    Attributes:
        base: The scenario that the alternative was chosen for.
        goals: Requirements that the alternative must meet.
        objective: The goals as criteria in their order.
        seeds: Number of seeds.
        options: All options that were run, the best first; options with every seed come before
            others.
        refused: Alternatives that the scenario does not allow, with the reason.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results were already stored.
        not_tried: Text on work that the time limit left out; empty if it left out nothing.
        checked: The recommended option, run with seeds that the search has not used; None if the
            time limit ended the check, or too many options missed a goal in their checks.
        rejected: Options, run with such seeds, that then missed a goal, with texts on these goals.
    """

    base: Job
    goals: Goals
    objective: Objective
    seeds: int
    options: tuple[PacketOption, ...]
    refused: dict[str, str]
    simulated: int
    known: int
    not_tried: tuple[str, ...] = ()
    checked: PacketOption | None = None
    rejected: tuple[tuple[PacketOption, list[str]], ...] = ()

    @property
    def subject(self) -> str:
        """Title of the report: recoveries and queue algorithms, or controls."""
        chosen = [one.alternative for one in self.options]
        if not any(one.control for one in chosen):
            return "recovery and queue management"
        over_tcp = any(one.recovery for one in chosen)
        return "recovery, queue management and control" if over_tcp else "control"

    @property
    def best(self) -> PacketOption:
        """The recommended option, with the numbers of its check if there was one."""
        missed = {one.overrides for one, _ in self.rejected}
        left = (one for one in self.options if one.overrides not in missed)
        return self.checked or next(left, self.options[0])

    def words(self) -> Iterator[str]:
        """The result in sentences."""
        best, goals = self.best, self.goals
        yield from (rejected(one.label, one.seeds, missed) for one, missed in self.rejected)
        yield from doubt(best.locked_runs, best.seeds, best.label)
        if self.checked is None:
            yield from unchecked(best.label, best.seeds)
        runs = "" if self.checked is None else f", {unused(best.seeds)}"
        yield f"Recommended: {best.label}: {self._numbers(best)}{runs}."
        if best.alternative.algorithm not in {"", "none"} and not best.acts:
            yield (
                f"{best.alternative.algorithm} dropped and marked no packet in the measuring "
                f"windows of these runs, so the runs do not show what {best.alternative.algorithm} "
                "gains."
            )
        lost, fair = best.means["loss"], best.means["fairness"]
        if lost is not None and lost > goals.loss:
            yield (
                f"No alternative that was run meets the goals: at most {goals.loss:g} of the "
                f"packets lost, and a fairness of {goals.fairness:g}. This one loses {lost:.2g} of "
                "the packets."
            )
        if fair is not None and fair < goals.fairness:
            yield (
                f"No alternative that was run has a fairness of {goals.fairness:g}; this one has "
                f"{fair:.3f}."
            )
        other = next((one for one in self.options if one.alternative != best.alternative), None)
        if other is not None:
            seeds = "" if self.checked is None else " with the seeds of the search"
            yield f"Second{seeds}: {other.label}: {self._numbers(other)}."
        locked = sum(bool(one.locked_runs) for one in self.options)
        if locked:
            yield (
                f"The table marks {locked} of {len(self.options)} options in whose runs the TCP "
                "sources run in step: few flows determine the measures of these options."
            )
        yield from left_out(self.not_tried)

    def _numbers(self, option: PacketOption) -> str:
        return ", ".join(f"{name} {text}" for name, text in self._measured(option) if text != "-")

    def _measured(self, option: PacketOption) -> Iterator[tuple[str, str]]:
        known = {one.name: one for one in self.objective.known}
        for name in SHOWN:
            value, criterion = option.means[name], known[name]
            text = "-"
            if value is not None:
                text = f"{number(value / criterion.divisor)} {criterion.shown_unit}".strip()
            yield name, text

    def command(self) -> str:
        """The shell command that runs the recommended option once."""
        settings = (*self.base.overrides, *self.best.overrides)
        parts = (part for override in settings for part in ("--set", override))
        return shlex.join(["cellrate", "run", self.base.path, *parts])

    def document(self) -> Document:
        """The recommendation, and the best of each alternative, as a document."""
        best_of_each = {one.alternative: one for one in reversed(self.options)}
        ordered = [one for one in self.options if best_of_each[one.alternative] is one]
        table = Table(
            columns("alternative", "seeds", *SHOWN, numbers=range(1, len(SHOWN) + 2)),
            rows(
                [one.label, _seeds(one), *(text for _, text in self._measured(one))]
                for one in ordered
            ),
        )
        refused = Listing(tuple((f"{name}: {why}",) for name, why in self.refused.items()))
        return Document(
            f"{self.base.path}: {self.subject}",
            (*map(Paragraph, self.words()), Command((self.command(),)), table, refused),
        )

    def as_json(self) -> dict[str, Any]:
        """The output of `cellrate choose --json`."""
        return {
            "scenario": self.base.path,
            "settings": list(self.base.overrides),
            "recommended": self.best.label,
            "command": self.command(),
            "check": {
                "option": None if self.checked is None else self._json(self.checked),
                "rejected": [
                    {"option": self._json(one), "missed": missed} for one, missed in self.rejected
                ],
            },
            "words": list(self.words()),
            "runs": {"simulated": self.simulated, "kept_from_before": self.known},
            "options": [self._json(one) for one in self.options],
            "refused": self.refused,
            "not_tried": list(self.not_tried),
        }

    def _json(self, one: PacketOption) -> dict[str, Any]:
        """JSON object of an option."""
        keys = {criterion.name: criterion.key for criterion in self.objective.known}
        return {
            "recovery": one.alternative.recovery or None,
            "algorithm": one.alternative.algorithm or None,
            "marks": one.alternative.marks,
            "control": one.alternative.control and one.alternative.control.name,
            "parameters": dict(one.setting.values),
            "overrides": list(one.overrides),
            "seeds": one.seeds,
            "locked_runs": one.locked_runs,
            **{keys[name]: value for name, value in one.means.items()},
        }


def _seeds(option: PacketOption) -> str:
    """Number of seeds, and of runs in which phases locked, as text."""
    locked = f", {option.locked_runs} locked" if option.locked_runs else ""
    return f"{option.seeds}{locked}"


def choose_over_ethernet(
    base: Job,
    goals: Goals,
    effort: Effort,
    runner: Runner = run_many,
    is_known: Callable[[Job], bool] = lambda _: False,
    budget: Budget | None = None,
    phases: Phases = lambda *_: None,
) -> PacketChoice:
    """Chooses a recovery with an algorithm for queues, or a control, with its parameters.

    The buffers stay those of the scenario. The best option is run once more, with seeds that the
    search has not used, which give its numbers.

    All alternatives are run with their defaults and one seed. The best alternative of each
    algorithm, the best control, and the scenario as it is are then run with every seed, and their
    declared parameters are searched.

    Raises:
        BadInput: A goal has no meaning over Ethernet, no flow runs over TCP or obeys rates, or
            credits replace queue management.
        ScenarioError: The scenario is wrong.
    """
    _refuse_goals(goals)
    plain = ResolvedScenario.of(replace(base, seed=None).scenario())
    assert isinstance(plain.network, FrameNetwork)  # noqa: S101  callers know it
    flows = plain.network.flows
    _refuse_flows(base.path, flows)
    if plain.network.credit is not None:
        raise BadInput(
            "the scenario has `fcvc`; leave `fcvc` out: over Ethernet choose does not try credit "
            "control"
        )
    if plain.network.lossless is not None:
        by = plain.network.lossless["by"]
        raise BadInput(
            f"the scenario has `{by}`, which holds senders back before a buffer overflows; over "
            "Ethernet choose keeps the buffers, and compares recoveries and queue management that "
            f"act on drops and marks. Leave `{by}` out, or {STUDY}"
        )
    own = (f"flow.{group}.rate_control" for group in plain.network.groups())
    changes = plain.network.change_of("switch.aqm", "switch.control", *own)
    if changes is not None:
        raise BadInput(
            f"{base.path}: {changes} during the run; choose replaces queue management and "
            "controls, so only buffers, flows and their sources may change"
        )
    objective = objective_of(goals, files=all(flow.kind == "transfer" for flow in flows))
    seeds, budget = effort.search_seeds, budget or Budget.of(None)
    ports, limited = bottleneck(plain.network), budget.limited(runner)
    laboratories: dict[Alternative, Laboratory] = {}
    refused: dict[str, str] = {}
    for one in alternatives(flows):
        job = replace(base, overrides=(*base.overrides, *one.overrides(plain)))
        try:
            job.scenario()
        except ScenarioError as error:
            refused[one.name] = str(error.diagnostics[0]["message"])
        else:
            laboratories[one] = Laboratory(job, seeds, ports, limited, is_known)
    searched: set[str] = set()
    not_tried: tuple[str, ...] = ()
    try:
        _run(laboratories, objective, effort, phases, searched)
    except OutOfTime:
        not_tried = tuple(_not_tried(laboratories, searched))
    options = [
        _option(one, setting, runs, plain)
        for one, laboratory in laboratories.items()
        for setting, runs in laboratory.trials.items()
    ]
    if not options:
        raise BadInput(
            "--minutes: the time ended before the first alternative had been run; allow more "
            "minutes, or repeat the command: finished runs are kept"
        )
    order = [options[at] for at in objective.ranked([option.means for option in options])]
    order.sort(key=lambda option: -option.seeds)
    budget.kept = 0.0
    check = _Check(plain, goals, effort.check_seeds)
    try:
        check.run(order[:CHECKS], laboratories, phases)
    except OutOfTime:
        label = order[len(check.rejected)].label
        not_tried = (*not_tried, f"{label} with other seeds than those of the search")
    known = (*laboratories.values(), *check.laboratories)
    return PacketChoice(
        base,
        goals,
        objective,
        len(seeds),
        tuple(order),
        refused,
        sum(one.simulated for one in known),
        sum(one.known for one in known),
        not_tried,
        check.option,
        tuple(check.rejected),
    )


@dataclass
class _Check:
    """Runs of the best options with seeds that the search has not used.

    Attributes:
        plain: The scenario as the user wrote it.
        goals: The goals.
        seeds: The seeds.
        option: The first option that misses no goal; None so far.
        rejected: The options before it, with the goals that they miss.
        laboratories: All runs.
    """

    plain: ResolvedScenario
    goals: Goals
    seeds: tuple[int, ...]
    option: PacketOption | None = None
    rejected: list[tuple[PacketOption, list[str]]] = field(default_factory=list)
    laboratories: list[Laboratory] = field(default_factory=list)

    def run(
        self,
        order: Sequence[PacketOption],
        laboratories: dict[Alternative, Laboratory],
        phases: Phases,
    ) -> None:
        """Runs options in their order until one misses no goal.

        An option that misses a goal in the search, too, is the nearest of all to the goals.
        """
        for best in order:
            phases(f"checking {best.label} with other seeds", len(self.rejected), CHECKS)
            laboratory = laboratories[best.alternative].with_seeds(self.seeds)
            self.laboratories.append(laboratory)
            laboratory.measure([best.setting], len(self.seeds))
            runs = laboratory.trials[best.setting]
            found = _option(best.alternative, best.setting, runs, self.plain)
            missed = [] if _missed(best, self.goals) else _missed(found, self.goals)
            if not missed:
                self.option = found
                return
            self.rejected.append((found, missed))


def _option(
    alternative: Alternative, setting: Setting, runs: Sequence[Measures], plain: ResolvedScenario
) -> PacketOption:
    """The option of an alternative with a setting, from its runs."""
    return PacketOption(
        alternative,
        setting,
        len(runs),
        means_of(runs),
        sum(run.acts for run in runs),
        sum(run.locked for run in runs),
        (*alternative.overrides(plain), *setting.overrides),
    )


def _missed(option: PacketOption, goals: Goals) -> list[str]:
    """Texts on the goals that an option misses; a share of the best throughput is no such goal."""
    lost, fair, carried = (option.means[name] for name in ("loss", "fairness", "throughput"))
    found = []
    if lost is not None and lost > goals.loss:
        found.append(f"loses {lost:.2g} of the packets")
    if fair is not None and fair < goals.fairness:
        found.append(f"has a fairness of {fair:.3f}")
    if goals.bits_per_second is not None and (carried or 0.0) < goals.bits_per_second:
        found.append(f"delivers {(carried or 0.0) / 1e6:.2f} Mbit/s")
    return found


def _run(
    laboratories: dict[Alternative, Laboratory],
    objective: Objective,
    effort: Effort,
    phases: Phases,
    searched: set[str],
) -> None:
    """Runs all alternatives once, and searches the best one of each kind.

    Args:
        laboratories: The alternatives, each with its runs.
        objective: Ranks the alternatives.
        effort: How much is simulated.
        phases: Shows the progress.
        searched: Receives each kind whose search has ended.
    """
    for at, (one, laboratory) in enumerate(laboratories.items()):
        phases(f"running each alternative: {one.name}", at, len(laboratories))
        laboratory.measure([AS_IT_IS], 1)
    names = list(laboratories)
    means = [means_of(laboratories[one].trials[AS_IT_IS]) for one in names]
    of_kinds: dict[str, Alternative] = {}
    for at in objective.ranked(means):
        of_kinds.setdefault(names[at].kind, names[at])
    for at, one in enumerate(of_kinds.values()):
        phases(f"searching the parameters of {one.name}", at, len(of_kinds))
        _search(laboratories[one], objective, effort.settings)
        searched.add(one.kind)


def _not_tried(laboratories: dict[Alternative, Laboratory], searched: set[str]) -> Iterator[str]:
    """Texts on the alternatives and searches that the time limit left out."""
    yield from (one.name for one, laboratory in laboratories.items() if not laboratory.trials)
    kinds = dict.fromkeys(one.kind for one in laboratories)
    left = [kind or "the scenario's own" for kind in kinds if kind not in searched]
    if left:
        yield f"searches for the best of these kinds: {', '.join(left)}"


def _search(laboratory: Laboratory, objective: Objective, settings: int) -> None:
    """Runs an alternative with every seed, and its declared parameters if it has any."""
    scenario = ResolvedScenario.of(replace(laboratory.base, seed=None).scenario())
    space, _ = declared(scenario, parameter_tables(scenario))
    found: Sequence[Setting] = ()
    if space and settings > 0:
        found = search(laboratory, space, settings, objective, SEARCH_SEED)
    race(laboratory, found, [AS_IT_IS], objective)


def _refuse_flows(path: str, flows: Sequence[FrameFlow]) -> None:
    """Refuses flows for which there is nothing to choose.

    Raises:
        BadInput: A flow runs over RoCE, or none runs over TCP or obeys rates.
    """
    if any(flow.roce for flow in flows):
        raise BadInput(
            f"{path}: a flow runs over RoCE; choose tries TCP and `rate_control`, but no "
            f"control of RoCE. Leave `roce` out, tune its control with `cellrate tune`, or {STUDY}"
        )
    if not any(flow.tcp or flow.rate_controlled for flow in flows):
        raise BadInput(
            f"{path}: no flow runs over TCP or has `rate_control`, so there is nothing to choose"
        )


def _refuse_goals(goals: Goals) -> None:
    """Refuses goals that only controls of cells can have.

    Raises:
        BadInput: A goal has no meaning over Ethernet.
    """
    given = {
        "--switches": goals.abilities != ABILITIES,
        "--delay": goals.delay_seconds is not None,
        "--settling": goals.settling_seconds is not None,
        "--buffer": goals.buffer_cells is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise BadInput(
                f"{option} has no meaning over Ethernet; there are --loss, --throughput and "
                "--fairness"
            )
