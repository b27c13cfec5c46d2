"""The report on an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cellrate.advice.explain.answer import Explanation, Statement
from cellrate.common.document import Block, Document, Paragraph, Remark, Section


def report(explanation: Explanation, name: str) -> Document:
    """The statements topic by topic, then the quantities without one.

    Args:
        explanation: The explanation.
        name: Name of the scenario.
    """
    topics = (
        Section(f"{topic[0].upper()}{topic[1:]}", tuple(_statements(statements)))
        for topic, statements in explanation.topics().items()
    )
    missing = tuple(
        Paragraph(f"{one.quantity}{_formula(one.formula)}: {one.reason}")
        for one in explanation.without_statement
    )
    title = f"{name}: what theory says before it runs"
    return Document(title, (*topics, Section("Without a statement", missing)))


def _statements(statements: Iterable[Statement]) -> Iterator[Block]:
    for one in statements:
        yield Paragraph(one.text + _formula(one.formula))
        yield from (Remark(f"assumes what does not hold here: {fails}") for fails in one.fails)


def _formula(name: str) -> str:
    return f" [{name}]" if name else ""
