"""A statement of theory on a scenario, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = float | int | bool | str | list[str] | None


@dataclass(frozen=True)
class Statement:
    """A statement of theory.

    Attributes:
        topic: Its subject.
        text: One sentence.
        values: Its numbers, units in their names; None means no limit.
        formula: Name of the formula in `cellrate theory`; empty if it is arithmetic alone.
        fails: Assumptions of the formula that do not hold here.
    """

    topic: str
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)
    formula: str = ""
    fails: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotSaid:
    """A quantity on which theory makes no statement here, and the reason.

    Attributes:
        topic: Its subject.
        what: The quantity.
        because: The reason.
        formula: Name of the formula in `cellrate theory`; empty without a formula.
    """

    topic: str
    what: str
    because: str
    formula: str = ""


Said: TypeAlias = Statement | NotSaid
