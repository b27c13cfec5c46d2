"""The data set of a study: a Parquet table per kind of entity, and a dictionary of all columns."""

from cellrate.dataset.description import FORMAT, Description, FactorColumn, MeasureColumn
from cellrate.dataset.reader import DataSet
from cellrate.dataset.writer import RunRow, Writer

__all__ = [
    "FORMAT",
    "DataSet",
    "Description",
    "FactorColumn",
    "MeasureColumn",
    "RunRow",
    "Writer",
]
