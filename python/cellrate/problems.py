"""Input that is wrong, warnings, and how both reach standard error."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

MOST_NAMED = 50
"""Of more names than these, a message shows only the nearest."""
FEW = 8


class BadInput(Exception):
    """The user's input is wrong; the text says what was found and what is allowed."""


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turns failures to read the user's file into bad input."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error


def choose(name: str, allowed: Sequence[str], what: str) -> str:
    """The name, if it is allowed.

    Raises:
        BadInput: It is not; names the nearest one and all others, or the nearest few of very many.
    """
    if name in allowed:
        return name
    nearest = difflib.get_close_matches(name, allowed, n=1, cutoff=0.5)
    hint = f", did you mean {nearest[0]!r}?" if nearest else ""
    shown = list(allowed)
    if len(shown) > MOST_NAMED:
        shown = difflib.get_close_matches(name, allowed, n=FEW, cutoff=0.0)
        shown.append(f"... ({len(allowed)} of them)")
    raise BadInput(f"there is no {what} {name!r}{hint or ';'} allowed: {', '.join(shown)}")


def warn(warnings: Iterable[Mapping[str, str]]) -> None:
    """Writes each warning to standard error."""
    for warning in warnings:
        sys.stderr.write(f"warning[{warning['code']}]: {warning['message']}\n")
