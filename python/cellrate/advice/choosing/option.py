"""An option: a control with its parameters and a buffer, and what runs measured of it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from cellrate.advice.choosing.candidates import Candidate
from cellrate.advice.tuning.laboratory import Setting


@dataclass(frozen=True)
class Option:
    """A control, its parameters and a buffer, with means over seeds.

    Attributes:
        candidate: The control.
        setting: Its parameters that were varied; empty for those of the candidate.
        policy: Discard policy.
        buffer_cells: Buffer of every port: the least one without loss, or a smaller one.
        by_seed_cells: The least lossless buffer with each seed; of a smaller buffer, that one.
        seeds: Number of seeds with which it was run.
        throughput_bits_per_second: Delivered to the users of TCP in the measuring window; without
            TCP, carried by the bottleneck.
        utilisation: Of the bottleneck; the mean of several.
        loss: Dropped share of the cells of the whole run.
        mean_delay_seconds: Mean wait at the bottleneck.
        longest_delay_seconds: Longest wait at the bottleneck in the whole run.
        fairness: Jain's index of the TCP throughputs; None without TCP.
        settling_seconds: Time from the last start of a flow until the bottleneck's utilisation has
            settled, with the slowest seed; infinite if it does not.
        overrides: Settings that make it of the scenario.
    """

    candidate: Candidate
    setting: Setting
    policy: str
    buffer_cells: int
    by_seed_cells: tuple[int, ...]
    seeds: int
    throughput_bits_per_second: float
    utilisation: float
    loss: float
    mean_delay_seconds: float
    longest_delay_seconds: float
    fairness: float | None
    settling_seconds: float
    overrides: tuple[str, ...]

    @property
    def label(self) -> str:
        """Its name, with the parameters that were varied."""
        varied = f" ({self.setting.label})" if self.setting.values else ""
        policy = f" with {self.policy}" if self.policy != "tail-drop" else ""
        return f"{self.candidate.name}{varied}{policy}"

    def command(self, path: str, settings: tuple[str, ...]) -> str:
        """The shell command that runs it once.

        Args:
            path: The scenario file.
            settings: Settings of the user before those of the option.
        """
        parts = (part for one in (*settings, *self.overrides) for part in ("--set", one))
        return shlex.join(["cellrate", "run", path, *parts])


def pareto(options: list[Option]) -> list[Option]:
    """Options of which no other one is better in buffer, throughput or delay and worse in none."""

    def rank(one: Option) -> tuple[float, float, float]:
        return (one.buffer_cells, -one.throughput_bits_per_second, one.mean_delay_seconds)

    def beaten(one: Option) -> bool:
        mine = rank(one)
        return any(
            rank(other) != mine and all(a <= b for a, b in zip(rank(other), mine, strict=True))
            for other in options
        )

    return sorted((one for one in options if not beaten(one)), key=rank)
