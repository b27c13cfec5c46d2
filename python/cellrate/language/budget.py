"""The steps and the memory that an expression may take.

An expression comes from a file of somebody else, and a few characters of it can ask for more than
any computer has. So its work is counted as it is done, and what it makes before it is made. No
clock decides: an expression ends in the same way on every computer.
"""

# ruff: noqa: ANN401 - values of the language are of any type
from __future__ import annotations

from typing import Any

from cellrate.language.errors import ExpressionError

MOST_STEPS = 20_000_000
"""Most steps of an expression: parts that are evaluated, and items that are gone through.

The longest claim of the papers takes 3.5 million.
"""
MOST_ITEMS = 5_000_000
"""Most items that an expression puts into lists, all lists together.

The claim of the papers with the most items has 1.1 million.
"""
MOST_CHARACTERS = 100_000
"""Most characters of an expression and of each text in it."""
MOST_BITS = 4096
"""Most bits of a whole number."""

_CHARACTERS_OF_AN_ITEM = 8
_BITS_OF_AN_ITEM = 64
_SEQUENCES = (list, tuple, str, range)
_ANY_SEQUENCE = frozenset(_SEQUENCES)


class Budget:
    """Counts what an expression takes; an error once it is too much."""

    def __init__(self) -> None:
        self._steps = MOST_STEPS
        self._items = MOST_ITEMS

    def step(self, count: int = 1) -> None:
        """Takes some steps.

        Raises:
            ExpressionError: Too few are left.
        """
        self._steps -= count
        if self._steps < 0:
            raise ExpressionError(f"it takes at most {MOST_STEPS:,} steps, and this needs more")

    def make(self, count: int) -> None:
        """Takes room for some items of lists, before they are made.

        Raises:
            ExpressionError: There is too little.
        """
        self._items -= count
        if self._items < 0:
            raise ExpressionError(
                f"its lists have at most {MOST_ITEMS:,} items together, and this needs more"
            )

    def go_through(self, value: Any) -> int:
        """Takes a step for each item of a value, and for those of sequences in it.

        Returns:
            Number of the items.

        Raises:
            ExpressionError: Too few steps are left.
        """
        if not isinstance(value, _SEQUENCES):
            return 0
        total = 0
        waiting = [value]
        while waiting:
            one = waiting.pop()
            count = _length(one)
            self.step(count + 1)
            total += count
            if isinstance(one, list | tuple) and not _ANY_SEQUENCE.isdisjoint(map(type, one)):
                waiting += [item for item in one if isinstance(item, _SEQUENCES)]
        return total

    def join(self, a: Any, b: Any) -> None:
        """Takes room for two texts or lists that are put together, before they are.

        Raises:
            ExpressionError: There is too little.
        """
        if isinstance(a, str) and isinstance(b, str):
            _check_text(len(a) + len(b))
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            self.make(len(a) + len(b))

    def made(self, value: Any) -> Any:
        """Takes the room that a text or a long number needs.

        Returns:
            The value.

        Raises:
            ExpressionError: It is too long, or there is too little room.
        """
        if isinstance(value, str):
            _check_text(len(value))
            self.make(len(value) // _CHARACTERS_OF_AN_ITEM)
        elif isinstance(value, int):
            bits = value.bit_length()
            check_bits(bits)
            if bits > _BITS_OF_AN_ITEM:
                self.make(bits // _BITS_OF_AN_ITEM)
        return value


def check_bits(bits: int) -> None:
    """Refuses whole numbers that are too long.

    Raises:
        ExpressionError: There are more than `MOST_BITS` bits.
    """
    if bits > MOST_BITS:
        raise ExpressionError(f"a whole number has at most {MOST_BITS:,} bits, and this needs more")


def _check_text(characters: int) -> None:
    if characters > MOST_CHARACTERS:
        raise ExpressionError(
            f"a text has at most {MOST_CHARACTERS:,} characters, and this needs more"
        )


def _length(sequence: Any) -> int:
    try:
        return len(sequence)
    except OverflowError:
        # The length of a range need not fit a machine's integer.
        return MOST_STEPS
