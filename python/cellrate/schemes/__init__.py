"""Schemes, discard policies, recoveries and laws as classes in Python: with what they are written.

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

from cellrate._core import Connection, DataCell, Port, Queue, RmCell, SchemeError, Source
from cellrate.schemes.classes import HOOKS, Definition, Kind
from cellrate.schemes.finding import find
from cellrate.schemes.parameter_schema import Bytes, Cells, CellsPerSecond, Range, Seconds
from cellrate.schemes.permission import allow_all, allowing

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
