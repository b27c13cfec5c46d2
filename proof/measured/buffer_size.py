"""The committed page of sized buffers: `python -m proof.measured.buffer_size DIRECTORY`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.confidence import CONFIDENCE
from cellrate.advice.sizing.measuring import measure
from cellrate.advice.sizing.question import Question
from cellrate.advice.sizing.solving import size_buffer
from cellrate.reproduce.papers import papers_root
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import default_store, run_many

SEEDS = tuple(range(1, 21))
# The run that shows where a growing queue ends is so many times as long.
LONGEST = 16
# Kalyanaraman 1997, Table 8.3: kilometres of each link, round trip in ms, printed queue in cells.
TABLE_8_3 = ((1000, 30.0, 15073), (500, 15.0, 12008), (200, 6.0, 6223), (50, 1.5, 1596))
# Kalyanaraman 1997, Table 8.4: kilometres of each link, cells of the interval, printed queue.
TABLE_8_4 = ((50, 500, 2511), (50, 1000, 2891), (1, 500, 2253), (1, 1000, 3597))
# Kalyanaraman 1997, Table 8.7: duty cycle, period in ms, printed queue; None where it diverges.
TABLE_8_7: tuple[tuple[float, int, int | None], ...] = (
    (0.95, 100, 2588),
    (0.8, 100, 5217),
    (0.7, 100, 5688),
    (0.95, 10, 2709),
    (0.8, 10, None),
    (0.7, 10, None),
    (0.95, 1, 2589),
    (0.8, 1, 4077),
    (0.7, 1, 2928),
)
# Kalyanaraman 1997, Table 8.8: kilometres of each link, feedback delay in ms, printed queue.
TABLE_8_8: tuple[tuple[int, int, int | None], ...] = (
    (100, 1, 4176),
    (500, 5, None),
    (1000, 10, None),
)
INTRODUCTION = """# Sized buffers

Written by `python -m proof.measured.buffer_size docs/evidence`, seeds 1 to {seeds}. [Size a
buffer](../how-to/size-a-buffer.md) explains the columns.
"""
PART_8_3 = """
## File transfers over ABR with ERICA: formula and measurement

Kalyanaraman 1997, Table 8.3: 15 sources, no background. `cellrate size-buffer` with
`papers/kalyan97/scenarios/file-transfer.toml`, `--set flow.tcp.count=15` and the lengths of the
links. The law is (3 RTT + interval + feedback delay) times the link rate, the interval being the
100 cells that traffic at line rate brings. Measured is the least buffer that loses nothing in any
of {seeds} runs of 5 s; with {confidence:.0%} confidence {share:.1%} of all runs stay within it.

| links (km) | RTT (ms) | printed queue | law | measured buffer | single runs | of the law | |
|--:|--:|--:|--:|--:|--:|--:|---|
"""
PART_8_4 = """
Kalyanaraman 1997, Table 8.4: local networks, where the interval (10 ms or a number of cells) is no
longer short beside the round trip. There the law is too low, in the paper's own table, too;
`explain` and `size-buffer` list it among the assumptions that fail.

| links (km) | cells | printed queue | law | measured buffer | single runs | of the law | |
|--:|--:|--:|--:|--:|--:|--:|---|
"""
PART_8_7 = """
## Beside ON-OFF background: queues without an end

Kalyanaraman 1997, Table 8.7: ERICA+, links of 1000 km, VBR of 124.41 Mbit/s while it is on, from
`papers/kalyan97/scenarios/on-off-vbr.toml`; runs of 5 s. The table does not say how many sources
there are: here 15. A queue that may grow without end is looked at in a run four times as long.

| duty cycle | period (ms) | printed queue | measured buffer | grows by (cells/s) |
|--:|--:|--:|--:|--:|
"""
PART_8_8 = """
Kalyanaraman 1997, Table 8.8: a duty cycle of 0.8 and 15 sources again, with shorter links.

| feedback delay (ms) | period (ms) | printed queue | measured buffer | grows by (cells/s) |
|--:|--:|--:|--:|--:|
"""
AFTER_8_7 = """
The rows that diverge are those of the paper. The TCP windows, 15 times 24,576 or 368,640 cells, are
the most that such a queue can reach: in a run of {duration:g} s that of the first of them comes to
{longest:,} cells and stays below. With 2 sources the same two rows need:

| duty cycle | period (ms) | printed queue | measured buffer | grows by (cells/s) |
|--:|--:|--:|--:|--:|
"""


def main(arguments: Sequence[str]) -> int:
    """Writes the page into the directory that the argument names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m proof.measured.buffer_size DIRECTORY\n")
        return 2
    runner = functools.partial(run_many, store=default_store(Path("out") / "results"))
    text = page(runner)
    (Path(arguments[0]) / "buffer-size.md").write_text(text, encoding="utf-8", newline="\n")
    return 0


def page(runner: Runner) -> str:
    """The page as Markdown."""
    rows = [(row, transfers(row[0], runner)) for row in TABLE_8_3]
    share = rows[0][1].covered_share or 0.0
    text = INTRODUCTION.format(seeds=len(SEEDS))
    text += PART_8_3.format(seeds=len(SEEDS), share=share, confidence=CONFIDENCE)
    text += "".join(_transfer_row(*row, answer) for row, answer in rows)
    text += PART_8_4
    text += "".join(_transfer_row(*row, transfers(row[0], runner, row[1])) for row in TABLE_8_4)
    text += PART_8_7
    text += "".join(_background_row(*row, background(*row[:2], 15, runner)) for row in TABLE_8_7)
    text += _end_of_growth(runner)
    divergent = [row for row in TABLE_8_7 if row[2] is None]
    text += "".join(_background_row(*row, background(*row[:2], 2, runner)) for row in divergent)
    return (
        text
        + PART_8_8
        + "".join(
            _background_row(feedback_ms, 10, printed, background(0.8, 10, 15, runner, kilometres))
            for kilometres, feedback_ms, printed in TABLE_8_8
        )
    )


def _end_of_growth(runner: Runner) -> str:
    """The section on how far a divergent queue grows."""
    question = background_question(0.8, 10, 15)
    [run] = measure([question.job(SEEDS[0], longer=LONGEST)], runner)
    return AFTER_8_7.format(
        duration=run.summary["simulated_seconds"], longest=run.longest_queues()["A->B"]
    )


def transfers(kilometres: int, runner: Runner, interval_cells: int | None = None) -> Answer:
    """The buffer of a row of Table 8.3, or of Table 8.4 with the cells of its interval."""
    settings: tuple[str, ...] = ("flow.tcp.count=15", *_lengths(kilometres))
    if interval_cells is not None:
        cells = f'switch.control.interval_cells="{interval_cells} cells"'
        settings = (*settings, 'switch.control.interval="10 ms"', cells)
    return size_buffer(_question("file-transfer", settings), runner)


def background(
    duty_cycle: float, period_ms: int, sources: int, runner: Runner, kilometres: int = 1000
) -> Answer:
    """The buffer of a row of Table 8.7 or 8.8 with a number of sources."""
    return size_buffer(background_question(duty_cycle, period_ms, sources, kilometres), runner)


def background_question(
    duty_cycle: float, period_ms: int, sources: int, kilometres: int = 1000
) -> Question:
    """The question that a row of Table 8.7 or 8.8 asks."""
    settings = (
        f"flow.tcp.count={sources}",
        "switch.control.target_utilisation=1.0",
        "switch.control.queue_control={}",
        f'flow.vbr.source.period="{period_ms} ms"',
        f"flow.vbr.source.duty_cycle={duty_cycle}",
        *_lengths(kilometres),
    )
    return _question("on-off-vbr", settings)


def _lengths(kilometres: int) -> tuple[str, ...]:
    keys = ("access", "bottleneck", "egress")
    return tuple(f'topology.{key}="{kilometres} km"' for key in keys)


def _question(scenario: str, settings: tuple[str, ...]) -> Question:
    path = f"kalyan97/scenarios/{scenario}.toml"
    text = (papers_root() / path).read_text(encoding="utf-8")
    return Question(text, f"papers/{path}", settings, seeds=SEEDS)


def _transfer_row(kilometres: int, value: float, printed: int, answer: Answer) -> str:
    law = next(one for one in answer.formulas if one.formula == "buffer-law")
    law_cells, measured = law.cells or 0.0, answer.buffer_cells or 0
    return (
        f"| {kilometres} | {value:g} | {printed:,} | {law_cells:,.0f} | {measured:,} | "
        f"{min(answer.each_cells):,} to {max(answer.each_cells):,} | {measured / law_cells:.2f} | "
        f"{'within it' if measured <= law_cells else 'beyond it'} |\n"
    )


def _background_row(duty_cycle: float, period_ms: int, printed: int | None, answer: Answer) -> str:
    shown = "divergent" if printed is None else f"{printed:,}"
    measured, growth = "none", ""
    if answer.endless is not None:
        growth = f"{answer.endless.cells_per_second:,.0f}"
    elif answer.buffer_cells is not None:
        measured = f"{answer.buffer_cells:,}"
    return f"| {duty_cycle:g} | {period_ms} | {shown} | {measured} | {growth} |\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
