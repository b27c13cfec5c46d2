"""Options that several subcommands share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

ScenarioFile: TypeAlias = Annotated[
    str,
    Parameter(name="FILE", allow_leading_hyphen=True, help="Scenario file; - is standard input."),
]
Settings: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--set",
        show_default=False,
        negative="",
        help="Setting by dotted path, as in --set flow.tcp.count=5; repeatable.",
    ),
]
Taps: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--capture",
        show_default=False,
        negative="",
        help="Place to capture at, as in --capture A:ip; repeatable.",
    ),
]
Seed: TypeAlias = Annotated[
    int | None, Parameter(validator=Number(gte=0), help="Seed instead of the scenario's.")
]
Json: TypeAlias = Annotated[
    bool, Parameter(name="--json", negative="", help="Print JSON, and nothing else.")
]
Workers: TypeAlias = Annotated[
    int | None, Parameter(validator=Number(gte=1), help="Runs at a time; all cores by default.")
]
