"""Data of a search for its pictures: order of settings, values and importance of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cellrate import _core
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.measures import Criterion
from cellrate.advice.tuning.race import Ranked

LEAST_SETTINGS = 10
"""Least number of settings for which the importance of parameters is computed."""
TOP = 0.3
"""Share of the best settings, whose values are compared with those of all settings."""


@dataclass(frozen=True)
class Values:
    """The values of a parameter in the settings that were run.

    Attributes:
        path: Dotted path of the parameter.
        settings: The settings with a value of the parameter, in the order in which they were first
            run.
        numbers: The value in each setting, in SI units or cells; for a choice its index.
        texts: The choices; None for numbers.
    """

    path: str
    settings: tuple[Ranked, ...]
    numbers: tuple[float, ...]
    texts: tuple[str, ...] | None


def in_order(answer: Answer) -> list[Ranked]:
    """The settings in the order in which they were first run."""
    known = {ranked.setting: ranked for ranked in answer.ranked}
    return [known[setting] for setting in answer.order if setting in known]


def deciding(answer: Answer) -> list[Criterion]:
    """The first two criteria, at most, in which settings differ by more than the tolerance."""
    found = []
    for criterion in answer.objective.criteria:
        values = [ranked.means[criterion.name] for ranked in answer.ranked]
        measured = [value for value in values if value is not None]
        if not measured:
            continue
        best = max(measured) if criterion.best == "greatest" else min(measured)
        if not all(criterion.reaches(value, best) for value in measured):
            found.append(criterion)
    return found[:2]


def values_of(answer: Answer) -> list[Values]:
    """The values of every parameter that was varied and takes two values or more."""
    ordered = in_order(answer)
    paths = dict.fromkeys(path for ranked in ordered for path, _ in ranked.setting.values)
    found = [_values(answer, path, ordered) for path in paths if path in answer.paths]
    return [one for one in found if len(set(one.numbers)) > 1]


def _values(answer: Answer, path: str, ordered: Sequence[Ranked]) -> Values:
    kinds = {parameter.path: parameter.kind for parameter in answer.space}
    given = [(ranked, dict(ranked.setting.values)) for ranked in ordered]
    own = [(one, values[path]) for one, values in given if path in values]
    texts = [text for _, text in own]
    settings = tuple(one for one, _ in own)
    try:
        numbers = tuple(_number(text, kinds.get(path, "number")) for text in texts)
    except ValueError:
        names = tuple(dict.fromkeys(texts))
        return Values(path, settings, tuple(float(names.index(text)) for text in texts), names)
    return Values(path, settings, numbers, None)


def _number(text: str, kind: str) -> float:
    """A value as a number.

    Raises:
        ValueError: The value is not a finite number or quantity.
    """
    return float(text) if kind in {"number", "integer"} else _core.quantity(text, kind.lower())


def importance(answer: Answer) -> dict[str, float]:
    """Importance of each parameter for being among the best settings, by path; the values sum to 1.

    PED-ANOVA (Watanabe et al. 2023) measures how far the distribution of a parameter among the best
    three tenths of the settings is from its distribution among all settings. The result is empty
    with fewer than ten settings, or if fewer than two parameters were varied together.
    """
    names = [values.path for values in values_of(answer)]
    together = [
        ranked for ranked in answer.ranked if set(names) <= set(dict(ranked.setting.values))
    ]
    if len(together) < LEAST_SETTINGS or len(names) < 2:
        return {}
    import optuna  # slow to import

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study()
    places = {values.path: _shares(values) for values in values_of(answer)}
    whole = optuna.distributions.FloatDistribution(0.0, 1.0)
    for rank, one in enumerate(together):
        study.add_trial(
            optuna.trial.create_trial(
                params={name: places[name][id(one)] for name in names},
                distributions=dict.fromkeys(names, whole),
                value=float(rank),
            )
        )
    evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=TOP)
    found = evaluator.evaluate(study)
    total = sum(found.values())
    return {name: found[name] / total for name in names} if total > 0 else {}


def _shares(values: Values) -> dict[int, float]:
    """Rank, from 0 to 1, of each setting's value among the values tried, by the setting's `id`."""
    levels = sorted(set(values.numbers))
    return {
        id(one): levels.index(number) / (len(levels) - 1)
        for one, number in zip(values.settings, values.numbers, strict=True)
    }
