"""The result in sentences, for the terminal and the page."""

from __future__ import annotations

import math

from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.confidence import CONFIDENCE, covered_share, seeds_to_cover
from cellrate.common.numbers import seconds
from cellrate.theory.cell_conversions import CELL_BYTES

# Buffers below this many KiB are shown in bytes.
LEAST_KIB = 10
# Share of all runs that a careful design would cover.
WANTED = 0.99


def asked(answer: Answer) -> str:
    """The question as a title."""
    question = answer.question
    if question.delay_seconds is not None:
        target = f"a queueing delay of at most {seconds(question.delay_seconds)}"
    elif question.loss_ratio > 0:
        target = f"a mean cell loss ratio of at most {question.loss_ratio:.3g}"
    else:
        target = "no loss"
    return f"Buffer of {answer.port.name} for {target}"


def verdict(answer: Answer) -> list[str]:
    """The result, as a list of sentences."""
    if answer.endless is not None:
        return _endless(answer)
    if answer.buffer_cells is None:
        return [*_remarks(answer)]
    return [*_locked(answer), _buffer(answer), *_found(answer), *_own(answer), *_remarks(answer)]


def _locked(answer: Answer) -> list[str]:
    """A warning, before the number, that the runs behind it are not those of real sources."""
    locked = sum(run.locked for run in answer.runs)
    if not locked:
        return []
    count = len(answer.runs)
    runs = "the run" if count == 1 else f"{locked} of {count} runs"
    return [
        (
            f"In {runs} the phases of TCP sources are locked: some take the link, the others "
            "wait. Do not rely on this buffer. Make the rates or the lengths of access links "
            "differ by a per cent, and ask again."
        )
    ]


def _endless(answer: Answer) -> list[str]:
    endless = answer.endless
    if endless is None:
        return []
    pace = f"by {endless.cells_per_second:,.0f} cells/s"
    if endless.seen is None:
        why = "the sources send more than the link carries, and no control slows them down"
        grows = f"The queue of {answer.port.name} grows without end, {pace}: {why}."
        share = f"{endless.least_loss_ratio:.3g}"
        return [f"{grows} Any buffer loses {share} of all cells; nothing was simulated."]
    first, before, last = endless.seen.spans
    means = ", ".join(f"{span.mean_cells:,.0f}" for span in (first, before, last))
    found = [
        f"The queue of {answer.port.name} grows without end, {pace}: a buffer only delays loss.",
        (
            f"Over {seconds(last.end_seconds)} its mean in spans that double in length is {means} "
            f"cells, and in the last {seconds(last.end_seconds - last.begin_seconds)} it is never "
            f"below {last.least_cells:,.0f} cells."
        ),
    ]
    if endless.bound_cells is not None:
        left = (endless.bound_cells - last.greatest_cells) / endless.cells_per_second
        found.append(
            f"All TCP windows together hold {endless.bound_cells:,.0f} cells, which the queue "
            f"would reach after another {seconds(max(0.0, left))}: only so large a buffer loses "
            "nothing for ever."
        )
    return found


def _buffer(answer: Answer) -> str:
    cells = answer.buffer_cells or 0
    drain = cells / answer.port.cells_per_second
    size = cells * CELL_BYTES
    amount = f"{size / 1024:,.0f} KiB" if size >= LEAST_KIB * 1024 else f"{size:,} bytes"
    return (
        f"{cells:,} cell{'s' if cells > 1 else ''}: {amount} at 53 bytes a cell, {seconds(drain)} "
        "of the link."
    )


def _own(answer: Answer) -> list[str]:
    """Compares the scenario's own buffer with the result."""
    own, cells = answer.port.switch.buffer_cells, answer.buffer_cells or 0
    if math.isinf(own):
        return []
    excess = own - cells
    verdict = f"{excess:,.0f} more" if excess >= 0 else f"{-excess:,.0f} too few"
    return [f"The scenario's own buffer is {own:,.0f} cells: {verdict}."]


def _found(answer: Answer) -> list[str]:
    runs = len(answer.runs)
    if answer.each_cells:
        return [_lossless(answer), *_covered(answer)]
    loss = f"{answer.mean_loss_ratio or 0.0:.3g}"
    bound = answer.upper_loss_ratio
    upper = f", at most {bound:.3g} with {CONFIDENCE:.0%} confidence" if bound is not None else ""
    found = [f"With it the mean cell loss ratio of {runs} runs is {loss}{upper}."]
    if answer.random and not any(run.cells_dropped for run in answer.runs):
        share = 1 - covered_share(runs)
        found.append(
            f"No run loses anything; with {CONFIDENCE:.0%} confidence at most {share:.1%} of all "
            f"runs do."
        )
    if answer.question.delay_seconds is not None:
        found += _delay(answer)
    elif answer.searched is not None and answer.searched.verified_cells:
        tried = ", ".join(f"{cells:,}" for cells in answer.searched.verified_cells)
        found.append(
            f"{answer.searched.too_small_cells:,} cells are too few; the target was met again "
            f"with {tried} cells."
        )
    return found


def _lossless(answer: Answer) -> str:
    cells, runs = answer.buffer_cells or 0, len(answer.each_cells)
    fewer = "a cell less loses in one of them" if runs > 1 else "a cell less loses"
    how = (
        "one run per seed is enough, because a finite buffer changes nothing before it first "
        "overflows"
        if answer.question.is_exact
        else "found by bisection, because the discard policy depends on the buffer"
    )
    count = f"in {runs} runs" if runs > 1 else "in the run"
    less = f", {fewer}" if cells > 1 else ""
    return f"{cells:,} cells lose nothing {count}{less} ({how})."


def _covered(answer: Answer) -> list[str]:
    share = answer.covered_share
    if share is None:
        return []
    found = [
        (
            f"With {CONFIDENCE:.0%} confidence a run with another seed stays within it with a "
            f"probability of at least {share:.1%}: the largest of {len(answer.each_cells)} seeds, "
            f"whatever the distribution. {seeds_to_cover(WANTED)} seeds would say {WANTED:.0%}."
        )
    ]
    tolerance = answer.normal_tolerance_cells
    if tolerance is not None:
        found.append(
            f"If the longest queues of seeds were normally distributed, {tolerance:,.0f} cells "
            f"would be enough for {WANTED:.0%} of all runs (same confidence)."
        )
    return found


def _delay(answer: Answer) -> list[str]:
    longest = max(run.longest_queue_cells for run in answer.unlimited)
    if longest <= (answer.buffer_cells or 0):
        return [f"It is more than needed: {longest:,} cells lose nothing, and take less time."]
    limited = sum(run.tcp_bits_per_second for run in answer.runs) / len(answer.runs)
    free = sum(run.tcp_bits_per_second for run in answer.unlimited) / len(answer.unlimited)
    found = [f"No loss would take {longest:,} cells."]
    if free > 0:
        found.append(
            f"TCP throughput is {limited / 1e6:.2f} Mbit/s instead of {free / 1e6:.2f} Mbit/s "
            "without a limit."
        )
    return found


def _remarks(answer: Answer) -> list[str]:
    return [f"{remark[0].upper()}{remark[1:]}." for remark in answer.remarks]


def ratio(formula_cells: float | None, buffer_cells: int | None) -> str:
    """A formula's buffer as a multiple of the measured one; "-" if one of them is missing."""
    if formula_cells is None or not buffer_cells:
        return "-"
    return f"{formula_cells / buffer_cells:.2f}"
