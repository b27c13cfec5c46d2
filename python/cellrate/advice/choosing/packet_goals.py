"""Goals of a choice over Ethernet as criteria in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from cellrate.advice.choosing.goals import Goals, at_least
from cellrate.advice.tuning.measures import Criterion
from cellrate.advice.tuning.objective import Means, Objective
from cellrate.common.numbers import number


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


def speed_of(goals: Goals, *, files: bool) -> str:
    """Name of the criterion that measures speed: completion times if all flows transfer files."""
    return "completion" if files and goals.bits_per_second is None else "throughput"


def objective_of(goals: Goals, *, files: bool) -> Objective:
    """Ranks by the goals in their order: fairness, loss, speed, and last the shortest mean queue.

    If no alternative meets a goal, the nearest alternatives stay in the ranking. Where all flows
    transfer files, the alternatives under which the most files end come before all others: no goal
    makes up for a file that does not end. Beside other flows, files that do not end count after the
    speed.

    Args:
        goals: The goals.
        files: True if all flows transfer files, so that completion times measure the speed.
    """
    named = f"unfinished,fairness,loss,{speed_of(goals, files=files)},queue"
    known = Objective.named(named, "ethernet")
    ends, fairness, loss, carried, queue = known.criteria
    lost = AtMost(
        **{one.name: getattr(loss, one.name) for one in fields(Criterion)}, most=goals.loss
    )
    fast: Criterion = replace(carried, tolerance=1 - goals.throughput)
    if goals.bits_per_second is not None:
        fast = at_least(carried, goals.bits_per_second)
    asked = (at_least(fairness, goals.fairness), lost, fast)
    return replace(known, criteria=(ends, *asked, queue) if files else (*asked, ends, queue))


def missed(means: Means, goals: Goals) -> list[str]:
    """Texts on the goals that means miss; a share of the best throughput is no such goal."""
    found = [*goals.leaves_files(means["unfinished"]), *goals.loses(means["loss"], "packets")]
    found += goals.is_unfair(means["fairness"])
    carried = means["throughput"] or 0.0
    if goals.bits_per_second is not None and carried < goals.bits_per_second:
        found.append(f"delivers {number(carried / 1e9)} Gbit/s")
    return found


def within_reach(goals: Goals, found: Sequence[Means]) -> Goals:
    """The goals that decide: without fairness if its default keeps other goals from being met.

    The default counts only if some means that meet the other goals reach it. If none meet the other
    goals, it counts if any means reach it.

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
