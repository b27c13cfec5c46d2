"""Predictions of theory for a scenario, without a run."""

from cellrate.advice.explain.answer import Explanation, NoStatement, Statement
from cellrate.advice.explain.explanation import explain

__all__ = ["Explanation", "NoStatement", "Statement", "explain"]
