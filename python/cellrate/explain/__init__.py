"""Predictions of theory for a scenario, without a run."""

from cellrate.explain.explanation import Explanation, explain
from cellrate.explain.statement import NotSaid, Statement

__all__ = ["Explanation", "NotSaid", "Statement", "explain"]
