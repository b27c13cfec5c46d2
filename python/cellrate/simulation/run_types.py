"""Types of the functions that run jobs, for callers that are given one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeAlias

from cellrate import _core
from cellrate.simulation.runner import Done, Job

Runner: TypeAlias = Callable[[Sequence[Job]], Sequence[_core.Outcome]]
"""Runs jobs, equal ones once, and returns their outcomes in order, as `run_many` does."""

StreamRunner: TypeAlias = Callable[[Iterable[Job]], Generator[Done]]
"""Runs jobs and yields the result of each in order, as `run_each` does."""
