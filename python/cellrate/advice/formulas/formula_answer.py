"""Result of one formula at one port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FormulaAnswer:
    """Result of a formula, or the reason why it does not apply.

    Attributes:
        formula: Name of the formula in `cellrate theory`.
        title: The quantity that it computes.
        source: Paper and equation or section.
        cells: The queue in cells; None if the formula does not apply.
        given: Parameters of the formula, units in their names.
        fails: Assumptions of the formula that do not hold here.
        inapplicable: The reason why the formula does not apply; empty if it does.
    """

    formula: str
    title: str
    source: str
    cells: float | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    fails: tuple[str, ...] = ()
    inapplicable: str = ""

    @property
    def applies(self) -> bool:
        """True if the formula has a result, and no assumption is known to fail."""
        return self.cells is not None and not self.fails
