"""The reference page of the formulas, made from the catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate.theory.formula import Formula, FormulaParameter, unit_of
from typeset import equations, typeset


def formulas(catalogue: Sequence[Formula]) -> str:
    """A page with the equation, the source, the parameters and the results of every formula."""
    parts = [
        "# Formulas",
        "",
        "What `cellrate theory NAME` computes. In Python each result is a function of numbers or",
        "arrays, which broadcast against each other; names of parameters and results carry units.",
        "",
    ]
    for formula in catalogue:
        parts += _section(formula)
    return "\n".join(parts)


def _section(formula: Formula) -> list[str]:
    about = formula.about[0].upper() + formula.about[1:]
    rows = [_row(parameter) for parameter in formula.parameters]
    results = [f"| `{name}` | {unit_of(name) or ''} |" for name in formula.results]
    functions = formula.python or [function.__name__ for function in formula.results.values()]
    return [
        f"## {formula.name}",
        "",
        f"{about}.",
        "",
        *typeset(equations()[formula.name]),
        "",
        "```text",
        formula.equation,
        "```",
        "",
        f"Source: {formula.source}.",
        "",
        "| parameter | in Python | unit | what it is |",
        "|---|---|---|---|",
        *rows,
        "",
        "| result | unit |",
        "|---|---|",
        *results,
        "",
        f"In Python: {', '.join(f'`{name}`' for name in dict.fromkeys(functions))}.",
        "",
    ]


def _row(parameter: FormulaParameter) -> str:
    about = parameter.about
    if not parameter.required and parameter.default is not None:
        about += f" By default {parameter.default}."
    return f"| `{parameter.flag}` | `{parameter.name}` | {parameter.unit or ''} | {about} |"
