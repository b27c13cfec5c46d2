"""An explanation as one JSON object with units in its keys."""

from __future__ import annotations

from typing import Any

from cellrate.advice.explain.answer import Explanation, Statement
from cellrate.advice.explain.track_record import ENOUGH, records


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The statements and quantities without one, as `cellrate explain --json` writes them."""
    return {
        "verdict": list(explanation.verdict),
        "statements": [_statement(one) for one in explanation.statements],
        "not_said": [
            {
                "topic": one.topic,
                "what": one.quantity,
                "because": one.reason,
                "formula": one.formula or None,
            }
            for one in explanation.without_statement
        ],
    }


def _statement(one: Statement) -> dict[str, Any]:
    return {
        "topic": one.topic,
        "kind": one.kind,
        "applies": one.applies,
        "text": one.text,
        "values": dict(one.values),
        "formula": one.formula or None,
        "failing_assumptions": list(one.fails),
        "claims": [
            {
                "quantity": claim.quantity,
                "entity": claim.entity or None,
                "sense": claim.sense,
                "value": claim.value,
                "record": _record(claim.topic) if one.kind == "prediction" else None,
            }
            for claim in one.claims
        ],
    }


def _record(topic: str) -> dict[str, Any] | None:
    found = records().get(topic)
    if found is None:
        return None
    if found.cases < ENOUGH:  # the error is not known
        return {"cases": found.cases, "within": None, "held": None}
    return {"cases": found.cases, "within": found.within, "held": found.held}
