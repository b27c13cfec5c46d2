"""One thing that theory says, or does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = float | int | bool | str | list[str] | None


@dataclass(frozen=True)
class Statement:
    """What theory says.

    Attributes:
        topic: What it is about.
        text: One sentence.
        values: Its numbers, units in their names; None stands for no limit.
        formula: What `cellrate theory` calls the formula; empty if it is arithmetic alone.
        fails: Assumptions of the formula that do not hold here.
    """

    topic: str
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)
    formula: str = ""
    fails: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotSaid:
    """What theory does not say here.

    Attributes:
        topic: What it is about.
        what: What is not said.
        because: Why.
        formula: What `cellrate theory` calls the formula, if there is one.
    """

    topic: str
    what: str
    because: str
    formula: str = ""


Said: TypeAlias = Statement | NotSaid
