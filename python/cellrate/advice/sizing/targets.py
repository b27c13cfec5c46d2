"""Finds the buffer for each kind of target: no loss, a loss ratio, a queueing delay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from cellrate import ScenarioError
from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.confidence import upper_mean
from cellrate.advice.sizing.measuring import PortRun, measure
from cellrate.advice.sizing.question import SizingError
from cellrate.advice.sizing.search import least, least_each
from cellrate.simulation.network import service_cells_per_second
from cellrate.simulation.refusals import message_of
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job

# Largest buffer that is tried: 53 GB.
MOST_CELLS = 10**9


def for_no_loss(answer: Answer, runner: Runner) -> Answer:
    """Finds the least lossless buffer of each seed; the result is the largest of them.

    `Question.is_exact` explains when this buffer is the longest queue. Otherwise it is bisected,
    which is exact as well: with a buffer larger than one that loses nothing, the run is the same.
    """
    if answer.question.is_exact:
        each = tuple(max(1, run.longest_queue_cells) for run in answer.unlimited)
        return replace(answer, each_cells=each, buffer_cells=max(each), runs=answer.unlimited)
    if any(run.cells_dropped for run in answer.unlimited):
        return _refused(answer, "no buffer avoids loss")
    seeds = [run.seed for run in answer.unlimited]

    def lossless(buffers: Sequence[int]) -> list[bool]:
        runs = _try(answer, dict(zip(seeds, buffers, strict=True)), runner)
        return [run is not None and run.cells_dropped == 0 for run in runs]

    upper = [max(1, run.longest_queue_cells) for run in answer.unlimited]
    while not all(fits := lossless(upper)):
        upper = [cells if fit else 2 * cells for cells, fit in zip(upper, fits, strict=True)]
        _refuse_too_much(max(upper))
    each = tuple(least_each(lossless, upper))
    runs = _try(answer, dict.fromkeys(seeds, max(each)), runner)
    found = tuple(run for run in runs if run is not None)
    return _with_others(replace(answer, each_cells=each, buffer_cells=max(each), runs=found))


def for_loss(answer: Answer, runner: Runner) -> Answer:
    """Finds the least buffer with which the mean loss ratio of the port stays within the target.

    With several seeds the one-sided 95 % bound of the mean must stay within it.
    """
    seeds = [run.seed for run in answer.unlimited]

    @cache
    def runs_with(cells: int) -> tuple[PortRun, ...]:
        runs = _try(answer, dict.fromkeys(seeds, cells), runner)
        return tuple(run for run in runs if run is not None)

    def holds(cells: int) -> bool:
        return _keeps(answer.question.loss_ratio, runs_with(cells))

    if not _keeps(answer.question.loss_ratio, answer.unlimited):
        return _refused(answer, "no buffer meets the target")
    upper = max(1, *(run.longest_queue_cells for run in answer.unlimited))
    while not holds(upper):
        upper *= 2
        _refuse_too_much(upper)
    found = least(holds, 1, upper)
    runs = runs_with(found.cells)
    return _with_others(replace(answer, buffer_cells=found.cells, searched=found, runs=runs))


def _keeps(loss_ratio: float, runs: Sequence[PortRun]) -> bool:
    losses = [run.loss_ratio for run in runs]
    if not losses:
        return False
    bound = upper_mean(losses)
    return (losses[0] if bound is None else bound) <= loss_ratio


def _refused(answer: Answer, reason: str) -> Answer:
    """The result without a buffer, since cells are lost even without a limit."""
    policy = answer.port.switch.policy
    remark = f"{reason}: `{policy}` discards packets at a threshold that does not depend on it"
    return replace(answer, remarks=(*answer.remarks, remark))


def for_delay(answer: Answer, runner: Runner) -> Answer:
    """Computes the buffer that a cell crosses within the delay, and measures the loss with it.

    Cells are served in the order of arrival, at the mean rate that queues of higher priority leave.
    """
    delay = answer.question.delay_seconds or 0.0
    rate = service_cells_per_second(answer.question.network, answer.port)
    if rate <= 0:
        raise SizingError(
            f"other traffic uses all of the link of {answer.port.name}: its delay is not bounded"
        )
    cells = math.floor(delay * rate * (1 + 1e-12))
    if cells < 1:
        least_seconds = 1 / rate
        raise SizingError(
            f"a delay of {delay:g} s: a single cell takes {least_seconds:.3g} s; allowed is that "
            "or more"
        )
    seeds = [run.seed for run in answer.unlimited]
    runs = _try(answer, dict.fromkeys(seeds, cells), runner)
    found = tuple(run for run in runs if run is not None)
    if not found:
        refused = _refusal(answer.question.job(seeds[0], cells, at=answer.port))
        raise SizingError(
            f"a delay of {delay:g} s allows {cells} cells of buffer, which is too small: {refused}"
        )
    remarks = answer.remarks
    if rate < answer.port.cells_per_second:
        remark = "a cell waits longer while queues of higher priority take more than their mean"
        remarks = (*remarks, remark)
    return _with_others(replace(answer, buffer_cells=cells, runs=found, remarks=remarks))


def _with_others(answer: Answer) -> Answer:
    """Adds a remark if other ports with the same buffer lose cells."""
    elsewhere = max((run.cells_dropped_elsewhere for run in answer.runs), default=0)
    if not elsewhere:
        return answer
    remark = f"the scenario gives other ports the same buffer, and they lose {elsewhere:,} cells"
    return replace(answer, remarks=(*answer.remarks, remark))


def _try(answer: Answer, buffers: dict[int, int], runner: Runner) -> list[PortRun | None]:
    """Runs each seed with its buffer; None for a buffer that the scenario's checks refuse."""
    question = answer.question
    jobs = {seed: question.job(seed, cells, at=answer.port) for seed, cells in buffers.items()}
    valid = {seed: job for seed, job in jobs.items() if _refusal(job) is None}
    runs = measure(list(valid.values()), runner) if valid else []
    found = {run.seed: run.at(answer.port.name) for run in runs}
    return [found.get(seed) for seed in buffers]


def _refusal(job: Job) -> str | None:
    """Error of the scenario's checks, which may refuse a small buffer; None if it is allowed."""
    try:
        job.scenario()
    except ScenarioError as error:
        return message_of(error)
    return None


def _refuse_too_much(cells: int) -> None:
    if cells > MOST_CELLS:
        raise SizingError(f"no buffer of up to {MOST_CELLS:,} cells meets the target")
