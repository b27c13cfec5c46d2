"""A race over seeds: every setting gets one, the best get more, the very best get all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.problems import BadInput
from cellrate.tuning.laboratory import Laboratory, Setting
from cellrate.tuning.measures import Measures
from cellrate.tuning.objective import Means, Objective, Shortfall, means_of

SHARE = 3
"""One in so many settings goes on, with so many times the seeds."""
LEAST = 2
"""The best one has somebody to be compared with."""


@dataclass(frozen=True)
class Ranked:
    """A setting, what it measured, and why it is not the best.

    Attributes:
        setting: The values.
        runs: What was measured, seed by seed.
        means: Means over these seeds.
        shortfall: Where it falls behind the best setting over the same seeds; None if nowhere
            beyond the tolerances, or if it is the best.
    """

    setting: Setting
    runs: tuple[Measures, ...]
    means: Means
    shortfall: Shortfall | None


def rungs(seeds: int) -> tuple[int, ...]:
    """Seeds that a setting has had after each stage.

    >>> rungs(5), rungs(1), rungs(20)
    ((1, 3, 5), (1,), (1, 3, 9, 20))
    """
    found = [SHARE**n for n in range(seeds.bit_length()) if SHARE**n < seeds]
    return (*found, seeds)


def cost(settings: int, guests: int, seeds: int) -> int:
    """Runs that a race takes: settings that compete, and guests that get every seed."""
    stages, runs, left, before = rungs(seeds), guests * seeds, settings, 0
    for number, stage in enumerate(stages):
        runs += left * (stage - before)
        before = stage
        if number + 1 < len(stages):
            left = survivors(left)
    return runs


def survivors(settings: int) -> int:
    """How many of so many settings go on."""
    return min(settings, max(LEAST, math.ceil(settings / SHARE)))


def affordable(budget: int, guests: int, seeds: int) -> int:
    """How many settings can compete for so many runs; 0 if not even one can."""
    settings = 0
    while cost(settings + 1, guests, seeds) <= budget:
        settings += 1
    return settings


def require_budget(budget: int, guests: int, seeds: int, settings: int) -> None:
    """Makes sure that a budget can compare settings.

    Raises:
        BadInput: It cannot; says how many runs can.
    """
    if settings < LEAST:
        least = cost(LEAST, guests, seeds)
        raise BadInput(
            f"--budget {budget}: {seeds} seeds of two settings and of what they are compared with "
            f"take {least} runs; allow as many, or fewer --seeds"
        )


def race(
    laboratory: Laboratory,
    settings: Sequence[Setting],
    guests: Sequence[Setting],
    objective: Objective,
) -> None:
    """Tries settings with more and more seeds; the laboratory keeps what is measured.

    Args:
        laboratory: Where they are tried.
        settings: What competes.
        guests: What gets every seed however it fares, to be compared with.
        objective: What is best.
    """
    left = [setting for setting in dict.fromkeys(settings) if setting not in guests]
    for seeds in rungs(len(laboratory.seeds)):
        laboratory.measure([*guests, *left], seeds)
        order = _ordered(laboratory, left, objective, seeds)
        left = order[: survivors(len(left))]


def standing(laboratory: Laboratory, objective: Objective) -> list[Ranked]:
    """Everything that was tried by rank; those with more seeds first, for they went further."""
    tried = laboratory.trials
    order: list[Setting] = []
    for seeds in sorted({len(runs) for runs in tried.values()}, reverse=True):
        group = [setting for setting, runs in tried.items() if len(runs) == seeds]
        order += _ordered(laboratory, group, objective, seeds)
    return [_ranked(laboratory, setting, order[0], objective) for setting in order]


def _ordered(
    laboratory: Laboratory, settings: Sequence[Setting], objective: Objective, seeds: int
) -> list[Setting]:
    means = [means_of(laboratory.trials[setting][:seeds]) for setting in settings]
    return [settings[at] for at in objective.ranked(means)]


def _ranked(
    laboratory: Laboratory, setting: Setting, best: Setting, objective: Objective
) -> Ranked:
    runs = laboratory.trials[setting]
    means, beside = means_of(runs), means_of(laboratory.trials[best][: len(runs)])
    return Ranked(setting, runs, means, objective.shortfall(means, beside))
