"""The measures of single runs in the claims and printed numbers of an experiment."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from cellrate.language.expressions import ExpressionError
from cellrate.language.measures import tables
from cellrate.language.of_a_run import check
from cellrate.papers.paper import Experiment, Published

RUN = "it"
"""Name that stands for the run in an expression over a single run."""
RECORDED = {"series", "series_all", "events"}
"""Properties of a run that need traces or events, which some runs of a study do not record."""
SUMS = ("throughput_mbit", "effective_throughput", "cell_loss_ratio", "packets_lost")
"""Numbers that a run has as properties in expressions, besides the numbers of its summary."""


def judged_measures(experiment: Experiment) -> list[str]:
    """Expressions over a single run, found in the claims and printed numbers of an experiment.

    A claim may compare runs, or flows in a loop. Only the parts of a claim that use one named run
    are found. Measures that every data set has are left out.
    """
    texts = [str(one.holds_if) for one in experiment.claims]
    return _found(experiment, [*texts, *_printed(experiment.published)])


def printed_measures(experiment: Experiment, variants: AbstractSet[str]) -> list[str]:
    """Expressions over a single run of some variants, found in an experiment's printed numbers.

    Measures that every data set has are left out.
    """
    shown = (one for one in experiment.published if one.it is None or one.it[0] in variants)
    return _found(experiment, _printed(shown))


def _printed(published: Iterable[Published]) -> list[str]:
    return [str(one.measure) for one in published if one.measure]


def _found(experiment: Experiment, texts: Sequence[str]) -> list[str]:
    runs = {RUN, *(variant.name for variant in experiment.variants)}
    found = (measure for text in texts for measure in _measures(text, runs))
    return list(dict.fromkeys(found))


def _measures(text: str, runs: set[str]) -> Iterator[str]:
    for node in _whole(_OneRun(runs).visit(ast.parse(f"({text})", mode="eval"))):
        expression = ast.unparse(node).removeprefix(f"{RUN}.")
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        known = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
        if names != {RUN} or known & RECORDED or node.attr not in _numbers():
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


def _whole(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that are not part of a longer chain of attributes and calls."""
    if isinstance(node, ast.Attribute):
        yield node
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for argument in node.args:
            yield from _whole(argument)
        return
    for child in ast.iter_child_nodes(node):
        yield from _whole(child)


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
