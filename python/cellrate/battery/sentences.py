"""Sentences of the battery's report: the verdict, strengths, weaknesses and what to try."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from cellrate.battery.answer import Answer
from cellrate.battery.contenders import Contender, contender
from cellrate.battery.duels import Duel
from cellrate.battery.experiments import Experiment
from cellrate.battery.fair_load import fair_load
from cellrate.battery.measures import BY_NAME, Measure
from cellrate.battery.standings import POINTS, Standing
from cellrate.common.numbers import number, seconds

MOST_TRIALS = 6
"""Number of weak places that are told with a command."""
MOST_ALIKE = 2
"""Number of them in one experiment, and by one measure."""
WEAK, STRONG = 0.35, 0.65
"""Shares of the duels below which a place is weak, and from which on it is strong."""

MORE_THAN_ALL = 1.05
"""Sum of the rates, as a share of the link, from which on a scheme grants too much."""

HINTS = {
    "utilisation": "aim nearer to the whole link, or drain the queue that this leaves",
    "max_min_distance": "a target below the whole link counts as distance; beyond that read the "
    "rates in forward RM cells: a flow that is held to less elsewhere leaves room to the others",
    "settling_seconds": "measure over shorter intervals, or let sources change by more at a time",
    "queue_p99_cells": "give away less than the link while a queue stands",
    "loss_ratio": "react before the buffer is full: bound the rate that is granted during a rise",
    "rate_variation": "take means over several intervals, or change rates by less at a time",
}
"""Advice that usually helps, by measure."""
TRACES = {
    "utilisation": "utilisation",
    "max_min_distance": "utilisation",
    "settling_seconds": "utilisation",
    "queue_p99_cells": "queue",
    "loss_ratio": "queue",
    "rate_variation": "acr",
}
"""Trace in which a measure can be seen."""


def shown(measure: Measure, value: float) -> str:
    """A value with its unit."""
    if math.isnan(value):
        return "failed"
    if measure.unit == "s":
        return "never" if math.isinf(value) else seconds(value)
    return f"{number(value)} {measure.unit}".rstrip()


def brief(measure: Measure, value: float) -> str:
    """A value in three digits, for a cell of a table whose head has the unit."""
    if math.isnan(value):
        return "-"
    if measure.unit == "s":
        return "never" if math.isinf(value) else f"{1e3 * value:,.0f}"
    if measure.unit == "cells":
        return f"{value:,.0f}"
    if measure.name == "loss_ratio":
        return "0" if value == 0 else f"{value:.1g}" if value < 1e-3 else f"{value:.2g}"
    return f"{value:.3f}"


def title(answer: Answer) -> str:
    """The question, as a title."""
    count = len(answer.experiments)
    if not answer.contenders:
        return f"The built-in control schemes in {count} experiments"
    return f"{', '.join(answer.names)} in {count} experiments"


def verdict(answer: Answer) -> list[str]:
    """The rank of each contender, or the first of the built-in schemes; then what is wrong."""
    if not answer.contenders:
        return list(_built_in(answer))
    return [line for name in answer.names for line in _of_contender(answer, name)]


def _of_contender(answer: Answer, name: str) -> Iterator[str]:
    own = _standing(answer, name)
    rank, all_of_them = answer.rank(name), len(answer.standings)
    yield from _overload(answer, name)
    yield (
        f"{name} stands at {rank} of {all_of_them}: score {score(own)}, where 1 wins every duel "
        "with a built-in scheme and 0.5 is as good as they are."
    )
    yield portrait(own)
    errors = answer.errors(name)
    if errors:
        where, why = next(iter(errors.items()))
        yield (
            f"It fails in {len(errors)} of {len(answer.experiments)} experiments, whose duels it "
            f"loses; in {where}: {why}"
        )
    if name in answer.irregular:
        yield (
            "The same run with the same seed gave another result: the class reads a clock, draws "
            "random numbers, or keeps something from run to run. Its results mean little."
        )


def _overload(answer: Answer, name: str) -> Iterator[str]:
    """The greatest sum of granted rates, if it is more than the link, before anything else."""
    found = []
    for one in answer.experiments:
        if not fair_load(one).shows_rates:
            continue
        carried = answer.values.mean(name, one.name, BY_NAME["utilisation"])
        lost = answer.values.mean(name, one.name, BY_NAME["loss_ratio"])
        if lost < 1:  # neither a number nor a run that failed
            found.append((carried / (1 - lost), one.name))
    if not found:
        return
    most, where = max(found)
    if most > MORE_THAN_ALL:
        yield (
            f"{name} grants more than there is: in {where} the rates of the sources add up to "
            f"{most:.1f} of the link, and what the buffer cannot hold is lost."
        )


def _built_in(answer: Answer) -> Iterator[str]:
    first, second = answer.standings[:2]
    yield (
        f"{first.scheme} is first with a score of {score(first)}, {second.scheme} second with "
        f"{score(second)}. A score is the share of duels won: one scheme against another, in one "
        "experiment, by one measure."
    )
    if first.score - second.score < math.hypot(first.error, second.error):
        yield "The two are within their errors: other experiments may change their order."
    leaders = []
    for name in dict.fromkeys(key for one in answer.standings for key in one.by_measure):
        best = max(answer.standings, key=lambda one: one.by_measure.get(name, -1.0))
        leaders.append(f"{BY_NAME[name].title} {best.scheme} ({best.by_measure[name]:.2f})")
    yield f"The best by each measure: {', '.join(leaders)}."


def portrait(own: Standing) -> str:
    """The measures and experiments in which a scheme wins most and least."""
    by_measure = sorted(own.by_measure.items(), key=lambda one: -one[1])
    by_experiment = sorted(own.by_experiment.items(), key=lambda one: -one[1])
    best, worst = by_measure[0], by_measure[-1]
    if len(by_experiment) == 1:
        return (
            f"Best by {BY_NAME[best[0]].title} ({best[1]:.2f}), worst by "
            f"{BY_NAME[worst[0]].title} ({worst[1]:.2f})."
        )
    return (
        f"Best by {BY_NAME[best[0]].title} ({best[1]:.2f}) and in {_two(by_experiment[:2])}; worst "
        f"by {BY_NAME[worst[0]].title} ({worst[1]:.2f}) and in {_two(by_experiment[::-1][:2])}."
    )


def _two(found: Sequence[tuple[str, float]]) -> str:
    return " and ".join(f"{name} ({value:.2f})" for name, value in found)


def score(own: Standing) -> str:
    """A score with its standard error over the experiments."""
    error = "" if math.isnan(own.error) else f" ± {own.error:.2f}"
    return f"{own.score:.2f}{error}"


def _standing(answer: Answer, name: str) -> Standing:
    return next(one for one in answer.standings if one.scheme == name)


@dataclass(frozen=True)
class Trial:
    """A place where a scheme is weak, and the way to look into it.

    Attributes:
        text: The sentence.
        commands: Commands that show the numbers.
    """

    text: str
    commands: tuple[str, ...]


def trials(answer: Answer, one: Contender) -> list[Trial]:
    """Places where a contender loses most duels, each with the best scheme there and commands."""
    places: dict[tuple[str, str], list[Duel]] = {}
    for duel in answer.duels[one.name]:
        if duel.difference is not None:
            places.setdefault((duel.experiment, duel.measure.name), []).append(duel)
    share = {key: fmean(POINTS[duel.verdict] for duel in own) for key, own in places.items()}
    weak = sorted((value, key) for key, value in share.items() if value < WEAK)
    return [_trial(answer, one, places[key]) for key in _varied([key for _, key in weak])]


def _varied(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first places, at most `MOST_ALIKE` of an experiment and of a measure."""
    found: list[tuple[str, str]] = []
    for key in keys:
        alike = [sum(key[part] == other[part] for other in found) < MOST_ALIKE for part in range(2)]
        if all(alike) and len(found) < MOST_TRIALS:
            found.append(key)
    return found


def _trial(answer: Answer, one: Contender, own: Sequence[Duel]) -> Trial:
    """The place of some duels, with the scheme of the best standing among those that win there."""
    worse = [duel for duel in own if duel.verdict == "worse"]
    measure, experiment = own[0].measure, own[0].experiment
    best = min(worse, key=lambda duel: answer.rank(duel.opponent))
    text = (
        f"{experiment}, {measure.title}: {shown(measure, best.mean)}; {len(worse)} of {len(own)} "
        f"built-in schemes are better, among them {best.opponent} with "
        f"{shown(measure, best.opponent_mean)}{_apart(best)}. What usually helps: "
        f"{HINTS[measure.name]}."
    )
    [scenario] = [found for found in answer.experiments if found.name == experiment]
    runs = [
        _command(who, scenario, TRACES[measure.name], answer.seeds[0])
        for who in (one, contender(best.opponent))
    ]
    return Trial(text, (f"cellrate battery --scenario {experiment} > {experiment}.toml", *runs))


def _command(who: Contender, experiment: Experiment, trace: str, seed: int) -> str:
    """The command that runs a contender in an experiment and draws a trace."""
    settings = (*who.overrides(experiment), f'measure.traces=["{trace}"]')
    flags = [part for text in settings for part in ("--set", text)]
    file = f"{experiment.name}.toml"
    return shlex.join(["cellrate", "run", file, *flags, "--seed", str(seed), "--plot"])


def _apart(duel: Duel) -> str:
    """The corrected interval of a difference."""
    if duel.interval is None or duel.difference is None or duel.measure.unit == "s":
        return ""
    half = (duel.interval[1] - duel.interval[0]) / 2
    return f" (difference {number(duel.difference.difference)} ± {number(half)})"


def rules(answer: Answer) -> list[str]:
    """The rules by which the battery judges."""
    seeds = f"{answer.seeds[0]} to {answer.seeds[-1]}"
    conditions = (
        f"Every scheme has its usual parameters and runs with the seeds {seeds}; runs of one seed "
        "are pairs. Explicit rates have sources with RIF = 1, marks those with RIF = RDF = 1/16. "
        "Credits and no control carry UBR."
    )
    differences = (
        "A difference is real if it remains so among all duels of a scheme: at most 5 % of those "
        "called real are expected to be chance (Benjamini and Yekutieli 2001). It also has to "
        "matter; each measure says from where on."
    )
    scores = (
        "A duel that nobody wins counts half. Measures count alike, experiments too; a failed run "
        "loses every duel of its experiment. ± is the standard error, as if the experiments were a "
        "draw from many like them. Other weights give other ranks: the columns have all parts."
    )
    work = (
        "Work is the time of a cell-hop beside that of ERICA on this machine; for built-in schemes "
        "it was measured once. It is not part of the score."
    )
    return [conditions, differences, scores, work]
