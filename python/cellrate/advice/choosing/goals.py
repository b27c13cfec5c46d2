"""Goals of a choice, and the judgement of options by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from cellrate.advice.choosing.candidates import ABILITIES, Ability, Option
from cellrate.advice.tuning.measures import BAND, RISE, Criterion
from cellrate.advice.tuning.objective import ALIKE, Objective
from cellrate.advice.tuning.shares import KEPT_MCR, are_files
from cellrate.common.numbers import counted, number, seconds
from cellrate.common.problems import BadInput
from cellrate.common.to_json import to_json
from cellrate.simulation.network.elements import Flow
from cellrate.simulation.network.ethernet_view import FrameFlow

FAIR = 0.9
"""Goal of Jain's index if the user sets no fairness."""
COSTLY = 0.05
"""Least share of throughput or completion time lost to goals that a sentence reports."""
LEAST_BACKGROUND = 0.95
"""Share of the most background of any option that an option must carry, if no cell may be lost."""
KEEPS_BACKGROUND = (
    f"Background must keep {LEAST_BACKGROUND:.0%} of what any control carries of it, "
    "less the loss allowed."
)
"""A sentence on scenarios with background."""
KEEPS_MCR = (
    f"A flow group with a GFR contract must get {KEPT_MCR:.0%} of its MCR in payload, or of the "
    "most that any control gives it, if this is less."
)
"""A sentence on scenarios with GFR contracts."""


@dataclass(frozen=True)
class Goals:
    """Requirements that a control must meet.

    Attributes:
        abilities: The abilities of the switches.
        loss: Largest mean share of cells that are dropped in the whole run; 0 for no loss at all.
        throughput: Least throughput, as a share of the best that the other goals allow.
        bits_per_second: Least throughput instead of a share; None for a share.
        delay_seconds: Longest time that a cell may wait at a bottleneck; None for no limit.
        fairness: Least Jain's index over the flows.
        insists_on_fairness: True if no control is recommended unless it reaches `fairness`. If
            False and no control reaches it, the other goals decide.
        settling_seconds: Longest time until the bottleneck's utilisation has settled; None for no
            limit.
        buffer_cells: Greatest buffer; None for no limit.
        all_files_end: True if every file must end in the run, as where all flows transfer files;
            completion times are then the speed. See `for_flows`.
        buffer_bytes: Greatest length of a queue over Ethernet; None for no limit.
        victim: Flow group that needs the share `throughput` of its own best speed; None for none.
        background_bits_per_second: Least throughput of background; see `among`.
        mcr_shares: Least throughput of flow groups as shares of their MCRs of GFR; see `among`.
    """

    abilities: tuple[Ability, ...] = ABILITIES
    loss: float = 0.0
    throughput: float = 0.95
    bits_per_second: float | None = None
    delay_seconds: float | None = None
    fairness: float = FAIR
    insists_on_fairness: bool = False
    settling_seconds: float | None = None
    buffer_cells: int | None = None
    all_files_end: bool = False
    buffer_bytes: float | None = None
    victim: str | None = None
    background_bits_per_second: float = 0.0
    mcr_shares: tuple[tuple[str, float], ...] = ()

    def among(self, options: Iterable[Option]) -> Goals:
        """The goals with the background and the MCRs that an option must keep.

        The most of these options is the measure. A control that holds background back, such as
        credits, has more throughput for the rest.
        """
        options = list(options)
        carried = (one.background_bits_per_second or 0.0 for one in options)
        least = LEAST_BACKGROUND * (1 - self.loss) * max(carried, default=0.0)
        most: dict[str, float] = {}
        for group, share in (pair for one in options for pair in one.mcr_shares):
            most[group] = max(share, most.get(group, 0.0))
        kept = tuple((group, KEPT_MCR * min(1.0, share)) for group, share in most.items())
        return replace(self, background_bits_per_second=least, mcr_shares=kept)

    def enough(self, most: float) -> float:
        """The least speed: a rate in bit/s that was set, or a share of the best speed.

        A completion time may exceed the shortest by the share that a throughput may be below the
        best.

        Args:
            most: The best speed (`speed`) that the other goals allow.
        """
        if self.bits_per_second is not None:
            return self.bits_per_second
        return most / (2 - self.throughput) if self.all_files_end else self.throughput * most

    def speed(self, option: Option) -> float:
        """The speed of an option, of which more is better; in bit/s if a rate was set."""
        return option.speed if self.bits_per_second is None else option.throughput_bits_per_second

    def texts(self, unit: str, speed: str | None = None) -> list[str]:
        """The goals in force, those that the user did not set included, each as text.

        Args:
            unit: What can be lost: "cells" or "packets".
            speed: Text of the goal of speed; by default the goal of throughput, or of completion
                times where all files must end.
        """
        lost = "no loss" if self.loss == 0 else f"at most {self.loss:g} of the {unit} lost"
        parts = ["all files end"] if self.all_files_end else []
        parts.append(f"{lost} in the whole run")
        if speed is not None:
            parts.append(speed)
        elif speed_of(self, files=self.all_files_end) == "completion":
            parts.append(f"a completion time at most {1 - self.throughput:.0%} above the shortest")
        elif self.bits_per_second is None:
            parts.append(f"at least {self.throughput:.0%} of the throughput that this allows")
        else:
            parts.append(f"at least {self.bits_per_second / 1e6:g} Mbit/s")
        if self.delay_seconds is not None:
            parts.append(f"no cell waits longer than {seconds(self.delay_seconds)}")
        if self.fairness > 0:
            parts.append(f"a fairness of {self.fairness:g} or more")
        if self.settling_seconds is not None:
            parts.append(f"settled within {seconds(self.settling_seconds)}")
        if self.buffer_cells is not None:
            parts.append(f"at most {counted(self.buffer_cells, 'cell')} of buffer")
        if self.buffer_bytes is not None:
            parts.append(f"no queue longer than {number(self.buffer_bytes)} bytes")
        if self.victim is not None:
            parts.append(f"{self.victim} at most {1 - self.throughput:.0%} from its best speed")
        return parts

    def as_json(self, without: Sequence[str] = ()) -> dict[str, Any]:
        """The goals for `--json`; either a share of the throughput or a rate is null.

        Args:
            without: Attributes that have no meaning over the link layer.
        """
        names = {
            "loss": "loss_ratio",
            "throughput": "throughput_share",
            "bits_per_second": "throughput_bits_per_second",
        }
        share = self.throughput if self.bits_per_second is None else None
        own = ("insists_on_fairness", "background_bits_per_second", "mcr_shares")
        left = to_json(self, names, without=(*own, *without))
        return {**left, "throughput_share": share}

    def missed(self, option: Option) -> list[str]:
        """Texts on the goals that an option misses, with its numbers.

        The goal of speed is not checked here, and those of background and MCR only after `among`.
        """
        left = [*self.leaves_files(option.unfinished)]
        found = [*left, *self.loses(option.loss, "cells")]
        if self.speed(option) <= 0 and not left:
            found.append("delivers nothing")
        if self.delay_seconds is not None and option.longest_delay_seconds > self.delay_seconds:
            found.append(f"a cell waits {seconds(option.longest_delay_seconds)}")
        found += self.is_unfair(option.fairness)
        background = option.background_bits_per_second
        if background is not None and background < self.background_bits_per_second:
            found.append(f"carries {background / 1e6:.2f} Mbit/s of background")
        given = dict(option.mcr_shares)
        found += [
            f"gives {group} {given[group]:.0%} of its MCR"
            for group, least in self.mcr_shares
            if given[group] < least
        ]
        if self.settling_seconds is not None and option.settling_seconds > self.settling_seconds:
            found.append(settled(option.settling_seconds))
        if self.buffer_cells is not None and option.buffer_cells > self.buffer_cells:
            found.append(f"needs {counted(option.buffer_cells, 'cell')} of buffer")
        return found

    def loses(self, loss: float | None, unit: str) -> Iterator[str]:
        """Text on a loss ratio that exceeds the goal; none if it does not."""
        if loss is not None and loss > self.loss:
            yield f"loses {loss:.2g} of the {unit}"

    def leaves_files(self, unfinished: float | None) -> Iterator[str]:
        """Text on files that do not end in the run, if they must; none if all end."""
        if self.all_files_end and unfinished:
            yield f"leaves {counted_mean(unfinished)} unfinished"

    def is_long(self, peak: float | None) -> Iterator[str]:
        """Text on a queue in bytes that exceeds the goal; none if it does not."""
        if self.buffer_bytes is not None and peak is not None and peak > self.buffer_bytes:
            yield f"has a queue of {number(peak)} bytes"

    def is_unfair(self, fairness: float | None) -> Iterator[str]:
        """Text on a Jain index below the goal; none if it is not below."""
        if fairness is not None and fairness < self.fairness:
            yield f"has a fairness of {fairness:.3f}"


def for_flows(goals: Goals, flows: Sequence[Flow | FrameFlow]) -> Goals:
    """The goals for some flows: if all are files, every file must end, and none has a fair share.

    Raises:
        BadInput: The user asks for fairness, and all flows transfer files.
    """
    if not are_files(flows):
        return goals
    if goals.insists_on_fairness and goals.fairness > 0:
        raise BadInput(
            f"--fairness {goals.fairness:g} has no meaning where all flows transfer files: the "
            "size of a file sets its throughput; completion times count, and --throughput says how "
            "near the shortest they must be"
        )
    return replace(goals, all_files_end=True, fairness=0.0)


def speed_of(goals: Goals, *, files: bool) -> str:
    """Name of the criterion that measures speed: completion times if all flows transfer files."""
    return "completion" if files and goals.bits_per_second is None else "throughput"


def settled(settling_seconds: float) -> str:
    """The settling time as text."""
    if math.isinf(settling_seconds):
        return "never settles"
    if settling_seconds == 0:
        return "has settled by the last start of a flow"
    return f"settles in {seconds(settling_seconds)}"


def counted_mean(files: float) -> str:
    """A mean number of files as text."""
    return f"{number(files)} {'file' if files == 1 else 'files'}"


OF_FRAMES = ("buffer_bytes", "victim")
"""Attributes of goals that a choice over ATM does not have."""
OF_CELLS = ("abilities", "delay_seconds", "settling_seconds", "buffer_cells")
"""Attributes of goals that have no meaning over Ethernet."""


@dataclass(frozen=True)
class Judgement:
    """The judgement of options by the goals.

    Attributes:
        best: The option with the least buffer that meets all goals; None if no option does.
        runner_up: The best option of another control.
        rows: The best option of each control (`best_of_each`), with texts on the goals that it
            misses.
        is_unfair: True if no option that meets the other goals reaches the fairness, so that the
            other goals alone decided.
    """

    best: Option | None
    runner_up: Option | None
    rows: Mapping[Option, Sequence[str]]
    is_unfair: bool = False

    @property
    def missed(self) -> dict[str, Sequence[str]]:
        """Controls that miss goals, with texts on these goals."""
        return {row.candidate.name: why for row, why in self.rows.items() if why}

    @property
    def alike(self) -> bool:
        """True if best and runner-up have equal speeds (`ALIKE`) and overlapping buffers."""
        if self.best is None or self.runner_up is None:
            return False
        one, other = self.best, self.runner_up
        overlap = min(one.by_seed_cells) <= max(other.by_seed_cells) and min(
            other.by_seed_cells
        ) <= max(one.by_seed_cells)
        rates = one.speed, other.speed
        return overlap and abs(rates[0] - rates[1]) <= ALIKE * max(rates)


def judged(options: Sequence[Option], goals: Goals) -> Judgement:
    """Judges options by the goals.

    The best option has the smallest buffer among the options that meet all goals and have enough
    speed (`Goals.enough` of the best speed among the options that meet the goals). An
    option whose utilisation still rises in the measuring window is the best only if the utilisation
    of each of these options rises.
    """
    goals = goals.among(options)
    most = _most(options, goals)
    least = goals.enough(most)
    allowed = [one for one in options if not goals.missed(one)]
    enough = [one for one in allowed if goals.speed(one) >= least]
    enough = [one for one in enough if not one.rises] or enough
    order = sorted(enough, key=lambda option: option.cost)
    best = order[0] if order else None
    if best is None and not goals.insists_on_fairness and goals.fairness > 0:
        return replace(judged(options, replace(goals, fairness=0.0)), is_unfair=True)
    others = (one for one in order if best is not None and one.candidate != best.candidate)
    met = {one.candidate.name for one in enough}
    rows = {
        row: [] if row.candidate.name in met else shortfalls(row, goals, most)
        for row in best_of_each(options, goals)
    }
    return Judgement(best, next(others, None), rows)


def _most(options: Iterable[Option], goals: Goals) -> float:
    """The best speed of the options that meet the goals; 0 if there is none."""
    allowed = (one for one in options if not goals.missed(one))
    return max((goals.speed(one) for one in allowed), default=0.0)


def shortfalls(option: Option, goals: Goals, most: float) -> list[str]:
    """Texts on the goals that an option misses, that of speed included."""
    found = goals.missed(option)
    if 0 < goals.speed(option) < goals.enough(most):
        found.append(_slow(option, goals, most))
    return found or ([rising(option)] if option.rises else [])


NEAR = 0.9
"""An option with at least this share of the speed that is enough misses it narrowly."""


def near_misses(options: Sequence[Option], goals: Goals) -> list[Option]:
    """Options that need less buffer than the best one, and narrowly miss only the speed.

    Such an option replaces the best one if other parameters of its control are a little faster.

    Returns:
        The options, by buffer.
    """
    judgement = judged(options, goals)
    best = judgement.best
    if best is None:
        return []
    goals = (replace(goals, fairness=0.0) if judgement.is_unfair else goals).among(options)
    least = goals.enough(_most(options, goals))
    found = (
        one
        for one in options
        if not goals.missed(one)
        and one.buffer_cells < best.buffer_cells
        and NEAR * least <= goals.speed(one) < least
    )
    return sorted(found, key=lambda one: one.cost)


def best_of_each(options: Sequence[Option], goals: Goals) -> list[Option]:
    """The option of each control with the least buffer among those with enough speed.

    If no option of a control has enough, the best speed of that control counts as enough.

    Args:
        options: Options of several controls.
        goals: The goals, which say what speed is enough. An option that misses fewer goals is
            preferred to a smaller buffer.

    Returns:
        An option for each control, by buffer.
    """
    by_name: dict[str, list[Option]] = {}
    for one in options:
        by_name.setdefault(one.candidate.name, []).append(one)
    goals = goals.among(options)
    least = goals.enough(_most(options, goals))
    best = []
    for of_control in by_name.values():
        most = max(map(goals.speed, of_control))
        bound = least if most >= least else min(goals.enough(most), most)
        enough = [one for one in of_control if goals.speed(one) >= bound]
        best.append(
            min(enough, key=lambda option: (len(goals.missed(option)), option.rises, *option.cost))
        )
    return sorted(best, key=lambda one: one.buffer_cells)


def _slow(option: Option, goals: Goals, most: float) -> str:
    """Text on a speed that is too low; `most` is the best speed."""
    if speed_of(goals, files=goals.all_files_end) == "completion":
        longest, best = seconds(option.completion_seconds or math.inf), seconds(1 / most)
        return f"has completion {longest} (best: {best})"
    rate = option.throughput_bits_per_second
    return f"delivers {rate / 1e6:.2f} Mbit/s, {rate / most:.1%} of the best"


def rising(option: Option) -> str:
    """Text on a rate that has no steady state yet."""
    return f"its rate still rises by {option.rise:.0%} within the measuring window"


def missed_again(
    found: Option, options: Sequence[Option], goals: Goals, again: Callable[[Option], Option]
) -> list[str]:
    """The goals, that of speed included, that the best of some options misses in other runs.

    The goal of speed may be a share of the best speed. Other seeds have other background
    and starts, so the fastest other option is run with them, too, if the best one seems too slow.

    Args:
        found: The best option, run with other seeds.
        options: The options among which it is the best.
        goals: The goals.
        again: Runs an option with these other seeds.
    """
    judgement = judged(options, goals)
    if judgement.is_unfair:
        goals = replace(goals, fairness=0.0)
    # Only options in the same runs are compared in their background.
    there = goals.among(options)
    goals = replace(goals, mcr_shares=there.mcr_shares)
    others = (one for one in options if one != judgement.best and not there.missed(one))
    fastest = max(others, key=goals.speed, default=found)
    most = goals.speed(found)
    if most < goals.enough(goals.speed(fastest)):
        most = max(most, goals.speed(again(fastest)))
    return shortfalls(replace(found, rise=0.0), goals, most)


@dataclass(frozen=True)
class Enough(Criterion):
    """A criterion with a threshold: values at least as good as the threshold are equally good.

    Attributes:
        threshold: The threshold.
    """

    threshold: float = 0.0

    def reaches(self, value: float, best: float) -> bool:
        """True if a value reaches the threshold, or is the best where no value reaches it."""
        if self.best == "least":
            return value <= max(self.threshold, best)
        return value >= min(self.threshold, best)


def enough(least: float | None, goals: Goals, in_time: float) -> Objective:
    """An objective of five criteria in this order; values that meet a goal count as equal.

    They are fairness, a longest queue that the goals allow, throughput, a utilisation that no
    longer rises, and a short queue. If all flows are files, they are files that do not end, the
    longest queue, completion times, and a short queue.

    Args:
        least: Speed that is enough (`Goals.speed`). If None, the goals' share of the best speed is
            enough.
        goals: The goals, which say what fairness is enough and how long the queue may be.
        in_time: Length of a queue whose last cell waits as long as the goals allow.
    """
    name = speed_of(goals, files=goals.all_files_end)
    named = Objective.named(f"unfinished,fairness,{name},queue-peak")
    ends, fair, speed, peak = named.criteria
    longest = in_time if goals.buffer_cells is None else min(in_time, goals.buffer_cells)
    if least is None:
        fast = replace(speed, tolerance=1 - goals.throughput, relative=True)
    else:
        fast = with_threshold(speed, least if name == "throughput" else 1 / least)
    short, steady = with_threshold(peak, longest), with_threshold(RISE, BAND)
    if goals.all_files_end:
        return Objective((ends, short, fast, peak))
    return Objective((with_threshold(fair, goals.fairness), short, fast, steady, peak))


def with_threshold(criterion: Criterion, threshold: float) -> Enough:
    """The criterion with a threshold: values that reach the threshold are equally good."""
    known = {one.name: getattr(criterion, one.name) for one in fields(Criterion)}
    return Enough(**known, threshold=threshold)
