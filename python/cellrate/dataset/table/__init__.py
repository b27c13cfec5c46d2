"""A data set as a table for a paper: means with confidence intervals, rows by columns."""

from cellrate.dataset.table.formats import FORMATS, written
from cellrate.dataset.table.question import Question
from cellrate.dataset.table.tabulate import tabulate
from cellrate.dataset.table.tabulation import Cell, Head, Tabulation

__all__ = ["FORMATS", "Cell", "Head", "Question", "Tabulation", "tabulate", "written"]
