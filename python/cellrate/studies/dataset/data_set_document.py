"""A data set as a short document; `cellrate report` writes the long one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from cellrate.common.document import (
    Block,
    Document,
    Paragraph,
    Remark,
    Row,
    Section,
    Table,
    columns,
)
from cellrate.common.numbers import number
from cellrate.studies.dataset.columns import ENTITIES

if TYPE_CHECKING:
    from cellrate.studies.dataset.reader import DataSet

# Points are listed up to this number.
MOST_POINTS = 30


def data_set_document(data: DataSet) -> Document:
    """The means of the measures at each point, and the runs that failed."""
    described, runs = data.description, data.runs
    failed = runs.filter(pl.col("status") != "done")
    factors = [one.name for one in described.varied]
    measures = [one.name for one in described.measures]
    parts: list[Block] = [
        Paragraph(
            f"{described.scenario}, {len(runs):,} runs at {runs['point'].n_unique():,} points; "
            f"tables runs, {', '.join(ENTITIES)}"
        )
    ]
    if len(failed):
        parts.append(Remark(f"{len(failed):,} runs failed; DataSet.runs has their errors", "bad"))
    units = {one.name: one.unit for one in described.varied}
    titles = [f"{one}\n{units[one]}".rstrip() for one in factors] + measures
    numeric = range(len(factors), len(titles))
    means = (
        runs.group_by("point", *factors, maintain_order=True)
        .agg(pl.col(measures).mean())
        .sort("point")
    )
    shown = means.head(MOST_POINTS).select(*factors, *measures)
    table = Table(
        columns(*titles, numbers=numeric),
        tuple(Row(tuple(map(_text, one))) for one in shown.rows()),
    )
    parts.append(Section("Means over replications", (table,)))
    if len(means) > MOST_POINTS:
        parts.append(Remark(f"{len(means) - MOST_POINTS} further points, in DataSet.runs"))
    return Document(f"Data set {described.name}", tuple(parts))


def _text(value: object) -> str:
    if value is None:
        return ""
    return number(value) if isinstance(value, float) else str(value)
