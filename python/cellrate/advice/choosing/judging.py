"""Judges options by goals: those that meet them, the best one, and the runner-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.advice.choosing.goals import Goals
from cellrate.advice.choosing.option import Option

# Two options of which buffer and throughput differ by no more than this share are alike.
ALIKE = 0.02


@dataclass(frozen=True)
class Judgement:
    """Options by the goals.

    Attributes:
        best: The least buffer of those that meet all goals; None if none does.
        runner_up: The best one of another control.
        missed: The goals that an option of each control misses, the nearest one, by its name.
    """

    best: Option | None
    runner_up: Option | None
    missed: dict[str, list[str]]

    @property
    def alike(self) -> bool:
        """True if best and runner-up cannot be told apart."""
        if self.best is None or self.runner_up is None:
            return False
        pairs = (
            (self.best.buffer_cells, self.runner_up.buffer_cells),
            (self.best.throughput_bits_per_second, self.runner_up.throughput_bits_per_second),
        )
        return all(abs(a - b) <= ALIKE * max(a, b) for a, b in pairs)


def judged(options: Sequence[Option], goals: Goals) -> Judgement:
    """Judges options: first the goals, then throughput beside the best, then the least buffer."""
    allowed = [one for one in options if not goals.missed(one)]
    most = max((one.throughput_bits_per_second for one in allowed), default=0.0)
    enough = [one for one in allowed if one.throughput_bits_per_second >= goals.throughput * most]
    order = sorted(enough, key=_by_buffer)
    best = order[0] if order else None
    others = (one for one in order if best is not None and one.candidate != best.candidate)
    return Judgement(best, next(others, None), _missed(options, enough, goals, most))


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
            share = one.throughput_bits_per_second / most
            why = [f"delivers {share:.0%} of the best"]
        if name not in found or len(why) < len(found[name]):
            found[name] = why
    return found
