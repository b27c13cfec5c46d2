"""Reduces collections of cyclic garbage, since results are trees without cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 100_000
"""Number of new objects after which a command looks for cycles; Python's default is 700."""


def collect_rarely() -> None:
    """Makes collections rare in a process that makes many objects and few cycles."""
    gc.set_threshold(YOUNG)


@contextmanager
def paused() -> Iterator[None]:
    """Postpones collections to the end of a block that makes many objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
