"""Ends a run whose user code does not return."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cellrate import _core

LIMIT_SECONDS = 10.0
"""Longest time that one call of a hook may take."""
TICK_SECONDS = 0.5


class NoReturn(Exception):
    """A hook has not returned in time."""

    def __init__(self) -> None:
        super().__init__(f"it has not returned for {LIMIT_SECONDS:g} s")


@contextmanager
def watched(scenario: _core.Scenario) -> Iterator[None]:
    """Raises `NoReturn` in a hook of the scenario's classes that takes longer than the limit.

    The run must be made by the calling thread. Code that waits in a library of another language
    cannot be interrupted before it returns.
    """
    done = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(scenario, threading.get_ident(), done), daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(scenario: _core.Scenario, thread: int, done: threading.Event) -> None:
    last, since = scenario.hook_steps(), 0.0
    while not done.wait(TICK_SECONDS):
        steps = scenario.hook_steps()
        since = since + TICK_SECONDS if steps == last and steps % 2 else 0.0
        last = steps
        if since >= LIMIT_SECONDS:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(NoReturn)
            )
            since = 0.0
