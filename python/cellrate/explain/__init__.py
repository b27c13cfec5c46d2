"""What theory says of a scenario before it runs."""

from cellrate.explain.explanation import Explanation, explain
from cellrate.explain.statement import NotSaid, Statement

__all__ = ["Explanation", "NotSaid", "Statement", "explain"]
