"""Simulation of closed-loop flow control under TCP, by ATM cells or Ethernet frames.

>>> import cellrate
>>> scenario = cellrate.template("n-source")
>>> result = cellrate.run(scenario, overrides={"flow.tcp.count": 3}, seed=1)
>>> result.flows["name"].to_list()
['tcp.1', 'tcp.2', 'tcp.3']
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)] in {"cellrate", "-mcellrate"}:
    # `python -m cellrate` comes here before it comes to `cellrate.__main__`.
    import cellrate_command

    cellrate_command.begin()

import importlib
from typing import TYPE_CHECKING

from cellrate import _core
from cellrate._core import Cancelled, Outcome, ScenarioError, Store, __version__, template
from cellrate.common import compiled, parquet
from cellrate.common.extras import MissingExtra, needing
from cellrate.common.problems import BadInput
from cellrate.simulation.refusals import show_diagnostics

if TYPE_CHECKING:
    from cellrate.functions.about import (
        bench,
        bench_components,
        explain,
        import_goal,
        import_graph,
        time_space,
        validate,
    )
    from cellrate.functions.deciding import (
        choose,
        compare,
        compare_data,
        judge_schemes,
        size_buffer,
        tune,
    )
    from cellrate.functions.published import infer, reproduce_paper
    from cellrate.functions.studying import plot, read_study, report, study, table
    from cellrate.schemes.classes import Definition, Kind
    from cellrate.simulation.api import Result, run
    from cellrate.simulation.captures import Captures, capture
    from cellrate.simulation.runner import Job, run_many
    from cellrate.simulation.scenarios import Scenario
    from cellrate.simulation.series import Series
    from cellrate.studies.dataset import DataSet


def _find_scheme(kind: Kind, name: str, scenario: str) -> Definition | None:
    from cellrate.schemes.finding import find  # only scenarios that name a class need it

    return find(kind, name, scenario)


compiled.refuse_other(_core)
_core.read_parquet_with(parquet.as_csv)
_core.set_scheme_finder(_find_scheme)
show_diagnostics()

__all__ = [
    "BadInput",
    "Cancelled",
    "Captures",
    "DataSet",
    "Job",
    "MissingExtra",
    "Outcome",
    "Result",
    "Scenario",
    "ScenarioError",
    "Series",
    "Store",
    "__version__",
    "bench",
    "bench_components",
    "capture",
    "choose",
    "compare",
    "compare_data",
    "explain",
    "import_goal",
    "import_graph",
    "infer",
    "judge_schemes",
    "plot",
    "read_study",
    "report",
    "reproduce_paper",
    "run",
    "run_many",
    "size_buffer",
    "study",
    "table",
    "template",
    "time_space",
    "tune",
    "validate",
]

# These are imported when they are first used, because their libraries load slowly: numpy for those
# that run a scenario, others for the rest.
_ON_USE = {
    "Result": "simulation.api",
    "run": "simulation.api",
    "Captures": "simulation.captures",
    "capture": "simulation.captures",
    "Job": "simulation.runner",
    "run_many": "simulation.runner",
    "Scenario": "simulation.scenarios",
    "Series": "simulation.series",
    "explain": "functions.about",
    "import_goal": "functions.about",
    "import_graph": "functions.about",
    "time_space": "functions.about",
    "validate": "functions.about",
    "compare": "functions.deciding",
    "compare_data": "functions.deciding",
    "size_buffer": "functions.deciding",
    "choose": "functions.deciding",
    "judge_schemes": "functions.deciding",
    "tune": "functions.deciding",
    "infer": "functions.published",
    "reproduce_paper": "functions.published",
    "plot": "functions.studying",
    "read_study": "functions.studying",
    "report": "functions.studying",
    "study": "functions.studying",
    "table": "functions.studying",
    "bench": "functions.about",
    "bench_components": "functions.about",
    "DataSet": "studies.dataset",
}


def __getattr__(name: str) -> object:
    """Imports a function or class on its first use.

    Raises:
        AttributeError: There is none of this name.
        MissingExtra: A library that it needs is not installed.
    """
    if name not in _ON_USE:
        raise AttributeError(f"module 'cellrate' has no attribute {name!r}")
    with needing(f"cellrate.{name}"):
        found: object = getattr(importlib.import_module(f"cellrate.{_ON_USE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(globals().keys() | _ON_USE.keys())
