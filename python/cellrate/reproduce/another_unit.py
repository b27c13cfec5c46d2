"""Finds measured values that repeat another value in a different unit.

They are scored, but counted separately.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cellrate.language.expressions import parse
from cellrate.language.runs import Value
from cellrate.reproduce.paper_data import Published

It = tuple[str, tuple[Value, ...]] | None
OPERATIONS = (ast.Mult, ast.Div, ast.Add, ast.Sub)


def with_repetitions(published: Sequence[Published]) -> list[Published]:
    """Values of an experiment; `again` names the value that a value repeats in another unit.

    A value repeats another if its measure combines the other's measure with a constant, as a queue
    in round trips is `queue / 11040`.
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
        repeated = measures.get((ast.dump(other), published.it))
        if isinstance(constant, ast.Constant) and repeated:
            return repeated
    return ""
