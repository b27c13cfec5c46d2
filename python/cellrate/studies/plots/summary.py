"""Means with confidence intervals, group by group."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from scipy.special import stdtrit

from cellrate.studies.own_names import COUNT, HIGH, LOW, MEAN, RUNS, SPREAD


def means(found: pl.DataFrame, keys: Sequence[str], measure: str, level: float) -> pl.DataFrame:
    """Mean, confidence interval from `LOW` to `HIGH` (Student's t) and run numbers of each group.

    `LOW` and `HIGH` are null for groups of a single run.
    """
    grouped = found.group_by(keys, maintain_order=True).agg(
        pl.col(measure).cast(pl.Float64).mean().alias(MEAN),
        pl.col(measure).cast(pl.Float64).std().alias(SPREAD),
        pl.len().alias(COUNT),
        pl.col("run").alias(RUNS),
    )
    freedom = grouped[COUNT].to_numpy() - 1.0
    factor = stdtrit(freedom.clip(1.0), (1.0 + level) / 2.0)
    half = pl.Series(factor) * grouped[SPREAD] / grouped[COUNT].sqrt()
    return grouped.with_columns((pl.col(MEAN) - half).alias(LOW), (pl.col(MEAN) + half).alias(HIGH))
