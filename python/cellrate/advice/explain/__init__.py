"""Predictions of theory for a scenario, without a run."""

from cellrate.advice.explain.explanation import Explanation, explain
from cellrate.advice.explain.statement import NotSaid, Statement

__all__ = ["Explanation", "NotSaid", "Statement", "explain"]
