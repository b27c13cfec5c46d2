"""An explanation as a document and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cellrate.advice.explain.answer import Explanation, Statement
from cellrate.advice.explain.claims import ENOUGH, UNKNOWN, Record, is_known, records, spoken
from cellrate.common.document import Block, Document, Paragraph, Remark, Section
from cellrate.common.numbers import counted
from cellrate.common.to_json import to_json


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
    title = f"{name}: what formulas say about a run"
    return Document(title, (verdict, *topics, _missing(explanation, everything=everything)))


def _missing(explanation: Explanation, *, everything: bool) -> Section:
    without = explanation.without_statement
    if not everything:
        text = (
            f"{counted(len(without), 'quantity')} cannot be computed by a formula; "
            "--all lists them with the reasons."
        )
        return Section("Not computed", (Paragraph(text, "faint"),) if without else ())
    paragraphs = (
        Paragraph(f"{one.quantity}{_formula(one.formula)}: {one.reason}") for one in without
    )
    return Section("Not computed", tuple(paragraphs))


def _statements(statements: Iterable[Statement]) -> Iterator[Block]:
    for statement in statements:
        if not statement.applies:
            yield Paragraph(_inapplicable(statement), "faint")
            continue
        prefix = _prefix(statement)
        yield Paragraph(f"{prefix}{statement.text}{_formula(statement.formula)}")
        if statement.kind == "prediction":
            yield from (Remark(spoken(claim)) for claim in statement.claims)
            if statement.formula and not statement.claims:
                yield Remark(UNKNOWN)


def _prefix(one: Statement) -> str:
    """First words of a prediction: an expected value, or a limit that runs may stay far below."""
    if one.kind != "prediction":
        return ""
    if any(claim.sense == "at most" for claim in one.claims):
        return "upper limit: "
    # A formula without claims has numbers that no run was compared with.
    is_expected = all(map(is_known, one.claims)) and (one.claims or not one.formula)
    return "expected: " if is_expected else "by a formula: "


def _inapplicable(one: Statement) -> str:
    """Text on a formula that does not apply: its failed assumptions, and what it would state."""
    name = one.formula or one.topic
    assumed = "; that ".join(one.fails)
    return (
        f"[{name}] does not apply: it assumes that {assumed}. Applied all the same, it says: "
        f"{one.text}"
    )


def _formula(name: str) -> str:
    return f" [{name}]" if name else ""


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The statements, and the quantities without one, as the JSON of `cellrate explain --json`."""
    return {
        "holds_for_seed": explanation.holds_for_seed,
        "verdict": list(explanation.verdict),
        "statements": [_statement(statement) for statement in explanation.statements],
        "not_said": [
            {
                **to_json(nothing, {"quantity": "what", "reason": "because"}),
                "formula": nothing.formula or None,
            }
            for nothing in explanation.without_statement
        ],
    }


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        **to_json(statement, {"fails": "failing_assumptions"}),
        "applies": statement.applies,
        "formula": statement.formula or None,
        "claims": [
            {
                **to_json(claim, without=("topic", "service")),
                "entity": claim.entity or None,
                "record": _record(claim.topic) if statement.kind == "prediction" else None,
            }
            for claim in statement.claims
        ],
    }


def _record(topic: str) -> dict[str, Any] | None:
    found = records().get(topic)
    if found is None:
        return None
    is_known = found.cases >= ENOUGH  # with fewer cases the error is not shown
    return {**to_json(found if is_known else Record(found.cases))}
