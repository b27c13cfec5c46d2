"""Cell-level simulation of closed-loop flow control (ATM ABR, UBR) under TCP.

>>> import cellrate
>>> scenario = cellrate.template("n-source")
>>> result = cellrate.run(scenario, overrides={"flow.tcp.count": 3}, seed=1)
>>> result.flows["name"].to_list()
['tcp.1', 'tcp.2', 'tcp.3']
"""

from cellrate import _core
from cellrate._core import Cancelled, Outcome, ScenarioError, Store, __version__, template
from cellrate.common import parquet
from cellrate.common.extras import MissingExtra
from cellrate.common.problems import BadInput
from cellrate.simulation.api import Result, run
from cellrate.simulation.captures import Captures, capture
from cellrate.simulation.refusals import show_diagnostics
from cellrate.simulation.runner import Job, run_many
from cellrate.simulation.scenarios import Scenario
from cellrate.simulation.series import Series

_core.read_parquet_with(parquet.as_csv)
show_diagnostics()

__all__ = [
    "BadInput",
    "Cancelled",
    "Captures",
    "Job",
    "MissingExtra",
    "Outcome",
    "Result",
    "Scenario",
    "ScenarioError",
    "Series",
    "Store",
    "__version__",
    "capture",
    "run",
    "run_many",
    "template",
]
