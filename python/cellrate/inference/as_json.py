"""JSON objects of an inference and of its plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cellrate.inference.answer import Finding, Inference
from cellrate.inference.plan import Stage


def as_json(inference: Inference) -> dict[str, Any]:
    """JSON object of an inference."""
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
    return {
        "assumption": parameter.assumption.id,
        "parameter": parameter.assumption.parameter,
        "assumed": parameter.assumption.assumed,
        "results": len(parameter.subjects),
        "experiments": list(parameter.experiments),
        "groups": finding.groups,
        "halves": [list(part) for part in hold_out.halves],
        "verdict": finding.verdict,
        "why": hold_out.why or None,
        "used": finding.used,
        "chosen": parameter.labels[hold_out.best],
        "chosen_by_half": [parameter.labels[value] for value in hold_out.chosen],
        "gain_on_other_half": list(hold_out.crossed),
        "values": [_value(finding, value) for value in range(len(parameter.labels))],
        "not_evaluated": list(finding.problems),
    }


def _value(finding: Finding, value: int) -> dict[str, Any]:
    parts = finding.hold_out.halves
    scores = finding.scores
    return {
        "label": finding.parameter.labels[value],
        "assumed": value == 0,
        "share": scores.share(value),
        "share_by_seed": scores.shares(value),
        "share_by_half": [scores.share(value, part) for part in parts] if all(parts) else None,
        "p": finding.p[value],
        "allowed": not finding.excluded(value),
    }


def plan_as_json(paper: str, stages: Sequence[Stage]) -> dict[str, Any]:
    """JSON object of a plan."""
    return {"paper": paper, "stages": [asdict(stage) for stage in stages]}
