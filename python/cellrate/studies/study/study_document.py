"""A study before it runs, as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cellrate.common.document import (
    Block,
    Document,
    Paragraph,
    Remark,
    Section,
    Table,
    columns,
    rows,
)

if TYPE_CHECKING:
    from cellrate.studies.study.definition import Column, Study

# Values of a factor are listed up to this number.
LISTED = 12


def study_document(study: Study) -> Document:
    """The factors and their values, the number of runs, and the measures of a study."""
    replications = study.replications
    least, most = (len(study.points) * one for one in (replications.least, replications.most))
    runs = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    seeds = "the same" if study.common_random_numbers else "other"
    found = [(one.name, one.unit, _values(study, one)) for one in (*study.factors, *study.derived)]
    measures = [(name, expression) for name, expression in study.measures.items()]
    parts: list[Block] = [
        Paragraph(
            f"{len(study.points):,} points of {study.base.path}, {runs} runs with {seeds} seeds "
            "at each point"
        ),
        Section("Factors", (Table(columns("factor", "unit", "values"), rows(found)),)),
        Section("Measures", (Table(columns("measure", "expression"), rows(measures)),)),
    ]
    parts += [Remark(note, "bad") for note in study.notes]
    return Document(f"Study {study.name}", tuple(parts))


def _values(study: Study, of: Column) -> str:
    values = dict.fromkeys(
        value for point in study.points for n, value in point.values if n == of.name
    )
    shown = [f"{one:g}" if isinstance(one, float) else str(one) for one in values]
    if len(shown) > LISTED:
        return f"{shown[0]} to {shown[-1]}, {len(shown)} values"
    return ", ".join(shown)
