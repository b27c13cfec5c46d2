"""Search of a space of settings by simulation: every setting, or those that a sampler proposes.

The sampler is a tree-structured Parzen estimator that learns from ranks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.objective import Objective, means_of
from cellrate.studies.parameters.ranges import Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

BATCH = 6
"""Number of settings that are proposed at a time.

The number does not depend on the number of cores, so a search gives the same result everywhere."""
PATIENCE = 50
"""A batch ends after so many proposals in a row that were tried before or are refused."""
SPREAD = 3
"""Of three settings, one comes from a Sobol sequence; the sampler proposes the rest."""


def count(space: Space) -> float:
    """Number of settings in a space; infinite if a parameter has a continuous range."""
    return math.prod(
        math.inf if parameter.values is None else len(parameter.values) for parameter in space
    )


def everything(space: Space) -> list[Setting]:
    """Every setting of a space without continuous ranges."""
    columns = [[one.pairs(value) for value in one.values or ()] for one in space]
    return [
        Setting(tuple(itertools.chain.from_iterable(pairs)))
        for pairs in itertools.product(*columns)
    ]


def search(
    laboratory: Laboratory, space: Space, settings: int, objective: Objective, seed: int
) -> list[Setting]:
    """Selects settings to compare.

    If the space has at most `settings` settings, all that the scenario allows are returned, without
    a run. Otherwise a third is spread over the space by a scrambled Sobol sequence, and a
    tree-structured Parzen estimator (Bergstra et al. 2011) proposes the rest, batch by batch, from
    the ranks of the settings so far. These settings, and the scenario as it is, are run with one
    seed each. The scenario as it is is not among the settings returned.

    Args:
        laboratory: Runs the settings and keeps their measures.
        space: Parameters that are varied.
        settings: Greatest number of settings to return.
        objective: Ranks the settings.
        seed: Seed of the random numbers of the search.

    Raises:
        ScenarioError: The scenario allows none of the settings.
    """
    if count(space) <= settings:
        found = laboratory.allowed(everything(space))
    else:
        found = _sampled(laboratory, space, settings, objective, seed)
    if not found:
        raise next(iter(laboratory.refused.values()))
    return found


def _sampled(
    laboratory: Laboratory, space: Space, settings: int, objective: Objective, seed: int
) -> list[Setting]:
    from scipy.stats import qmc  # slow to import

    first = min(settings, max(BATCH, math.ceil(settings / SPREAD)))
    points = qmc.Sobol(len(space), rng=seed).random_base2(math.ceil(math.log2(first)))
    places = {setting_at(space, tuple(map(float, point))): point for point in points[:first]}
    found = [setting for setting in laboratory.allowed(places) if setting != AS_IT_IS]
    tried = {setting: place_of(space, places[setting]) for setting in places}
    laboratory.measure([AS_IT_IS, *found], 1)
    for round_ in itertools.count(1):
        left = settings - len(found)
        batch = proposed(laboratory, space, tried, objective, (seed, round_), left)
        if not batch:
            return found
        laboratory.measure(batch, 1)
        found += batch
    raise AssertionError  # the loop never ends by itself


def proposed(
    laboratory: Laboratory,
    space: Space,
    tried: dict[Setting, tuple[float, ...]],
    objective: Objective,
    seed: tuple[int, int],
    wanted: int,
) -> list[Setting]:
    """Proposes the next batch of at most `wanted` settings.

    Args:
        laboratory: Holds the measures of the settings so far.
        space: Parameters that are varied.
        tried: The sampler's coordinates of every setting proposed so far; proposals are added.
        objective: Ranks the settings.
        seed: Seed of the search, and number of the batch.
        wanted: Number of settings that are still to be proposed.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(
        n_startup_trials=0, multivariate=True, constant_liar=True, seed=_mixed(*seed)
    )
    study = optuna.create_study(sampler=sampler)
    distributions = {one.path: _distribution(space, at) for at, one in enumerate(space)}
    measured = [setting for setting in tried if setting in laboratory.trials]
    means = [means_of(laboratory.trials[setting][:1]) for setting in measured]
    ranks = {measured[at]: rank for rank, at in enumerate(objective.ranked(means))}
    for setting, place in tried.items():
        study.add_trial(
            optuna.trial.create_trial(
                params=dict(zip(distributions, place, strict=True)),
                distributions=distributions,
                value=float(ranks.get(setting, len(tried))),
            )
        )
    batch: list[Setting] = []
    idle = 0
    while len(batch) < min(BATCH, wanted) and idle < PATIENCE:
        trial = study.ask(distributions)
        place = tuple(trial.params[parameter.path] for parameter in space)
        setting = _at(space, place)
        allowed = setting not in tried and laboratory.allowed([setting]) == [setting]
        tried.setdefault(setting, place)
        batch += [setting] if allowed else []
        idle = 0 if allowed else idle + 1
    return batch


def _mixed(seed: int, number: int) -> int:
    """The seed of batch `number` of a search."""
    return (seed * 1_000_003 + number) % 2**32


def _distribution(space: Space, at: int) -> BaseDistribution:
    """The sampler's form of a parameter: a share of its range, or the index of a value."""
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    one = space[at]
    if one.values is None:
        return FloatDistribution(0.0, 1.0)
    numbers = range(len(one.values))
    return IntDistribution(0, len(numbers) - 1) if one.ordered else CategoricalDistribution(numbers)


def place_of(space: Space, point: Sequence[float]) -> tuple[float, ...]:
    """The sampler's coordinates of a point of the unit cube."""
    return tuple(
        float(share) if one.values is None else _number(share, len(one.values))
        for one, share in zip(space, point, strict=True)
    )


def _number(share: float, values: int) -> int:
    return min(values - 1, int(share * values))


def setting_at(space: Space, point: Sequence[float]) -> Setting:
    """The setting at a point of the unit cube."""
    return _at(space, place_of(space, point))


def _at(space: Space, place: Sequence[float]) -> Setting:
    """The setting at some coordinates of the sampler."""
    values: list[tuple[str, str]] = []
    for one, coordinate in zip(space, place, strict=True):
        text = one.at(coordinate) if one.values is None else one.values[int(coordinate)]
        values += one.pairs(text)
    return Setting(tuple(values))
