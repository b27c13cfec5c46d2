"""Successive halving: after each stage only the best settings are run with more seeds."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cellrate.advice.tuning.laboratory import Laboratory, Setting
from cellrate.advice.tuning.measures import Measures
from cellrate.advice.tuning.objective import Means, Objective, Shortfall, means_of
from cellrate.common.problems import BadInput

SHARE = 3
"""After each stage one setting in three stays; the next stage has three times the seeds."""
LEAST = 2
"""Least number of settings that stay, so that the best setting can be compared with another."""


@dataclass(frozen=True)
class Ranked:
    """A setting with its measures, and the first criterion in which it is worse than the best.

    Attributes:
        setting: Values of the parameters.
        runs: Measures, seed by seed.
        means: Means over these seeds.
        shortfall: The first criterion in which the setting is worse than the best setting over the
            same seeds; None if the setting is the best, or within all tolerances.
        dropped: If within these tolerances, the first criterion in which the setting is worse than
            the best of all settings over the same seeds; None if it is not worse.
    """

    setting: Setting
    runs: tuple[Measures, ...]
    means: Means
    shortfall: Shortfall | None
    dropped: Shortfall | None = None


def rungs(seeds: int) -> tuple[int, ...]:
    """Number of seeds with which a setting has been run after each stage.

    >>> rungs(5), rungs(1), rungs(20)
    ((1, 3, 5), (1,), (1, 3, 9, 20))
    """
    found = [SHARE**n for n in range(seeds.bit_length()) if SHARE**n < seeds]
    return (*found, seeds)


def cost(settings: int, references: int, seeds: int) -> int:
    """Number of runs of a race (successive halving); references are run with every seed."""
    stages, runs, left, before = rungs(seeds), references * seeds, settings, 0
    for number, stage in enumerate(stages):
        runs += left * (stage - before)
        before = stage
        if number + 1 < len(stages):
            left = survivors(left)
    return runs


def survivors(settings: int) -> int:
    """Number of settings that stay for the next stage."""
    return min(settings, max(LEAST, math.ceil(settings / SHARE)))


def affordable(budget: int, references: int, seeds: int) -> int:
    """Greatest number of settings that can compete within a budget of runs; may be 0."""
    settings = 0
    while cost(settings + 1, references, seeds) <= budget:
        settings += 1
    return settings


def require_budget(budget: int, references: int, seeds: int, settings: int) -> None:
    """Checks that a budget is large enough to compare two settings.

    Raises:
        BadInput: The budget is too small; the message names the least budget.
    """
    if settings < LEAST:
        least = cost(LEAST, references, seeds)
        raise BadInput(
            f"--budget {budget}: two settings, the scenario as it is and those of --include, with "
            f"{seeds} seeds each, take {least} runs; allow --budget {least} or more, or fewer "
            "--seeds"
        )


def race(
    laboratory: Laboratory,
    settings: Sequence[Setting],
    references: Sequence[Setting],
    objective: Objective,
) -> None:
    """Runs settings with more and more seeds, and after each stage drops all but the best.

    Args:
        laboratory: Runs the settings and keeps their measures.
        settings: Settings that compete.
        references: Settings to compare with; they are run with every seed, good or bad.
        objective: Ranks the settings.
    """
    left = [setting for setting in dict.fromkeys(settings) if setting not in references]
    for seeds in rungs(len(laboratory.seeds)):
        laboratory.measure([*references, *left], seeds)
        order = _ordered(laboratory, left, objective, seeds)
        left = order[: survivors(len(left))]


def ranking(
    laboratory: Laboratory,
    objective: Objective,
    held: Setting | None = None,
    fallen: Collection[Setting] = (),
) -> list[Ranked]:
    """All settings that were run, by rank; settings with more seeds rank before those with fewer.

    A setting with more seeds was among the best of an earlier stage.

    Args:
        laboratory: Holds the measures of the settings.
        objective: Ranks the settings.
        held: The best setting that holds in other runs, which is first; None if none holds.
        fallen: Settings that do not hold in other runs; they are last if another setting holds.
    """
    tried = laboratory.trials
    order: list[Setting] = []
    for seeds in sorted({len(runs) for runs in tried.values()}, reverse=True):
        group = [setting for setting, runs in tried.items() if len(runs) == seeds]
        order += _ordered(laboratory, group, objective, seeds)
    if held is not None:
        order.sort(key=lambda setting: (setting != held, setting in fallen))
    others = [setting for setting in order if setting not in fallen]
    return [_ranked(laboratory, setting, order[0], others, objective) for setting in order]


def _ordered(
    laboratory: Laboratory, settings: Sequence[Setting], objective: Objective, seeds: int
) -> list[Setting]:
    means = [means_of(laboratory.trials[setting][:seeds]) for setting in settings]
    return [settings[at] for at in objective.ranked(means)]


def _ranked(
    laboratory: Laboratory,
    setting: Setting,
    best: Setting,
    others: Sequence[Setting],
    objective: Objective,
) -> Ranked:
    runs = laboratory.trials[setting]
    means, beside = means_of(runs), means_of(laboratory.trials[best][: len(runs)])
    short = objective.shortfall(means, beside)
    if short or setting == best or setting not in others:
        return Ranked(setting, runs, means, short)
    count = len(runs)
    whole = [one for one in others if len(laboratory.trials[one]) >= count]
    candidates = [means_of(laboratory.trials[one][:count]) for one in whole]
    return Ranked(setting, runs, means, None, objective.dropped(whole.index(setting), candidates))
