"""A control scheme that was learnt: `scheme = "policy.py:Learned"`.

`train.py` has found the weights in `weights.json`. The policy decides once in every interval which
part of the link the active channels get together; each is told its share of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate.schemes import Port, RmCell, Seconds

WEIGHTS = "weights.json"
INTERVAL = 1e-3
"""Seconds between two decisions."""
HIDDEN = 6
INPUTS = 6
COUNT = HIDDEN * (INPUTS + 2) + 1
"""Number of weights."""
KEPT = 0.9
"""Part of its mean that the memory of the load keeps with each interval."""


class Policy:
    """A network with one hidden layer, and a memory of the load. It begins anew with each run.

    Its only functions are sums, products and quotients, which all machines round alike.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        if len(weights) != COUNT:
            raise ValueError(f"{len(weights)} weights: the policy has {COUNT}")
        size = INPUTS + 1
        self.hidden = [weights[size * unit : size * (unit + 1)] for unit in range(HIDDEN)]
        self.output = weights[size * HIDDEN :]
        self.mean = 0.0

    def share(self, seen: Sequence[float], channels: int) -> float:
        """The rate to advertise, as a share of the link's rate.

        Args:
            seen: The observation of `cellrate.gym.AbrPort`.
            channels: Number of ABR channels at the port.
        """
        load, others, queue_ms, active, before = seen
        count = max(active * channels, 1.0)
        self.mean = KEPT * self.mean + (1 - KEPT) * (load + others)
        inputs = (load, others, _bent(queue_ms), count * before, self.mean, 1 / count)
        total = self.output[HIDDEN]
        for unit, outward in zip(self.hidden, self.output, strict=False):
            inward = unit[INPUTS]
            for weight, value in zip(unit, inputs, strict=False):
                inward += weight * value
            total += outward * _bent(inward)
        return (0.5 + 0.5 * _bent(total)) / count


def _bent(value: float) -> float:
    """A number between -1 and 1 that grows with the value."""
    return value / (1 + abs(value))


@dataclass
class Learned:
    """Advertises the rates of a policy that was learnt in the environment `cellrate/AbrPort-v0`."""

    FILES = (WEIGHTS,)

    interval: Seconds = INTERVAL
    """Time between two decisions; the policy was learnt with 1 ms."""

    def on_start(self, port: Port) -> None:
        """Decides at time 0, when nothing has been seen."""
        port.every(seconds=self.interval)
        text = (Path(__file__).parent / WEIGHTS).read_text(encoding="utf-8")
        self.policy = Policy(json.loads(text)["weights"])
        self.share = self.policy.share((0.0,) * 5, port.channels)

    def on_interval(self, port: Port) -> None:
        """Sees what the environment shows, and decides."""
        carried = port.rate * port.seconds
        seen = (
            port.cells / carried,
            port.background / carried,
            port.queue / port.rate * 1e3,
            port.active / max(port.channels, 1),
            self.share,
        )
        self.share = self.policy.share(seen, port.channels)

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        """Advertises the rate."""
        rm.er = self.share * port.rate
