"""An experiment of a paper as a study file that makes the same runs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from pathlib import Path

from cellrate.language.expressions import ExpressionError
from cellrate.language.measures import tables
from cellrate.language.of_a_run import check
from cellrate.papers.collection import all_papers, papers_root
from cellrate.papers.figure_data import column
from cellrate.papers.paper import Experiment, Figure, Paper, Published, ReproduceError
from cellrate.papers.runs import job_of, run_ids
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.parameters.schema import full_path

RECORDED = ("measure.traces", "measure.events")
"""Keys of a scenario that record data, which a study file has in its table `keep` instead."""
NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?([eE][+-]?\d+)?)")
IT = re.compile(r"\bit\.")


def study_of(name: str) -> str:
    """Text of the study file for an experiment of a paper.

    Args:
        name: Id of an experiment, such as `ohsaki95-fig6b`. A study has one scenario. If the
            experiment has several, the name of the scenario, or of a variant of its runs, follows a
            colon, as in `ohsaki95-fig5:epd`. Without a colon the first scenario is taken, and a
            comment in the text names the others.

    Raises:
        ReproduceError: There is no such experiment or part, it has no runs, or its runs differ in
            keys that a study cannot vary.
    """
    wanted, _, part = name.partition(":")
    paper, experiment = _experiment(wanted)
    wanted = experiment.id
    files = list(dict.fromkeys(variant.scenario for variant in experiment.variants))
    if not files:
        raise ReproduceError(f"{wanted} has no simulation runs, so there is nothing to study")
    parts = {Path(file).stem: file for file in files}
    variants = {variant.name: variant.scenario for variant in experiment.variants}
    if part and part not in parts | variants:
        raise ReproduceError(
            f"{wanted} has no part `{part}`; scenarios: {', '.join(parts)}; variants: "
            f"{', '.join(variants)}"
        )
    file = (variants | parts)[part] if part else files[0]
    runs = [
        (variant.name, job_of(paper, variant, point, 1))
        for _, variant, point in run_ids(experiment)
        if variant.scenario == file and part in {"", Path(file).stem, variant.name}
    ]
    left = [stem for stem in parts if parts[stem] != file]
    if part in variants and part not in parts:
        left = [other for other in variants if other != part]
    others = [f"--from {wanted}:{one}" for one in left]
    return "\n".join(_lines(paper, experiment, file, runs, others))


def _experiment(wanted: str) -> tuple[Paper, Experiment]:
    """The experiment of an id, of the text `PAPER NAME`, or of a name that only one paper has."""
    known = {one.id: (paper, one) for paper in all_papers() for one in paper.experiments}
    name = wanted.strip().replace(" ", "-")
    ending = [id_ for id_, (paper, _) in known.items() if id_.removeprefix(f"{paper.id}-") == name]
    if name not in known and len(ending) != 1:
        near = ending or get_close_matches(name, known, 3)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise ReproduceError(
            f"there is no experiment `{wanted}`: {meant}`cellrate list experiments` has all"
        )
    return known[name if name in known else ending[0]]


def _lines(
    paper: Paper,
    experiment: Experiment,
    file: str,
    runs: Sequence[tuple[str, Job]],
    others: Sequence[str],
) -> Iterator[str]:
    common, rows = _split([job.overrides for _, job in runs])
    rows = [_whole(experiment, rows, row, job) for row, (_, job) in zip(rows, runs, strict=True)]
    yield f"# {experiment.where}, {paper.short_citation}: the runs of"
    yield f"# cellrate reproduce {experiment.id}"
    if others:
        yield f"# without those of {', '.join(others)}"
    yield ""
    yield f"name = {json.dumps(f'{experiment.id}-{Path(file).stem}')}"
    place = papers_root() / paper.id / "scenarios" / file
    yield f"scenario = {json.dumps(str(place), ensure_ascii=False)}"
    yield f"set = {_array(common)}"
    yield ""
    yield from _factors([name for name, _ in runs], rows)
    yield "[replications]"
    yield "count = 1"
    variants = {name for name, _ in runs}
    measures = dict(_measures(experiment, variants))
    # A figure of traces has no measures, and some experiments have no figure. A table prints more
    # numbers than its figure shows.
    drawn = set(measures.values())
    more = printed_measures(experiment, variants) if drawn else judged_measures(experiment)
    measures |= {column(text): text for text in more if text not in drawn}
    if measures:
        yield "\n[measures]"
        yield from (f"{name} = {json.dumps(text)}" for name, text in measures.items())
    else:
        yield "\n# The experiment has no measure of a single run but those that each data set has."
        yield "# `cellrate list measures` has all; others are added under [measures]."
    traces = dict.fromkeys(
        curve.series[0] for figure in experiment.figures for curve in figure.curves if curve.series
    )
    if traces:
        yield "\n[keep]"
        yield f"traces = {_array(list(traces))}"
    yield ""


def _array(texts: Sequence[str]) -> str:
    if not texts:
        return "[]"
    return "[\n" + "".join(f"    {json.dumps(text, ensure_ascii=False)},\n" for text in texts) + "]"


def _split(
    overrides: Sequence[tuple[str, ...]],
) -> tuple[list[str], list[dict[str, str]]]:
    """The settings common to all runs, and for each run its further settings by path."""
    common = [one for one in overrides[0] if all(one in other for other in overrides)]
    rows = []
    for own in overrides:
        parts = (one.partition("=") for one in own if one not in common)
        rows.append({path.strip(): value.strip() for path, _, value in parts})
    return common, rows


def _whole(
    experiment: Experiment, rows: Sequence[dict[str, str]], row: dict[str, str], job: Job
) -> dict[str, str]:
    """The settings of a run, and the run's values of keys that only other runs set.

    Raises:
        ReproduceError: The scenario of the run has no value of such a key.
    """
    paths = dict.fromkeys(path for one in rows for path in one if path not in RECORDED)
    found = {path: row.get(path, "") for path in paths}
    missing = [path for path in paths if path not in row]
    if not missing:
        return found
    keys = Keys(job.resolved())
    for path in missing:
        table, _, name = full_path(keys.document, path).rpartition(".")
        value = keys.walk(table)[1].get(name)
        if value is None or isinstance(value, list | dict):
            each = ", ".join(f"--from {experiment.id}:{one.name}" for one in experiment.variants)
            raise ReproduceError(
                f"{experiment.id} sets {path} in some runs, but a study sets it in all runs; each "
                f"variant is a study: {each}"
            )
        found[path] = value if isinstance(value, str) else json.dumps(value)
    return found


def _factors(names: Sequence[str], rows: Sequence[dict[str, str]]) -> Iterator[str]:
    # Runs that differ only in recorded data are one run.
    variants: dict[tuple[tuple[str, str], ...], str] = {}
    for name, row in zip(names, rows, strict=True):
        own = tuple(row.items())
        known = variants.get(own)
        variants[own] = name if known in (None, name) else f"{known} and {name}"
    columns = {path: [dict(own)[path] for own in variants] for path in rows[0]}
    if not columns:
        return
    if len(set(variants.values())) > 1:
        yield f"# {', '.join(variants.values())}"
    yield "[factors]" if len(columns) == 1 else "[[paired]]"
    for path, values in columns.items():
        yield f"{json.dumps(path)} = [{', '.join(map(_level, values))}]"
    yield ""


def _level(text: str) -> str:
    """A value as a level of a factor; texts get quotation marks."""
    if NUMBER.fullmatch(text) or text in {"true", "false"}:
        return text
    return text if text.startswith('"') else json.dumps(text, ensure_ascii=False)


def _measures(experiment: Experiment, variants: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Names and expressions of the measures of single runs in the figures of an experiment.

    Curves over other variants of the runs are left out. A name has the unit of the figure's axis,
    so an expression has the axis' scale. If curves have several measures, the curve is part of each
    name.
    """
    for figure in experiment.figures:
        # Several curves may have the same measure.
        shown = [*_of_a_run(figure, variants)]
        found = {expression: curve for curve, expression in reversed(shown)}
        for expression, curve in reversed(found.items()):
            label = f"{curve} {figure.y.label}" if len(found) > 1 else figure.y.label
            name = column(label)
            # A name begins with a letter.
            yield (
                f"curve_{name}" if name[0].isdigit() else name,
                _scaled(expression, figure.y.scale),
            )


def _scaled(expression: str, scale: float) -> str:
    if scale == 1:
        return expression
    alone = isinstance(ast.parse(expression, mode="eval").body, ast.Call | ast.Attribute | ast.Name)
    return f"{scale:g} * {expression if alone else f'({expression})'}"


def _of_a_run(figure: Figure, variants: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Labels of the curves with a measure of a single run, and these measures."""
    for curve in figure.curves:
        if curve.variant not in variants:
            continue
        expression = IT.sub("", curve.measure)
        try:
            check(expression, {})
        except ExpressionError:  # the measure compares runs, so no single run has it
            continue
        yield curve.label, expression


RUN = "it"
"""Name that stands for the run in an expression over a single run."""
UNRECORDED = {"series", "series_all", "events"}
"""Properties of a run that need traces or events, which some runs of a study do not record."""
SUMS = ("throughput_mbit", "effective_throughput", "cell_loss_ratio", "packets_lost")
"""Numbers that a run has as properties in expressions, besides the numbers of its summary."""


def judged_measures(experiment: Experiment) -> list[str]:
    """Expressions over a single run, found in the claims and printed numbers of an experiment.

    A claim may compare runs, or flows in a loop. Only the parts of a claim that use one named run
    are found. Measures that every data set has are left out.
    """
    texts = [str(one.holds_if) for one in experiment.claims]
    return _named_in(experiment, [*texts, *_printed(experiment.published)])


def printed_measures(experiment: Experiment, variants: AbstractSet[str]) -> list[str]:
    """Expressions over a single run of some variants, found in an experiment's printed numbers.

    Measures that every data set has are left out.
    """
    shown = (one for one in experiment.published if one.it is None or one.it[0] in variants)
    return _named_in(experiment, _printed(shown))


def _printed(published: Iterable[Published]) -> list[str]:
    return [str(one.measure) for one in published if one.measure]


def _named_in(experiment: Experiment, texts: Sequence[str]) -> list[str]:
    runs = {RUN, *(variant.name for variant in experiment.variants)}
    found = (measure for text in texts for measure in _of_one_run(text, runs))
    return list(dict.fromkeys(found))


def _of_one_run(text: str, runs: set[str]) -> Iterator[str]:
    for node in _chains(_OneRun(runs).visit(ast.parse(f"({text})", mode="eval"))):
        expression = ast.unparse(node).removeprefix(f"{RUN}.")
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        known = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
        if names != {RUN} or known & UNRECORDED or node.attr not in _numbers():
            continue
        try:
            check(expression)
        except ExpressionError:
            continue
        if expression not in {one.key for one in tables("atm")["run"]}:
            yield expression


def _numbers() -> set[str]:
    keys = (one.key for of in tables("atm").values() for one in of)
    return {key.rpartition(".")[2] for key in keys} | {*SUMS}


def _chains(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that are not part of a longer chain of attributes and calls."""
    if isinstance(node, ast.Attribute):
        yield node
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for argument in node.args:
            yield from _chains(argument)
        return
    for child in ast.iter_child_nodes(node):
        yield from _chains(child)


class _OneRun(ast.NodeTransformer):
    """Replaces each run that an expression names by the name `it`."""

    def __init__(self, runs: set[str]) -> None:
        self.runs = runs

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replaces a variant that is a single run."""
        return ast.Name(RUN, ast.Load()) if node.id in self.runs else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Replaces a run of a variant with varied values."""
        if isinstance(node.value, ast.Name) and node.value.id in self.runs:
            return ast.Name(RUN, ast.Load())
        return self.generic_visit(node)
