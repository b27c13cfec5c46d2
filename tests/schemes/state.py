"""Schemes that keep state outside their objects, and others that only seem to."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

from cellrate.schemes import Port, RmCell

count = 0
unused: list[int] = []
tables: dict[str, list[float]] = {"gains": [1.0]}
generator = random.Random(1)  # noqa: S311  not for secrets
limits = {"low": [1.0]}
numbers = (number % 7 for number in range(1_000_000))
lock = threading.Lock()
maths: Any = None


@cache
def half(number: int) -> float:
    return number / 2


def deep(rm: RmCell, noted: list[int] = []) -> None:  # noqa: B006  what this is about
    noted.append(rm.channel)


def at_depth() -> None:
    def inner() -> None:
        tables["gains"].append(0.0)

    inner()


@dataclass
class Base:
    noted = 0

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        self.react(rm)

    def react(self, rm: RmCell) -> None: ...


class Global(Base):
    def react(self, rm: RmCell) -> None:
        global count
        count += 1


class Attribute(Base):
    def react(self, rm: RmCell) -> None:
        Base.noted += 1


class New(Base):
    def react(self, rm: RmCell) -> None:
        New.made = True  # type: ignore[attr-defined]


class Nested(Base):
    def react(self, rm: RmCell) -> None:
        at_depth()


class Default(Base):
    def react(self, rm: RmCell) -> None:
        deep(rm)


class Draws(Base):
    @property
    def drawn(self) -> float:
        return generator.random()

    def react(self, rm: RmCell) -> None:
        rm.ci = self.drawn > 0.5


class Yields(Base):
    def react(self, rm: RmCell) -> None:
        rm.er = 1000.0 * next(numbers)


class Cached(Base):
    """Caches, imports and locks, state of its own, and equal values."""

    def react(self, rm: RmCell) -> None:
        global maths, limits
        import math

        maths = math
        self.noted += 1
        half(rm.channel)
        limits = {"low": [float(str(1.0))]}
        with lock:
            rm.er = 1000 * port_rate(rm)


def port_rate(rm: RmCell) -> float:
    return rm.ccr + half(rm.channel)
