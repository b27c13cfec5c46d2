"""The answer as one JSON object with units in its keys."""

from __future__ import annotations

from typing import Any

from cellrate.battery import sentences
from cellrate.battery.answer import Answer
from cellrate.battery.duels import Duel
from cellrate.battery.measures import MEASURES
from cellrate.common.numbers import finite_or_none


def as_json(answer: Answer) -> dict[str, Any]:
    """The output of `cellrate battery --json`; None stands for never, and for what has no value."""
    return {
        "contenders": list(answer.names),
        "experiments": [one.name for one in answer.experiments],
        "seeds": list(answer.seeds),
        "standings": [
            {
                "scheme": one.scheme,
                "score": one.score,
                "standard_error": finite_or_none(one.error),
                "by_measure": one.by_measure,
                "by_experiment": one.by_experiment,
                "work_times_erica": answer.work.get(one.scheme),
            }
            for one in answer.standings
        ],
        "means": {
            one.scheme: {
                experiment.name: {
                    measure.name: finite_or_none(
                        answer.values.mean(one.scheme, experiment.name, measure)
                    )
                    for measure in MEASURES
                }
                for experiment in answer.experiments
            }
            for one in answer.standings
        },
        "duels": [_duel(one) for name in answer.names for one in answer.duels[name]],
        "errors": {name: answer.errors(name) for name in answer.names},
        "irregular": list(answer.irregular),
        "what_to_try": [
            {"scheme": one.name, "text": trial.text, "commands": list(trial.commands)}
            for one in answer.contenders
            for trial in sentences.trials(answer, one)
        ],
        "words": sentences.verdict(answer),
    }


def _duel(one: Duel) -> dict[str, Any]:
    found = one.difference
    return {
        "scheme": one.scheme,
        "opponent": one.opponent,
        "experiment": one.experiment,
        "measure": one.measure.name,
        "difference": None if found is None else found.difference,
        "low": None if one.interval is None else one.interval[0],
        "high": None if one.interval is None else one.interval[1],
        "p_value": None if found is None else found.p_value,
        "verdict": one.verdict,
    }
