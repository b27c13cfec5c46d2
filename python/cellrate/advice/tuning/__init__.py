"""Search for good parameters: a model or a search proposes settings, simulations rank them."""

from cellrate.advice.tuning.as_json import as_json
from cellrate.advice.tuning.report import Report
from cellrate.advice.tuning.screen import show
from cellrate.advice.tuning.tune import Wishes, tune
from cellrate.advice.tuning.write import write

__all__ = ["Report", "Wishes", "as_json", "show", "tune", "write"]
