"""Search of a space of settings by simulation: every setting, or those that a sampler proposes."""

from __future__ import annotations

import itertools
import math

from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.objective import Objective
from cellrate.advice.tuning.sampler import BATCH, place_of, proposed, setting_at
from cellrate.studies.parameters.ranges import Space

SPREAD = 3
"""One of this many settings comes from the even spread; the sampler proposes the rest."""


def count(space: Space) -> float:
    """Number of settings in a space; infinite if a range is a continuum."""
    return math.prod(math.inf if one.values is None else len(one.values) for one in space)


def everything(space: Space) -> list[Setting]:
    """Every setting of a space without a continuum."""
    columns = [[(one.path, value) for value in one.values or ()] for one in space]
    return [Setting(values) for values in itertools.product(*columns)]


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
    raise AssertionError  # count never ends
