"""Integrates the delayed equations of the fluid model numerically, as an independent check.

It shares only the constants AIR, kappa, BW and tau with the closed forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import require
from cellrate.theory.efci.groups import Groups
from cellrate.theory.efci.loop import EfciLoop, Floats
from cellrate.theory.efci.steps import Steps


@dataclass(frozen=True, eq=False)
class Integrated:
    """Result of the integration; all values but the series are of the last whole cycle.

    Attributes:
        time_seconds: Times, shape (times,).
        acr_cells_per_second: ACR of a source of each group, shape (groups, times).
        queue_cells: Queue, shape (times,).
        maximum_queue_cells: Greatest queue.
        minimum_queue_cells: Least queue.
        period_seconds: Time from one crossing of Q_H to the next.
        utilisation: Share of the bottleneck's capacity that was used.
        throughput_cells_per_second: Mean arrivals of a source of each group, shape (groups,).
    """

    time_seconds: Floats
    acr_cells_per_second: Floats
    queue_cells: Floats
    maximum_queue_cells: float
    minimum_queue_cells: float
    period_seconds: float
    utilisation: float
    throughput_cells_per_second: Floats


def integrate(
    loops: EfciLoop | Sequence[EfciLoop],
    cycles: int = 20,
    start_shares: npt.ArrayLike | None = None,
    start_queue_cells: float = 0.0,
) -> Integrated:
    """Integrates the delayed equations of one group of sources, or of several (see `Groups`).

    Args:
        loops: One loop, or one for each group.
        cycles: Number of whole cycles, each from one crossing of Q_H to the next.
        start_shares: Rate of each group at the start as a share of BW; N_g / N if absent.
        start_queue_cells: Queue at the start, below Q_H.

    Raises:
        AssumptionError: The groups do not share link and queue, or the start is outside the model.
    """
    groups = Groups.of([loops] if isinstance(loops, EfciLoop) else loops)
    even = groups.sources / groups.sources.sum()
    shares = even if start_shares is None else np.asarray(start_shares, dtype=np.float64)
    require(shares > 0, "start_shares", shares, "must be above 0")
    fits = 0 <= start_queue_cells < groups.high
    require(fits, "start_queue_cells", start_queue_cells, "must be at least 0 and below high_cells")
    steps = Steps(groups, np.broadcast_to(shares, even.shape), start_queue_cells / groups.bandwidth)
    while len(steps.crossings) <= cycles:
        steps.advance()
    return _result(groups, steps)


def _result(groups: Groups, steps: Steps) -> Integrated:
    (begins, first), (ends, last) = steps.crossings[-2:]
    period = ends - begins
    turned = [queue for at, queue in steps.turnings if begins <= at <= ends]
    states = np.concatenate([states for _, states in steps.record], axis=1)
    count = steps.count
    each = groups.bandwidth / groups.sources
    return Integrated(
        time_seconds=np.concatenate([time for time, _ in steps.record]),
        acr_cells_per_second=states[:count] * each[:, None],
        queue_cells=np.maximum(states[-2], 0.0) * groups.bandwidth,
        maximum_queue_cells=max(turned) * groups.bandwidth,
        minimum_queue_cells=0.0 if last[-1] > 0 else min(turned) * groups.bandwidth,
        period_seconds=period,
        utilisation=1 - float(last[-1]) / period,
        throughput_cells_per_second=(last - first)[count:-2] / period * each,
    )
