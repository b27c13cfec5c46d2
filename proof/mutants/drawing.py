"""A draw among mutants that depends on nothing but their names and a seed."""

import hashlib
import random
from collections.abc import Iterable

SEED = 1997
"""The seed of the draws whose results are committed, fixed before they were made. A campaign
after tests were written for survivors takes another: a small change of the sources leaves most of a
draw as it was."""

DRAWN = 300


def drawn(names: Iterable[str], count: int = DRAWN, seed: int = SEED) -> list[str]:
    """`count` of `names` without repetition, in the order in which they were drawn."""
    ordered = sorted(names)
    return random.Random(seed).sample(ordered, min(count, len(ordered)))  # noqa: S311


def digest(parts: Iterable[str]) -> str:
    """One hash for texts, whatever their order."""
    together = hashlib.sha256()
    for part in sorted(parts):
        together.update(hashlib.sha256(part.encode()).digest())
    return together.hexdigest()[:16]
