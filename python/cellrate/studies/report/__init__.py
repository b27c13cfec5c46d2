"""The report on a study, which one web page holds."""

from cellrate.studies.report.study_report import report

__all__ = ["report"]
