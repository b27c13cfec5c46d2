"""Measured values that are others in another unit: scored, and counted apart."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cellrate.language.expressions import parse
from cellrate.language.runs import Value
from cellrate.reproduce.model import Published

It = tuple[str, tuple[Value, ...]] | None
OPERATIONS = (ast.Mult, ast.Div, ast.Add, ast.Sub)


def with_repetitions(published: Sequence[Published]) -> list[Published]:
    """The values of an experiment, each with the one that it says again, if there is one.

    A value says another again if its measure is that of the other and a constant, as a queue in
    round trips is `queue / 11040`.
    """
    measures = {
        (ast.dump(parse(each.measure)), each.it): each.quantity
        for each in published
        if each.kind == "measured"
    }
    return [
        replace(each, again=_again(each, measures)) if each.kind == "measured" else each
        for each in published
    ]


def _again(published: Published, measures: Mapping[tuple[str, It], str]) -> str:
    tree = parse(published.measure)
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, OPERATIONS):
        return ""
    for constant, other in ((tree.left, tree.right), (tree.right, tree.left)):
        found = measures.get((ast.dump(other), published.it))
        if isinstance(constant, ast.Constant) and found:
            return found
    return ""
