"""Findings of a campaign: numbers of equal things, and disagreements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Findings:
    """Numbers of compared values that are equal, by kind, and a line for each disagreement."""

    counts: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)

    def expect(self, holds: bool, otherwise: str) -> None:
        """Adds the disagreement `otherwise` unless a check holds."""
        if not holds:
            self.disagreements.append(otherwise)

    def count(self, what: str, number: int) -> None:
        """Adds to the number of compared values of a kind."""
        self.counts[what] += number

    def add(self, name: str, others: Findings) -> None:
        """Adds the findings of a case, whose name begins each line."""
        self.counts += others.counts
        self.disagreements += [f"{name}: {line}" for line in others.disagreements]
