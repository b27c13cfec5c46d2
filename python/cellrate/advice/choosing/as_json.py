"""The answer as one JSON object with units in its keys."""

from __future__ import annotations

import math
from typing import Any

from cellrate.advice.choosing import sentences
from cellrate.advice.choosing.answer import Answer
from cellrate.advice.choosing.option import Option


def as_json(answer: Answer) -> dict[str, Any]:
    """The output of `cellrate choose --json`."""
    goals, judgement = answer.goals, answer.judgement
    return {
        "scenario": answer.base.path,
        "settings": list(answer.base.overrides),
        "goals": {
            "abilities": list(goals.abilities),
            "loss_ratio": goals.loss,
            "throughput_share": goals.throughput if goals.bits_per_second is None else None,
            "throughput_bits_per_second": goals.bits_per_second,
            "delay_seconds": goals.delay_seconds,
            "fairness": goals.fairness,
            "settling_seconds": goals.settling_seconds,
            "buffer_cells": goals.buffer_cells,
        },
        "seeds": list(answer.seeds),
        "recommended": _option(answer, judgement.best),
        "runner_up": _option(answer, judgement.runner_up),
        "alike": judgement.alike,
        "missed": judgement.missed,
        "front": [_option(answer, one) for one in answer.front],
        "options": [_option(answer, one) for one in answer.options],
        "elsewhere": [
            {
                "circumstance": one.circumstance.about,
                "factor": one.circumstance.factor,
                "settings": list(one.circumstance.overrides),
                "best": _option(answer, one.best, one.circumstance.overrides),
                "recommended": _option(answer, one.recommended, one.circumstance.overrides),
            }
            for one in answer.elsewhere
        ],
        "refused": dict(answer.refused),
        "unfinished": list(answer.unfinished),
        "words": sentences.verdict(answer),
    }


def _option(
    answer: Answer, one: Option | None, there: tuple[str, ...] = ()
) -> dict[str, Any] | None:
    """An option; `there` are the settings of another circumstance."""
    if one is None:
        return None
    return {
        "control": one.candidate.name,
        "ability": one.candidate.ability,
        "values": dict(one.setting.values),
        "policy": one.policy,
        "buffer_cells": one.buffer_cells,
        "by_seed_cells": list(one.by_seed_cells),
        "throughput_bits_per_second": one.throughput_bits_per_second,
        "utilisation": one.utilisation,
        "loss_ratio": one.loss,
        "mean_delay_seconds": one.mean_delay_seconds,
        "longest_delay_seconds": one.longest_delay_seconds,
        "fairness": one.fairness,
        "settles": math.isfinite(one.settling_seconds),
        "settling_seconds": one.settling_seconds if math.isfinite(one.settling_seconds) else None,
        "seeds": one.seeds,
        "command": one.command(answer.base.path, (*answer.base.overrides, *there)),
    }
