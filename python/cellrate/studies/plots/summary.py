"""Means with confidence intervals, group by group."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from scipy.special import stdtrit


def means(found: pl.DataFrame, keys: Sequence[str], measure: str, level: float) -> pl.DataFrame:
    """Mean, confidence interval from `low` to `high` (Student's t) and run numbers of each group.

    `low` and `high` are null for groups of a single run.
    """
    grouped = found.group_by(keys, maintain_order=True).agg(
        pl.col(measure).cast(pl.Float64).mean().alias("mean"),
        pl.col(measure).cast(pl.Float64).std().alias("spread"),
        pl.len().alias("count"),
        pl.col("run").alias("runs"),
    )
    freedom = grouped["count"].to_numpy() - 1.0
    factor = stdtrit(freedom.clip(1.0), (1.0 + level) / 2.0)
    half = pl.Series(factor) * grouped["spread"] / grouped["count"].sqrt()
    return grouped.with_columns(
        (pl.col("mean") - half).alias("low"), (pl.col("mean") + half).alias("high")
    )
