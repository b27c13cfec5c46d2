"""Measures steps of the environments per second, for docs/evidence/gym-steps.md.

`python -m proof.measured.gym_steps` takes the best of several rounds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import cellrate.gym
import gymnasium
import numpy as np

from proof.campaign import end_with, write_rows

gymnasium.register_envs(cellrate.gym)

ROUNDS = 5
MANY = 32
"""Environments in a vector on threads."""
STEPS = 20_000
SOURCES = 15
# Nine tenths of the link for all sources together: the link is busy, and no queue grows.
ACTION = np.array([0.9 / SOURCES])
SCENARIO: dict[str, Any] = {
    "scenario": "n-source",
    "overrides": {"flow.tcp.count": SOURCES, "run.duration": "5 s"},
}


def steps_per_second(env: gymnasium.Env[Any, Any]) -> float:
    """Steps per second of processor time of an episode, its begin left out."""
    env.reset(seed=1)
    began = time.process_time()
    for _ in range(STEPS):
        env.step(ACTION)
    return STEPS / (time.process_time() - began)


def alone(name: str) -> float:
    """Steps per second of an environment that is made here."""
    return steps_per_second(gymnasium.make(name, **SCENARIO))


def side_by_side(name: str, count: int, **how: Any) -> float:  # noqa: ANN401  of `make_vec`
    """Steps per second by the clock of all environments of a vector together."""
    vector = gymnasium.make_vec(name, num_envs=count, **how, **SCENARIO)
    vector.reset(seed=1)
    actions = np.repeat(ACTION[None], count, axis=0)
    began = time.perf_counter()
    for _ in range(STEPS // count):
        vector.step(actions)
    found = STEPS / (time.perf_counter() - began)
    vector.close()
    return found


def in_processes(name: str, count: int) -> float:
    """Steps per second by the clock of processes that each have an environment, all together."""
    with ProcessPoolExecutor(count) as pool:
        list(pool.map(alone, [name] * count))  # each has imported what it needs
        began = time.perf_counter()
        list(pool.map(alone, [name] * count))
        return count * STEPS / (time.perf_counter() - began)


def ways(name: str, cores: int) -> dict[tuple[str, int], Callable[[], float]]:
    """Measurements of an environment, by how it is used and on how many cores."""
    env = gymnasium.make(name, **SCENARIO)
    pipes = f'`make_vec(..., vectorization_mode="async")` with {cores}'
    return {
        ("as `gymnasium.make` gives it", 1): lambda: steps_per_second(env),
        ("without wrappers", 1): lambda: steps_per_second(env.unwrapped),
        ("a process for each core", cores): lambda: in_processes(name, cores),
        (f"`make_vec` with {MANY}", 1): lambda: side_by_side(name, MANY, threads=1),
        (f"`make_vec` with {MANY}", cores): lambda: side_by_side(name, MANY),
        (pipes, cores): lambda: side_by_side(name, cores, vectorization_mode="async"),
    }


def main() -> int:
    """Writes the table of the page."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    rows = []
    for name in "AbrPort-v0", "AbrSource-v0":
        for (how, used), measure in ways(f"cellrate/{name}", cores or 1).items():
            rate = max(measure() for _ in range(ROUNDS)) / 1000
            rows.append([name, how, str(used), f"{rate:.0f}"])
    write_rows("gym-steps.md", rows)
    return 0


if __name__ == "__main__":
    end_with(main)
