"""Findings about open parameters: how many printed results each value of a parameter meets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate.common import whole_file
from cellrate.common.document import Shown
from cellrate.common.numbers import counted
from cellrate.papers.hold_out import (
    ASSUMED,
    EXCLUDED_BELOW,
    VERDICTS,
    HoldOut,
    Scores,
    Verdict,
    least_p,
)
from cellrate.papers.laboratory import OpenParameter
from cellrate.papers.paper import Assumption, Choice, Paper, ReproduceError
from cellrate.papers.toml_reader import Reader, check_unique, read_toml

if TYPE_CHECKING:
    from cellrate.common.document import Document


@dataclass(frozen=True)
class Finding:
    """Result of inferring one open parameter: the results that each of its values meets.

    Attributes:
        parameter: The parameter, and the results that it concerns.
        scores: For each value, which of these results are met.
        p: p-value of each value against the best value; None for the best value.
        hold_out: Result of the hold-out test: success of the best value on results that were not
            used to choose it.
        problems: Results of a value and seed that could not be evaluated, which count as missed.
        asked: Number of seeds with which a value is run, unless the value is dropped after the
            first seed.
        groups: Number of groups of experiments; different groups have no simulation in common.
        dropped: True if the best value passed the hold-out test alone, but the combination of all
            passed values meets more results without this value.
    """

    parameter: OpenParameter
    scores: Scores
    p: tuple[float | None, ...]
    hold_out: HoldOut
    problems: tuple[str, ...]
    asked: int
    groups: int
    dropped: bool = False

    @property
    def verdict(self) -> Verdict:
        """Verdict of the hold-out test on the best value, as in `hold_out.VERDICTS`."""
        return self.hold_out.verdict

    @property
    def used(self) -> bool:
        """True if `--inferred` runs the paper with the best value of this parameter."""
        return self.verdict == "held-out" and not self.dropped

    def excluded(self, value: int) -> bool:
        """True if the results exclude a value."""
        p = self.p[value]
        return p is not None and p < EXCLUDED_BELOW

    def seeds(self, value: int) -> int:
        """Number of seeds with which a value was run."""
        return len(self.scores.met[value])

    @property
    def can_exclude(self) -> bool:
        """True if there are enough experiments to exclude any value."""
        return least_p(len(self.parameter.experiments)) < EXCLUDED_BELOW

    @property
    def choice(self) -> Choice | None:
        """The best value; None if it is the assumed one."""
        alternative = self.parameter.alternative(self.hold_out.best)
        return None if alternative is None else (self.parameter.assumption, alternative)

    @property
    def gain(self) -> float:
        """Number of results met with the best value minus with the assumed one; mean over seeds."""
        gains = self.scores.gains(self.hold_out.best, ASSUMED)
        return sum(gains) / len(gains)


@dataclass(frozen=True)
class Counts:
    """Counts of numbers met and claims holding, with one set of values for open parameters."""

    numbers_met: int
    numbers: int
    claims_holding: int
    claims: int


@dataclass(frozen=True)
class Inference(Shown):
    """Findings about a paper's open parameters, and counts as assumed and with inferred values.

    Attributes:
        paper: The paper with the assumed values of open parameters, set before any result was
            known.
        seeds: All seeds.
        findings: Findings, one per parameter.
        unconcerned: Open parameters whose other values change no simulation behind a result.
        kept: Values that passed the hold-out test, alone and in combination.
        assumed: Counts with the assumed values.
        inferred: Counts with the kept values; equal to `assumed` if there are none.
        whole: True if the counts are over all results of the paper, False if only over those that
            depend on the selected parameters.
    """

    paper: Paper
    seeds: tuple[int, ...]
    findings: tuple[Finding, ...]
    unconcerned: tuple[Assumption, ...]
    kept: tuple[Choice, ...]
    assumed: Counts
    inferred: Counts
    whole: bool

    def __repr__(self) -> str:
        used = sum(one.used for one in self.findings)
        parameters = counted(len(self.findings), "parameter")
        return f"<Inference of {self.paper.id}: {parameters}, {used} held out>"

    def document(self) -> Document:
        """The findings as a document."""
        from cellrate.papers.inference_report import report

        return report(self)


NAME = "inferred.toml"

HEADER = """\
# What the results of {paper} say of what it leaves open. Written by the program, not by hand:
#
#     {command}
#
# A result is a scored number or a claim about runs. `share` is the share of the results concerned
# that a value meets, over its seeds; `share_a` and `share_b` that in either half of the experiments
# (absent if all are in one). `p`: chance of losing so much against the best value if they were
# alike, absent for the best; `allowed = false`: p < 0.05. `verdict`: "held-out" if `chosen` does
# better on results that did not choose it, too, "fitted" if it does not, "as-assumed" if no value
# does better. Where `used` is true, `cellrate reproduce --inferred` reads the paper with `chosen`.
"""


def store(inference: Inference) -> Path:
    """Writes the findings beside the paper's data.

    Returns:
        Path of the file.

    Raises:
        OSError: The file cannot be written.
    """
    path = inference.paper.directory / NAME
    whole_file.write_text(path, as_toml(inference))
    return path


def as_toml(inference: Inference) -> str:
    """The findings as the text of a TOML file."""
    paper, seeds = inference.paper.id, inference.seeds
    first = f" --first-seed {seeds[0]}" if seeds[0] != 1 else ""
    command = f"cellrate infer {paper} --seeds {len(seeds)}{first} --store"
    lines = [HEADER.format(paper=paper, command=command), f"seeds = {list(seeds)}"]
    for finding in inference.findings:
        lines += ["", *_parameter(finding)]
    return "\n".join(lines) + "\n"


def _parameter(finding: Finding) -> list[str]:
    parameter = finding.parameter
    lines = [
        "[[parameter]]",
        f"assumption = {_toml(parameter.assumption.id)}",
        f"verdict = {_toml(finding.verdict)}",
        f"chosen = {_toml(parameter.labels[finding.hold_out.best])}",
        f"used = {_toml(finding.used)}",
        f"results = {len(parameter.subjects)}",
        f"experiments = {len(parameter.experiments)}",
        "values = [",
    ]
    return [*lines, *(_value(finding, value) for value in range(len(parameter.labels))), "]"]


def _value(finding: Finding, value: int) -> str:
    scores, parts = finding.scores, finding.hold_out.halves
    cells = [
        f"label = {_toml(finding.parameter.labels[value])}",
        f"seeds = {finding.seeds(value)}",
        f"share = {scores.share(value):.4f}",
    ]
    if all(parts):
        cells += [
            f"share_{name} = {scores.share(value, part):.4f}"
            for name, part in zip("ab", parts, strict=True)
        ]
    p = finding.p[value]
    cells += [] if p is None else [f"p = {p:.6f}"]
    cells.append(f"allowed = {_toml(not finding.excluded(value))}")
    return f"  {{{', '.join(cells)}}},"


def _toml(value: str | bool) -> str:
    """A text or a truth value in TOML, which is as in JSON."""
    return json.dumps(value, ensure_ascii=False)


def held_out(paper: Paper) -> tuple[Choice, ...]:
    """Reads the inferred values that passed the hold-out test alone and in combination.

    Returns no values without a file of findings.

    Raises:
        ReproduceError: The file is damaged, or is older than the paper's data: an assumption or a
            value in it does not exist any more.
    """
    path = paper.directory / NAME
    if not path.exists():
        return ()
    reader = read_toml(path)
    reader.take("seeds", list)
    known = {a.id: a for e in paper.experiments for a in e.assumptions}
    choices = []
    tables = reader.tables("parameter")
    names = []
    for table in tables:
        names.append(table.text("assumption"))
        table.place = f"{paper.id}/{NAME}, `{names[-1]}`"
        choices += _read(table, known.get(names[-1]))
    reader.done()
    check_unique(names, reader.place, "parameters")
    return tuple(choices)


def _read(table: Reader, assumption: Assumption | None) -> list[Choice]:
    if assumption is None:
        raise _stale(table.place, "no experiment lists that assumption")
    verdict, chosen = table.choice("verdict", tuple(VERDICTS)), table.text("chosen")
    used = table.take("used", bool)
    table.take("results", int)
    table.take("experiments", int)
    labels = []
    for value in table.tables("values"):
        labels.append(value.text("label"))
        for key in value.names():
            value.take(key, (int, float, bool))
    for gone in labels[1:]:
        if gone not in {other.label for other in assumption.alternatives}:
            raise _stale(table.place, f"it has no alternative {gone!r}")
    if chosen not in labels:
        raise ReproduceError(f"{table.place}: `chosen` is {chosen!r}, which is none of the values")
    if used and (verdict != "held-out" or chosen == labels[0]):
        raise ReproduceError(f"{table.place}: `used` is true, but the verdict is not held-out")
    table.done()
    return [(assumption, a) for a in assumption.alternatives if used and a.label == chosen]


def _stale(place: str, why: str) -> ReproduceError:
    paper = place.partition("/")[0]
    return ReproduceError(f"{place}: {why}; run `cellrate infer {paper} --store` again")
