"""Handles signals that ask the command to end: once it has begun, it stops as on Ctrl-C."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

import cellrate_command


class Terminated(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(signalled: KeyboardInterrupt) -> int:
    """Exit code of a command that a signal ended: 128 plus the signal's number, as in shells."""
    return 128 + (signalled.number if isinstance(signalled, Terminated) else signal.SIGINT)


def listen() -> None:
    """Makes the signals that would end the process at once raise exceptions, in a command's work.

    Those that the parent process set otherwise stay as they are.
    """
    for number in _numbers():
        if signal.getsignal(number) is cellrate_command.end:
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else _stop)


def end_at_once() -> None:
    """Makes the next signal end the process silently."""
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _numbers() -> list[signal.Signals]:
    """The signals by which terminals, batch systems and service managers end a job."""
    return [getattr(signal, name) for name in cellrate_command.WORDS if hasattr(signal, name)]


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)
