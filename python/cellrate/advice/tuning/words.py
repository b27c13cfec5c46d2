"""The result of a tuning as sentences and as cells of tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from cellrate.advice.tuning import model_words
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting, shown
from cellrate.advice.tuning.measures import CRITERIA, Criterion
from cellrate.advice.tuning.race import Ranked
from cellrate.advice.tuning.report import Report, differences, estimates
from cellrate.common.estimates import Estimate
from cellrate.common.numbers import estimate_text, number

BESIDE = "throughput"
"""Shown for every setting, whatever the objective."""
MEGA = 1e6
FIRST = 2
"""Number of criteria whose values a sentence states."""


def columns(report: Report) -> list[Criterion]:
    """Columns of a table of settings: the criteria of the objective, and throughput."""
    criteria = list(report.objective.criteria)
    names = {one.name for one in criteria}
    measured = [one for one in CRITERIA if one.name == BESIDE and BESIDE not in names]
    return criteria + [one for one in measured if report.chosen.means[one.name]]


def paths(report: Report) -> dict[str, str]:
    """Column titles of the parameters of all settings, by path."""
    found = dict.fromkeys(path for one in report.ranked for path, _ in one.setting.values)
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


def why(report: Report, ranked: Ranked) -> str:
    """The criterion in which a setting is worse than the best; says if it may be chance."""
    if ranked.shortfall is None:
        return ""
    criterion = ranked.shortfall.criterion
    found, best = (value(criterion, one) for one in (ranked.shortfall.value, ranked.shortfall.best))
    text = f"{criterion.name} {found}, the best {best} {unit(criterion)}".rstrip()
    return f"{text}; may be chance" if report.may_be_chance(ranked) else text


def headline(report: Report) -> list[str]:
    """The result in sentences."""
    sentences = [model_words.region(report)] if report.modelled else []
    if report.infeasible:
        sentences += _compromises(report)
    else:
        sentences.append(f"Best: {report.chosen.setting.label}{_how_good(report, report.chosen)}.")
    if report.chosen.setting != AS_IT_IS:
        sentences.append(f"As it is{_how_good(report, report.as_it_is)}.")
    sentences += model_words.pace(report)
    second = report.runner_up
    if second is not None:
        sentences.append(f"Runner-up: {second.setting.label}{_how_good(report, second)}.")
    unmeasured = report.objective.unmeasured([one.means for one in report.ranked])
    sentences += [f"No run measures {one.name}; it decides nothing." for one in unmeasured]
    alike = all(len({tuple(r.values.items()) for r in one.runs}) == 1 for one in report.ranked)
    if alike and len(report.seeds) > 1:
        sentences.append("The seeds make no difference.")
    return sentences


def command(report: Report) -> str:
    """The command that runs the chosen setting."""
    base = [part for one in report.base.overrides for part in ("--set", shlex.quote(one))]
    parts = ["cellrate run", shlex.quote(report.base.path), *base, report.chosen.setting.flags]
    return " ".join(part for part in parts if part)


def effort(report: Report) -> str:
    """Numbers of settings and runs, and of the runs that were already stored."""
    kept = f", {report.known} of them kept from before" if report.known else ""
    runs = report.simulated + report.known
    settings = f"{len(report.ranked)} setting{'s' if len(report.ranked) > 1 else ''}"
    return f"{settings}, {runs} run{'s' if runs > 1 else ''}{kept}; allowed were {report.budget}"


def _compromises(report: Report) -> list[str]:
    """The two compromises if no pair is feasible: least loss, or most throughput."""
    lossless = f"Least loss: {report.chosen.setting.label}{_how_good(report, report.chosen)}."
    full = report.fullest
    if full is None or full.setting == report.chosen.setting:
        return [lossless, "No set that was tried has more throughput either."]
    return [
        lossless,
        f"Most throughput, loss allowed: {full.setting.label}{_how_good(report, full)}.",
    ]


def _how_good(report: Report, ranked: Ranked) -> str:
    """The values of a setting in the first criteria."""
    shown_first = report.objective.criteria[:FIRST]
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
