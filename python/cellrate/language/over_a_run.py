"""The value of an expression over one finished run."""

from __future__ import annotations

from functools import partial
from math import isnan

from cellrate.language.errors import ExpressionError
from cellrate.language.expressions import Deferred, evaluate, names
from cellrate.language.functions import builtins
from cellrate.language.runs import Run


def number_of(text: str, run: Run) -> float:
    """The number that an expression gives, its names being functions, units and what a run has.

    A truth value is 1 or 0.

    Args:
        text: As `throughput_mbit` or `totals.timeouts / simulated_seconds`.
        run: The run.

    Raises:
        ExpressionError: The run has no such thing, or did not measure it, or it is no number.
    """
    known = builtins()
    own = {
        name: Deferred(partial(getattr, run, name))
        for name in names(text)
        if name not in known and not name.startswith("_")
    }
    found = evaluate(text, known | own)
    if not isinstance(found, (int, float)) or isnan(found):
        raise ExpressionError(f"`{text}` is {found!r:.40} and no number")
    return float(found)
