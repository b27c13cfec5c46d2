"""A study as one self-contained web page."""

from cellrate.studies.report.page import page

__all__ = ["page"]
