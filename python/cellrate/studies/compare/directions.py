"""Directions of measures: whether more or less of one is better, and which are shares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from cellrate.common.problems import BadInput, choose

Better: TypeAlias = Literal["more", "less"]
"""The better end of a measure."""

# Words of a path in a run's summary, the first that it contains deciding.
LESS = ("loss_ratio", "drop", "lost", "queue", "delay", "jitter", "timeout", "retransmi", "duplic")
MORE = ("throughput", "goodput", "jain_index", "utilisation", "efficiency", "delivered")
SHARES = ("loss_ratio", "jain_index", "utilisation", "efficiency")
# An expression without arithmetic: a path, in which a call has one quoted path.
PATH = re.compile(r"[\w.]+(\(['\"][\w.]+['\"]\))?")


def better_of(expression: str) -> Better | None:
    """The better end of a measure that is defined by a path; None for all other expressions.

    >>> better_of("throughput_mbit"), better_of("totals.cell_loss_ratio"), better_of("a / b")
    ('more', 'less', None)
    """
    if not PATH.fullmatch(expression.strip()):
        return None
    if any(word in expression for word in LESS):
        return "less"
    return "more" if any(word in expression for word in MORE) else None


def is_share(expression: str) -> bool:
    """True if the measure is a path to a share, a number from 0 to 1.

    >>> is_share("totals.jain_index"), is_share("throughput_mbit")
    (True, False)
    """
    return bool(PATH.fullmatch(expression.strip())) and any(word in expression for word in SHARES)


def directions(
    known: Mapping[str, Better], asked: Iterable[str], measures: Sequence[str]
) -> dict[str, Better]:
    """The better end of each measure: the known ones, and those of `--better NAME=more`.

    Raises:
        BadInput: A measure is not compared, or its better end is neither more nor less.
    """
    found = dict(known)
    for text in asked:
        name, _, end = (part.strip() for part in text.rpartition("="))
        choose(name, measures, "measure")
        if end == "more":
            found[name] = "more"
        elif end == "less":
            found[name] = "less"
        else:
            raise BadInput(f"--better {text}: allowed is {name}=more or {name}=less")
    return found
