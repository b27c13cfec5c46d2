"""Types of functions that run jobs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeAlias

from cellrate import _core
from cellrate.simulation.runner import Done, Job

Runner: TypeAlias = Callable[[Sequence[Job]], Sequence[_core.Outcome]]
"""Runs jobs and returns their outcomes in order, as `run_many` does; equal jobs run once."""

StreamRunner: TypeAlias = Callable[[Iterable[Job]], Generator[Done]]
"""Runs jobs and yields the result of each in order, as `run_each` does."""
