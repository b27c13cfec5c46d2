"""Sentences of a choice: the recommendation, the runner-up, and what the choice depends on."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate.advice.choosing.answer import Answer, Elsewhere, sides
from cellrate.advice.choosing.goals import Goals, settled
from cellrate.advice.choosing.option import Option
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Network


def asked(answer: Answer) -> str:
    """The question, as a title."""
    return f"{answer.base.path}: which control, and how much buffer?"


def goals(wanted: Goals) -> str:
    """The goals in words."""
    parts = ["no loss" if wanted.loss == 0 else f"at most {wanted.loss:g} of the cells lost"]
    if wanted.bits_per_second is None:
        parts.append(f"at least {wanted.throughput:.0%} of the throughput that this allows")
    else:
        parts.append(f"at least {wanted.bits_per_second / 1e6:g} Mbit/s")
    if wanted.delay_seconds is not None:
        parts.append(f"no cell waits longer than {seconds(wanted.delay_seconds)}")
    if wanted.fairness > 0:
        parts.append(f"a fairness of {wanted.fairness:g} or more")
    if wanted.settling_seconds is not None:
        parts.append(f"settled within {seconds(wanted.settling_seconds)}")
    if wanted.buffer_cells is not None:
        parts.append(f"at most {wanted.buffer_cells:,} cells of buffer")
    switches = ", ".join(wanted.abilities)
    return f"Wanted: {'; '.join(parts)}; then the least buffer. Switches: {switches}."


def verdict(answer: Answer) -> list[str]:
    """The recommendation, the runner-up and what is not known of them, a sentence each."""
    return [*_recommendation(answer), *_reserve(answer), *_depends(answer), *_left_out(answer)]


def _recommendation(answer: Answer) -> Iterator[str]:
    best, second = answer.judgement.best, answer.judgement.runner_up
    if best is None:
        yield "Nothing that was run meets the goals; below is what each control misses."
        return
    if answer.judgement.is_unfair:
        yield (
            f"No control that was run has a fairness of {answer.goals.fairness:g} and meets the "
            "other goals, so shares are unequal with the control below."
        )
    yield f"Take {best.label} with {cells(best.buffer_cells)} of buffer: {numbers(best)}."
    if best.seeds < len(answer.seeds):
        yield f"It was run with {best.seeds} of {len(answer.seeds)} seeds only."
    if second is None:
        yield "No other control meets the goals."
        return
    said = (
        f"Runner-up: {second.label} with {cells(second.buffer_cells)}: {numbers(second)}. "
        f"Beside the first it costs {_cost(best, second)}."
    )
    if answer.judgement.alike:
        said += " The two cannot be told apart by buffer and throughput; take the simpler one."
    yield said


def cells(count: int) -> str:
    """A number of cells."""
    return f"{count:,} cell{'s' if count != 1 else ''}"


def numbers(one: Option) -> str:
    """The measures of an option."""
    parts = [f"{one.throughput_bits_per_second / 1e6:.2f} Mbit/s"]
    parts.append("no loss" if one.loss == 0 else f"loss {one.loss:.2g}")
    parts.append(f"waits of {seconds(one.mean_delay_seconds)} on average")
    parts.append(f"{seconds(one.longest_delay_seconds)} at most")
    if one.fairness is not None:
        parts.append(f"fairness {one.fairness:.3f}")
    parts.append(settled(one.settling_seconds))
    return ", ".join(parts)


def _cost(best: Option, second: Option) -> str:
    more = second.buffer_cells - best.buffer_cells
    rate = second.throughput_bits_per_second / best.throughput_bits_per_second - 1
    buffer = f"{cells(more)} more" if more else "no more buffer"
    share = f"{abs(rate):.1%} {'more' if rate > 0 else 'less'} throughput"
    return f"{buffer}, with {share}" if abs(rate) >= 0.0005 else f"{buffer}, with equal throughput"


def _reserve(answer: Answer) -> Iterator[str]:
    best = answer.judgement.best
    if best is not None and best.loss == 0:
        seeds = f"{len(answer.seeds)} seeds" if len(answer.seeds) > 1 else "one seed"
        yield (
            f"The buffer is the longest queue of {seeds} of this run's length, without a reserve: "
            "`cellrate size-buffer` says what it takes for more."
        )
    if best is None:
        return
    network = Network.of_scenario(answer.base.scenario())
    longest = max((flow.tcp.segment_cells for flow in network.flows if flow.tcp), default=0)
    if best.buffer_cells < longest:
        yield f"It does not hold a segment, which has {longest} cells."
    if len(best.by_seed_cells) > 1 and len(set(best.by_seed_cells)) == 1:
        yield (
            "Each seed needs the same buffer, so the runs say little of other starts, with which "
            "sources can meet and need more. Ask again with "
            '--set run.start_jitter="20 ms" --set run.simultaneous_cells=drawn.'
        )


def _depends(answer: Answer) -> Iterator[str]:
    best = answer.judgement.best
    if best is None or not answer.elsewhere:
        return
    lost = list(crossings(answer))
    for one in lost:
        yield _crossing(answer, one)
    abouts = dict.fromkeys(one.circumstance.about for one in answer.elsewhere)
    stays = [about for about in abouts if about not in {one.circumstance.about for one in lost}]
    if stays:
        yield (
            "Among the best controls it is the choice also with a quarter to four times the "
            f"{', '.join(stays)}."
        )


def crossings(answer: Answer) -> Iterator[Elsewhere]:
    """The nearest circumstances at which the recommendation was seen not to be the choice."""
    for about in dict.fromkeys(one.circumstance.about for one in answer.elsewhere):
        for side in sides(about, answer.elsewhere):
            if side.lost is not None:
                yield side.lost


def _crossing(answer: Answer, there: Elsewhere) -> str:
    about, factor = there.circumstance.about, there.circumstance.factor
    found = "nothing meets the goals"
    if there.best is not None:
        needs = f"{cells(there.best.buffer_cells)} of buffer"
        found = f"{there.best.candidate.name} wins with {needs}"
    [kept] = [one.kept for one in sides(about, answer.elsewhere) if one.lost is there]
    stays = "as it is" if kept == 1 else f"with {kept:.3g} times"
    return f"With {factor:.3g} times the {about}, {found}; {stays} the choice stays."


def _left_out(answer: Answer) -> Iterator[str]:
    if answer.unfinished:
        yield (
            "Stopped at the time limit. Run with their defaults alone: "
            f"{', '.join(answer.unfinished)}. The same command with more --minutes goes on."
        )
        if not answer.elsewhere:
            yield "Other round trips and numbers of sources were not tried."
