"""The process of a command: the signals that end it, its standard streams, its address space."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, NoReturn, TextIO

import cellrate_command

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUTPUT = "standard output"
MIB = 2**20
NEEDED = {"numpy": 130 * MIB, "scipy": 180 * MIB}
"""Address space (bytes) to load the libraries with one thread: measured on Linux, plus a fifth."""
OF_A_THREAD = 45 * MIB
"""Address space of each further thread in bytes: its buffer and its stack."""
MOST_THREADS = 64
"""Greatest number of threads for which the libraries are built."""
STATUS = Path("/proc/self/statm")
"""File of Linux with the number of pages of the process; on other systems memory is not guarded."""


class Terminated(KeyboardInterrupt):
    """Raised when a signal ends the process."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(signalled: KeyboardInterrupt) -> int:
    """Exit code of a command that a signal ended: 128 plus the signal's number, as in shells."""
    return 128 + (signalled.number if isinstance(signalled, Terminated) else signal.SIGINT)


def listen() -> None:
    """Makes signals such as SIGTERM and SIGHUP, which would end the process, raise exceptions.

    A signal that does not have its default action, such as one that the parent process made this
    process ignore, keeps its action.
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


class _Output(io.FileIO):
    """Standard output, whose write errors name standard output as the file."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = OUTPUT
            raise


class _Errors(io.FileIO):
    """Standard error; errors of writing are ignored, since they cannot be reported anywhere."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Makes all standard streams usable, even if the process was started without some of them.

    Characters that the encoding of a stream lacks are written as escape sequences.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Otherwise the next opened file would get this number, and the output of the stream.
            os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)  # noqa: FBT003
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(2, "w", closefd=False), sys.stderr)


def nothing_more() -> None:
    """Discards all further standard output, including buffered text when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _text(raw: io.FileIO, before: TextIO | None) -> io.TextIOWrapper:
    kept = before if isinstance(before, io.TextIOWrapper) else None
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding="utf-8" if kept is None else kept.encoding,
        errors="backslashreplace",
        line_buffering=raw.isatty() or isinstance(raw, _Errors),
        write_through=kept is not None and kept.write_through,
    )


def guard_memory() -> None:
    """Refuses to load numerical libraries if the bounded address space is too small for them.

    OpenBLAS, of which numpy and scipy have one each, reserves a buffer for each thread while it is
    loaded. If the system refuses this memory, OpenBLAS retries without end, and ignores signals.
    """
    try:
        import resource
    except ImportError:  # not on Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and STATUS.exists():
        sys.meta_path.insert(0, _Guard(limit))


class _Guard:
    """An import hook that refuses libraries that would not fit into memory."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Leaves the search to other finders, unless the library does not fit.

        Raises:
            MemoryError: The library does not fit into the address space.
        """
        if name in NEEDED and self._left() < NEEDED[name] + OF_A_THREAD * (_threads() - 1):
            raise MemoryError(f"too little address space for {name}")
        return None

    def _left(self) -> int:
        pages = int(STATUS.read_text(encoding="ascii").split()[0])
        return self._limit - pages * os.sysconf("SC_PAGE_SIZE")


def _threads() -> int:
    asked = os.environ.get("OPENBLAS_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return min(int(asked), MOST_THREADS)
    return min(len(os.sched_getaffinity(0)), MOST_THREADS)
