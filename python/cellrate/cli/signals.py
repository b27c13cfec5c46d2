"""Handles signals that ask the command to end: it stops as on Ctrl-C."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

NAMES = "SIGTERM", "SIGHUP"
"""Signals by which batch systems, service managers and closing terminals end a job."""


class Terminated(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(signalled: KeyboardInterrupt) -> int:
    """Exit code of a command that a signal ended: 128 plus the signal's number, as in shells."""
    return 128 + (signalled.number if isinstance(signalled, Terminated) else signal.SIGINT)


def listen() -> None:
    """Makes the signals raise `Terminated`, except those that the parent process set to ignored."""
    for name in NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def end_at_once() -> None:
    """Makes the next signal end the process silently."""
    for name in ("SIGINT", *NAMES):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)
