"""Schemes for the tests of the battery."""

import random
from dataclasses import dataclass

from cellrate.schemes import Port, RmCell


@dataclass
class Quarter:
    """Gives every channel a quarter of its share of the link: never a queue, much unused."""

    def on_start(self, port: Port) -> None:
        self.share = 0.25 * port.rate / max(port.channels, 1)

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        rm.er = self.share


@dataclass
class TwoOnly(Quarter):
    """Fails at ports with more than two channels."""

    def on_start(self, port: Port) -> None:
        super().on_start(port)
        self.channels = port.channels

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        super().on_backward_rm(port, rm)
        if self.channels > 2:
            raise OverflowError("too many channels")


@dataclass
class Dice(Quarter):
    """Draws its rates."""

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        rm.er = self.share * random.uniform(0.5, 1.0)  # noqa: S311
