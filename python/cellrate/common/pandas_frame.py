"""Data frames of polars as those of pandas, without pyarrow, which polars' own way needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cellrate.common.extras import needing

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def as_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """The frame with the same columns and rows.

    Whole numbers with missing values become floats, with NaN for these; texts and lists become
    objects, with None.

    Raises:
        MissingExtra: pandas is not installed.
    """
    with needing("to_pandas"):
        import pandas as pd
    columns = {
        column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
        for column in frame
    }
    return pd.DataFrame(columns, columns=frame.columns)
