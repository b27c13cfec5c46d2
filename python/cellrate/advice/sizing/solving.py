"""Sizes a buffer: plans the runs, makes them, and derives the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cellrate.advice.formulas import Situation, formulas_of
from cellrate.advice.formulas.growth import (
    LEAST_POINTS,
    LONGER,
    certain_growth_cells_per_second,
    growth_of,
)
from cellrate.advice.sizing.answer import Answer, EndlessGrowth
from cellrate.advice.sizing.measuring import Measured, measure
from cellrate.advice.sizing.question import Question, SizingError
from cellrate.advice.sizing.targets import for_delay, for_loss, for_no_loss
from cellrate.simulation.network import Link
from cellrate.simulation.run_types import Runner


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
        raise SizingError(f"{changes} during the run: size-buffer finds one buffer for all of it")
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
    """Turns endless growth into a remark, since the target may be met with a finite buffer."""
    if answer.endless is None:
        return answer
    pace = f"{answer.endless.cells_per_second:,.0f} cells/s"
    remark = f"without a limit the queue grows without end, by {pace}: longer runs may lose more"
    return replace(answer, endless=None, remarks=(*answer.remarks, remark))


def _certainly_endless(question: Question, named: Link | None) -> Answer | None:
    """The result without a run, if the excess of arrivals is certain and larger than the target.

    None if the port is not certainly overloaded for ever, or the target allows that much loss.
    """
    network = question.network
    if not network.ports:
        raise SizingError("no flow crosses a switch: there is no output port with a buffer")
    if network.changes:
        return None  # what arrives is not known from what the scenario begins with
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

    Without loss TCP connections may behave alike for all seeds. With loss they wait for
    retransmission timers, whose phases are random; so if the target allows loss, all seeds are kept
    although they agree without limits.
    """
    runs = measure([question.job(seed) for seed in question.seeds], runner)
    is_alike = len({run.digest for run in runs}) == 1
    may_lose = question.loss_ratio > 0.0 or question.delay_seconds is not None
    waits = may_lose and any(flow.tcp is not None for flow in question.network.flows)
    return runs[:1] if is_alike and not waits else runs


def _observed(question: Question, named: Link | None, runs: Sequence[Measured]) -> Answer:
    """Selects the port, and collects the results of the runs without a limit there."""
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
    """Adds the trace of the longest queue; if it still rises, the result of a longer run."""
    queue = worst.queue(answer.port.name)
    if len(queue) < LEAST_POINTS:
        remark = "the run is too short to tell whether the queue grows"
        return replace(answer, queue=queue, remarks=(*answer.remarks, remark))
    growth = growth_of(queue)
    if not growth.suspect:
        return replace(answer, queue=queue)
    [run] = measure([answer.question.job(worst.seed, longer=LONGER)], runner)
    queue = run.queue(answer.port.name)
    growth = growth_of(queue)
    if growth.endless:
        endless = EndlessGrowth(growth.cells_per_second, growth, _window_bound(answer))
        return replace(answer, endless=endless, queue=queue)
    longest, before = (one.longest_queues()[answer.port.name] for one in (run, worst))
    if longest == before:
        return replace(answer, queue=queue)
    remark = (
        f"the queue still rose when the run ended: it does not grow without end, but in a run "
        f"{LONGER} times as long it reaches {longest:,} cells instead of {before:,}, so the run "
        f"is too short"
    )
    return replace(answer, queue=queue, remarks=(*answer.remarks, remark))


def _window_bound(answer: Answer) -> float | None:
    """Sum of the TCP windows if only TCP fills the queue; otherwise None."""
    if Situation(answer.question.network, answer.port).sharing():
        return None
    found = (formula.cells for formula in answer.formulas if formula.formula == "window-sum")
    return next(found, None)
