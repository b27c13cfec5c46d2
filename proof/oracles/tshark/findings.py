"""Findings of a campaign: numbers of equal things, and disagreements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Findings:
    """Counts of what agreed, and a line for each thing that did not.

    Attributes:
        counts: Numbers of things that were compared and found equal, by kind.
        disagreements: Lines on things that differ.
    """

    counts: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)

    def expect(self, holds: bool, otherwise: str) -> None:
        """Notes what is wrong if something does not hold."""
        if not holds:
            self.disagreements.append(otherwise)

    def count(self, what: str, number: int) -> None:
        """Adds to the number of things of a kind that were compared."""
        self.counts[what] += number

    def add(self, name: str, others: Findings) -> None:
        """Takes over what was found in a case."""
        self.counts += others.counts
        self.disagreements += [f"{name}: {line}" for line in others.disagreements]
