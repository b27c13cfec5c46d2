"""The runs of a function: how many at a time, where they are kept, who sees their progress."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from cellrate import _core
from cellrate.common.whole_number import MOST_SEED, MOST_SEEDS, require_whole_number
from cellrate.simulation.progress_line import Watcher, watching
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Done, Job, run_each, run_many

Stream: TypeAlias = Callable[[Iterable[Job]], Generator[Done]]
"""Runs jobs and yields the result of each in order, as `run_each` does."""


@contextmanager
def runner_of(
    label: str,
    workers: int | None,
    store: _core.Store | None,
    progress: Watcher | bool | None,
) -> Iterator[Runner]:
    """A function that runs jobs and returns all their outcomes."""
    with watching(progress, label) as watch:
        yield functools.partial(run_many, workers=workers, store=store, progress=watch)


@contextmanager
def stream_of(
    label: str,
    workers: int | None,
    store: _core.Store | None,
    progress: Watcher | bool | None,
) -> Iterator[Callable[[int], Stream]]:
    """Makes functions that run a number of jobs and yield their results one by one."""
    with watching(progress, label) as watch:

        def of(total: int) -> Stream:
            told = None if watch is None else (lambda done: watch(min(done, total), total))
            return functools.partial(run_each, workers=workers, store=store, watch=told)

        yield of


def seeds_from(first: int, count: int) -> tuple[int, ...]:
    """Consecutive seeds.

    Raises:
        TypeError: One of the arguments is not an integer.
        ValueError: There is no seed, or one is out of range.
    """
    count = require_whole_number(count, "seeds", 1, MOST_SEEDS)
    first = require_whole_number(first, "first_seed", 0, MOST_SEED)
    require_whole_number(first + count - 1, "the last seed", 0, MOST_SEED)
    return tuple(range(first, first + count))


def texts(given: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """One text or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def note(text: str) -> None:
    """Tells the user what to know before the result is used, as a Python warning."""
    warnings.warn(text, UserWarning, stacklevel=4)
