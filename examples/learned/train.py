"""Learns a control scheme: `python train.py` writes `weights.json` and `curve.svg`.

The cross-entropy method: each generation draws policies around a mean, lets each control the port
for an episode per training seed, and moves the mean to the best of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import cellrate.gym
import gymnasium
import numpy as np
from numpy.typing import NDArray
from policy import COUNT, INTERVAL, WEIGHTS, Policy

gymnasium.register_envs(cellrate.gym)

HERE = Path(__file__).parent
SCENARIO = HERE / "background.toml"
TRAINING = (1, 2, 3)
HELD_OUT = (101, 102, 103, 104, 105)
"""Seeds that training never sees."""
FIXED = tuple(round(0.01 * step, 2) for step in range(2, 31))
"""Shares of the link's rate among which the best fixed rate is looked for."""
GENERATIONS, DRAWN, KEPT = 40, 24, 6
"""Generations; policies of each, and the best of them that the next is drawn around."""

Decide = Callable[[Sequence[float], int], float]


@cache
def environment() -> gymnasium.Env[Any, Any]:
    """The environment of training and of judging."""
    return gymnasium.make("cellrate/AbrPort-v0", scenario=str(SCENARIO), interval=INTERVAL)


def episode(decide: Decide, seed: int) -> tuple[float, str]:
    """Mean reward of a step over an episode, and the digest of its run."""
    env = environment()
    seen, _ = env.reset(seed=seed)
    channels = env.get_wrapper_attr("channels")
    rewards, ended = [], False
    while not ended:
        share = decide(seen.tolist(), channels)
        seen, reward, _, ended, info = env.step(np.array([share]))
        rewards.append(float(reward))
    return sum(rewards) / len(rewards), str(info["digest"])


def learned(weights: Sequence[float], seed: int) -> float:
    """Mean reward of the policy with these weights."""
    return episode(Policy(weights).share, seed)[0]


def fixed(share: float, seed: int) -> float:
    """Mean reward of a fixed rate."""
    return episode(lambda _seen, _channels: share, seed)[0]


def best_fixed(pool: Executor) -> tuple[float, float]:
    """The fixed rate that is best on the training seeds, and its mean reward there."""
    runs = [(share, seed) for share in FIXED for seed in TRAINING]
    rewards = list(pool.map(fixed, *zip(*runs, strict=True)))
    means = np.array(rewards).reshape(len(FIXED), len(TRAINING)).mean(axis=1)
    return FIXED[int(means.argmax())], float(means.max())


@dataclass
class Training:
    """The cross-entropy method, as far as it has gone."""

    draws: np.random.Generator = field(default_factory=partial(np.random.default_rng, 1))
    mean: NDArray[np.float64] = field(default_factory=partial(np.zeros, COUNT))
    spread: NDArray[np.float64] = field(default_factory=partial(np.ones, COUNT))

    def generation(self, pool: Executor, drawn: int = DRAWN, kept: int = KEPT) -> tuple[float, ...]:
        """Goes on by one generation; mean rewards of its policies, the best first."""
        tried = self.mean + self.spread * self.draws.standard_normal((drawn, COUNT))
        runs = [(weights.tolist(), seed) for weights in tried for seed in TRAINING]
        rewards = list(pool.map(learned, *zip(*runs, strict=True)))
        means = np.array(rewards).reshape(drawn, len(TRAINING)).mean(axis=1)
        order = np.argsort(-means, kind="stable")
        best = tried[order[:kept]]
        self.mean, self.spread = best.mean(axis=0), best.std(axis=0) + 0.03
        return tuple(float(one) for one in means[order])


def draw(found: dict[str, Any], stem: Path) -> None:
    """Draws the rewards of each generation beside that of the best fixed rate, as SVG."""
    from cellrate.common.picture_style import STYLE, save
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = figure.subplots()
        numbers = range(1, len(found["best"]) + 1)
        axes.plot(numbers, found["best"], label="best policy of a generation")
        axes.plot(numbers, found["median"], label="median policy of a generation")
        axes.axhline(
            found["fixed_reward"], color="#000000", linestyle="--", label="best fixed rate"
        )
        axes.set_xlabel("generation")
        axes.set_ylabel("mean reward of a step, training seeds")
        axes.legend(loc="lower right")
        save(figure, stem, ["svg"])


def train(generations: int, tell: Callable[[str], object]) -> dict[str, Any]:
    """Trains, and judges on the seeds that were held out; what `weights.json` has."""
    with ProcessPoolExecutor() as pool:
        share, fixed_reward = best_fixed(pool)
        tell(f"best fixed rate: {share} of the link, reward {fixed_reward:.4f}\n")
        training, curve = Training(), []
        for number in range(1, generations + 1):
            curve.append(training.generation(pool))
            tell(f"generation {number}: {curve[-1][0]:.4f}\n")
        weights = [round(float(weight), 6) for weight in training.mean]
        for seed in HELD_OUT:
            own, other = learned(weights, seed), fixed(share, seed)
            tell(f"seed {seed}: learned {own:.4f}, fixed {other:.4f}\n")
    return {
        "weights": weights,
        "fixed_share": share,
        "fixed_reward": round(fixed_reward, 6),
        "best": [round(one[0], 6) for one in curve],
        "median": [round(float(np.median(one)), 6) for one in curve],
    }


def main() -> None:
    """Trains unless told only to draw, and writes weights and curve."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--generations", type=int, default=GENERATIONS)
    options.add_argument("--draw", action="store_true", help="only draw the curve again")
    options.add_argument("--out", type=Path, default=HERE, help="directory of weights and curve")
    asked = options.parse_args()
    weights = asked.out / WEIGHTS
    if not asked.draw:
        found = train(asked.generations, lambda line: (sys.stdout.write(line), sys.stdout.flush()))
        weights.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    draw(json.loads(weights.read_text(encoding="utf-8")), asked.out / "curve")


if __name__ == "__main__":
    main()
