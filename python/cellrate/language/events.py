"""Event log of a run in expressions."""

import bisect
from fnmatch import fnmatchcase
from typing import Any

from cellrate.language.expressions import Readable


class Events(Readable):
    """Events of one kind, in order of time (seconds)."""

    def __init__(self, times: list[float], columns: dict[str, list[Any]]) -> None:
        self.times = times
        self._columns = columns

    def count(self, start: float = 0.0, end: float = float("inf")) -> int:
        """Number of events from `start` until before `end` (seconds)."""
        return bisect.bisect_left(self.times, end) - bisect.bisect_left(self.times, start)

    def first(self, start: float = 0.0) -> float:
        """Time of the first event from `start` on, in seconds; infinite if there is none."""
        index = bisect.bisect_left(self.times, start)
        return self.times[index] if index < len(self.times) else float("inf")

    def column(self, key: str) -> list[Any]:
        """A column of the log: `vc`, `port`, `pdu`, `cause`."""
        return self._columns[key]

    def of(self, key: str, pattern: str) -> "Events":
        """Events whose column matches a pattern; `*` stands for any text."""
        kept = [i for i, x in enumerate(self._columns[key]) if fnmatchcase(str(x), pattern)]
        columns = {name: [column[i] for i in kept] for name, column in self._columns.items()}
        return Events([self.times[i] for i in kept], columns)
