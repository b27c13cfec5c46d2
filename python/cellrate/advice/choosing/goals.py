"""Goals of a choice, and the sentences that say which of them an option misses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate import _core
from cellrate.advice.choosing.candidates import ABILITIES, Ability
from cellrate.advice.choosing.option import Option
from cellrate.common.numbers import seconds
from cellrate.common.problems import BadInput, choose

FAIR = 0.9
"""Jain's index that is wanted where no fairness is asked for."""


@dataclass(frozen=True)
class Goals:
    """Requirements that a control must meet.

    Attributes:
        abilities: What the switches can do.
        loss: Largest mean share of cells that are dropped in the whole run; 0 for no loss at all.
        throughput: Least throughput, as a share of the best that the other goals allow.
        bits_per_second: Least throughput instead of a share; None for a share.
        delay_seconds: Longest time that a cell may wait at a bottleneck; None for any.
        fairness: Least Jain's index over the flows.
        insists_on_fairness: True if nothing is recommended where no control reaches `fairness`;
            otherwise the other goals decide then.
        settling_seconds: Longest time until the bottleneck's utilisation has settled; None for any.
        buffer_cells: Buffer at hand; None for any.
    """

    abilities: tuple[Ability, ...] = ABILITIES
    loss: float = 0.0
    throughput: float = 0.95
    bits_per_second: float | None = None
    delay_seconds: float | None = None
    fairness: float = FAIR
    insists_on_fairness: bool = False
    settling_seconds: float | None = None
    buffer_cells: int | None = None

    def enough(self, most_bits_per_second: float) -> float:
        """The least throughput in bit/s, where the other goals allow so much at most."""
        if self.bits_per_second is not None:
            return self.bits_per_second
        return self.throughput * most_bits_per_second

    def missed(self, option: Option) -> list[str]:
        """The goals that an option misses, with its numbers; throughput is compared elsewhere."""
        found = []
        if option.loss > self.loss:
            found.append(f"loses {option.loss:.2g} of the cells")
        if self.delay_seconds is not None and option.longest_delay_seconds > self.delay_seconds:
            found.append(f"a cell waits {seconds(option.longest_delay_seconds)}")
        if option.fairness is not None and option.fairness < self.fairness:
            found.append(f"has a fairness of {option.fairness:.3f}")
        if self.settling_seconds is not None and option.settling_seconds > self.settling_seconds:
            found.append(settled(option.settling_seconds))
        if self.buffer_cells is not None and option.buffer_cells > self.buffer_cells:
            found.append(f"needs {option.buffer_cells:,} cells of buffer")
        return found


def settled(settling_seconds: float) -> str:
    """The settling time in words."""
    if math.isinf(settling_seconds):
        return "does not settle"
    return f"settles in {seconds(settling_seconds)}"


def goals_of(
    switches: Sequence[str],
    loss: float,
    throughput: float | str,
    delay: str | None,
    fairness: float | None,
    settling: str | None,
    buffer: str | None,
) -> Goals:
    """Goals from the texts of the command's options.

    Raises:
        BadInput: A goal is not valid; the message says what is allowed.
    """
    if not 0 <= loss < 1:
        raise BadInput(f"--loss {loss:g}: allowed is a share from 0 to below 1")
    if fairness is not None and not 0 <= fairness <= 1:
        raise BadInput(f"--fairness {fairness:g}: allowed is an index from 0, which is any, to 1")
    share, rate = _throughput(str(throughput))
    return Goals(
        abilities=_abilities(switches),
        loss=loss,
        throughput=share,
        bits_per_second=rate,
        delay_seconds=None if delay is None else _quantity("--delay", delay, "time"),
        fairness=FAIR if fairness is None else fairness,
        insists_on_fairness=fairness is not None,
        settling_seconds=None if settling is None else _quantity("--settling", settling, "time"),
        buffer_cells=None if buffer is None else int(_quantity("--buffer", buffer, "cells")),
    )


def _throughput(text: str) -> tuple[float, float | None]:
    """A share of the best, or a rate in bit/s."""
    try:
        share = float(text)
    except ValueError:
        return Goals.throughput, _quantity("--throughput", text, "rate")
    if not 0 < share <= 1:
        raise BadInput(
            f"--throughput {text}: allowed is a share above 0, up to 1, or a rate with its unit"
        )
    return share, None


def _abilities(switches: Sequence[str]) -> tuple[Ability, ...]:
    names = [name.strip() for text in switches for name in text.split(",")]
    for name in names:
        choose(name, ABILITIES, "ability of a switch")
    return tuple(one for one in ABILITIES if one in names) or ABILITIES


def _quantity(option: str, text: str, kind: str) -> float:
    try:
        value = float(_core.quantity(text, kind))
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from None
    if not 0 < value < float("inf"):
        raise BadInput(f"{option} {text}: it must be above 0, and finite")
    return value
