"""Goals of a choice over Ethernet as criteria in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cellrate.advice.choosing.goals import LEAST_BACKGROUND, Goals, speed_of, with_threshold
from cellrate.advice.tuning.measures import Criterion
from cellrate.advice.tuning.objective import Means, Objective
from cellrate.advice.tuning.shares import BACKGROUND
from cellrate.common.numbers import number, seconds
from cellrate.common.problems import choose
from cellrate.language.ended_flows import TRANSFER
from cellrate.simulation.network.ethernet_view import FrameNetwork


def of_victim(goals: Goals, network: FrameNetwork) -> tuple[Criterion, ...]:
    """The speed of the victim: its longest completion time, or the throughput of its slowest flow.

    Raises:
        BadInput: The scenario has no such flow group.
    """
    if goals.victim is None:
        return ()
    group = choose(goals.victim, [*network.groups()], "flow group")
    files = all(flow.kind == TRANSFER for flow in network.groups()[group])

    def of(summary: Mapping[str, Any]) -> float | None:
        own = [flow for flow in summary["flows"] if flow["group"] == group]
        if not files:
            return float(min(flow["throughput_bits_per_second"] for flow in own))
        times = [flow["completion_seconds"] for flow in own]
        return None if None in times else float(max(times))

    about = f"longest completion time of {group}" if files else f"least throughput of {group}"
    found = Criterion(
        name="victim",
        about=about,
        unit="s" if files else "bit/s",
        best="least" if files else "greatest",
        tolerance=1 - goals.throughput,
        relative=True,
        of=of,
        rate=("Gbit/s", 1e9),
    )
    return (found,)


def of_background(goals: Goals, network: FrameNetwork) -> tuple[Criterion, ...]:
    """The throughput of flows that no control slows, if there are other flows beside them.

    A control that holds background back has more throughput for the rest.
    """
    names = {flow.name for flow in network.flows if flow.is_unchecked}
    if len(names) in {0, len(network.flows)}:
        return ()

    def of(summary: Mapping[str, Any]) -> float:
        counted = (one for one in summary["flows"] if one["name"] in names)
        return float(sum(one["throughput_bits_per_second"] for one in counted))

    found = Criterion(
        name=BACKGROUND,
        about="throughput of the background",
        unit="bit/s",
        best="greatest",
        tolerance=1 - LEAST_BACKGROUND * (1 - goals.loss),
        relative=True,
        of=of,
        rate=("Gbit/s", 1e9),
    )
    return (found,)


def objective_of(
    goals: Goals,
    *,
    files: bool,
    background: Sequence[Criterion] = (),
    more: Sequence[Criterion] = (),
) -> Objective:
    """Ranks by the goals in their order: fairness, loss, longest queue, speed, mean queue.

    If no alternative meets a goal, the nearest alternatives stay in the ranking. Where all flows
    transfer files, the alternatives under which the most files end come before all others: no goal
    makes up for a file that does not end. Beside other flows, files that do not end count after the
    speed.

    Args:
        goals: The goals.
        files: True if all flows transfer files, so that completion times measure the speed.
        background: The criterion of background, before the speed.
        more: Criteria after the speed.
    """
    named = f"unfinished,fairness,loss,{speed_of(goals, files=files)},queue,queue-peak"
    known = Objective.named(named, "ethernet")
    ends, fairness, loss, carried, queue, peak = known.criteria
    fast: Criterion = replace(carried, tolerance=1 - goals.throughput)
    if goals.bits_per_second is not None:
        fast = with_threshold(carried, goals.bits_per_second)
    short = () if goals.buffer_bytes is None else (with_threshold(peak, goals.buffer_bytes),)
    fair, lost = with_threshold(fairness, goals.fairness), with_threshold(loss, goals.loss)
    asked = (fair, lost, *short, *background, fast, *more)
    return replace(known, criteria=(ends, *asked, queue) if files else (*asked, ends, queue))


def missed(means: Means, goals: Goals) -> list[str]:
    """Texts on the goals that means miss; a share of the best throughput is not checked."""
    found = [*goals.leaves_files(means["unfinished"]), *goals.loses(means["loss"], "packets")]
    found += [*goals.is_unfair(means["fairness"]), *goals.is_long(means["queue-peak"])]
    carried = means["throughput"] or 0.0
    if goals.bits_per_second is not None and carried < goals.bits_per_second:
        found.append(f"delivers {number(carried / 1e9)} Gbit/s")
    return found


def relative_to_best(objective: Objective, goals: Goals) -> list[Criterion]:
    """The criteria whose goals are relative to the best option: speed, background, victim."""
    names = {BACKGROUND, "victim"}
    if goals.bits_per_second is None:
        names.add(speed_of(goals, files=goals.all_files_end))
    return [one for one in objective.criteria if one.name in names]


def is_behind(goal: Criterion, value: float | None, best: float) -> bool:
    """True if a value is worse than the best one by more than the goal allows."""
    return value is None or not goal.reaches(value, best)


def behind(goal: Criterion, value: float | None, best: float) -> str:
    """Text on a value that is worse than the best one by more than the goal allows."""
    if value is None:
        return f"has no {goal.name}, since files do not end"
    return f"has {goal.name} {as_text(goal, value)} (best: {as_text(goal, best)})"


def as_text(criterion: Criterion, value: float, *, with_unit: bool = True) -> str:
    """A value of a criterion as text."""
    unit = criterion.shown_unit if with_unit else ""
    text = f"{number(value / criterion.divisor)} {unit}".strip()
    return seconds(value) if criterion.unit == "s" else text


def within_reach(goals: Goals, found: Sequence[Means]) -> Goals:
    """The goals that decide: without fairness if its default keeps other goals from being met.

    The default counts only if a run that meets the other goals reaches it. If none meets the other
    goals, the default counts if any run reaches it.

    Args:
        goals: The goals that are asked for.
        found: Means of all that was run.
    """
    others = replace(goals, fairness=0.0)
    able = [means for means in found if not missed(means, others)] or found
    is_kept = goals.insists_on_fairness or any(
        not [*goals.is_unfair(means["fairness"])] for means in able
    )
    return goals if is_kept else others
