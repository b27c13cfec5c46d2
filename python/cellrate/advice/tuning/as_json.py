"""A tuning as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cellrate.advice.tuning import model_words, words
from cellrate.advice.tuning.measures import CRITERIA
from cellrate.advice.tuning.race import Ranked
from cellrate.advice.tuning.report import Modelled, Report, differences, estimates
from cellrate.common.estimates import Estimate
from cellrate.studies.parameters.ranges import Range

UNITS = {"cells": "_cells", "bit/s": "_bits_per_second"}
KEYS = {one.name: one.name.replace("-", "_") + UNITS.get(one.unit, "") for one in CRITERIA}


def as_json(report: Report) -> dict[str, Any]:
    """The report as a JSON object: units in the keys, null where nothing was measured."""
    return {
        "scenario": report.base.path,
        "objective": [
            {"criterion": one.name, "tolerance": one.tolerance, "relative": one.relative}
            for one in report.objective.criteria
        ],
        "method": report.method,
        "no_model": report.no_model,
        "feasible": None if report.modelled is None else not report.infeasible,
        "seeds": list(report.seeds),
        "runs": {
            "allowed": report.budget,
            "simulated": report.simulated,
            "kept_from_before": report.known,
        },
        "varied": [_varied(one) for one in report.space],
        "not_varied": [{"path": one.path, "why": one.why} for one in report.left],
        "command": words.command(report),
        "chosen": _ranked(report, report.chosen),
        "runner_up": None if report.runner_up is None else _ranked(report, report.runner_up),
        "chosen_less_runner_up": _difference(report),
        "as_it_is": _ranked(report, report.as_it_is),
        "most_throughput": None if report.fullest is None else _ranked(report, report.fullest),
        "settings": [_ranked(report, one) for one in report.ranked],
        "refused": [
            {"settings": dict(setting.values), "why": why}
            for setting, why in report.refused.items()
        ],
        "model": None if report.modelled is None else _model(report.modelled),
        "in_words": words.headline(report),
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


def _ranked(report: Report, one: Ranked) -> dict[str, Any]:
    shortfall = one.shortfall
    return {
        "settings": dict(one.setting.values),
        "flags": one.setting.flags,
        "seeds": [run.seed for run in one.runs],
        "model": model_words.of_setting(report, one.setting) or None,
        "measures": _measures(estimates(one.runs)),
        "falls_behind": None
        if shortfall is None
        else {
            "criterion": shortfall.criterion.name,
            "value": shortfall.value,
            "best": shortfall.best,
            "may_be_chance": report.may_be_chance(one),
        },
    }


def _difference(report: Report) -> dict[str, Any] | None:
    if report.runner_up is None:
        return None
    return _measures(differences(report.chosen, report.runner_up))


def _measures(found: Mapping[str, Estimate | None]) -> dict[str, Any]:
    return {
        KEYS[name]: None
        if one is None
        else {"mean": one.mean, "low": one.low, "high": one.high, "values": list(one.values)}
        for name, one in found.items()
    }


def _model(modelled: Modelled) -> dict[str, Any]:
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
                "verdict": model_words.verdict(judgement, at),
            }
            for at in range(judgement.rif.size)
        ],
    }
