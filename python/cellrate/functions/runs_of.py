"""Runs the jobs of a function, with its number of workers, store of results, and progress."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cellrate import _core
from cellrate.common.whole_number import LIMITS, require_whole_number
from cellrate.simulation.progress_line import Watcher, watching
from cellrate.simulation.run_types import Runner, StreamRunner
from cellrate.simulation.runner import Job, run_each, run_many


@contextmanager
def runner_of(
    label: str, workers: int | None, store: _core.Store | None, progress: Watcher | bool | None
) -> Iterator[Runner]:
    """Context manager that yields a function; the function runs jobs and returns all outcomes."""
    with watching(progress, label) as watch:
        yield functools.partial(run_many, workers=workers, store=store, progress=watch)


@contextmanager
def stream_of(
    label: str, workers: int | None, store: _core.Store | None, progress: Watcher | bool | None
) -> Iterator[Callable[[int], StreamRunner]]:
    """Context manager that yields a function; the function runs jobs and yields each result."""
    with watching(progress, label) as watch:

        def of(total: int) -> StreamRunner:
            told = None if watch is None else (lambda done: watch(min(done, total), total))
            return functools.partial(run_each, workers=workers, store=store, watch=told)

        yield of


def seeds_from(first: int, count: int) -> tuple[int, ...]:
    """`count` consecutive seeds, from `first` on.

    Raises:
        TypeError: One of the arguments is not an integer.
        ValueError: There is no seed, or one is out of range.
    """
    count, first = whole("seeds", count), whole("first_seed", first)
    require_whole_number(first + count - 1, "the last seed", *LIMITS["seed"])
    return tuple(range(first, first + count))


def whole(name: str, value: object) -> int:
    """The value of a parameter that is a whole number.

    Raises:
        TypeError: The value is not an integer.
        ValueError: The value is outside the parameter's limits.
    """
    return require_whole_number(value, name, *LIMITS[name])


def kept_in(store: _core.Store | None) -> Callable[[Job], bool]:
    """A function that returns True for a job whose result is in the store."""
    return lambda job: store is not None and store.contains(job.key())


def texts(given: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Converts one text, or several texts, to a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)


def note(text: str) -> None:
    """Issues a note on a result as a Python warning."""
    warnings.warn(text, UserWarning, stacklevel=5)
