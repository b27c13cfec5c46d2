"""A study as one self-contained web page."""

from cellrate.study_report.page import page

__all__ = ["page"]
