"""Checks that the system allows the threads that polars starts."""

from __future__ import annotations

import os
import threading
from functools import cache

from cellrate.simulation.runner import available_cores


@cache
def refuse_too_few() -> None:
    """Starts and ends as many threads as polars may start; later calls do nothing.

    Polars must not run without its threads: depending on which thread is refused, it panics in
    another thread or waits for ever.

    Raises:
        RuntimeError: The system allows too few threads; the message is Python's.
    """
    over = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(_number()):
            thread = threading.Thread(target=over.wait)
            thread.start()
            started.append(thread)
    finally:
        over.set()
        for thread in started:
            thread.join()


def _number() -> int:
    """Upper bound of polars' threads: three pools with a thread per core, and a few others.

    Polars is not asked for the size of a pool, because that would start one.
    """
    limit = os.environ.get("POLARS_MAX_THREADS", "")
    return 3 * (int(limit) if limit.isdecimal() else available_cores()) + 8
