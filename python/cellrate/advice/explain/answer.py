"""Statements of formulas on a scenario, and reasons for quantities without a statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from cellrate.advice.explain.claims import Claim
from cellrate.common.document import Shown
from cellrate.common.numbers import counted

if TYPE_CHECKING:
    from cellrate.common.document import Document

Value: TypeAlias = float | int | bool | str | list[str] | None
Kind: TypeAlias = Literal["fact", "bound", "prediction"]
"""Kind of a statement: arithmetic, a bound that no run exceeds, or the prediction of a model."""


@dataclass(frozen=True)
class Statement:
    """A statement of theory on a scenario: a fact, a bound or a prediction.

    Attributes:
        topic: Subject of the statement, such as queues.
        text: The statement as one sentence.
        values: Numbers of the statement, units in their names; None means no limit.
        formula: Name of the formula in `cellrate theory`; empty if it is arithmetic alone.
        fails: Assumptions of the formula that do not hold in the scenario; with any of them the
            statement does not apply.
        kind: The kind of the statement, if it applies.
        claims: The numbers of the statement that can be compared with a run.
    """

    topic: str
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)
    formula: str = ""
    fails: tuple[str, ...] = ()
    kind: Kind = "fact"
    claims: tuple[Claim, ...] = ()

    @property
    def applies(self) -> bool:
        """True if no assumption of the formula is known to fail."""
        return not self.fails


@dataclass(frozen=True)
class NoStatement:
    """A quantity on which theory makes no statement for the scenario, and the reason.

    Attributes:
        topic: Subject of the quantity, such as queues.
        quantity: Name of the quantity.
        reason: Reason why theory makes no statement.
        formula: Name of the formula in `cellrate theory`; empty without a formula.
    """

    topic: str
    quantity: str
    reason: str
    formula: str = ""


Prediction: TypeAlias = Statement | NoStatement


@dataclass(frozen=True)
class Explanation(Shown):
    """Predictions of theory for a network.

    Attributes:
        verdict: Three sentences: on throughput, on queue and loss, and on limits and uncertainty;
            before them sentences on the seed and on changes during the run, if there are any.
        statements: Statements in the order of their topics.
        without_statement: Quantities on which theory makes no statement here, with the reasons.
        scenario: Name of the scenario.
        holds_for_seed: The seed for which all statements hold, if paths, pairs or flows depend on
            `run.seed`; None if the statements hold for all seeds.
    """

    verdict: tuple[str, ...]
    statements: tuple[Statement, ...]
    without_statement: tuple[NoStatement, ...]
    scenario: str = "the scenario"
    holds_for_seed: int | None = None

    def __repr__(self) -> str:
        said, unsaid = len(self.statements), len(self.without_statement)
        return f"<Explanation of {self.scenario}: {counted(said, 'statement')}, {unsaid} without>"

    def document(self) -> Document:
        """The statements as a document, topic by topic."""
        from cellrate.advice.explain.report import report

        return report(self, self.scenario)

    def topics(self) -> dict[str, list[Statement]]:
        """Statements by topic."""
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            found.setdefault(statement.topic, []).append(statement)
        return found
