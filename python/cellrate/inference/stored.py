"""Writes and reads inferred values in a paper's directory."""

from __future__ import annotations

import json
from pathlib import Path

from cellrate.common import whole_file
from cellrate.inference.answer import Finding, Inference
from cellrate.inference.hold_out import VERDICTS
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Assumption, Paper
from cellrate.reproduce.readings import Choice
from cellrate.reproduce.toml_reader import Reader, check_unique, read_toml

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
        OSError: It cannot be written.
    """
    path = inference.paper.directory / NAME
    whole_file.write_text(path, as_toml(inference))
    return path


def as_toml(inference: Inference) -> str:
    """Text of the file."""
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
        f"assumption = {_text(parameter.assumption.id)}",
        f"verdict = {_text(finding.verdict)}",
        f"chosen = {_text(parameter.labels[finding.hold_out.best])}",
        f"used = {_truth(finding.used)}",
        f"results = {len(parameter.subjects)}",
        f"experiments = {len(parameter.experiments)}",
        "values = [",
    ]
    return [*lines, *(_value(finding, value) for value in range(len(parameter.labels))), "]"]


def _value(finding: Finding, value: int) -> str:
    scores, parts = finding.scores, finding.hold_out.halves
    cells = [
        f"label = {_text(finding.parameter.labels[value])}",
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
    cells.append(f"allowed = {_truth(not finding.excluded(value))}")
    return f"  {{{', '.join(cells)}}},"


def _text(text: str) -> str:
    """A basic string of TOML; a JSON string is one."""
    return json.dumps(text, ensure_ascii=False)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def held_out(paper: Paper) -> tuple[Choice, ...]:
    """Reads the inferred values that passed validation alone and together; none without a file.

    Raises:
        ReproduceError: The file is damaged, or is older than the paper's data: an assumption or a
            value in it does not exist any more.
    """
    path = paper.directory / NAME
    if not path.exists():
        return ()
    reader = Reader(read_toml(path), f"{paper.id}/{NAME}")
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
    verdict, chosen = table.choice("verdict", VERDICTS), table.text("chosen")
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
        raise ReproduceError(f"{table.place}: `used`, though it did not hold out")
    table.done()
    return [(assumption, a) for a in assumption.alternatives if used and a.label == chosen]


def _stale(place: str, why: str) -> ReproduceError:
    paper = place.partition("/")[0]
    return ReproduceError(f"{place}: {why}; run `cellrate infer {paper} --store` again")
