"""The report on an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cellrate.advice.explain.answer import Explanation, Statement
from cellrate.advice.explain.track_record import spoken
from cellrate.common.document import Block, Document, Paragraph, Remark, Section


def report(explanation: Explanation, name: str, *, everything: bool = False) -> Document:
    """The verdict, the statements topic by topic, and the quantities without one.

    Args:
        explanation: The explanation.
        name: Name of the scenario.
        everything: True to list the quantities without a statement; else they are counted.
    """
    verdict = Section("In short", tuple(Paragraph(text) for text in explanation.verdict))
    topics = (
        Section(f"{topic[0].upper()}{topic[1:]}", tuple(_statements(statements)))
        for topic, statements in explanation.topics().items()
    )
    title = f"{name}: what theory says before it runs"
    return Document(title, (verdict, *topics, _missing(explanation, everything=everything)))


def _missing(explanation: Explanation, *, everything: bool) -> Section:
    without = explanation.without_statement
    if not everything:
        text = f"{len(without)} quantities have no statement; --all lists them with the reasons."
        return Section("Without a statement", (Paragraph(text, "faint"),) if without else ())
    paragraphs = (
        Paragraph(f"{one.quantity}{_formula(one.formula)}: {one.reason}") for one in without
    )
    return Section("Without a statement", tuple(paragraphs))


def _statements(statements: Iterable[Statement]) -> Iterator[Block]:
    for one in statements:
        if not one.applies:
            yield Paragraph(_inapplicable(one), "faint")
            continue
        prefix = _prefix(one)
        yield Paragraph(f"{prefix}{one.text}{_formula(one.formula)}")
        if one.kind == "prediction":
            yield from (Remark(spoken(claim)) for claim in one.claims)


def _prefix(one: Statement) -> str:
    """The kind of a prediction: a value to expect, or a limit that a run may stay far below."""
    if one.kind != "prediction":
        return ""
    return "upper limit: " if any(c.sense == "at most" for c in one.claims) else "expected: "


def _inapplicable(one: Statement) -> str:
    """The formula, the assumptions that fail, and last what it would have said."""
    name = one.formula or one.topic
    assumed = "; that ".join(one.fails)
    return f"[{name}] does not apply. It assumes that {assumed}. It would say: {one.text}"


def _formula(name: str) -> str:
    return f" [{name}]" if name else ""
