"""Runs the best setting and another one with seeds that the search did not use.

The best of many settings owes a part of its lead to the seeds that chose it. Runs with fresh seeds
are without this bias.
"""

from __future__ import annotations

from dataclasses import replace

from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.laboratory import Laboratory, Setting, draws_nothing
from cellrate.advice.tuning.race import Ranked, ranking
from cellrate.common.whole_number import MOST_SEED
from cellrate.simulation.network.ethernet_view import network_of

FRESH = 8
"""Number of fresh seeds."""


def with_fresh_seeds(answer: Answer, laboratory: Laboratory) -> Answer:
    """Adds runs of the best setting and its nearest one with fresh seeds, if seeds matter."""
    other = answer.nearest
    if other is None or not any(_seeds_matter(laboratory, one) for one in (answer.chosen, other)):
        return answer
    seeds = ((answer.seeds[-1] + step) % (MOST_SEED + 1) for step in range(1, FRESH + 1))
    again = laboratory.with_seeds(tuple(seeds))
    again.measure([answer.chosen.setting, other.setting], FRESH)
    ranked = tuple(ranking(again, answer.objective))
    runs = answer.check_runs + again.simulated + again.known
    return replace(answer, fresh=replace(answer, ranked=ranked, seeds=again.seeds), check_runs=runs)


def _seeds_matter(laboratory: Laboratory, one: Ranked) -> bool:
    """False if a setting draws no random number, or all seeds of the search gave the same run."""
    if len(one.runs) > 1 and len({run.digest for run in one.runs}) == 1:
        return False
    return not draws_nothing(network_of(laboratory.job(one.setting, 0).scenario()))


def preferred(answer: Answer) -> Setting:
    """The setting to recommend: by the fresh seeds, if there are any.

    A setting whose lead may be chance stands behind one that is clearly better in the next
    criterion. Settings within all tolerances keep the order of the search.
    """
    found = answer.fresh or answer
    if found.rival is not None:
        return found.rival[0].setting
    best = answer.chosen.setting
    return best if found.of(best).shortfall is None else found.chosen.setting
