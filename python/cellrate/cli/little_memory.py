"""Refuses to load numerical libraries into a bounded address space that is too small for them.

OpenBLAS reserves a buffer for each thread while it is loaded, and where the system refuses it asks
again without end, in code that hears no signal. numpy and scipy have one each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

MIB = 2**20
NEEDED = {"numpy": 130 * MIB, "scipy": 180 * MIB}
"""Address space that loading takes with one thread, measured on Linux, with a fifth beyond."""
OF_A_THREAD = 45 * MIB
"""Address space of each further thread: its buffer and its stack."""
MOST_THREADS = 64
"""Threads for which the libraries are built."""
STATUS = Path("/proc/self/statm")
"""File of Linux with the number of pages of the process; other systems are not guarded."""


def guard() -> None:
    """Guards the loading of these libraries, if the address space of the process is bounded."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and STATUS.exists():
        sys.meta_path.insert(0, _Guard(limit))


class _Guard:
    """Finds no module, but is asked first for each."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Nothing.

        Raises:
            MemoryError: The module is a library for which there is too little room.
        """
        if name in NEEDED and self._left() < NEEDED[name] + OF_A_THREAD * (_threads() - 1):
            raise MemoryError(f"too little address space for {name}")
        return None

    def _left(self) -> int:
        pages = int(STATUS.read_text(encoding="ascii").split()[0])
        return self._limit - pages * os.sysconf("SC_PAGE_SIZE")


def _threads() -> int:
    asked = os.environ.get("OPENBLAS_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return min(int(asked), MOST_THREADS)
    return min(len(os.sched_getaffinity(0)), MOST_THREADS)
