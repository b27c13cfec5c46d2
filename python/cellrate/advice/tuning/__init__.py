"""Tunes parameters: a fluid model or a search proposes settings, and simulations rank them."""

from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.options import TuneOptions
from cellrate.advice.tuning.report import as_json, report, write
from cellrate.advice.tuning.tune import tune

__all__ = ["Answer", "TuneOptions", "as_json", "report", "tune", "write"]
