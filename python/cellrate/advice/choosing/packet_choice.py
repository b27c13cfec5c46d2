"""The choice over Ethernet: its goals as criteria, its options, and its report."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cellrate import _core
from cellrate.advice.choosing.answer import left_out
from cellrate.advice.choosing.candidates import OwnControl
from cellrate.advice.choosing.checking import (
    MORE_TRIES,
    means_only,
    missing,
    none_meets,
    rejected,
    unchecked,
    unequal,
    unused,
)
from cellrate.advice.choosing.first_windows import FirstWindows
from cellrate.advice.choosing.goals import COSTLY, KEEPS_BACKGROUND, OF_CELLS, Goals
from cellrate.advice.choosing.packet_alternatives import Alternative
from cellrate.advice.choosing.packet_goals import (
    as_text,
    behind,
    is_behind,
    missed,
    relative_to_best,
    within_reach,
)
from cellrate.advice.choosing.roce_alternatives import GO_BACK, TRIMMING, OverRoce
from cellrate.advice.locked_phases import doubt
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import Setting
from cellrate.advice.tuning.measures import TOO_SHORT, Criterion
from cellrate.advice.tuning.objective import Means, Objective
from cellrate.advice.tuning.shares import BACKGROUND, LEFT_OUT, WITHOUT_FILES
from cellrate.common.document import (
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Listing,
    Paragraph,
    Row,
    Table,
)
from cellrate.common.numbers import number
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.runner import Job

SPANS = (
    "Throughput, fairness and the mean queue are those of the measuring window; loss, completion "
    "and queue-peak, the longest queue of any port, are those of the whole run. Loss is the share "
    "of all packets sent, acknowledgements included, that queues drop; packets damaged by bit "
    "errors do not count. All are means over seeds."
)
STUDY = (
    "compare controls such as PFC, DCQCN and HPCC by a study with alternatives, as "
    "examples/studies/credit-against-rate.toml"
)
SHOWN = ("unfinished", "throughput", "completion", "loss", "queue", "queue-peak", "fairness")
ABOUT = (
    "Speed over the mean queue of the best alternative of each kind; hollow points miss a goal, "
    "and the recommended one is circled"
)


@dataclass(frozen=True)
class PacketOption:
    """An alternative with its parameters, and its means over seeds.

    Attributes:
        alternative: Recovery and queue algorithm, or control.
        setting: Parameters that were varied.
        seeds: Number of seeds with which the option was run.
        means: Means of the criteria; the loss is that of the whole run.
        acts: Number of packets that queue management dropped or marked, in all runs.
        locked_runs: Number of runs in which the phases of TCP sources locked.
        overrides: Settings that turn the scenario into this option.
        removed: Keys of the scenario file that must be deleted to run the option.
        digests: Hashes of all events of the runs, in the order of the seeds.
        by_seed: The values of the criteria with each seed.
    """

    alternative: Alternative
    setting: Setting
    seeds: int
    means: Means
    acts: int
    locked_runs: int
    overrides: tuple[str, ...]
    removed: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    by_seed: tuple[Means, ...] = ()

    @property
    def key(self) -> tuple[Alternative, tuple[str, ...]]:
        """Alternative and overrides: the runs of the option, whatever the seeds."""
        return self.alternative, self.overrides

    def is_same(self, other: PacketOption) -> bool:
        """True if the runs of both options with the same seeds are equal, event by event.

        Packets may differ in ECN codepoints where no queue acts on a packet.
        """
        both = [*zip(self.digests, other.digests, strict=False)]
        if both and all(one == another for one, another in both):
            return True
        of, ones = self.alternative, (self.acts, self.seeds, self.setting, self.means)
        unread = ones == (0, other.seeds, other.setting, other.means) and not other.acts
        return unread and of.differs_in_marks(other.alternative)

    def values(self, criterion: str) -> tuple[float, ...]:
        """The values of a criterion with each seed; empty if a run has none."""
        found = [value for one in self.by_seed if (value := one[criterion]) is not None]
        return tuple(found) if len(found) == len(self.by_seed) else ()

    @property
    def named(self) -> Alternative:
        """The alternative under the name that the table gives to the option."""
        return self.alternative.varied() if self.setting.values else self.alternative

    @property
    def label(self) -> str:
        """Name of the option, with the parameters that were varied."""
        return self.named.name + (f" ({self.setting.label})" if self.setting.values else "")


@dataclass(frozen=True)
class PacketChoice:
    """Result of `choose` over Ethernet: the recommended option, and all options that were run.

    Attributes:
        base: The scenario that the alternative was chosen for.
        goals: Requirements that the alternative must meet.
        objective: The goals as criteria in their order; without fairness if the other goals leave
            its default out of reach.
        seeds: Number of seeds of the search.
        options: All options that were run, the best first; options with more seeds come before
            others.
        refused: Alternatives that the scenario does not allow, with the reason.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results were already stored.
        not_tried: Text on work that the time limit left out; empty if it left out nothing.
        checked: The recommended option, run with seeds that the search has not used; None if the
            time limit ended the check, or too many options missed a goal in their checks.
        rejected: Options that missed a goal in their check, with texts on the missed goals.
        fairness_notes: Sentences on fairness where it is not the index of all flows.
        compared: Options that rank below the recommended one with the seeds of the check, where no
            option meets the goals.
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
    fairness_notes: tuple[str, ...] = ()
    compared: tuple[PacketOption, ...] = ()

    @property
    def subject(self) -> str:
        """Title of the report: recoveries and queue algorithms, or controls."""
        if self._over_roce:
            return "control and protection from losses of flows over RoCE"
        chosen = [one.alternative for one in self.options]
        if not any(one.control for one in chosen):
            return "recovery and queue management"
        over_tcp = any(one.recovery for one in chosen)
        return "recovery, queue management and control" if over_tcp else "control"

    @property
    def _over_roce(self) -> list[OverRoce]:
        """The alternatives for flows over RoCE; empty for other flows."""
        return [one.alternative for one in self.options if isinstance(one.alternative, OverRoce)]

    @property
    def best(self) -> PacketOption:
        """The recommended option, with measures from its check or, without one, from the search."""
        return self.checked or self._searched

    @cached_property
    def refuted(self) -> dict[tuple[Alternative, tuple[str, ...]], str]:
        """Notes on the options that missed a goal in their checks, and on their twins."""
        found = {one.key: missing(why, one.seeds) for one, why in self.rejected}
        for checked, _ in self.rejected:
            for twin in self._twins(checked):
                found.setdefault(
                    twin.key, f"refuted with {checked.label}: equal runs in the search"
                )
        return found

    def _twins(self, checked: PacketOption) -> list[PacketOption]:
        """The options that have the same runs in the search as one that was checked."""
        own = next((one for one in self.options if one.key == checked.key), checked)
        return [one for one in self.options if one.key != own.key and one.is_same(own)]

    @property
    def _left(self) -> list[PacketOption]:
        """The options that no check has refuted."""
        return [one for one in self.options if one.key not in self.refuted]

    @property
    def _searched(self) -> PacketOption:
        """The recommended option, with measures from the seeds of the search."""
        if self.checked is None:
            return next(iter(self._left), self.options[0])
        key = self.checked.key
        return next(one for one in self.options if one.key == key)

    @cached_property
    def deciding(self) -> Goals:
        """The goals that decide (`within_reach`)."""
        return within_reach(self.goals, [one.means for one in self.options])

    @property
    def speed(self) -> Criterion:
        """The criterion that measures speed."""
        names = ("throughput", "completion")
        return next(one for one in self.objective.criteria if one.name in names)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The criteria whose means are shown; no fairness of files alone.

        Files that do not end are shown only if there are some.
        """
        some = any(one.means["unfinished"] for one in (*self.options, self.best))
        more = (one.name for one in self.objective.criteria if one.name in {BACKGROUND, "victim"})
        shown = (*(SHOWN if some else SHOWN[1:]), *more)
        return tuple(one for one in shown if one != "fairness" or not self.goals.all_files_end)

    def misses(self, option: PacketOption) -> list[str]:
        """Texts on the goals that an option misses: also speed, background and the victim.

        Those goals are relative to the best of the options that were run with every seed and that
        no check has refuted. They say nothing of other options.
        """
        found = missed(option.means, self.deciding)
        most = self.options[0].seeds
        if option.seeds < most:
            return found
        whole = [one.means for one in self._left if one.seeds == most]
        left = [means for means in whole if not missed(means, self.deciding)]
        for goal in relative_to_best(self.objective, self.deciding):
            known = [(value, one) for one in left if (value := one[goal.name]) is not None]
            if not known:
                continue
            best = (max if goal.best == "greatest" else min)(value for value, _ in known)
            left = [one for value, one in known if goal.reaches(value, best)]
            value = option.means[goal.name]
            if is_behind(goal, value, best):
                found.append(behind(goal, value, best))
        return found

    def wanted(self) -> str:
        """The goals in force, as a sentence."""
        fast = None
        if self.goals.bits_per_second is not None:
            fast = f"at least {number(self.goals.bits_per_second / 1e9)} Gbit/s"
        is_trimming = any(one.protection == TRIMMING for one in self._over_roce)
        trimmed = " Trimmed packets do not count as lost." if is_trimming else ""
        shares = "".join(f" {one}" for one in self.fairness_notes)
        if any(one.name == BACKGROUND for one in self.objective.criteria):
            shares += f" {KEEPS_BACKGROUND}"
        fairness = "" if self.goals.all_files_end else "--fairness, "
        return (
            f"Goals: {'; '.join(self.goals.texts('packets', fast))}. Of the alternatives that meet "
            "the goals the one with the shortest mean queue is recommended. --loss, "
            f"--throughput, {fairness}--buffer and --victim set other goals. {SPANS}"
            f"{trimmed}{shares}"
        )

    def words(self) -> Iterator[str]:
        """The result in sentences."""
        best = self.best
        unmet = missed(best.means, self.deciding)
        if unmet:
            yield (
                f"{none_meets('alternative')}. The nearest is {best.label}, which "
                f"{' and '.join(unmet)}."
            )
            if self.goals.all_files_end and all(one.means["unfinished"] for one in self.options):
                yield TOO_SHORT
            else:
                yield MORE_TRIES
            if self.compared:
                labels = "; ".join(one.label for one in self.compared)
                yield f"Run with the same seeds, these are less near: {labels}."
        if [*self.deciding.loses(best.means["loss"], "packets")]:
            yield from self._first_windows()
        if self.deciding != self.goals:
            yield unequal("alternative", self.goals.fairness)
        yield from self._price()
        yield from self._refuted()
        yield from means_only(best.values("fairness"), best.values("loss"), self.deciding)
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
        yield from self._second()
        yield from self._own()
        locked = sum(bool(one.locked_runs) for one in self.options)
        if locked:
            yield (
                f"The table marks {locked} of {len(self.options)} options in whose runs the TCP "
                "sources run in step: few flows determine the measures of these options."
            )
        yield from self._untried()
        yield from left_out(self.not_tried)

    def _refuted(self) -> Iterator[str]:
        """Sentences on the options that missed a goal in their checks, and on their twins."""
        shown = {one.key for one in self._rows}
        for checked, why in self.rejected:
            yield rejected(checked.label, checked.seeds, why)
            twins = [one.label for one in self._twins(checked) if one.key in shown]
            if twins:
                yield (
                    f"The search has equal runs for {checked.label} and for {'; '.join(twins)}, so "
                    "the check counts for these, too."
                )

    def _second(self) -> Iterator[str]:
        """Sentences on the next option of another row, and on those with the same runs."""
        searched = self._searched
        others = [one for one in self._rows if one.named.row != searched.named.row]
        alike = [one.label for one in others if one.is_same(searched)]
        if alike and searched.key not in self.refuted:
            yield (
                f"The search has equal runs for {searched.label} and for {'; '.join(alike)}. These "
                "do not differ; take the simplest one."
            )
        left = [one for one in others if one.label not in alike]
        second = next((one for one in left if one.key not in self.refuted), None)
        if second is None:
            return
        note = f"; it {failed}" if (failed := missing(self.misses(second))) else ""
        if self.checked is None:
            yield f"Second: {second.label}: {self._numbers(second)}{note}."
            return
        yield (
            f"Second with the seeds of the search: {second.label}: {self._numbers(second)}{note}. "
            f"With these seeds {searched.label} has {self._numbers(searched)}."
        )

    def _untried(self) -> Iterator[str]:
        """Sentences on what `choose` does not try over Ethernet; they name a study that does."""
        own = next((one for one in self._over_roce if one.is_own), None)
        if own is not None:
            protections = {one.protection for one in self._over_roce}
            left = f"other protections from losses than {own.protection} for controls that meet"
            yield (
                "Not tried: fcvc, explicit rates, TCP"
                + ("" if self.goals.victim else f"; and {left} the goals under it")
                + f"; {STUDY}."
            )
            if len(protections) > 1 and GO_BACK not in protections:
                yield (
                    f"Not tried: {GO_BACK} and {TRIMMING}, since no queue has a limit without "
                    f'{own.protection}; `--set switch.buffer="1 MB"` sets one.'
                )
            return
        known = json.loads(_core.registry())
        links, controls = (
            ", ".join(one["name"] for table in of for one in known[table] if one["name"] != "none")
            for of in (("pauses", "credit"), ("roce",))
        )
        yield f"Not tried: {links}, and flows over RoCE under {controls}; {STUDY}."

    def _first_windows(self) -> Iterator[str]:
        """Sentences on first windows that overflow a buffer, whatever the alternative."""
        network = FrameNetwork.of_scenario(self.base.scenario())
        windows = FirstWindows.of(network)
        if windows is not None:
            yield from windows.words()

    def _own(self) -> Iterator[str]:
        """Sentences on the scenario's own control and, if tried, on its scheme with defaults."""
        controls = [one.alternative.control for one in self.options]
        if not any(controls):
            return
        own = OwnControl.of(self.base, ResolvedScenario.of(self.base.scenario()))
        if own is None:
            return
        yield own.text()
        if any(one is not None and one.name == own.scheme for one in controls):
            yield (
                f"`control {own.scheme}` has the defaults of {own.scheme} instead, and the sources "
                "that suit them."
            )

    def _price(self) -> Iterator[str]:
        """The sentence on a faster option that misses a goal, if it is faster by `COSTLY`.

        Of the options within `COSTLY` of the fastest, the sentence names the one that misses the
        fewest goals.
        """
        speed, own = self.speed, self._searched
        left = [one for one in self._left if one.seeds == own.seeds]
        values = [one.means[speed.name] for one in left]
        known = [value for value in values if value is not None]
        has = own.means[speed.name]
        if not known or not has:
            return
        best = max(known) if speed.best == "greatest" else min(known)
        slack = COSTLY * best
        fast = [
            one
            for one, value in zip(left, values, strict=True)
            if value is not None and abs(value - best) <= slack
        ]
        other = min(fast, key=lambda one: len(missed(one.means, self.deciding)))
        why, could = missed(other.means, self.deciding), other.means[speed.name] or 0.0
        if why and abs(has - best) > slack:
            change = has / could - 1
            shown = dict(self._measured(other))[speed.name], dict(self._measured(own))[speed.name]
            yield (
                f"The goals cost {speed.name}: {other.label} has {shown[0]}, but "
                f"{' and '.join(why)}; {own.label} has {shown[1]}, {abs(change):.0%} "
                f"{'less' if change < 0 else 'more'}."
            )

    def _numbers(self, option: PacketOption) -> str:
        return ", ".join(f"{name} {text}" for name, text in self._measured(option) if text != "-")

    def _measured(
        self, option: PacketOption, *, with_units: bool = True
    ) -> Iterator[tuple[str, str]]:
        known = {one.name: one for one in self.objective.known}
        for name in self.shown:
            value, criterion = option.means[name], known[name]
            yield name, "-" if value is None else as_text(criterion, value, with_unit=with_units)

    def command(self) -> str:
        """The shell command that runs the recommended option once.

        Before the command is run, the keys `removed` of the option must be deleted from the file.
        """
        removed = self.best.removed
        own = (one for one in self.base.overrides if not one.startswith(removed))
        parts = (part for one in (*own, *self.best.overrides) for part in ("--set", one))
        return shlex.join(["cellrate", "run", self.base.path, *parts])

    def best_of_each(self, group: Callable[[Alternative], str]) -> list[PacketOption]:
        """The best option of each group of alternatives, in the order of the options."""
        found = dict[str, PacketOption]()
        for one in self.options:
            found.setdefault(group(one.named), one)
        return [*found.values()]

    @cached_property
    def _rows(self) -> list[PacketOption]:
        """The options of the table."""
        return self.best_of_each(lambda one: one.row)

    def _note(self, option: PacketOption) -> str:
        """The note below a row: missed goals or seeds that were not run, and an equal row above."""
        failed = self.refuted.get(option.key)
        parts = [failed or missing(self.misses(option))]
        if not parts[0] and option.seeds < self.seeds:
            parts[0] = f"not run with all {self.seeds} seeds"
        above = self._rows[: self._rows.index(option)]
        same = next((one for one in above if one.is_same(option)), None)
        if same and not failed:
            seeds = "" if same.seeds == option.seeds else " with the same seeds"
            parts.append(f"same runs as {same.label}{seeds}")
        return "; ".join(filter(None, parts))

    def document(self) -> Document:
        """The recommendation, and the best of each alternative, as a document."""
        known = {one.name: one for one in self.objective.known}
        few = {"queue-peak", self.speed.name, "loss", "queue", "victim"}
        table = Table(
            (
                Column("alternative"),
                Column("seeds", "right", optional=True),
                *(
                    Column(self._heading(known[one]), "right", optional=one not in few)
                    for one in self.shown
                ),
                Column("with", detail=True),
            ),
            tuple(
                Row(
                    (
                        one.named.name,
                        _seeds(one),
                        *(text for _, text in self._measured(one, with_units=False)),
                        one.setting.label if one.setting.values else "defaults",
                    ),
                    self._note(one),
                )
                for one in self._rows
            ),
        )
        removed = ", ".join(f"`{key}`" for key in self.best.removed)
        remove = f"First remove {removed} from {self.base.path}; NAME-chosen.toml has no {removed}."
        refused = Listing(tuple((f"{name}: {why}",) for name, why in self.refused.items()))
        return Document(
            f"{self.base.path}: {self.subject}",
            (
                Paragraph(self.wanted(), "faint"),
                *map(Paragraph, self.words()),
                *((Paragraph(remove),) if removed else ()),
                Command((self.command(),)),
                table,
                refused,
                Detail((Figure(self._drawn, ABOUT),)),
            ),
        )

    def _heading(self, criterion: Criterion) -> str:
        """Heading of a criterion's column: its name, and its unit or what it leaves out."""
        is_fairness = criterion.name == "fairness"
        below = (
            WITHOUT_FILES if is_fairness and LEFT_OUT in self.fairness_notes else _unit(criterion)
        )
        return f"{criterion.name}\n{below}".strip()

    def _drawn(self) -> str:
        from cellrate.advice.choosing.figure import packet_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(packet_figure(self))

    def as_json(self) -> dict[str, Any]:
        """The output of `cellrate choose --json`."""
        return {
            "scenario": self.base.path,
            "settings": list(self.base.overrides),
            "goals": self.goals.as_json(OF_CELLS),
            "recommended": self.best.label,
            "missed": missed(self.best.means, self.deciding),
            "command": self.command(),
            "removed": list(self.best.removed),
            "check": {
                "option": None if self.checked is None else self._json(self.checked),
                "rejected": [
                    {"option": self._json(one), "missed": why} for one, why in self.rejected
                ],
                "compared": [self._json(one) for one in self.compared],
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
            **one.alternative.as_json(),
            "parameters": dict(one.setting.values),
            "overrides": list(one.overrides),
            "removed": list(one.removed),
            "seeds": one.seeds,
            "locked_runs": one.locked_runs,
            **{keys[name]: value for name, value in one.means.items()},
        }


def _unit(criterion: Criterion) -> str:
    """The unit in the heading of a column; empty for times, whose texts have units."""
    return "" if criterion.unit == "s" else criterion.shown_unit


def _seeds(option: PacketOption) -> str:
    """Number of seeds, and of runs in which phases locked, as text."""
    locked = f", {option.locked_runs} locked" if option.locked_runs else ""
    return f"{option.seeds}{locked}"
