"""Steps of the environments per second: `python -m proof.measured.gym_steps` writes the page.

One core does all but the last rows. Rates are the best of several rounds in turns.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import cellrate.gym
import gymnasium
import numpy as np

gymnasium.register_envs(cellrate.gym)

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "gym-steps.md"
ROUNDS = 5
MANY = 32
"""Environments in a vector on threads."""
STEPS = 20_000
SOURCES = 15
# Nine tenths of the link for all sources together: the link is busy, and no queue grows.
ACTION = np.array([0.9 / SOURCES])
ASKED: dict[str, Any] = {
    "scenario": "n-source",
    "overrides": {"flow.tcp.count": SOURCES, "run.duration": "5 s"},
}
NAMES = ("cellrate/AbrPort-v0", "cellrate/AbrSource-v0")


def steps_per_second(env: gymnasium.Env[Any, Any]) -> float:
    """Steps per second of processor time of an episode, its begin left out."""
    env.reset(seed=1)
    began = time.process_time()
    for _ in range(STEPS):
        env.step(ACTION)
    return STEPS / (time.process_time() - began)


def alone(name: str) -> float:
    """Steps per second of an environment that is made here."""
    return steps_per_second(gymnasium.make(name, **ASKED))


def side_by_side(name: str, count: int, **how: Any) -> float:  # noqa: ANN401  of `make_vec`
    """Steps per second by the clock of all environments of a vector together."""
    vector = gymnasium.make_vec(name, num_envs=count, **how, **ASKED)
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


def best(measure: Callable[[], float]) -> str:
    """The best of all rounds, in thousands."""
    return f"{max(measure() for _ in range(ROUNDS)) / 1000:.0f}"


def rows(name: str, cores: int) -> list[tuple[str, str, int, str]]:
    """The lines of the table that belong to an environment."""
    env = gymnasium.make(name, **ASKED)
    short, apart = name.partition("/")[2], '`make_vec(..., vectorization_mode="async")`'
    in_pipes = {"vectorization_mode": "async"}
    return [
        (short, "as `gymnasium.make` gives it", 1, best(lambda: steps_per_second(env))),
        (short, "without wrappers", 1, best(lambda: steps_per_second(env.unwrapped))),
        (short, "a process for each core", cores, best(lambda: in_processes(name, cores))),
        (short, f"`make_vec` with {MANY}", 1, best(lambda: side_by_side(name, MANY, threads=1))),
        (short, f"`make_vec` with {MANY}", cores, best(lambda: side_by_side(name, MANY))),
        (
            short,
            f"{apart} with {cores}",
            cores,
            best(lambda: side_by_side(name, cores, **in_pipes)),
        ),
    ]


HEAD = f"""\
# Steps of the environments

Steps per second of `cellrate/AbrPort-v0` and `cellrate/AbrSource-v0`. The network is the template
`n-source` with {SOURCES} greedy TCP sources over ABR on a link of 155.52 Mbit/s, of which nine
tenths are given away. A step is one RM interval, which is the default: the time of 32 cells of the
link, 87.2 us. {STEPS:,} steps of an episode, best of {ROUNDS} rounds; the bar is 20,000 on one
core. Rows of an environment alone are by processor time, so other programs do not slow them; all
others are by the clock, and other programs used the cores as well when they were measured.
`python -m proof.measured.gym_steps` measures again.

| Environment | How | Cores | Steps/s, thousands |
|---|---|--:|--:|
"""
TAIL = """
The rows of 32 environments are of the first 55 ms of each network, while its sources begin to
send, so they compare with one another and not with the rows of one environment.

A vector made by `make_vec` alone steps its environments on threads of the engine, and waits for all
in every step. One with processes sends each observation through a pipe besides, which with steps as
short as these costs more than the simulation.
"""


def main() -> None:
    """Writes the page."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = [row for name in NAMES for row in rows(name, cores or 1)]
    table = "".join(f"| {name} | {how} | {used} | {rate} |\n" for name, how, used, rate in found)
    sys.stdout.write(table)
    PAGE.write_text(HEAD + table + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
