"""Search for good parameters: a model or a search proposes settings, simulations rank them."""

from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.as_json import as_json
from cellrate.advice.tuning.options import TuneOptions
from cellrate.advice.tuning.report import report
from cellrate.advice.tuning.tune import tune
from cellrate.advice.tuning.write import write

__all__ = ["Answer", "TuneOptions", "as_json", "report", "tune", "write"]
