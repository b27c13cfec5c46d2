"""What one formula says of one port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FormulaAnswer:
    """What a formula says, or why it says nothing.

    Attributes:
        formula: Its name in `cellrate theory`.
        title: What it bounds.
        source: Paper and equation or section.
        cells: The queue in cells; None if the formula says nothing here.
        given: Its parameters, units in their names.
        fails: Assumptions of the formula that do not hold here.
        not_said: Why it says nothing.
    """

    formula: str
    title: str
    source: str
    cells: float | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    fails: tuple[str, ...] = ()
    not_said: str = ""
