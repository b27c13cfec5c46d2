"""Moments of a GOAL file: each is the latest of several ends of transfers, each plus a time.

A transfer ends twice: when its last byte arrives at the receiver, and when the acknowledgement of
this byte arrives at the sender.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

Moment = Mapping[int, int]
"""Nanoseconds after each event; the moment is the latest of these times."""
MOST_LOOKED_AT = 2_000
"""Greatest number of transfers from which the order of two events is concluded."""
START = -1
"""The event in which all ranks begin."""


def arrived(transfer: int) -> int:
    """The event in which the last byte of a transfer is at the receiver."""
    return 2 * transfer


def acknowledged(transfer: int) -> int:
    """The event in which the sender of a transfer has its last acknowledgement."""
    return 2 * transfer + 1


def latest(*moments: Moment) -> dict[int, int]:
    """The latest of some moments; the start if there are none."""
    found: dict[int, int] = {}
    for moment in moments:
        for event, time in moment.items():
            found[event] = max(time, found.get(event, 0))
    since_start = found.pop(START, 0)
    # No event is before the start.
    if since_start > max(found.values(), default=-1):
        found[START] = since_start
    return found


def later(moment: Moment, time: int) -> dict[int, int]:
    """A moment plus a time."""
    return {event: since + time for event, since in moment.items()}


class Order:
    """The begins of transfers, and the order of events that follows from them in every run.

    A transfer awaits transfers of lower numbers only.
    """

    def __init__(self) -> None:
        self.begins: dict[int, Moment] = {}

    def without_earlier(self, moment: Moment) -> dict[int, int]:
        """The moment without events whose time is in no run the last one."""
        reached = self._reached(moment, min(moment))
        return {event: time for event, time in moment.items() if reached.get(event, -1) < time}

    def is_no_later(self, first: Moment, second: Moment) -> bool:
        """True if the first moment comes no later than the second in every run."""
        left = {event: time for event, time in first.items() if second.get(event, -1) < time}
        reached = self._reached(second, min(left)) if left else {}
        return all(reached.get(event, -1) >= time for event, time in left.items())

    def _reached(self, moment: Moment, first: int) -> dict[int, int]:
        """Times by which the moment certainly comes later than earlier events, from `first` on."""
        reached: dict[int, int] = {}
        # The transfer with the highest number comes first, since no other one awaits it.
        transfers: list[int] = []
        since_begin: dict[int, int] = {}

        def pass_on(event: int, time: int) -> None:
            transfer = event // 2
            if event == START or transfer < first // 2:
                return
            # An acknowledgement is no earlier than the arrival, which is no earlier than the begin.
            if event == acknowledged(transfer):
                reached[arrived(transfer)] = max(time, reached.get(arrived(transfer), 0))
            if transfer not in since_begin:
                heapq.heappush(transfers, -transfer)
            since_begin[transfer] = max(time, since_begin.get(transfer, 0))

        for event, time in moment.items():
            pass_on(event, time)
        for _ in range(MOST_LOOKED_AT):
            if not transfers:
                break
            transfer = -heapq.heappop(transfers)
            for event, wait in self.begins[transfer].items():
                time = since_begin[transfer] + wait
                reached[event] = max(time, reached.get(event, 0))
                pass_on(event, time)
        return reached
