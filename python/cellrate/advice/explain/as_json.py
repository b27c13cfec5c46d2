"""An explanation as one JSON object with units in its keys."""

from __future__ import annotations

from typing import Any

from cellrate.advice.explain.answer import Explanation


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The statements and quantities without one, as `cellrate explain --json` writes them."""
    return {
        "statements": [
            {
                "topic": one.topic,
                "text": one.text,
                "values": dict(one.values),
                "formula": one.formula or None,
                "failing_assumptions": list(one.fails),
            }
            for one in explanation.statements
        ],
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
