"""Committed results of seed 1 in whole units; any change of a result changes a line."""

from collections.abc import Sequence
from pathlib import Path

from cellrate.common import whole_file
from cellrate.language.runs import Run
from cellrate.reproduce.paper_data import Experiment, Paper
from cellrate.reproduce.results import ExperimentResult
from cellrate.reproduce.runs import Outcomes, RunId, job_of, run_ids

SEED = 1
HEADER = """\
# Results of seed 1 in whole units; written by `cellrate reproduce --bless`, checked by `--check`.
# run:   experiment, run, digest, cells sent, cells dropped, packets lost, segments sent again,
#        timeouts, TCP throughput (kbit/s), longest ABR and UBR queue (cells)
# value: experiment, measured value in millionths of its unit, quantity
# claim: experiment, 1 if it holds, id
"""


def golden_path(paper: Paper) -> Path:
    """Path of a paper's golden table."""
    return paper.directory / "golden.txt"


def golden_lines(results: Sequence[ExperimentResult], outcomes: Outcomes) -> list[str]:
    """Lines of some experiments; seed 1 must be among the seeds of each."""
    lines = []
    for result in results:
        lines += run_lines(result.paper, result.experiment, outcomes)
        index = result.seeds.index(SEED)
        for value in result.values:
            if value.measured is not None:
                millionths = _millionths(value.measured.values[index])
                lines.append(
                    f"value {result.experiment.id} {millionths} {value.published.quantity}"
                )
        for claim in result.claims:
            lines.append(f"claim {result.experiment.id} {int(claim.holds[index])} {claim.claim.id}")
    return lines


def run_lines(
    paper: Paper, experiment: Experiment, outcomes: Outcomes, only: Sequence[RunId] | None = None
) -> list[str]:
    """Lines of an experiment's runs, or only of the runs in `only`."""
    lines = []
    for run, variant, point in run_ids(experiment):
        if only is None or run in only:
            numbers = _numbers(outcomes[job_of(paper, variant, point, SEED)])
            lines.append(f"run {experiment.id} {_name(run)} {numbers}")
    return lines


def _name(run: RunId) -> str:
    key = ",".join(str(value) for value in run.point)
    return f"{run.variant}[{key}]" if run.point else run.variant


def _numbers(run: Run) -> str:
    totals = run.totals
    return " ".join(
        str(part)
        for part in (
            run.digest,
            totals.cells_sent,
            totals.cells_dropped,
            totals.packets_lost,
            totals.segments_retransmitted,
            totals.timeouts,
            round(totals.tcp_throughput_bits_per_second / 1000),
            run.longest_queue_cells,
        )
    )


def _millionths(value: float) -> str:
    return "never" if value == float("inf") else str(round(value * 1e6))


def read_golden(paper: Paper) -> list[str]:
    """Committed lines of a paper; empty if it has no table yet."""
    path = golden_path(paper)
    if not path.exists():
        return []
    return [
        line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")
    ]


def differences(paper: Paper, experiments: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Committed lines of some experiments that are gone, with `-`, and new lines, with `+`."""
    committed = [line for line in read_golden(paper) if line.split(" ")[1] in experiments]
    gone = [f"- {line}" for line in committed if line not in set(lines)]
    new = [f"+ {line}" for line in lines if line not in set(committed)]
    return gone + new


def bless(paper: Paper, experiments: Sequence[str], lines: Sequence[str]) -> None:
    """Writes the lines of some experiments and keeps the committed lines of all the rest."""
    kept = [line for line in read_golden(paper) if line.split(" ")[1] not in experiments]
    order = {experiment.id: i for i, experiment in enumerate(paper.experiments)}
    everything = [line for line in [*kept, *lines] if line.split(" ")[1] in order]
    everything.sort(key=lambda line: order[line.split(" ")[1]])
    whole_file.write_text(golden_path(paper), HEADER + "\n".join(everything) + "\n")
