"""Sizes a buffer: plans the runs, makes them, and derives the result for each kind of target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from statistics import fmean

from cellrate import ScenarioError
from cellrate.advice.formulas import Situation, formulas_of
from cellrate.advice.formulas.growth import LONGER, certain_growth_cells_per_second
from cellrate.advice.formulas.tcp import beside_windows
from cellrate.advice.sizing.answer import Answer, Smaller
from cellrate.advice.sizing.confidence import upper_mean
from cellrate.advice.sizing.endless import EndlessGrowth, watched
from cellrate.advice.sizing.question import Measured, PortRun, Question, SizingError, measure
from cellrate.advice.sizing.search import least, least_each
from cellrate.common.numbers import counted
from cellrate.simulation.network import Link, service_cells_per_second
from cellrate.simulation.refusals import message_of
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job

# Largest buffer that is tried: 53 GB.
MOST_CELLS = 10**9
# Ratio of the buffers that are tried below the one that meets a loss ratio.
APART = 4


def for_no_loss(answer: Answer, runner: Runner) -> Answer:
    """Finds the least lossless buffer of each seed; the result is the largest of them.

    `Question.is_exact` explains when this buffer is the longest queue. Otherwise the buffer is
    found by bisection, which is exact as well: all lossless buffers give the same run.
    """
    if answer.question.network.credit is not None:
        return _by_credits(answer, runner)
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
    runs = _runs_with(answer, max(each), runner)
    return _with_others(replace(answer, each_cells=each, buffer_cells=max(each), runs=runs))


def _by_credits(answer: Answer, runner: Runner) -> Answer:
    """Finds the least buffer that holds the credits of all channels: with these no cell is lost."""
    seed = answer.unlimited[0].seed

    def refused(cells: int) -> str | None:
        return _refusal(answer.question.job(seed, cells, at=answer.port))

    upper = max(1, *(run.longest_queue_cells for run in answer.unlimited))
    while refused(upper) is not None:
        upper *= 2
        _refuse_too_much(upper)
    [cells] = least_each(lambda one: [refused(one[0]) is None], [upper])
    runs = _runs_with(answer, cells, runner)
    each, less = (cells,) * len(runs), refused(cells - 1) if cells > 1 else None
    return replace(answer, each_cells=each, buffer_cells=cells, runs=runs, refused_less=less)


def for_loss(answer: Answer, runner: Runner) -> Answer:
    """Finds the least buffer above which no tried buffer misses the target of the mean loss ratio.

    With several seeds the one-sided 95 % bound of the mean must stay within the target. Under TCP
    much smaller buffers may meet the target, too, because sources that lose cells send less.
    """

    @cache
    def runs_with(cells: int) -> tuple[PortRun, ...]:
        return _runs_with(answer, cells, runner)

    def holds(cells: int) -> bool:
        return _keeps(answer.question.loss_ratio, runs_with(cells))

    if not _keeps(answer.question.loss_ratio, answer.unlimited):
        return _refused(answer, "no buffer meets the target")
    upper = max(1, *(run.longest_queue_cells for run in answer.unlimited))
    while not holds(upper):
        upper *= 2
        _refuse_too_much(upper)
    found = least(holds, 1, upper)
    smaller = tuple(
        Smaller(
            cells,
            fmean(losses := [run.loss_ratio for run in runs]),
            upper_mean(losses),
            fmean(run.tcp_bits_per_second for run in runs),
            holds(cells),
        )
        for cells in _smaller(answer, found.cells)
        if (runs := runs_with(cells))
    )
    runs = runs_with(found.cells)
    return _with_others(
        replace(answer, buffer_cells=found.cells, searched=found, smaller=smaller, runs=runs)
    )


def _smaller(answer: Answer, cells: int) -> list[int]:
    """Buffers below `cells` to try, the scenario's own among them; none without TCP.

    Without TCP the sources do not react to losses, so no smaller buffer meets the target.
    """
    if all(flow.tcp is None for flow in answer.question.network.flows):
        return []
    own = answer.port.switch.buffer_cells
    found = {int(own)} if 1 <= own < cells else set[int]()
    while cells := cells // APART:
        found.add(cells)
    return sorted(found)


def _keeps(loss_ratio: float, runs: Sequence[PortRun]) -> bool:
    losses = [run.loss_ratio for run in runs]
    if not losses:
        return False
    bound = upper_mean(losses)
    return (losses[0] if bound is None else bound) <= loss_ratio


def _refused(answer: Answer, reason: str) -> Answer:
    """The answer that no buffer meets the target, with the reason."""
    policy = answer.port.switch.policy
    remark = (
        f"{reason}: `{policy}` discards packets at a threshold that does not depend on the buffer"
    )
    return _remarked(answer, remark)


def for_delay(answer: Answer, runner: Runner) -> Answer:
    """Computes the buffer that a cell leaves within the target delay, and measures the loss.

    Cells are served in the order of arrival, at the least mean rate that queues of higher priority
    leave.
    """
    delay = answer.question.delay_seconds or 0.0
    rate = service_cells_per_second(answer.question.network, answer.port)
    if rate <= 0:
        raise SizingError(
            f"cells of higher priority can use the whole link {answer.port.name}: the delay of "
            "other cells has no bound"
        )
    cells = math.floor(delay * rate * (1 + 1e-12))
    if cells < 1:
        least_seconds = 1 / rate
        raise SizingError(
            f"a delay of {delay:g} s is shorter than that of a single cell, {least_seconds:.3g} s; "
            f"allowed is {least_seconds:.3g} s or more"
        )
    runs = _runs_with(answer, cells, runner)
    if not runs:
        seed = answer.unlimited[0].seed
        refused = _refusal(answer.question.job(seed, cells, at=answer.port))
        raise SizingError(
            f"a delay of {delay:g} s allows {cells} cells of buffer, which is too small: {refused}"
        )
    answer = replace(answer, buffer_cells=cells, runs=runs)
    if rate < answer.port.cells_per_second:
        remark = (
            "a cell waits longer than this delay while queues of higher priority send above their "
            "mean rate"
        )
        answer = _remarked(answer, remark)
    return _with_others(answer)


def _remarked(answer: Answer, remark: str) -> Answer:
    return replace(answer, remarks=(*answer.remarks, remark))


def _with_others(answer: Answer) -> Answer:
    """Adds a remark if other ports with the same buffer lose cells."""
    elsewhere = max((run.cells_dropped_elsewhere for run in answer.runs), default=0)
    if not elsewhere:
        return answer
    remark = f"other ports have the same buffer, and lose {counted(elsewhere, 'cell')}"
    return _remarked(answer, remark)


def _runs_with(answer: Answer, cells: int, runner: Runner) -> tuple[PortRun, ...]:
    """The runs of all seeds with a buffer of `cells`; none if the scenario's checks refuse it."""
    buffers = {run.seed: cells for run in answer.unlimited}
    return tuple(run for run in _try(answer, buffers, runner) if run is not None)


def _try(answer: Answer, buffers: dict[int, int], runner: Runner) -> list[PortRun | None]:
    """Runs each seed with its own buffer; None for a buffer that the scenario's checks refuse."""
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


def size_buffer(question: Question, runner: Runner) -> Answer:
    """Finds the buffer that a port needs.

    Every run is measured from 0 s to its end, whatever the scenario's measuring window, because a
    buffer must also hold the cells of the start.

    Args:
        question: The question.
        runner: Runs jobs and returns their outcomes, as `cellrate.run_many` does.

    Raises:
        ScenarioError: The scenario is wrong.
        SizingError: The question has no answer.
    """
    named = question.link()
    nodes = (f"topology.node.{node.name}.buffer" for node in question.network.nodes)
    changes = question.network.change_of("switch.buffer", *nodes)
    if changes is not None:
        raise SizingError(
            f"{changes} during the run: size-buffer finds one buffer for the whole run"
        )
    certain = _certainly_endless(question, named)
    if certain is not None:
        return certain
    runs = _without_limit(question, runner)
    answer = _observed(question, named, runs)
    worst = max(runs, key=lambda run: run.longest_queues()[answer.port.name])
    answer = _watched_longer(answer, worst, runner)
    if question.delay_seconds is not None:
        return for_delay(_in_spite_of_growth(answer), runner)
    if question.loss_ratio > 0.0:
        return for_loss(_in_spite_of_growth(answer), runner)
    return answer if answer.endless is not None else for_no_loss(answer, runner)


def _in_spite_of_growth(answer: Answer) -> Answer:
    """Turns endless growth into a remark, since a finite buffer may meet the target anyway."""
    if answer.endless is None:
        return answer
    return _remarked(replace(answer, endless=None), answer.endless.remark("cells"))


def _certainly_endless(question: Question, named: Link | None) -> Answer | None:
    """The answer without a run, if arrivals exceed the link for ever by more than the loss target.

    None if such an excess is not certain, or the target allows so much loss.
    """
    network = question.network
    if not network.ports:
        raise SizingError("no flow crosses a switch: there is no output port with a buffer")
    if network.changes:
        return None  # after a change the arrivals may differ from those before it
    ports = network.ports if named is None else (named,)
    growth = {port: certain_growth_cells_per_second(network, port) for port in ports}
    port = max(ports, key=growth.__getitem__)
    least_loss = growth[port] / (growth[port] + port.cells_per_second)
    if growth[port] <= 0.0 or question.delay_seconds is not None:
        return None
    if question.loss_ratio > least_loss:
        return None
    formulas = formulas_of(network, port, question.credit_cells, question.loss_ratio)
    endless = EndlessGrowth(growth[port], None, least_loss_ratio=least_loss)
    return Answer(question, port, formulas, endless=endless)


def _without_limit(question: Question, runner: Runner) -> list[Measured]:
    """Makes a run per seed without limits; keeps only one if seeds make no difference.

    Without loss, TCP connections may behave alike for all seeds. With loss they wait for
    retransmission timers with random phases. So if the target allows loss, all seeds are kept.
    """
    runs = measure([question.job(seed) for seed in question.seeds], runner)
    is_alike = len({run.digest for run in runs}) == 1
    may_lose = question.loss_ratio > 0.0 or question.delay_seconds is not None
    waits = may_lose and any(flow.tcp is not None for flow in question.network.flows)
    return runs[:1] if is_alike and not waits else runs


def _observed(question: Question, named: Link | None, runs: Sequence[Measured]) -> Answer:
    """Selects the port, and collects its results in the runs without a buffer limit."""
    longest = {
        name: max(run.longest_queues()[name] for run in runs) for name in runs[0].longest_queues()
    }
    port = named or question.network.port(max(longest, key=longest.__getitem__))
    random = len(runs) > 1
    remarks = []
    if not random and len(question.seeds) > 1:
        remarks.append(
            "all seeds give the same run, since nothing in the scenario is random; "
            "`run.start_jitter` lets flows start at drawn times, so that seeds differ"
        )
    longer = [name for name, cells in longest.items() if cells > longest[port.name]]
    if longer:
        remarks.append(f"queues are longer at {', '.join(longer)}")
    return Answer(
        question=question,
        port=port,
        formulas=formulas_of(question.network, port, question.credit_cells, question.loss_ratio),
        unlimited=tuple(run.at(port.name) for run in runs),
        longest_queues_cells=longest,
        random=random,
        remarks=tuple(remarks),
    )


def _watched_longer(answer: Answer, worst: Measured, runner: Runner) -> Answer:
    """Adds the trace of the longest queue; if the queue still rises, repeats the run for longer."""

    def longer() -> Measured:
        [run] = measure([answer.question.job(worst.seed, longer=LONGER)], runner)
        return run

    found = watched(worst, answer.port.name, longer, "cells")
    remarks = (*answer.remarks, *found.remarks)
    answer = replace(answer, queue=found.queue, remarks=remarks)
    if found.growth is None:
        return answer
    return replace(answer, endless=EndlessGrowth.of(found.growth, _window_bound(answer)))


def _window_bound(answer: Answer) -> float | None:
    """Most cells of all TCP windows, with RM cells, if only TCP fills the queue; otherwise None."""
    situation = Situation(answer.question.network, answer.port)
    if situation.sharing():
        return None
    found = (formula.cells for formula in answer.formulas if formula.formula == "window-sum")
    windows = next(found, None)
    return None if windows is None else windows + beside_windows(situation)
