"""The typeset equations say what the equations of the formulas say, and browsers can read them."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree as ET

import pytest
from cellrate.theory.catalogue import CATALOGUE
from cellrate.theory.formula import Formula
from typeset import equations, typeset

# LaTeX's words for what plain text writes with signs or with other letters.
COMMANDS = re.compile(
    r"\\(text|frac|left|right|lceil|rceil|lfloor|rfloor|cdot|quad|geq|sum|binom|bmod|sim|sqrt|min"
    r"|log|ln|exp)(?![a-z])"
)
PLAIN = {"ceil", "floor", "sum", "mod", "sqrt", "min", "log2", "ln", "exp"}
# C(N,n) is a binomial coefficient; e^x is also written exp(x); words that join two equations.
LOOSE = {"C", "e", "and", "with", "while", "n", "ago", "a", "round", "trip", "link", "prime"}


def names(text: str) -> set[str]:
    """Symbols and words of an equation."""
    return set(re.findall(r"[A-Za-z]+", text)) - PLAIN - LOOSE - {"log"}


def numbers(text: str) -> Counter[str]:
    """The numbers of an equation, each as often as it is there."""
    return Counter(re.findall(r"\d+", text.replace("log2", "log_2")))


@pytest.mark.parametrize("formula", CATALOGUE, ids=lambda one: one.name)
def test_the_typeset_equation_has_the_symbols_and_numbers_of_the_plain_one(
    formula: Formula,
) -> None:
    latex = " ".join(equations()[formula.name])
    assert numbers(latex) == numbers(formula.equation)
    assert names(COMMANDS.sub(" ", latex)) == names(formula.equation)


def test_every_formula_is_typeset_as_mathml() -> None:
    assert sorted(equations()) == sorted(formula.name for formula in CATALOGUE)
    for lines in equations().values():
        drawn = [line for line in typeset(lines) if line.startswith("<math")]
        assert len(drawn) == len(lines)
        for one in drawn:
            root = ET.fromstring(one)  # noqa: S314  our own text
            assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
            # An unknown command would stand there as a word with its backslash.
            assert "\\" not in "".join(root.itertext())
