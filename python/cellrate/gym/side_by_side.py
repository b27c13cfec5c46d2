"""Vector environments: several environments are stepped together, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cellrate import _core
from cellrate.common.numbers import counted
from cellrate.common.whole_number import require_whole_number
from cellrate.gym.abr import AbrPort, AbrSource
from cellrate.gym.environment import SEEN, Environment, Vector
from cellrate.simulation.runner import worker_count

Stepping = Callable[[Sequence[Any], Sequence[float], int], list[list[float]]]


class SideBySide(VectorEnv[Vector, Vector, NDArray[Any]]):
    """Steps several environments at once, on threads of the engine.

    Results equal those of `gymnasium.vector.SyncVectorEnv`. An environment whose episode has ended
    is reset by the next step, which ignores its action; the new run has a drawn seed.

    Args:
        environment: Class of the environments.
        together: Function of the engine that steps the episodes of all environments.
        num_envs: Number of environments.
        threads: Number of threads; one per core by default.
        asked: Arguments with which each environment is made.

    Raises:
        TypeError: A number is not an integer.
        ValueError: A number is below 1, or an argument of the environment is wrong.
        ScenarioError: The scenario is wrong.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  of gymnasium
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        environment: type[Environment[Any]],
        together: Stepping,
        num_envs: int,
        threads: int | None,
        asked: dict[str, Any],
    ) -> None:
        self.num_envs = require_whole_number(num_envs, "num_envs", 1)
        self.threads = worker_count(threads)
        self.envs = [environment(**asked) for _ in range(self.num_envs)]
        first = self.envs[0]
        self.single_action_space = first.action_space
        self.single_observation_space = first.observation_space
        self.action_space = batch_space(first.action_space, self.num_envs)
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self._together = together
        self._ended = np.zeros(self.num_envs, dtype=bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Vector, dict[str, Any]]:
        """Begins a run in each environment.

        Args:
            seed: Seed of the first environment, whose successors are the seeds of the others; or a
                sequence of all seeds.
            options: Not used; must be None or empty.

        Raises:
            ValueError: A seed is out of range, the number of seeds is wrong, or there are options.
        """
        if isinstance(seed, Sequence):
            seeds = list(seed)
        else:
            numbers = range(self.num_envs)
            seeds = [None if seed is None else int(seed) + number for number in numbers]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{counted(len(seeds), 'seed')} for {self.num_envs} environments")
        told: dict[str, Any] = {}
        seen = []
        for number, (env, own) in enumerate(zip(self.envs, seeds, strict=True)):
            observation, info = env.reset(seed=own, options=options)
            seen.append(observation)
            told = self._add_info(told, info, number)
        self._ended[:] = False
        return np.array(seen), told

    def step(
        self, actions: Vector
    ) -> tuple[Vector, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Runs one interval in each environment.

        Returns:
            Observations, rewards, False, True at the end of a run, and ``info``, each for all
            environments.

        Raises:
            RuntimeError: No episodes have begun.
            ValueError: The actions are not one for each environment, in the bounds of their space.
        """
        shares = np.asarray(actions, dtype=np.float64)
        if shares.shape != (self.num_envs, 1):
            raise ValueError(
                f"actions must have the shape ({self.num_envs}, 1), not {shares.shape}"
            )
        began, going = self._ended.copy(), ~self._ended
        told: dict[str, Any] = {}
        seen, rewards = np.zeros((self.num_envs, SEEN)), np.zeros(self.num_envs)
        for number in np.flatnonzero(began):
            seen[number], info = self.envs[number].reset()
            told = self._add_info(told, info, int(number))
        if going.any():
            self._go_on(np.flatnonzero(going), shares[going, 0], seen, rewards, told)
        ended = np.array([env.episode.ended for env in self.envs])
        for number in np.flatnonzero(ended):
            info = {"digest": self.envs[number].digest()}
            told = self._add_info(told, info, int(number))
        self._ended = ended
        return seen, rewards, np.zeros(self.num_envs, dtype=bool), ended.copy(), told

    def _go_on(
        self,
        which: NDArray[np.intp],
        shares: Vector,
        seen: Vector,
        rewards: Vector,
        told: dict[str, Any],
    ) -> None:
        """Steps some environments; writes their observations, rewards and numbers into arrays."""
        envs = [self.envs[number] for number in which]
        first = envs[0]
        shares = first.bounded(shares)
        episodes = [env.episode for env in envs]
        rows = np.array(self._together(episodes, shares.tolist(), self.threads))
        numbers = rows.T
        seen[which], rewards[which] = rows[:, :SEEN], first.reward(numbers)
        columns = dict(zip(first.told, numbers[SEEN:], strict=True))
        columns["seconds"] = np.array([episode.now for episode in episodes])
        for key, values in columns.items():
            whole = told.get(key, np.zeros(self.num_envs))
            mask = told.get(f"_{key}", np.zeros(self.num_envs, dtype=bool))
            whole[which], mask[which] = values, True
            told[key], told[f"_{key}"] = whole, mask


class AbrPorts(SideBySide):
    """Vector environment of several `AbrPort`, which step together on threads of the engine.

    Args:
        num_envs: Number of environments.
        threads: Number of threads; one per core by default.
        asked: Arguments of each `AbrPort`.
    """

    def __init__(self, num_envs: int = 1, *, threads: int | None = None, **asked: Any) -> None:  # noqa: ANN401  of AbrPort
        super().__init__(AbrPort, _core.step_ports, num_envs, threads, asked)


class AbrSources(SideBySide):
    """Vector environment of several `AbrSource`, which step together on threads of the engine.

    Args:
        num_envs: Number of environments.
        threads: Number of threads; one per core by default.
        asked: Arguments of each `AbrSource`.
    """

    def __init__(self, num_envs: int = 1, *, threads: int | None = None, **asked: Any) -> None:  # noqa: ANN401  of AbrSource
        super().__init__(AbrSource, _core.step_sources, num_envs, threads, asked)
