"""Directions of measures: whether more or less of one is better, and which are shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cellrate.common.problems import BadInput, choose
from cellrate.language.measured import Better
from cellrate.language.measures import named_by


def better_of(expression: str) -> Better | None:
    """The better end of a measure that is defined by a path; None for all other expressions.

    >>> better_of("throughput_mbit"), better_of("totals.cell_loss_ratio"), better_of("a / b")
    ('more', 'less', None)
    """
    ends = {one.better for one in named_by(expression)}
    return ends.pop() or None if len(ends) == 1 else None


def is_share(expression: str) -> bool:
    """True if the measure is a path to a number from 0 to 1.

    >>> is_share("totals.jain_index"), is_share("throughput_mbit")
    (True, False)
    """
    found = named_by(expression)
    return bool(found) and ".sum(" not in expression and all(one.greatest == 1 for one in found)


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
