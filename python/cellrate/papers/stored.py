"""Results that are stored beside a paper's data: over several seeds, and golden tables of seed 1.

Reports quote the results over several seeds. There are two files, one for each set of values of
the open parameters (a reading): as assumed, and with inferred values that passed the hold-out test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate.common import whole_file
from cellrate.common.estimates import estimate
from cellrate.language.runs import PacketRun, Run
from cellrate.papers.paper import Experiment, Paper, ReproduceError
from cellrate.papers.results import ExperimentResult, Measured, judged
from cellrate.papers.runs import Outcomes, RunId, job_of, run_ids
from cellrate.papers.tally import tally

ASSUMED, INFERRED = "assumed", "inferred"
SEPARATORS = {"value": ",", "claim": ""}
"""Separator of the results of several seeds in each kind of line."""
SEED = 1
"""The seed of the golden tables."""
GOLDEN_HEADER = """\
# Results of seed 1 in whole units; written by `cellrate reproduce --bless`, checked by `--check`.
# run:   experiment, run, digest, cells sent, cells dropped, packets lost, segments sent again,
#        timeouts, TCP throughput (kbit/s), longest ABR and UBR queue (cells)
# value: experiment, measured value in millionths of its unit, quantity
# claim: experiment, 1 if it holds, id
"""
HEADER = """\
# Results of several seeds; written by `cellrate reproduce --seeds N --keep-seeds`{option}.
# seeds: their numbers
# value: experiment, measured values seed by seed, quantity
# claim: experiment, 1 for each seed in which it holds and 0 for the others, id
"""


Entry = tuple[str, str, str]
"""Key of a stored result: `value` or `claim`, the experiment, and the quantity or claim's id."""


@dataclass(frozen=True)
class Stored:
    """Stored results of a paper, seed by seed."""

    path: Path
    """The file with the results."""
    reading: str
    """Values used for open parameters: `ASSUMED` or `INFERRED`."""
    seeds: tuple[int, ...]
    found: dict[Entry, tuple[str, ...]]
    """For each seed a value, or `1` if the claim holds and `0` if it does not, as in the file."""

    def results(self, paper: Paper) -> list[ExperimentResult]:
        """The stored results in the same form as results of new runs.

        Raises:
            ReproduceError: A value or a claim of the paper is missing in the file.
        """
        return [self._result(paper, experiment) for experiment in paper.experiments]

    def differences(self, results: Sequence[ExperimentResult]) -> list[str]:
        """Lines on the new results that differ from the stored results, over the common seeds."""
        lines = []
        for result in results:
            for entry, now in _entries(result):
                then = dict(zip(self.seeds, self._of(entry), strict=True))
                kind, experiment, name = entry
                lines += [
                    f"{kind} {experiment} {text} {name}"
                    for seed, text in zip(result.seeds, now, strict=True)
                    if then.get(seed, text) != text
                ]
        return lines

    def _result(self, paper: Paper, experiment: Experiment) -> ExperimentResult:
        values = tuple(
            estimate([float(text) for text in self._of(("value", experiment.id, each.quantity))])
            if each.measure
            else None
            for each in experiment.published
        )
        claims = tuple(
            tuple(text == "1" for text in self._of(("claim", experiment.id, claim.id)))
            for claim in experiment.claims
        )
        return judged(paper, experiment, self.seeds, Measured(values, claims))

    def _of(self, entry: Entry) -> tuple[str, ...]:
        if entry not in self.found:
            _, experiment, name = entry
            command = f"cellrate reproduce --seeds 5 --keep-seeds{_option(self.reading)}"
            raise ReproduceError(f"{self.path} lacks {experiment}, `{name}`; run `{command}` again")
        return self.found[entry]


def _entries(result: ExperimentResult) -> Iterator[tuple[Entry, list[str]]]:
    """Measured values and claims of an experiment as texts, seed by seed."""
    name = result.experiment.id
    for value in result.values:
        if value.measured is not None:
            texts = [f"{number:.9g}" for number in value.measured.values]
            yield ("value", name, value.published.quantity), texts
    for claim in result.claims:
        yield ("claim", name, claim.claim.id), [str(int(holds)) for holds in claim.holds]


def _option(reading: str) -> str:
    """Command line option for a set of open parameters' values; empty for `ASSUMED`."""
    return " --inferred" if reading == INFERRED else ""


def stored_path(paper: Paper, reading: str) -> Path:
    """Path of the results with one set of open parameters' values, `ASSUMED` or `INFERRED`."""
    return paper.directory / f"seeds-{reading}.txt"


def write_stored(paper: Paper, reading: str, results: Sequence[ExperimentResult]) -> None:
    """Writes the results of a whole paper beside its data."""
    seeds = ",".join(map(str, results[0].seeds))
    lines = [HEADER.format(option=_option(reading)), f"seeds {seeds}"]
    for result in results:
        for (kind, experiment, name), texts in _entries(result):
            lines.append(f"{kind} {experiment} {SEPARATORS[kind].join(texts)} {name}")
    whole_file.write_text(stored_path(paper, reading), "\n".join(lines) + "\n")


def read_stored(paper: Paper, reading: str) -> Stored | None:
    """Reads the stored results for `reading`, `ASSUMED` or `INFERRED`; None without a file.

    Raises:
        ReproduceError: A line of the file is not in the format that the file's head describes.
    """
    path = stored_path(paper, reading)
    if not path.exists():
        return None
    seeds: tuple[int, ...] = ()
    found: dict[Entry, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        kind, _, rest = line.partition(" ")
        try:
            if kind == "seeds":
                seeds = tuple(int(seed) for seed in rest.split(","))
            elif line and kind != "#":
                experiment, texts, name = rest.split(" ", 2)
                found[kind, experiment, name] = _of_every_seed(kind, texts, seeds)
        except ValueError as error:
            raise ReproduceError(
                f"{path}, line {number}: {line!r} does not fit the format in the file's head"
            ) from error
    return Stored(path, reading, seeds, found)


def _of_every_seed(kind: str, text: str, seeds: tuple[int, ...]) -> tuple[str, ...]:
    """The texts of an entry; raises `ValueError` unless there is a valid one for each seed."""
    if kind not in SEPARATORS:
        raise ValueError(kind)
    texts = tuple(text.split(",") if kind == "value" else text)
    for each, _ in zip(texts, seeds, strict=True):
        float(each) if kind == "value" else ("0", "1").index(each)
    return texts


def said_of_seeds(papers: Sequence[Paper]) -> list[str]:
    """Sentences on how many claims and numbers hold over the stored seeds of all papers.

    There is a sentence for the assumed values of open parameters, and one for the inferred values,
    each only if all papers have stored results for them.

    Raises:
        ReproduceError: A file is damaged, or lacks a value or claim of its paper.
    """
    names = {
        ASSUMED: "unprinted parameters fixed before seeing results",
        INFERRED: "inferred values that passed validation",
    }
    sentences = []
    for reading, name in names.items():
        results: list[ExperimentResult] = []
        for paper in papers:
            stored = read_stored(paper, reading)
            if stored is None:
                break
            results += stored.results(paper)
        else:
            seeds, counts = results[0].seeds, tally(results)
            sentences.append(f"Seeds {seeds[0]} to {seeds[-1]}, {name}: {counts.sentence()}.")
    return sentences


def hanging(papers: Sequence[Paper]) -> list[str]:
    """Claims that hold with some stored seeds and not with all, at assumed parameter values."""
    kept = (read_stored(paper, ASSUMED) for paper in papers)
    return [
        f"{experiment} {name}"
        for stored in kept
        if stored is not None
        for (kind, experiment, name), texts in stored.found.items()
        if kind == "claim" and len(set(texts)) > 1
    ]


def golden_path(paper: Paper) -> Path:
    """Path of a paper's golden table."""
    return paper.directory / "golden.txt"


def golden_lines(results: Sequence[ExperimentResult], outcomes: Outcomes) -> list[str]:
    """Lines of the golden table for some experiments, whose seeds must include 1."""
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
    if isinstance(run, PacketRun):
        carried = [totals.packets_sent, totals.packets_dropped, totals.packets_dropped]
        throughput, longest = totals.throughput_bits_per_second, run.longest_queue_packets
    else:
        carried = [totals.cells_sent, totals.cells_dropped, totals.packets_lost]
        throughput, longest = totals.tcp_throughput_bits_per_second, run.longest_queue_cells
    again = [totals.segments_retransmitted, totals.timeouts]
    return " ".join(map(str, [run.digest, *carried, *again, round(throughput / 1000), longest]))


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
    """Differences to the golden table: removed lines with `-`, new lines with `+`."""
    committed = [line for line in read_golden(paper) if line.split(" ")[1] in experiments]
    gone = [f"- {line}" for line in committed if line not in set(lines)]
    new = [f"+ {line}" for line in lines if line not in set(committed)]
    return gone + new


def bless(paper: Paper, experiments: Sequence[str], lines: Sequence[str]) -> None:
    """Writes the lines of some experiments into the golden table, and keeps all other lines."""
    kept = [line for line in read_golden(paper) if line.split(" ")[1] not in experiments]
    order = {experiment.id: i for i, experiment in enumerate(paper.experiments)}
    everything = [line for line in [*kept, *lines] if line.split(" ")[1] in order]
    everything.sort(key=lambda line: order[line.split(" ")[1]])
    whole_file.write_text(golden_path(paper), GOLDEN_HEADER + "\n".join(everything) + "\n")
