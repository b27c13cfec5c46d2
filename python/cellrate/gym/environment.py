"""The common part of the environments: a scenario, episodes, seeds."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.common.whole_number import MOST_SEED, require_whole_number
from cellrate.simulation.runner import Job
from cellrate.simulation.scenarios import Overrides, ScenarioLike, job_of

Vector = NDArray[np.float64]
Numbers = Sequence[float] | Vector
"""Numbers that the engine returns for a step, or an array with a row for each of these numbers."""
SEEN = 5
"""Number of the first numbers of a step that form the observation."""
DRAWN_SEEDS = 2**31
"""Upper limit (excluded) of seeds that are drawn at random."""
ROUNDING = 8 * float(np.finfo(np.float32).eps)
"""Share of `most_share` by which an action may exceed its bounds: learners round to float32."""


E = TypeVar("E", bound=_core.PortEpisode | _core.SourceEpisode)
"""Type of an episode of the engine."""


class Environment(gymnasium.Env[Vector, Vector], Generic[E]):
    """Runs a scenario once per episode, and pauses it at the end of every interval.

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, a `cellrate.Scenario`, or the
            name of a template.
        overrides: Settings as `cellrate.run` takes them.
        render_mode: None: the environment draws nothing.
        weights: Weights of a millisecond of delay and of lost cells, by their parameter names.

    Raises:
        BadInput: The link layer of the scenario is Ethernet, and the environment needs RM cells.
        ValueError: A weight is negative or not finite, or `render_mode` is not None.
    """

    told: ClassVar[tuple[str, ...]]
    """Keys of ``info`` for the numbers that the engine returns after those of the observation."""
    needs_cells: ClassVar[bool]
    """True if the environment needs a network of ATM cells."""
    most_share = 1.0
    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  of gymnasium

    def __init__(
        self,
        scenario: ScenarioLike,
        overrides: Overrides,
        render_mode: str | None,
        **weights: float,
    ) -> None:
        for name, weight in weights.items():
            if not 0 <= weight < float("inf"):
                raise ValueError(f"{name} must be at least 0 and finite, but is {weight}")
        self._weights = {name: float(weight) for name, weight in weights.items()}
        if render_mode is not None:
            raise ValueError(f"render_mode {render_mode!r}: the environment draws nothing")
        self.render_mode = None
        # Traces are switched off, since no code reads them.
        job = job_of(_template_or(scenario), overrides, None)
        self._job = Job(job.text, job.path, (*job.overrides, "measure.traces=[]"))
        checked = self._job.scenario()
        if self.needs_cells and checked.link_layer == "ethernet":
            raise BadInput(
                f"{self._job.path}: the environment is an ABR source, and the link layer is "
                "Ethernet; AbrPort and control schemes in Python work over Ethernet"
            )
        self._episode = self._begin(checked)
        self._has_begun = False

    @abstractmethod
    def _begin(self, scenario: _core.Scenario) -> E:
        """An episode of a scenario, at time 0."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begins a run.

        Args:
            seed: Seed of the run, as for `cellrate.run`, and of `np_random`. Without it a seed is
                drawn from `np_random`.
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

    @property
    def episode(self) -> E:
        """The run of the episode.

        Raises:
            RuntimeError: No episode has begun.
        """
        if not self._has_begun:
            raise RuntimeError("no episode has begun: call reset() before step()")
        return self._episode

    def step(self, action: Vector) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Runs one interval.

        Returns:
            Observation, reward, False, True at the end of the run, and the numbers of ``info``.

        Raises:
            RuntimeError: No episode has begun, or it has ended.
            ValueError: The action is not one number in the bounds of ``action_space``, up to a few
                units in the last place of float32.
        """
        episode = self.episode
        try:
            [share] = action
            share = float(share)
        except (TypeError, ValueError):
            raise ValueError(f"an action must be one number in an array, not {action!r}") from None
        if not 0 <= share <= self.most_share:
            share = float(self.bounded(share))
        numbers = episode.step(share)
        info = dict(zip(self.told, numbers[SEEN:], strict=True))
        info["seconds"] = episode.now
        ended = episode.ended
        reward = self.reward(numbers)
        seen = np.array(numbers[:SEEN])
        return seen, reward, False, ended, {**info, "digest": self.digest()} if ended else info

    def bounded(self, shares: float | Vector) -> Vector:
        """The actions; an action that is out of bounds by a rounding error is clipped.

        Raises:
            ValueError: An action is out of bounds by more, or NaN.
        """
        actions = np.asarray(shares, dtype=np.float64)
        slack = ROUNDING * self.most_share
        wrong = ~((-slack <= actions) & (actions <= self.most_share + slack))
        if wrong.any():
            [first, *_] = actions[wrong]
            raise ValueError(f"an action of {first} is not a share from 0 to {self.most_share:g}")
        return actions.clip(0.0, self.most_share)

    def digest(self) -> str:
        """Hash of all events of the run that has ended."""
        return str(self.summary()["digest"])

    @abstractmethod
    def reward(self, numbers: Numbers) -> Any:  # noqa: ANN401  a float or an array of them
        """The reward of a step with these numbers, or of many steps if each number is an array."""


def _template_or(scenario: ScenarioLike) -> ScenarioLike:
    """The scenario. A text is the name of a template if no file has that name."""
    if not isinstance(scenario, str) or "\n" in scenario or Path(scenario).exists():
        return scenario
    try:
        return Job(_core.template(scenario), scenario)
    except ValueError:
        return scenario
