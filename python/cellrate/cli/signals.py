"""Signals that ask the command to end: it stops as it does on Ctrl-C."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

NAMES = "SIGTERM", "SIGHUP"
"""By which a batch system or a service manager ends a job, and a terminal that goes away."""


class Terminated(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(asked: KeyboardInterrupt) -> int:
    """What a command ends with that was asked to end: 128 and the signal, as shells tell it."""
    return 128 + (asked.number if isinstance(asked, Terminated) else signal.SIGINT)


def listen() -> None:
    """From now on such a signal raises `Terminated`, unless whoever started us wants it ignored."""
    for name in NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def end_at_once() -> None:
    """From now on the next signal ends the process without a word."""
    for name in ("SIGINT", *NAMES):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)
