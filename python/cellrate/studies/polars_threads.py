"""Checks that the system allows the threads that polars starts."""

from __future__ import annotations

import os
import threading
from functools import cache

from cellrate.common.whole_number import MOST_WORKERS, read_whole_number
from cellrate.simulation.runner import available_cores

LIMIT = "POLARS_MAX_THREADS"
"""Environment variable that bounds the number of threads of polars."""


@cache
def refuse_too_few() -> None:
    """Starts and ends as many threads as polars may start; later calls do nothing.

    If the system refuses polars a thread, polars panics in another thread or waits for ever.

    Raises:
        BadInput: `POLARS_MAX_THREADS` is not a number of threads.
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
    limit = os.environ.get(LIMIT)
    if limit is None:
        return 3 * available_cores() + 8
    # Polars panics at 0, and starts one thread per core if the variable is not a number.
    return 3 * read_whole_number(limit, LIMIT, 1, MOST_WORKERS) + 8
