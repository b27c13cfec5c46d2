"""Judges options by goals: those that meet them, the best one, and the runner-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cellrate.advice.choosing.goals import Goals
from cellrate.advice.choosing.option import Option

# Throughputs that differ by no more than this share are alike.
ALIKE = 0.02


@dataclass(frozen=True)
class Judgement:
    """Options by the goals.

    Attributes:
        best: The least buffer of those that meet all goals; None if none does.
        runner_up: The best one of another control.
        missed: The goals that an option of each control misses, the nearest one, by its name.
        is_unfair: True if no option that meets the other goals is as fair as was wanted, so that
            the other goals alone decided.
    """

    best: Option | None
    runner_up: Option | None
    missed: dict[str, list[str]]
    is_unfair: bool = False

    @property
    def alike(self) -> bool:
        """True if best and runner-up cannot be told apart.

        Their throughputs are alike, and the buffers that they need overlap over the seeds.
        """
        if self.best is None or self.runner_up is None:
            return False
        one, other = self.best, self.runner_up
        overlap = min(one.by_seed_cells) <= max(other.by_seed_cells) and min(
            other.by_seed_cells
        ) <= max(one.by_seed_cells)
        rates = one.throughput_bits_per_second, other.throughput_bits_per_second
        return overlap and abs(rates[0] - rates[1]) <= ALIKE * max(rates)


def judged(options: Sequence[Option], goals: Goals) -> Judgement:
    """Judges options: first the goals, then throughput beside the best, then the least buffer."""
    allowed = [one for one in options if not goals.missed(one)]
    most = max((one.throughput_bits_per_second for one in allowed), default=0.0)
    least = goals.enough(most)
    enough = [one for one in allowed if one.throughput_bits_per_second >= least]
    order = sorted(enough, key=_by_buffer)
    best = order[0] if order else None
    if best is None and not goals.insists_on_fairness and goals.fairness > 0:
        return replace(judged(options, replace(goals, fairness=0.0)), is_unfair=True)
    others = (one for one in order if best is not None and one.candidate != best.candidate)
    return Judgement(best, next(others, None), _missed(options, enough, goals, most))


def best_of_each(options: Sequence[Option], goals: Goals) -> list[Option]:
    """The option of each control with the least buffer among those with enough throughput.

    Where no option of a control has that, its own best throughput counts.

    Args:
        options: Options of several controls.
        goals: They say which throughput is enough. Of such options those come first that miss the
            fewest goals.

    Returns:
        An option for each control, by buffer.
    """
    by_name: dict[str, list[Option]] = {}
    for one in options:
        by_name.setdefault(one.candidate.name, []).append(one)
    allowed = [one for one in options if not goals.missed(one)]
    least = goals.enough(max((one.throughput_bits_per_second for one in allowed), default=0.0))
    best = []
    for of_control in by_name.values():
        most = max(one.throughput_bits_per_second for one in of_control)
        bound = least if most >= least else min(goals.enough(most), most)
        enough = [one for one in of_control if one.throughput_bits_per_second >= bound]
        fewest = min(len(goals.missed(one)) for one in enough)
        best.append(
            min((one for one in enough if len(goals.missed(one)) == fewest), key=_by_buffer)
        )
    return sorted(best, key=lambda one: one.buffer_cells)


def _by_buffer(one: Option) -> tuple[float, ...]:
    return (one.buffer_cells, -one.throughput_bits_per_second, one.mean_delay_seconds)


def _missed(
    options: Sequence[Option], enough: Sequence[Option], goals: Goals, most: float
) -> dict[str, list[str]]:
    """For each control without an option that meets the goals, what its nearest option misses."""
    met = {one.candidate.name for one in enough}
    found: dict[str, list[str]] = {}
    for one in sorted(options, key=lambda one: -one.throughput_bits_per_second):
        name = one.candidate.name
        if name in met:
            continue
        why = goals.missed(one)
        if not why:
            rate = f"delivers {one.throughput_bits_per_second / 1e6:.2f} Mbit/s"
            why = [f"{rate}, {one.throughput_bits_per_second / most:.0%} of the best"]
        if name not in found or len(why) < len(found[name]):
            found[name] = why
    return found
