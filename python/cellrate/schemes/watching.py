"""Watches hooks of user code: interrupts a hook that does not return, and formats errors."""

from __future__ import annotations

import ctypes
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cellrate import _core
from cellrate._core import SchemeError

LIMIT_SECONDS = 10.0
"""Longest time that one call of a hook may take."""
TICK_SECONDS = 0.5


class NoReturn(Exception):
    """A hook has not returned within the time limit."""

    def __init__(self) -> None:
        super().__init__(f"it has not returned for {LIMIT_SECONDS:g} s")


@contextmanager
def watched(scenario: _core.Scenario, alive: Callable[[], None] | None = None) -> Iterator[None]:
    """Raises `NoReturn` in a hook of the scenario's classes that takes longer than the limit.

    The run must be made by the calling thread. Code that waits in a library of another language
    cannot be interrupted before it returns; `cellrate.simulation.apart` ends its process.

    Args:
        scenario: The scenario.
        alive: Called twice a second, from another thread, unless a single hook takes longer.
    """
    done = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(scenario, threading.get_ident(), done, alive), daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(
    scenario: _core.Scenario,
    thread: int,
    done: threading.Event,
    alive: Callable[[], None] | None,
) -> None:
    last, since = scenario.hook_steps(), 0.0
    while not done.wait(TICK_SECONDS):
        steps = scenario.hook_steps()
        hangs = steps == last and steps % 2
        since = since + TICK_SECONDS if hangs else 0.0
        if alive is not None and not hangs:
            alive()
        last = steps
        if since >= LIMIT_SECONDS:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(NoReturn)
            )
            since = 0.0


def told(error: SchemeError) -> str:
    """Text of an error in a hook: hook, simulated time, error, and traceback in the user's code."""
    cause = error.__cause__
    if cause is None:
        return str(error)
    lines = traceback.format_tb(cause.__traceback__)
    return f"{error}\n{''.join(lines).rstrip()}"
