"""Entry of the command `cellrate`: signals end it with one word from its first moment on.

The package takes a while to be imported, and an exception that a signal raises there is shown as a
traceback or gets lost in a library. So this module is outside the package, and imports only
what the interpreter has loaded already.
"""

from __future__ import annotations

# `signal` itself is Python, and takes longer to load than all that is here.
import _signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False  # that of `typing` would have to be loaded
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "terminated"}
"""Signals that ask a command to end, and what it says then."""


def main() -> None:
    """Runs the command with the arguments of the process and exits with its code."""
    begin()
    # Pictures go to files; a backend that the surroundings name may be one that is not here.
    os.environ["MPLBACKEND"] = "agg"
    try:
        from cellrate.cli import main as command
    except ImportError as error:
        if error.name != "cellrate._core":
            raise
        os.write(2, f"error: {error}\n".encode())
        os._exit(1)
    command()


def begin() -> None:
    """Lets SIGINT, SIGTERM and SIGHUP end the process at once; ignored ones stay ignored."""
    for name in WORDS:
        number = getattr(_signal, name, None)  # Windows has no SIGHUP
        usual = (_signal.SIG_DFL, _signal.default_int_handler)
        if number is not None and _signal.getsignal(number) in usual:
            _signal.signal(number, end)


def end(number: int, _frame: FrameType | None) -> NoReturn:
    """Ends the process, in which nothing has begun that would have to be undone."""
    word = next(word for name, word in WORDS.items() if getattr(_signal, name, None) == number)
    try:  # noqa: SIM105 -- `contextlib` would have to be loaded
        os.write(2, f"{word}\n".encode())
    except OSError:  # nobody reads it
        pass
    os._exit(128 + number)
