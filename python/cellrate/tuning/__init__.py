"""Search for good parameters: a model or a search proposes settings, simulations rank them."""

from cellrate.tuning.as_json import as_json
from cellrate.tuning.report import Report
from cellrate.tuning.screen import show
from cellrate.tuning.tune import Wishes, tune
from cellrate.tuning.write import write

__all__ = ["Report", "Wishes", "as_json", "show", "tune", "write"]
