"""Results over several seeds, kept beside a paper's data so that every report can quote them.

There is a file per reading of the open parameters: fixed before seeing results, and with the
inferred values that did better on the experiments that did not choose them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from cellrate.common import whole_file
from cellrate.common.estimates import estimate
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Experiment, Paper
from cellrate.reproduce.results import ExperimentResult, Measured, judged
from cellrate.reproduce.tally import Tally, tally

T = TypeVar("T")

ASSUMED, INFERRED = "assumed", "inferred"
HEADER = """\
# Results of several seeds; written by `cellrate reproduce --seeds N --keep-seeds`{option}.
# seeds: their numbers
# value: experiment, measured values seed by seed, quantity
# claim: experiment, 1 for each seed in which it holds and 0 for the others, id
"""


@dataclass(frozen=True)
class Stored:
    """Kept results of a paper: values and claims, seed by seed."""

    path: Path
    """The file with the results."""
    reading: str
    """`ASSUMED` or `INFERRED`."""
    seeds: tuple[int, ...] = ()
    values: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    """Measured values, seed by seed, by experiment and quantity."""
    claims: dict[tuple[str, str], tuple[bool, ...]] = field(default_factory=dict)
    """True for each seed in which a claim holds, by experiment and claim id."""

    def results(self, paper: Paper) -> list[ExperimentResult]:
        """The kept results in the form of results that have just been run.

        Raises:
            ReproduceError: A value or a claim of the paper is not among the kept ones.
        """
        return [self._result(paper, experiment) for experiment in paper.experiments]

    def tally(self, paper: Paper) -> Tally:
        """Counts of the kept results."""
        return tally(self.results(paper))

    def hanging(self) -> list[str]:
        """Experiment and id of the claims that hold with some seeds and not with others."""
        return [
            f"{experiment} {claim}"
            for (experiment, claim), holds in self.claims.items()
            if any(holds) and not all(holds)
        ]

    def differences(self, results: Sequence[ExperimentResult]) -> list[str]:
        """Lines of the new results that differ from the kept ones, over the common seeds."""
        lines = []
        for result in results:
            name = result.experiment.id
            pairs = [
                (i, self.seeds.index(s)) for i, s in enumerate(result.seeds) if s in self.seeds
            ]
            for value in (v for v in result.values if v.measured is not None):
                then = self._found(self.values, name, value.published.quantity)
                now = value.measured.values if value.measured else ()
                lines += [
                    f"value {name} {now[i]:.9g} {value.published.quantity}"
                    for i, k in pairs
                    if f"{now[i]:.9g}" != f"{then[k]:.9g}"
                ]
            for claim in result.claims:
                held = self._found(self.claims, name, claim.claim.id)
                lines += [
                    f"claim {name} {int(claim.holds[i])} {claim.claim.id}"
                    for i, k in pairs
                    if claim.holds[i] != held[k]
                ]
        return lines

    def _result(self, paper: Paper, experiment: Experiment) -> ExperimentResult:
        name = experiment.id
        values = tuple(
            estimate(self._found(self.values, name, published.quantity))
            if published.measure
            else None
            for published in experiment.published
        )
        claims = tuple(self._found(self.claims, name, claim.id) for claim in experiment.claims)
        return judged(paper, experiment, self.seeds, Measured(values, claims))

    def _found(
        self, of: dict[tuple[str, str], tuple[T, ...]], name: str, key: str
    ) -> tuple[T, ...]:
        if (name, key) not in of:
            command = f"cellrate reproduce --seeds 5 --keep-seeds{_option(self.reading)}"
            raise ReproduceError(f"{self.path} lacks {name}, `{key}`; run `{command}` again")
        return of[name, key]


def _option(reading: str) -> str:
    """Command line option of a reading."""
    return " --inferred" if reading == INFERRED else ""


def stored_path(paper: Paper, reading: str) -> Path:
    """Path of the kept results of a reading, `ASSUMED` or `INFERRED`."""
    return paper.directory / f"seeds-{reading}.txt"


def write_stored(paper: Paper, reading: str, results: Sequence[ExperimentResult]) -> None:
    """Writes the results of a whole paper beside its data."""
    seeds = ",".join(map(str, results[0].seeds))
    lines = [HEADER.format(option=_option(reading)), f"seeds {seeds}"]
    for result in results:
        for value in result.values:
            if value.measured is not None:
                numbers = ",".join(f"{x:.9g}" for x in value.measured.values)
                lines.append(f"value {result.experiment.id} {numbers} {value.published.quantity}")
        for claim in result.claims:
            digits = "".join(str(int(holds)) for holds in claim.holds)
            lines.append(f"claim {result.experiment.id} {digits} {claim.claim.id}")
    whole_file.write_text(stored_path(paper, reading), "\n".join(lines) + "\n")


def read_stored(paper: Paper, reading: str) -> Stored | None:
    """Reads the kept results of a reading; nothing if there are none.

    Raises:
        ReproduceError: A line of the file is not in the format that the file's head describes.
    """
    path = stored_path(paper, reading)
    if not path.exists():
        return None
    stored = Stored(path, reading)
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            stored = _with_line(stored, line)
        except ValueError as error:
            raise ReproduceError(
                f"{path}, line {number}: {line!r} does not fit the format in the file's head"
            ) from error
    return stored


def _with_line(stored: Stored, line: str) -> Stored:
    kind, _, rest = line.partition(" ")
    if kind == "seeds":
        return replace(stored, seeds=tuple(int(seed) for seed in rest.split(",")))
    if kind == "value":
        experiment, numbers, quantity = rest.split(" ", 2)
        values = tuple(float(x) for x in numbers.split(","))
        stored.values[experiment, quantity] = _of_every(stored.seeds, values)
    elif kind == "claim":
        experiment, digits, claim = rest.split(" ", 2)
        holds = tuple(bool("01".index(digit)) for digit in digits)
        stored.claims[experiment, claim] = _of_every(stored.seeds, holds)
    elif line and kind != "#":
        raise ValueError(kind)
    return stored


def _of_every(seeds: tuple[int, ...], results: tuple[T, ...]) -> tuple[T, ...]:
    """Returns the results; raises `ValueError` unless there is a result for each seed."""
    return tuple(result for _, result in zip(seeds, results, strict=True))


def said_of_seeds(papers: Sequence[Paper]) -> list[str]:
    """A sentence for each reading of which all papers have kept results.

    Raises:
        ReproduceError: A file is damaged, or lacks a value or claim of today's papers.
    """
    names = {
        ASSUMED: "unprinted parameters fixed before seeing results",
        INFERRED: "inferred values that passed validation",
    }
    kept = [(name, combined(papers, reading)) for reading, name in names.items()]
    return [
        f"Seeds {seeds[0]} to {seeds[-1]}, {name}: {counts.sentence()}."
        for name, both in kept
        if both is not None
        for counts, seeds in [both]
    ]


def hanging(papers: Sequence[Paper]) -> list[str]:
    """Claims that depend on the seed: with parameters as assumed, only some kept seeds hold."""
    kept = (read_stored(paper, ASSUMED) for paper in papers)
    return [name for stored in kept if stored is not None for name in stored.hanging()]


def combined(papers: Sequence[Paper], reading: str) -> tuple[Tally, tuple[int, ...]] | None:
    """Counts of several papers together, and the seeds; nothing if a paper has no kept results.

    Raises:
        ReproduceError: A file is damaged, or lacks a value or claim of today's papers.
    """
    results: list[ExperimentResult] = []
    for paper in papers:
        stored = read_stored(paper, reading)
        if stored is None:
            return None
        results += stored.results(paper)
    return (tally(results), results[0].seeds) if results else None
