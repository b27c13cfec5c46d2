"""The result of a tuning as sentences and as cells of tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from cellrate.advice.tuning import fluid_sentences
from cellrate.advice.tuning.answer import Answer, differences, estimates
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting, shown
from cellrate.advice.tuning.measures import CRITERIA, Criterion
from cellrate.advice.tuning.race import Ranked
from cellrate.common.estimates import Estimate
from cellrate.common.numbers import estimate_text, number

BESIDE = "throughput"
"""Shown for every setting, whatever the objective."""
MEGA = 1e6
FIRST = 2
"""Number of criteria whose values a sentence states."""


def columns(answer: Answer) -> list[Criterion]:
    """Columns of a table of settings: the criteria of the objective, and throughput."""
    criteria = list(answer.objective.criteria)
    names = {one.name for one in criteria}
    measured = [one for one in CRITERIA if one.name == BESIDE and BESIDE not in names]
    return criteria + [one for one in measured if answer.chosen.means[one.name]]


def criteria(answer: Answer) -> str:
    """The criteria in their order, with their tolerances."""
    parts = []
    for one in answer.objective.criteria:
        tolerance = f"{100 * one.tolerance:g} %" if one.relative else f"{one.tolerance:.3g}"
        parts.append(f"{one.name} (within {tolerance})")
    return ", then ".join(parts)


def paths(answer: Answer) -> dict[str, str]:
    """Column titles of the parameters of all settings, by path."""
    found = dict.fromkeys(path for one in answer.ranked for path, _ in one.setting.values)
    short = [path.rpartition(".")[2] for path in found]
    return {p: name if short.count(name) == 1 else p for p, name in zip(found, short, strict=True)}


def cells(setting: Setting, columns: Mapping[str, str]) -> list[str]:
    """The cells of a setting, one for each parameter; without values the first is "as it is"."""
    values = dict(setting.values)
    found = [shown(values[path]) if path in values else "" for path in columns]
    return found if values else ["as it is", *found[1:]]


def unit(criterion: Criterion) -> str:
    """Unit in which a criterion is shown; empty for a share."""
    return "Mbit/s" if criterion.unit == "bit/s" else criterion.unit


def value(criterion: Criterion, found: float | None) -> str:
    """A value as text, in the unit that `unit` returns."""
    if found is None:
        return "-"
    return number(found / MEGA if criterion.unit == "bit/s" else found)


def measured(ranked: Ranked, criterion: Criterion) -> str:
    """Mean and half of the confidence interval over the seeds of a setting."""
    return _scaled(estimates(ranked.runs)[criterion.name], criterion)


def difference(one: Ranked, other: Ranked, criterion: Criterion) -> str:
    """Paired difference of two settings with its interval; says if it may be chance."""
    found = differences(one, other)[criterion.name]
    if found is None:
        return "-"
    text = _scaled(found, criterion)
    text = text if found.mean < 0 else f"+{text}"
    return text if found.contains(0.0) is not True or not found.mean else f"{text}, may be chance"


def shortfall(answer: Answer, ranked: Ranked) -> tuple[str, str]:
    """The criterion in which a setting is worse than the best, and by how much.

    The second text says so if the difference may be chance. Both are empty for a setting that is
    within all tolerances.
    """
    if ranked.shortfall is None:
        return "", ""
    criterion = ranked.shortfall.criterion
    found, best = (value(criterion, one) for one in (ranked.shortfall.value, ranked.shortfall.best))
    text = f"{found}, the best {best} {unit(criterion)}".rstrip()
    return criterion.name, f"{text}; may be chance" if answer.may_be_chance(ranked) else text


def headline(answer: Answer) -> list[str]:
    """The result in sentences."""
    sentences = [fluid_sentences.region(answer)] if answer.modelled else []
    if answer.infeasible:
        sentences += _compromises(answer)
    else:
        sentences.append(f"Best: {answer.chosen.setting.label}{_how_good(answer, answer.chosen)}.")
    if answer.chosen.setting != AS_IT_IS:
        sentences.append(f"As it is{_how_good(answer, answer.as_it_is)}.")
    sentences += fluid_sentences.pace(answer)
    second = answer.runner_up
    if second is not None:
        sentences.append(f"Runner-up: {second.setting.label}{_how_good(answer, second)}.")
    unmeasured = answer.objective.unmeasured([one.means for one in answer.ranked])
    sentences += [f"No run measures {one.name}; it decides nothing." for one in unmeasured]
    alike = all(len({tuple(r.values.items()) for r in one.runs}) == 1 for one in answer.ranked)
    if alike and len(answer.seeds) > 1:
        sentences.append("The seeds make no difference; runs beyond the second were not made.")
    return sentences


def command(answer: Answer) -> str:
    """The command that runs the chosen setting."""
    base = [part for one in answer.base.overrides for part in ("--set", shlex.quote(one))]
    parts = ["cellrate run", shlex.quote(answer.base.path), *base, answer.chosen.setting.flags]
    return " ".join(part for part in parts if part)


def effort(answer: Answer) -> str:
    """Numbers of settings and runs, and of the runs that were already stored."""
    kept = f", {answer.known} of them kept from before" if answer.known else ""
    runs = answer.simulated + answer.known
    settings = f"{len(answer.ranked)} setting{'s' if len(answer.ranked) > 1 else ''}"
    return f"{settings}, {runs} run{'s' if runs > 1 else ''}{kept}; allowed were {answer.budget}"


def _compromises(answer: Answer) -> list[str]:
    """The two compromises if no pair is feasible: least loss, or most throughput."""
    lossless = f"Least loss: {answer.chosen.setting.label}{_how_good(answer, answer.chosen)}."
    full = answer.most_throughput
    if full is None or full.setting == answer.chosen.setting:
        return [lossless, "No set that was tried has more throughput either."]
    return [
        lossless,
        f"Most throughput, loss allowed: {full.setting.label}{_how_good(answer, full)}.",
    ]


def _how_good(answer: Answer, ranked: Ranked) -> str:
    """The values of a setting in the first criteria."""
    shown_first = answer.objective.criteria[:FIRST]
    parts = [_achieved(one, ranked.means[one.name]) for one in shown_first]
    return f": {', '.join(parts)}, {len(ranked.runs)} seed{'s' if len(ranked.runs) > 1 else ''}"


def _achieved(criterion: Criterion, found: float | None) -> str:
    if criterion.name == "loss":
        return f"loses {found:.2g} of the cells" if found else "loses nothing"
    return f"{criterion.name} {value(criterion, found)} {unit(criterion)}".rstrip()


def _scaled(found: Estimate | None, criterion: Criterion) -> str:
    if found is None:
        return "-"
    if criterion.unit != "bit/s":
        return estimate_text(found)
    ends: Sequence[float | None] = (found.low, found.high)
    low, high = (None if end is None else end / MEGA for end in ends)
    return estimate_text(Estimate(found.values, found.mean / MEGA, low, high))
