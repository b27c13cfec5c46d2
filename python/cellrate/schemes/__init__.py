"""Names for control schemes, discard policies, recoveries and source laws as classes in Python.

A scenario names a class as `scheme = "my_scheme.py:MyScheme"` or `"package.module:Class"`. The
class is a dataclass; its fields are the scheme's parameters, and its hooks are called at every
port under control:

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

# Only permissions are imported at every start; the rest if a scenario names a class.
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
