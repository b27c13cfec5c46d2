"""The common part of the environments: a scenario, episodes, seeds."""

from __future__ import annotations

import json
from abc import abstractmethod
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cellrate import _core
from cellrate.common.whole_number import MOST_SEED, require_whole_number
from cellrate.simulation.runner import Job
from cellrate.simulation.scenarios import Overrides, ScenarioLike, job_of

Vector = NDArray[np.float64]
DRAWN_SEEDS = 2**31
"""Seeds that are drawn are below this."""


class Episode(Protocol):
    """A run in progress."""

    @property
    def now(self) -> float:
        """Simulated time in seconds."""

    @property
    def ended(self) -> bool:
        """True at the end of the run."""

    def summary(self) -> str:
        """The summary of the run that has ended, as JSON."""


E = TypeVar("E", bound=Episode)


class Environment(gymnasium.Env[Vector, Vector], Generic[E]):
    """Runs a scenario once per episode, and pauses it at the end of every interval.

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, a `cellrate.Scenario`, or the
            name of a template.
        overrides: Settings as `cellrate.run` takes them.
        render_mode: None: the environment draws nothing.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  of gymnasium

    def __init__(
        self, scenario: ScenarioLike, overrides: Overrides, render_mode: str | None
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode {render_mode!r}: the environment draws nothing")
        self.render_mode = None
        # Series would be recorded in vain.
        job = job_of(_template_or(scenario), overrides, None)
        self._job = Job(job.text, job.path, (*job.overrides, "measure.traces=[]"))
        self._episode = self._begin(self._job.scenario())
        self._has_begun = False

    @abstractmethod
    def _begin(self, scenario: _core.Scenario) -> E:
        """An episode of a scenario."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begins a run.

        Args:
            seed: Seed of the run, as of `cellrate.run`, and of `np_random`; without it one is drawn
                from `np_random`.
            options: Not used; must be None or empty.

        Returns:
            The observation at time 0, and the seed of the run in ``info["seed"]``.

        Raises:
            ValueError: The seed is out of range, or there are options.
        """
        if options:
            raise ValueError(f"reset has no options, but got {', '.join(options)}")
        if seed is not None:
            seed = require_whole_number(seed, "seed", 0, MOST_SEED)
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(DRAWN_SEEDS))
        job = self._job
        scenario = Job(job.text, job.path, job.overrides, seed).scenario()
        self._episode = self._begin(scenario)
        self._has_begun = True
        return self._at_start(), {"seed": seed, "seconds": 0.0}

    @abstractmethod
    def _at_start(self) -> Vector:
        """The observation at time 0."""

    def summary(self) -> dict[str, Any]:
        """All measures of the episode's run, as `cellrate.Result.summary` has them.

        Raises:
            RuntimeError: The episode has not ended.
        """
        found: dict[str, Any] = json.loads(self._episode.summary())
        return found

    def _share(self, action: Vector) -> float:
        """The number of an action.

        Raises:
            RuntimeError: No episode has begun.
            ValueError: It is not one number.
        """
        if not self._has_begun:
            raise RuntimeError("no episode has begun: call reset() before step()")
        try:
            [share] = action
            return float(share)
        except (TypeError, ValueError):
            raise ValueError(f"an action is one number in an array, not {action!r}") from None

    def _told(self, info: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        """True at the end of the run, and what a step tells: its digest as well, then."""
        info["seconds"] = self._episode.now
        ended = self._episode.ended
        if ended:
            info["digest"] = self.summary()["digest"]
        return ended, info


def require_weight(value: float, name: str) -> float:
    """A weight of the reward.

    Raises:
        ValueError: It is not a finite number from 0.
    """
    if not 0 <= value < float("inf"):
        raise ValueError(f"{name} is {value}: a number from 0")
    return float(value)


def _template_or(scenario: ScenarioLike) -> ScenarioLike:
    """The scenario; a text that names a template, and no file, stands for it."""
    if not isinstance(scenario, str) or "\n" in scenario or Path(scenario).exists():
        return scenario
    try:
        return Job(_core.template(scenario), scenario)
    except ValueError:
        return scenario
