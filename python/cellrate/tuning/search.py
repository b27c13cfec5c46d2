"""Settings worth a try, where no model proposes them: all of them, or what a sampler picks."""

from __future__ import annotations

import itertools
import math

from cellrate.parameters.ranges import Space
from cellrate.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.tuning.objective import Objective
from cellrate.tuning.sampler import BATCH, place_of, proposed, setting_at

SPREAD = 3
"""One in so many settings is spread evenly before the sampler learns from them."""


def count(space: Space) -> float:
    """How many settings there are; infinitely many if a range is a continuum."""
    return math.prod(math.inf if one.values is None else len(one.values) for one in space)


def everything(space: Space) -> list[Setting]:
    """Every setting of a space without a continuum."""
    columns = [[(one.path, value) for value in one.values or ()] for one in space]
    return [Setting(values) for values in itertools.product(*columns)]


def search(
    laboratory: Laboratory, space: Space, settings: int, objective: Objective, seed: int
) -> list[Setting]:
    """Tries so many settings with one seed each, and returns them.

    All, if there are no more. Else a third is spread over the space by a scrambled Sobol sequence;
    the rest is proposed, batch by batch, by a tree-structured Parzen estimator (Bergstra et al.
    2011) that is told the ranks of all settings so far. The scenario as it is counts as one, and
    is not among what is returned.

    Args:
        laboratory: Where they are tried.
        space: What is varied.
        settings: How many settings to try at most.
        objective: What is best.
        seed: Of the random numbers of the search.

    Raises:
        ScenarioError: The scenario allows none of them.
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
    from scipy.stats import qmc  # takes its time

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
    raise AssertionError  # count never ends
