"""Curves of the fluid model over time, as functions of numbers (the paper's figures 2 and 3)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

from cellrate.theory.efci.integration import Integrated, integrate
from cellrate.theory.efci.loop import EfciLoop
from cellrate.theory.efci.over_time import Trajectory, periodic_trajectory, trajectory
from cellrate.theory.efci.parameters import loop_of

T = TypeVar("T")


def _of_loop(function: Callable[[EfciLoop], T]) -> Callable[..., T]:
    """Turns a function of a loop into a function of the loop's parameters, and documents them."""
    parameters = (inspect.getdoc(loop_of) or "").partition("\n")[2]
    gives = inspect.signature(function).return_annotation

    def of_numbers(*args: float, **named: object) -> T:
        return function(loop_of(*args, **named))  # type: ignore[arg-type]

    of_numbers.__name__ = of_numbers.__qualname__ = function.__name__
    of_numbers.__doc__ = f"{inspect.getdoc(function)}\n{parameters}"
    signature = inspect.signature(loop_of).replace(return_annotation=gives)
    of_numbers.__signature__ = signature  # type: ignore[attr-defined]
    return of_numbers


@_of_loop
def efci_periodic_trajectory(loop: EfciLoop) -> Trajectory:
    """One period of ACR and queue, from one crossing of Q_H to the next (Ohsaki 95, figure 2)."""
    return periodic_trajectory(loop)


@_of_loop
def efci_first_rise(loop: EfciLoop) -> Trajectory:
    """ACR and queue of a cycle from BW / N and an empty queue (Ohsaki 95, figure 3; (3), (4))."""
    return trajectory(loop, cycles=1)


@_of_loop
def efci_settled_trajectory(loop: EfciLoop) -> Trajectory:
    """ACR and queue over 40 cycles from BW / N and an empty queue; the last is the settled one."""
    return trajectory(loop, cycles=40)


@_of_loop
def efci_integrated_first_rise(loop: EfciLoop) -> Integrated:
    """As `efci_first_rise`, but by numerical integration of the delayed equations."""
    return integrate(loop, cycles=1)


@_of_loop
def efci_integrated(loop: EfciLoop) -> Integrated:
    """Integrates the delayed equations over 40 cycles, independently of the closed forms."""
    return integrate(loop, cycles=40)
