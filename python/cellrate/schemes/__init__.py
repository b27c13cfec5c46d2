"""Types for control schemes, discard policies, TCP recoveries and source laws written in Python.

A scenario names a class as `scheme = "my_scheme.py:MyScheme"` or `"package.module:Class"`. The
class is a dataclass. Its fields are the scheme's parameters. Its hooks (methods such as
`on_backward_rm`) are called at every port under control:

    from dataclasses import dataclass
    from cellrate.schemes import Cells, Port, RmCell

    @dataclass
    class Threshold:
        '''Tells sources to decrease while the queue is long.'''

        high: Cells = 500

        def on_backward_rm(self, port: Port, rm: RmCell) -> None:
            rm.ci = port.queue > self.high
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from cellrate._core import Connection, DataCell, Port, Queue, RmCell, SchemeError, Source
from cellrate.schemes.permission import allow_all, allowing

if TYPE_CHECKING:
    from cellrate.schemes.classes import HOOKS, Definition, Kind
    from cellrate.schemes.finding import find
    from cellrate.schemes.parameter_schema import Bytes, Cells, CellsPerSecond, Range, Seconds

__all__ = [
    "HOOKS",
    "Bytes",
    "Cells",
    "CellsPerSecond",
    "Connection",
    "DataCell",
    "Definition",
    "Kind",
    "Port",
    "Queue",
    "Range",
    "RmCell",
    "SchemeError",
    "Seconds",
    "Source",
    "allow_all",
    "allowing",
    "find",
]

# Only permissions are imported at every start; other names are imported when they are first used.
_ON_USE = {
    **dict.fromkeys(("HOOKS", "Definition", "Kind"), "classes"),
    **dict.fromkeys(("Bytes", "Cells", "CellsPerSecond", "Range", "Seconds"), "parameter_schema"),
    "find": "finding",
}


def __getattr__(name: str) -> object:
    """Imports a name on its first use.

    Raises:
        AttributeError: The package has no such name.
    """
    if name not in _ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{_ON_USE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(globals().keys() | _ON_USE.keys())
