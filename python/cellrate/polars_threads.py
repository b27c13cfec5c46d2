"""The threads that polars starts for itself, which it must get."""

from __future__ import annotations

import os
import threading
from functools import cache

from cellrate.runner import available_cores


@cache
def refuse_too_few() -> None:
    """Looks, once, whether the system allows the threads that polars will start.

    Of some that it is refused polars tells by a panic in another thread, for others it waits for
    ever; so it is not begun without them.

    Raises:
        RuntimeError: Too few threads are allowed, in Python's words.
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
    """At least as many as it has: three pools of one a core, and a few that are always there.

    Polars is not asked for the size of a pool, for that makes one.
    """
    told = os.environ.get("POLARS_MAX_THREADS", "")
    return 3 * (int(told) if told.isdecimal() else available_cores()) + 8
