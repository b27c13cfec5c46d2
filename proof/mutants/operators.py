"""Mutations of the theory by Cosmic Ray that a tester could be expected to wonder about.

The tool puts every operator for every other. `rate << time` fails at once on floats whatever the
tests, and half of its mutations are of that kind: counting them would flatter the tests.
`int & None` in an annotation is never computed, and counting it would slander them.
"""

import ast
import re
from functools import cache
from pathlib import Path

ARITHMETIC = {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"}
LOGICAL = {"BitOr", "BitAnd"}
SHIFTS = {"LShift", "RShift"}
COMPARISONS = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"}
IDENTITIES = {"Is", "IsNot"}
FAMILIES = (ARITHMETIC, LOGICAL, SHIFTS, COMPARISONS, IDENTITIES)
"""An operator is replaced within its family only."""

SAME_AS_DELETED = re.compile(r"ReplaceUnaryOperator_(USub_UAdd|UAdd_\w+|\w+_Not|\w+_Invert)$")
"""`+x` is x, which deleting the minus makes as well; `not` and `~` mean nothing for a number."""

REPLACED = re.compile(r"Replace(?:Binary|Comparison)Operator_(\w+)_(\w+)$")


def meaningful(file: Path, row: int, column: int, operator: str) -> bool:
    """True if a mutation of the code at this place is counted."""
    if in_annotation(file, row, column) or SAME_AS_DELETED.match(operator):
        return False
    replaced = REPLACED.match(operator)
    return replaced is None or any(set(replaced.groups()) <= family for family in FAMILIES)


def in_annotation(file: Path, row: int, column: int) -> bool:
    """True if the code at this place is a type, which no run computes."""
    return any(start <= (row, column) < end for start, end in _annotations(file))


@cache
def _annotations(file: Path) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        for name in ("annotation", "returns"):
            type_ = getattr(node, name, None)
            if isinstance(type_, ast.expr) and type_.end_lineno and type_.end_col_offset:
                start = (type_.lineno, type_.col_offset)
                found.append((start, (type_.end_lineno, type_.end_col_offset)))
    return found
