"""A tuning as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cellrate.advice.tuning import fluid_sentences, sentences
from cellrate.advice.tuning.answer import Answer, ModelResults, differences, estimates
from cellrate.advice.tuning.measures import CRITERIA
from cellrate.advice.tuning.race import Ranked
from cellrate.advice.tuning.search_history import importance
from cellrate.common.estimates import Estimate
from cellrate.studies.parameters.ranges import Range

UNITS = {"cells": "_cells", "bit/s": "_bits_per_second"}
KEYS = {one.name: one.name.replace("-", "_") + UNITS.get(one.unit, "") for one in CRITERIA}


def as_json(answer: Answer) -> dict[str, Any]:
    """The report as a JSON object: units in the keys, null where nothing was measured."""
    most = answer.most_throughput
    return {
        "scenario": answer.base.path,
        "objective": [
            {"criterion": one.name, "tolerance": one.tolerance, "relative": one.relative}
            for one in answer.objective.criteria
        ],
        "method": answer.method,
        "no_model": answer.no_model,
        "feasible": None if answer.modelled is None else not answer.infeasible,
        "seeds": list(answer.seeds),
        "runs": {
            "allowed": answer.budget,
            "simulated": answer.simulated,
            "kept_from_before": answer.known,
        },
        "importance": importance(answer),
        "varied": [_varied(one) for one in answer.space],
        "not_varied": [{"path": one.path, "why": one.why} for one in answer.not_varied],
        "command": sentences.command(answer),
        "chosen": _ranked(answer, answer.chosen),
        "runner_up": None if answer.runner_up is None else _ranked(answer, answer.runner_up),
        "chosen_less_runner_up": _difference(answer),
        "as_it_is": _ranked(answer, answer.as_it_is),
        "most_throughput": None if most is None else _ranked(answer, most),
        "settings": [_ranked(answer, one) for one in answer.ranked],
        "refused": [
            {"settings": dict(setting.values), "why": why}
            for setting, why in answer.refused.items()
        ],
        "model": None if answer.modelled is None else _model(answer.modelled),
        "in_words": sentences.headline(answer),
    }


def _varied(one: Any) -> dict[str, Any]:  # noqa: ANN401
    if isinstance(one, Range):
        return {
            "path": one.path,
            "low": one.text(one.low),
            "high": one.text(one.high),
            "scale": one.scale,
        }
    return {"path": one.path, "values": list(one.values)}


def _ranked(answer: Answer, one: Ranked) -> dict[str, Any]:
    shortfall = one.shortfall
    return {
        "settings": dict(one.setting.values),
        "flags": one.setting.flags,
        "seeds": [run.seed for run in one.runs],
        "model": fluid_sentences.of_setting(answer, one.setting) or None,
        "measures": _measures(estimates(one.runs)),
        "falls_behind": None
        if shortfall is None
        else {
            "criterion": shortfall.criterion.name,
            "value": shortfall.value,
            "best": shortfall.best,
            "may_be_chance": answer.may_be_chance(one),
        },
    }


def _difference(answer: Answer) -> dict[str, Any] | None:
    if answer.runner_up is None:
        return None
    return _measures(differences(answer.chosen, answer.runner_up))


def _measures(found: Mapping[str, Estimate | None]) -> dict[str, Any]:
    return {
        KEYS[name]: None
        if one is None
        else {"mean": one.mean, "low": one.low, "high": one.high, "values": list(one.values)}
        for name, one in found.items()
    }


def _model(modelled: ModelResults) -> dict[str, Any]:
    model, judgement = modelled.model, modelled.judgement
    columns = {
        "maximum_queue_bound_cells": judgement.found.maximum_queue_bound_cells,
        "maximum_queue_cells": judgement.found.maximum_queue_cells,
        "minimum_queue_cells": judgement.found.minimum_queue_cells,
        "utilisation": judgement.found.utilisation,
        "utilisation_of_run": judgement.utilisation,
        "feasible": judgement.feasible,
        "feasible_with_continuous_decrease": judgement.continuous.feasible,
    }
    return {
        "port": model.port,
        "sources": int(np.asarray(model.loop.n)),
        "bandwidth_cells_per_second": float(np.asarray(model.loop.bw)),
        "round_trip_seconds": float(np.asarray(model.loop.tau)),
        "high_cells": float(np.asarray(model.loop.high)),
        "low_cells": float(np.asarray(model.loop.low)),
        "buffer_cells": None if np.isinf(model.buffer_cells) else model.buffer_cells,
        "left_out": list(model.cautions),
        "sets": [
            {
                "rif": float(judgement.rif[at]),
                "rdf": float(judgement.rdf[at]),
                **{name: np.asarray(values)[at].item() for name, values in columns.items()},
                "verdict": fluid_sentences.verdict(judgement, at),
            }
            for at in range(judgement.rif.size)
        ],
    }
