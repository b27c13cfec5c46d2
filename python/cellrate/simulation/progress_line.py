"""The progress of runs as one line of text, for notebooks and scripts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Watcher: TypeAlias = Callable[[float, int], None]
"""Called with the number of finished parts, fractions included, and of all parts."""

REFRESH_SECONDS = 0.5


class ProgressLine:
    """A line on standard error, written over and over, that notebooks and terminals show.

    Call it with the number of parts done, fractions included, and the number of all parts.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self.written = -REFRESH_SECONDS
        self.length = 0

    def __call__(self, done: float, total: float) -> None:
        """Writes the line anew, if it is time to."""
        now = time.monotonic()
        if now - self.written < REFRESH_SECONDS:
            return
        self.written = now
        share = min(max(done / total, 0.0), 1.0) if total else 1.0
        self._write(f"{self.label}: {share:.0%}")

    def close(self) -> None:
        """Removes the line."""
        self._write("")
        sys.stderr.write("\r")
        sys.stderr.flush()

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text:<{self.length}}")
        sys.stderr.flush()
        self.length = len(text)


@contextmanager
def watching(progress: Watcher | bool | None, label: str) -> Iterator[Watcher | None]:
    """A function to call with the progress of the block.

    Args:
        progress: True for a line on standard error, a function that is to be called instead, or
            None or False for neither.
        label: Text before the percentage.

    Raises:
        TypeError: It is none of these.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        line = ProgressLine(label)
        try:
            yield line
        finally:
            line.close()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress = {progress!r}: must be True, False or a function")
