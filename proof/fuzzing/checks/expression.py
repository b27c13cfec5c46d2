"""Check of expressions of studies: with units, and over a run."""

from unittest import mock

from cellrate.language import expressions
from cellrate.language.expressions import (
    ExpressionError,
    attributes,
    constant_subscripts,
    evaluate,
    names,
)
from cellrate.language.functions import builtins
from cellrate.studies.study.amounts import RATE, TIME, Amount, amount

NAMES = {"rtt": Amount(0.06, TIME), "rate": Amount(1.5e8, RATE), "n": Amount(3.0)}
SCOPE = {**builtins(), "x": 2.5, "n": 3, "values": [1.0, 2.0, 4.0]}

STEPS, ITEMS = 200_000, 50_000


def check(data: bytes) -> None:
    """Checks the input as an expression."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    for read in (_reckoned, _evaluated):
        try:
            read(text)
        except ExpressionError as error:
            assert str(error)


def _reckoned(text: str) -> None:
    assert isinstance(amount(text, _known).value, float)


def _known(name: str) -> Amount:
    if name not in NAMES:
        raise ExpressionError(f"unknown name `{name}`")
    return NAMES[name]


def _evaluated(text: str) -> None:
    names(text)
    attributes(text)
    constant_subscripts(text)
    # A smaller budget of steps than usual, so that each input ends soon.
    with mock.patch.multiple(expressions, MOST_STEPS=STEPS, MOST_ITEMS=ITEMS):
        evaluate(text, SCOPE)
