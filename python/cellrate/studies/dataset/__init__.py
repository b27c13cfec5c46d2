"""The data set of a study: a Parquet table per kind of entity, and a dictionary of all columns."""

from cellrate.studies.dataset.description import FORMAT, Description, FactorColumn, MeasureColumn
from cellrate.studies.dataset.reader import DataSet
from cellrate.studies.dataset.writer import RunRow, Writer

__all__ = [
    "FORMAT",
    "DataSet",
    "Description",
    "FactorColumn",
    "MeasureColumn",
    "RunRow",
    "Writer",
]
