"""Runs scenarios with schemes in Python in worker processes, one for each thread.

A class in Python holds the interpreter's lock while it works, so threads would wait for each other.
A process, unlike a thread, can also be ended while a hook waits in a library of another language.
"""

from __future__ import annotations

import contextlib
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from typing import IO, Any

from cellrate import _core
from cellrate.schemes import watching
from cellrate.schemes.classes import NoScheme
from cellrate.schemes.finding import Parcel, packed, unpack
from cellrate.schemes.watching import told, watched

LENGTH = struct.Struct("<Q")

_own = threading.local()
_writing = threading.Lock()
"""Lock of the thread that writes to a worker process."""

GRACE_SECONDS = 5.0
"""Seconds after the time limit of a hook (a method of a scheme in Python), in which the worker
process may interrupt the hook.

After these seconds the worker process is killed.
"""


class Silence:
    """A watchdog: ends a worker process that has sent no message for too long during a run.

    A process sends a message every half second, unless one call of a hook takes longer. After
    `watching.LIMIT_SECONDS` the process itself interrupts that call, unless the call waits in a
    library of another language.

    Attributes:
        is_over: True if the process has been ended.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.is_over = False
        self.limit = watching.LIMIT_SECONDS + GRACE_SECONDS
        self.at = 0.0
        self.runs = False
        self.heard = time.monotonic()
        self._done = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def told(self) -> str:
        """Error message of a run whose worker process the watchdog has ended."""
        return (
            f"a hook after {self.at:.9g} s: it has not returned for {self.limit:g} s, and could "
            "not be interrupted; its process was ended"
        )

    def hear(self, kind: str, *what: float) -> None:
        """Resets the watchdog on a message, and stores the simulated time of the message."""
        self.heard = time.monotonic()
        self.runs = kind in {"alive", "at"}
        if kind == "at":
            self.at = what[0]

    def end(self) -> None:
        """Stops the watchdog."""
        self._done.set()

    def _watch(self) -> None:
        while not self._done.wait(watching.TICK_SECONDS):
            if self.runs and time.monotonic() - self.heard > self.limit:
                self.is_over = True
                self.process.kill()
                return


class Worker:
    """A worker process that simulates scenarios, one after the other.

    This object removes the temporary files of the process, which are copies of the class files and
    others, since a killed process cannot.
    """

    def __init__(self) -> None:
        place = tempfile.mkdtemp(prefix="cellrate-")
        command = [sys.executable, "-m", "cellrate.simulation.apart", place]
        try:
            self.process = subprocess.Popen(  # noqa: S603  this interpreter and this module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        # Also closes the worker when its thread or this process ends without `close`.
        self._end = weakref.finalize(self, _end, self.process, place)

    def run(self, asked: tuple[Any, ...], report: Callable[[float, float], bool] | None) -> bytes:
        """Simulates a scenario and returns the result as bytes; see `run` below.

        `asked` has the scenario, the key of its result, and the packed classes in Python.
        """
        silence = Silence(self.process)
        is_answered = False
        try:
            _send(self.process.stdin, asked)
            while True:
                kind, *what = _receive(self.process.stdout)
                silence.hear(kind, *what)
                is_answered = kind in {"done", "error"}
                if kind == "done":
                    return bytes(what[0])
                if kind == "error":
                    raise what[0]  # noqa: TRY301  from the other process
                if kind == "at" and report is not None and report(*what) is False:
                    self.close()
                    raise _core.Cancelled("the run was stopped")  # noqa: TRY301  as above
        except (EOFError, BrokenPipeError) as error:
            self.close()
            if silence.is_over:
                raise _core.SchemeError(silence.told) from None
            raise RuntimeError("the process of a run with classes in Python has ended") from error
        except BaseException:
            # A late message would otherwise be taken for a message of the next run.
            if not is_answered or self.process.poll() is not None:
                self.close()
            raise
        finally:
            silence.end()

    def close(self) -> None:
        """Ends the process, and its current run."""
        _own.worker = None
        self._end()


def _end(process: subprocess.Popen[bytes], place: str) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # the reader has ended, so the rest cannot be written
            if pipe is not None:
                pipe.close()
    shutil.rmtree(place, ignore_errors=True)


def run(scenario: _core.Scenario, report: Callable[[float, float], bool] | None) -> _core.Outcome:
    """Runs a scenario in the worker process of this thread.

    `report` is called with the simulated time and its end; returning False stops the run.

    Raises:
        ScenarioError: The scenario cannot be run.
        SchemeError: Code of a class raised an exception.
        Cancelled: The report stopped the run.
    """
    worker: Worker | None = getattr(_own, "worker", None)
    if worker is None:
        worker = _own.worker = Worker()
    asked = (scenario.given(), scenario.key(), packed(scenario.code))
    return _core.Outcome.from_bytes(worker.run(asked, report))


def _send(stream: IO[bytes] | None, what: object) -> None:
    if stream is None:
        raise EOFError
    data = pickle.dumps(what)
    with _writing:
        stream.write(LENGTH.pack(len(data)) + data)
        stream.flush()


def _receive(stream: IO[bytes] | None) -> Any:  # noqa: ANN401  what was sent
    head = b"" if stream is None else stream.read(LENGTH.size)
    if len(head) < LENGTH.size or stream is None:
        raise EOFError
    return pickle.loads(stream.read(LENGTH.unpack(head)[0]))  # noqa: S301  from this program alone


def _serve(place: str) -> None:
    """Executes the runs that arrive on standard input, until the input ends.

    Args:
        place: Directory of all temporary files.
    """
    tempfile.tempdir = place
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # prints of a class must not mix with messages
    while True:
        try:
            given, key, parcels = _receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            _send(output, ("done", _run(given, key, parcels, output)))
        except Exception as error:  # noqa: BLE001  raised where the run was asked for
            _send(output, ("error", _portable(error)))


def _run(
    given: tuple[str, str, list[str], int | None],
    key: str,
    parcels: tuple[Parcel, ...],
    output: IO[bytes],
) -> bytes:
    for parcel in parcels:
        unpack(parcel)
    scenario = _core.Scenario(*given)
    if scenario.key() != key:
        raise NoScheme("the source of a class has changed since the run was asked for")

    def report(now: float, end: float) -> bool:
        _send(output, ("at", now, end))
        return True

    def alive() -> None:
        _send(output, ("alive",))

    alive()
    with watched(scenario, alive):
        outcome = scenario.run(report)
    _send(output, ("ends",))
    return outcome.to_bytes()


def _portable(error: Exception) -> Exception:
    """The error in a form that can be pickled.

    The cause of a `SchemeError` becomes part of its text.
    """
    if isinstance(error, _core.SchemeError):
        return _core.SchemeError(told(error))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  made in the line itself
    except Exception:  # noqa: BLE001  of any class
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    _serve(sys.argv[1])
