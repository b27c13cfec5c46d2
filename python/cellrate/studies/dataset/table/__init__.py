"""A data set as a table for a paper: means with confidence intervals, rows by columns."""

from cellrate.studies.dataset.table.formats import FORMATS, as_text, written
from cellrate.studies.dataset.table.tabulate import Question, tabulate
from cellrate.studies.dataset.table.tabulation import Cell, Head, Tabulation

__all__ = ["FORMATS", "Cell", "Head", "Question", "Tabulation", "as_text", "tabulate", "written"]
