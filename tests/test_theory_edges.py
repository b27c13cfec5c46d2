"""A formula gives numbers or says which assumption fails, whatever is put into it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from cellrate.theory import AssumptionError
from cellrate.theory.catalogue import CATALOGUE
from cellrate.theory.formula import Formula, FormulaParameter
from hypothesis import given, settings
from hypothesis import strategies as some

DRAWN = "number", "choice", "flag"
NUMERIC = [
    formula
    for formula in CATALOGUE
    if all(parameter.kind in DRAWN or not parameter.required for parameter in formula.parameters)
]
EDGES = [0, 1, 2, -1, 0.5, 1e-30, 1e-9, 1e30, 2**70, 1e300, math.inf, -math.inf, math.nan]
ORDINARY = some.one_of(some.integers(1, 100), some.floats(0.001, 1000))


def a_value(parameter: FormulaParameter) -> some.SearchStrategy[object]:
    if parameter.kind == "choice":
        return some.sampled_from(parameter.choices)
    if parameter.kind == "flag":
        return some.booleans()
    return some.one_of(ORDINARY, ORDINARY, some.sampled_from(EDGES))


def numbers(result: object) -> Iterator[float]:
    """All numbers of a result."""
    if isinstance(result, dict):
        for value in result.values():
            yield from numbers(value)
    elif isinstance(result, list | tuple | np.ndarray):
        for value in result:
            yield from numbers(value)
    elif isinstance(result, int | float):
        yield float(result)


@pytest.mark.parametrize("formula", NUMERIC, ids=lambda formula: formula.name)
@given(data=some.data())
@settings(max_examples=60)
def test_a_formula_gives_numbers_or_names_the_assumption(
    formula: Formula, data: some.DataObject
) -> None:
    values = {
        parameter.name: data.draw(a_value(parameter), label=parameter.name)
        for parameter in formula.parameters
        if parameter.kind in DRAWN and (parameter.required or data.draw(some.booleans()))
    }
    try:
        results = formula.compute(**values)
    except AssumptionError as error:
        named = error.argument
        results = {}
    else:
        named = next(iter(results))
    assert named in {parameter.name for parameter in formula.parameters} | set(formula.results)
    assert all(math.isfinite(number) for number in numbers(results))
