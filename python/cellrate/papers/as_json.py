"""JSON of reproduced experiments, of an inference, and of the plan of an inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cellrate.common.numbers import finite_or_none
from cellrate.papers.findings import Finding, Inference
from cellrate.papers.inference import Stage
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ClaimResult, Disagreement, ExperimentResult, ValueResult
from cellrate.papers.runs import command_of, jobs_at
from cellrate.papers.sensitivity import Sensitivity

PUBLISHED = ("quantity", "kind", "printed", "value", "unit", "where")
CLAIM = ("id", "text", "where", "general", "uses")
ERRATUM = ("id", "where", "printed", "right", "why")


def as_json(parts: Sequence[Judged]) -> list[dict[str, Any]]:
    """A JSON object per experiment; numbers that are not finite are None.

    `sensitivity` has the effects of open assumptions, `changed` the settings of the user. Both keys
    are left out if empty.
    """
    objects = []
    for part in parts:
        moved = {each.experiment: each for each in part.sensitivities}
        for result in part.results:
            objects.append(_experiment(result))
            if result.experiment.id in moved:
                objects[-1]["sensitivity"] = _sensitivity(moved[result.experiment.id])
            if part.changes:
                objects[-1]["changed"] = list(part.changes)
    return objects


def _fields(value: object, names: Sequence[str]) -> dict[str, Any]:
    """Some fields of a dataclass as a JSON object; tuples become lists."""
    found = ((name, getattr(value, name)) for name in names)
    return {name: list(field) if isinstance(field, tuple) else field for name, field in found}


def _experiment(result: ExperimentResult) -> dict[str, Any]:
    experiment = result.experiment
    assumptions = [_fields(a, ("parameter", "assumed", "why")) for a in experiment.assumptions]
    return _fields(experiment, ("id", "title", "where")) | {
        "seeds": list(result.seeds),
        "published": [_value(result, value) for value in result.values],
        "claims": [_claim(claim) for claim in result.claims],
        "assumptions": assumptions,
        "errata": [_fields(erratum, ERRATUM) for erratum in experiment.errata],
        "remarks": list(experiment.remarks),
        "command": result.command,
    }


def _value(result: ExperimentResult, value: ValueResult) -> dict[str, Any]:
    published, measured = value.published, value.measured
    jobs = jobs_at(result.paper, result.experiment, result.seeds, value.runs)
    return _fields(published, PUBLISHED) | {
        "measured_mean": finite_or_none(measured.mean if measured else None),
        "ci95_low": finite_or_none(measured.low if measured else None),
        "ci95_high": finite_or_none(measured.high if measured else None),
        "relative_difference": finite_or_none(value.relative_difference),
        "score": published.score or None,
        "met": value.met,
        "in_order": value.in_order,
        "restates": published.restates or None,
        **_why(value.disagreement),
        **_readings(value),
        "commands": [command_of(job) for job in jobs],
    }


def _claim(result: ClaimResult) -> dict[str, Any]:
    return _fields(result.claim, CLAIM) | {
        "predicate": result.claim.holds_if,
        "about_runs": result.claim.about_runs,
        "holds": result.count,
        "of": len(result.holds),
        **_why(result.disagreement),
        **_readings(result),
    }


def _why(disagreement: Disagreement | None) -> dict[str, str | None]:
    if disagreement is None:
        return {"standing": None, "explanation": None}
    return {"standing": disagreement.standing.value, "explanation": disagreement.cause or None}


def _readings(result: ClaimResult | ValueResult) -> dict[str, Any]:
    """JSON object: in how many joint readings a result is met, and parameters that decide it.

    A joint reading is one set of values for all open parameters.
    """
    readings = result.readings
    return {
        "readings_met": sum(readings.met),
        "readings": len(readings.met),
        "fragile": result.disagreement is None and readings.is_fragile,
        "depends_on": [
            {
                "assumption": each.axis.assumption,
                "share_explained": each.share,
                "values": [
                    {"label": label, "met": met, "readings": of}
                    for label, (met, of) in zip(each.axis.labels, each.by_value, strict=True)
                ],
            }
            for each in readings.depends_on
        ],
    }


def _sensitivity(sensitivity: Sensitivity) -> list[dict[str, Any]]:
    return [
        {
            "assumption": moved.assumption.parameter,
            "assumed": moved.assumption.assumed,
            "alternative": moved.alternative.label,
            "values": {
                quantity: _pair(finite_or_none(base.mean), finite_or_none(other.mean))
                for quantity, (base, other) in moved.values.items()
            },
            "claims": {name: _pair(*counts) for name, counts in moved.claims.items()},
        }
        for moved in sensitivity.moved
    ]


def _pair(baseline: float | None, alternative: float | None) -> dict[str, float | None]:
    return {"baseline": baseline, "alternative": alternative}


def inference_as_json(inference: Inference) -> dict[str, Any]:
    """JSON object of an inference of open parameters."""
    return {
        "paper": inference.paper.id,
        "seeds": list(inference.seeds),
        "parameters": [_finding(finding) for finding in inference.findings],
        "unconcerned": [assumption.id for assumption in inference.unconcerned],
        "counted": "all" if inference.whole else "concerned",
        "as_assumed": asdict(inference.assumed),
        "inferred": asdict(inference.inferred),
        "used": {assumption.id: other.label for assumption, other in inference.kept},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    parameter, hold_out = finding.parameter, finding.hold_out
    scores, halves, labels = finding.scores, hold_out.halves, parameter.labels
    values = [
        {
            "label": label,
            "assumed": value == 0,
            "share": scores.share(value),
            "share_by_seed": scores.shares(value),
            "share_by_half": [scores.share(value, part) for part in halves]
            if all(halves)
            else None,
            "p": finding.p[value],
            "allowed": not finding.excluded(value),
        }
        for value, label in enumerate(labels)
    ]
    return {
        "assumption": parameter.assumption.id,
        "parameter": parameter.assumption.parameter,
        "assumed": parameter.assumption.assumed,
        "results": len(parameter.subjects),
        "experiments": list(parameter.experiments),
        "groups": finding.groups,
        "halves": [list(part) for part in halves],
        "verdict": hold_out.verdict,
        "why": hold_out.why or None,
        "used": finding.used,
        "chosen": labels[hold_out.best],
        "chosen_by_half": [labels[value] for value in hold_out.chosen],
        "gain_on_other_half": list(hold_out.crossed),
        "values": values,
        "not_evaluated": list(finding.problems),
    }


def plan_as_json(paper: str, stages: Sequence[Stage]) -> dict[str, Any]:
    """JSON object of the plan of an inference: its stages with their numbers of runs."""
    return {"paper": paper, "stages": [asdict(stage) for stage in stages]}
