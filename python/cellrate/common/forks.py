"""Distributes work that holds the interpreter's lock over copies of this process (forks)."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar, cast

T = TypeVar("T")


def shared_out(parts: Sequence[Callable[[], T]], workers: int) -> list[T]:
    """Calls functions without arguments in several processes.

    The functions need not be picklable, since a copy of this process has all that they refer to;
    results must be picklable. Functions are started in order. Functions that fail in a copy are
    repeated in this process, in order, so that errors are those of a simple loop.

    Outside Linux, and if Python has other threads, all functions run in this process: a copy would
    never release the locks of other threads.

    Args:
        parts: The functions, which must not write files or change shared state.
        workers: Number of functions that run at a time.

    Returns:
        The results, in the order of the functions.
    """
    count = min(workers, len(parts))
    done: dict[int, T] = {}
    if count > 1 and sys.platform == "linux" and threading.active_count() == 1:
        with _copies(parts, count) as pipes:
            done = _handed_out(len(parts), pipes)
    return [done[number] if number in done else part() for number, part in enumerate(parts)]


@contextmanager
def _copies(parts: Sequence[Callable[[], Any]], count: int) -> Iterator[list[Connection]]:
    """Starts copies, and ends them with the block; yields the pipes to them."""
    context = get_context("fork")
    pipes: list[Connection] = []
    processes = []
    try:
        # A copy ignores Ctrl-C; this process ends the copy.
        with _undisturbed():
            for _ in range(count):
                here, there = context.Pipe()
                pipes.append(here)
                process = context.Process(target=_serve, args=(parts, there, pipes), daemon=True)
                process.start()
                processes.append(process)
                there.close()
        yield pipes
    finally:
        for process in processes:
            process.kill()
            process.join()
        for pipe in pipes:
            pipe.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Blocks signals that end a command, so that copies made in the block never get them."""
    held = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        with warnings.catch_warnings():
            # Newer versions of Python also warn of library threads, such as numpy's, which are
            # harmless here.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _handed_out(count: int, pipes: Sequence[Connection]) -> dict[int, Any]:
    """Results by number of the part; results after a failure may be missing."""
    numbers = iter(range(count))
    busy: dict[Connection, int] = {}
    done: dict[int, Any] = {}
    failed = False

    def ask(pipe: Connection, number: int) -> None:
        with suppress(OSError):  # its copy has ended; the end of the pipe shows this below
            pipe.send(number)
        busy[pipe] = number

    for pipe, number in zip(pipes, numbers, strict=False):
        ask(pipe, number)
    while busy:
        for ready in wait(list(busy)):
            pipe = cast("Connection", ready)
            number = busy.pop(pipe)
            try:
                done[number] = pipe.recv()[0]
            except (EOFError, OSError, IndexError):
                failed = True
                continue
            following = None if failed else next(numbers, None)
            if following is not None:
                ask(pipe, following)
    return done


def _serve(
    parts: Sequence[Callable[[], Any]], pipe: Connection, inherited: Sequence[Connection]
) -> None:
    """Runs in a copy: sends the result of each requested part, or a failure mark."""
    for other in inherited:
        other.close()  # so that the pipe ends with the process at the other end
    with suppress(EOFError, OSError):
        while True:
            number = pipe.recv()
            try:
                answer: tuple[Any, ...] = (parts[number](),)
            except Exception:  # noqa: BLE001  raised again where the part was handed out
                answer = ()
            pipe.send(answer)
