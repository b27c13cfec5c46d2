"""A tree-structured Parzen estimator that is told ranks: which settings to try next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cellrate.parameters.ranges import Space
from cellrate.tuning.laboratory import Laboratory, Setting
from cellrate.tuning.objective import Objective, means_of

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

BATCH = 6
"""Settings that are proposed at a time, whatever the number of cores, so that the same search gives
the same result everywhere."""
PATIENCE = 50
"""Settings in a row that the scenario refuses, or that were tried, before a batch is given up."""


def proposed(
    laboratory: Laboratory,
    space: Space,
    tried: dict[Setting, tuple[float, ...]],
    objective: Objective,
    seed: tuple[int, int],
    wanted: int,
) -> list[Setting]:
    """The next batch, and its places in `tried`."""
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
        place = tuple(trial.params[one.path] for one in space)
        setting = _at(space, place)
        allowed = setting not in tried and laboratory.allowed([setting]) == [setting]
        tried.setdefault(setting, place)
        batch += [setting] if allowed else []
        idle = 0 if allowed else idle + 1
    return batch


def _mixed(seed: int, number: int) -> int:
    """A seed for each batch of a search."""
    return (seed * 1_000_003 + number) % 2**32


def _distribution(space: Space, at: int) -> BaseDistribution:
    """How the sampler sees a parameter: a share of its range, or the number of its value."""
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
    """Where a point of the unit cube is in the eyes of the sampler."""
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
    """The setting at a place of the sampler."""
    values = []
    for one, where in zip(space, place, strict=True):
        if one.values is not None:
            values.append((one.path, one.values[int(where)]))
        else:
            values.append((one.path, one.at(where)))
    return Setting(tuple(values))
