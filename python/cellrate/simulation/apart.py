"""Runs scenarios that name classes in Python in processes of their own, one for each thread.

A class in Python holds the interpreter's lock while it works, so threads would wait for each other.
"""

from __future__ import annotations

import contextlib
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from cellrate import _core
from cellrate.schemes.classes import NoScheme
from cellrate.schemes.parcels import Parcel, packed, unpack
from cellrate.schemes.telling import told
from cellrate.schemes.watching import watched

LENGTH = struct.Struct("<Q")

_own = threading.local()


class Worker:
    """A process that makes runs, one after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "cellrate.simulation.apart"]
        self.process = subprocess.Popen(  # noqa: S603  this interpreter and this module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, asked: tuple[Any, ...], report: Callable[[float, float], bool] | None) -> bytes:
        """Makes a run and returns its outcome as bytes; see `run` below."""
        try:
            _send(self.process.stdin, asked)
            while True:
                kind, *what = _receive(self.process.stdout)
                if kind == "done":
                    return bytes(what[0])
                if kind == "error":
                    raise what[0]  # noqa: TRY301  from the other process
                if report is not None and report(*what) is False:
                    self.close()
                    raise _core.Cancelled("the run was stopped")  # noqa: TRY301  as above
        except (EOFError, BrokenPipeError) as error:
            self.close()
            raise RuntimeError("the process of a run with classes in Python has ended") from error
        except BaseException:
            if self.process.poll() is not None:
                self.close()
            raise

    def close(self) -> None:
        """Ends the process, and what it runs."""
        _own.worker = None
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # what is left to write has no reader
                if pipe is not None:
                    pipe.close()

    def __del__(self) -> None:
        if self.process.returncode is None:
            self.close()


def run(scenario: _core.Scenario, report: Callable[[float, float], bool] | None) -> _core.Outcome:
    """Runs a scenario in this thread's process.

    Args:
        scenario: The scenario.
        report: Called with the simulated time and its end; returning False stops the run.

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
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> Any:  # noqa: ANN401  what was sent
    head = b"" if stream is None else stream.read(LENGTH.size)
    if len(head) < LENGTH.size or stream is None:
        raise EOFError
    return pickle.loads(stream.read(LENGTH.unpack(head)[0]))  # noqa: S301  from this program alone


def _serve() -> None:
    """Makes the runs that come by standard input, until it ends."""
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a class prints must not mix with the answers
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

    with watched(scenario):
        return scenario.run(report).to_bytes()


def _portable(error: Exception) -> Exception:
    """An error that another process can raise; the cause of a `SchemeError` as part of its text."""
    if isinstance(error, _core.SchemeError):
        return _core.SchemeError(told(error))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  made in the line itself
    except Exception:  # noqa: BLE001  of any class
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    _serve()
