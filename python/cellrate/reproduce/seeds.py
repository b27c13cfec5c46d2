"""Names seeds in words."""

from collections.abc import Sequence


def seeds_text(seeds: Sequence[int]) -> str:
    """Names consecutive seeds by the first and the last.

    >>> seeds_text([1]), seeds_text([1, 2, 3])
    ('seed 1', 'seeds 1 to 3')

    """
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
