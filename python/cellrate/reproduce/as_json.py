"""Results as one JSON array with an object per experiment."""

from collections.abc import Sequence
from typing import Any

from cellrate.common.numbers import finite_or_none
from cellrate.reproduce.paper_data import Erratum
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.runs import commands_at
from cellrate.reproduce.sensitivity import Sensitivity
from cellrate.reproduce.tally import known


def as_json(
    results: Sequence[ExperimentResult],
    sensitivities: Sequence[Sensitivity] = (),
    changes: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The array; numbers that are not finite are None.

    Args:
        results: The results.
        sensitivities: Effects of the papers' open assumptions.
        changes: Settings of the user; with some, each object has them in `changed`.
    """
    moved = {s.experiment: s for s in sensitivities}
    mark = {"changed": list(changes)} if changes else {}
    return [_experiment(result, moved.get(result.experiment.id)) | mark for result in results]


def _experiment(result: ExperimentResult, sensitivity: Sensitivity | None) -> dict[str, Any]:
    experiment = result.experiment
    table: dict[str, Any] = {
        "id": experiment.id,
        "title": experiment.title,
        "where": experiment.where,
        "seeds": list(result.seeds),
        "published": [_value(result, value) for value in result.values],
        "claims": [_claim(claim) for claim in result.claims],
        "assumptions": [
            {"parameter": a.parameter, "assumed": a.assumed, "why": a.why}
            for a in experiment.assumptions
        ],
        "errata": [_erratum(erratum) for erratum in experiment.errata],
        "remarks": list(experiment.remarks),
        "command": result.command,
    }
    if sensitivity is not None:
        table["sensitivity"] = sensitivity.as_table()
    return table


def _value(result: ExperimentResult, value: ValueResult) -> dict[str, Any]:
    published, measured = value.published, value.measured
    return {
        "quantity": published.quantity,
        "kind": published.kind,
        "printed": published.printed,
        "value": published.value,
        "unit": published.unit,
        "where": published.where,
        "measured_mean": finite_or_none(measured.mean if measured else None),
        "ci95_low": finite_or_none(measured.low if measured else None),
        "ci95_high": finite_or_none(measured.high if measured else None),
        "relative_difference": finite_or_none(value.relative_difference),
        "score": published.score or None,
        "met": value.met,
        "in_order": value.in_order,
        "restates": published.restates or None,
        "standing": value.standing.value if value.standing else None,
        "explanation": known(value.explanation) or None,
        "commands": commands_at(result.paper, result.experiment, value.runs, result.seeds),
    }


def _erratum(erratum: Erratum) -> dict[str, str]:
    return {
        "id": erratum.id,
        "where": erratum.where,
        "printed": erratum.printed,
        "right": erratum.right,
        "why": erratum.why,
    }


def _claim(result: ClaimResult) -> dict[str, Any]:
    return {
        "id": result.claim.id,
        "text": result.claim.text,
        "where": result.claim.where,
        "general": result.claim.general,
        "uses": list(result.claim.uses),
        "predicate": result.claim.holds_if,
        "about_runs": result.claim.about_runs,
        "holds": result.count,
        "of": len(result.holds),
        "standing": result.standing.value if result.standing else None,
        "explanation": known(result.explanation) or None,
    }
