"""Sizes buffers for a paper's tables: `python -m proof.measured.buffer_size`, for docs/evidence."""

from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.confidence import CONFIDENCE
from cellrate.advice.sizing.question import Question, measure
from cellrate.advice.sizing.solving import size_buffer
from cellrate.papers.collection import papers_root
from cellrate.simulation.run_types import Runner

from proof.campaign import end_with, runner, write_rows

SEEDS = tuple(range(1, 21))
# Factor by which the run that shows the end of a queue's growth is longer.
LONGEST = 16
# Kalyanaraman 1997, Table 8.3: kilometres of each link, round trip in ms, printed queue in cells.
TABLE_8_3 = ((1000, 30.0, 15073), (500, 15.0, 12008), (200, 6.0, 6223), (50, 1.5, 1596))
# Kalyanaraman 1997, Table 8.4: kilometres of each link; averaging interval, printed queue in cells.
TABLE_8_4 = ((50, 500, 2511), (50, 1000, 2891), (1, 500, 2253), (1, 1000, 3597))
# Kalyanaraman 1997, Table 8.7: duty cycle, period in ms, printed queue in cells; None: diverges.
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
# Kalyanaraman 1997, Table 8.8: kilometres of each link, feedback delay in ms, queue in cells.
TABLE_8_8: tuple[tuple[int, int, int | None], ...] = (
    (100, 1, 4176),
    (500, 5, None),
    (1000, 10, None),
)


def main() -> int:
    """Writes the tables of the page, and prints the two numbers that the page's text quotes."""
    runs = runner()
    shown = [(row, transfers(row[0], runs)) for row in TABLE_8_3]
    share = shown[0][1].covered_share or 0.0
    print(
        f"{share:.1%} of all runs stay within the measured buffer, with {CONFIDENCE:.0%} confidence"
    )
    [run] = measure([background(0.8, 10, 15).job(SEEDS[0], longer=LONGEST)], runs)
    duration, longest = run.summary["simulated_seconds"], run.longest_queues()["A->B"]
    print(f"after {duration:g} s the first divergent queue has {longest:,} cells")
    write_rows(
        "buffer-size.md",
        [_transfer_row(*row, answer) for row, answer in shown],
        [_transfer_row(*row, transfers(row[0], runs, row[1])) for row in TABLE_8_4],
        [_background_row(row, background(*row[:2], 15), runs) for row in TABLE_8_7],
        [_background_row(row, background(*row[:2], 2), runs) for row in TABLE_8_7 if not row[2]],
        [
            _background_row((delay_ms, 10, printed), background(0.8, 10, 15, kilometres), runs)
            for kilometres, delay_ms, printed in TABLE_8_8
        ],
    )
    return 0


def transfers(kilometres: int, runner: Runner, interval_cells: int | None = None) -> Answer:
    """The buffer for a row of Table 8.3, or of Table 8.4 if `interval_cells` is given."""
    settings: tuple[str, ...] = ("flow.tcp.count=15", *_lengths(kilometres))
    if interval_cells is not None:
        cells = f'switch.control.interval_cells="{interval_cells} cells"'
        settings = (*settings, 'switch.control.interval="10 ms"', cells)
    return size_buffer(_question("file-transfer", settings), runner)


def background(duty_cycle: float, period_ms: int, sources: int, kilometres: int = 1000) -> Question:
    """The sizing question for a row of Table 8.7 or 8.8."""
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


def _transfer_row(kilometres: int, value: float, printed: int, answer: Answer) -> list[str]:
    law = next(used for used in answer.formulas if used.formula == "buffer-law")
    law_cells, measured = law.cells or 0.0, answer.buffer_cells or 0
    return [
        str(kilometres),
        f"{value:g}",
        f"{printed:,}",
        f"{law_cells:,.0f}",
        f"{measured:,}",
        f"{min(answer.each_cells):,} to {max(answer.each_cells):,}",
        f"{measured / law_cells:.2f}",
        "within it" if measured <= law_cells else "beyond it",
    ]


def _background_row(
    row: tuple[float, int, int | None], question: Question, runner: Runner
) -> list[str]:
    first, period_ms, printed = row
    answer = size_buffer(question, runner)
    shown = "divergent" if printed is None else f"{printed:,}"
    measured, growth = "none", ""
    if answer.endless is not None:
        growth = f"{answer.endless.per_second:,.0f}"
    elif answer.buffer_cells is not None:
        measured = f"{answer.buffer_cells:,}"
    return [f"{first:g}", str(period_ms), shown, measured, growth]


if __name__ == "__main__":
    end_with(main)
