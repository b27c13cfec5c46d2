"""Rankings of alternatives, with letters for those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase

import numpy as np

from cellrate.language.measured import Better
from cellrate.studies.compare.answer import Pair, Place, Ranking, Value
from cellrate.studies.compare.samples import Sample


def ranking(
    measure: str,
    where: Mapping[str, Value],
    having: Mapping[Value, Sample],
    pairs: Sequence[Pair],
    better: Better | None,
) -> Ranking:
    """Ranks the alternatives at one point by their means; the greatest comes first if none is best.

    Args:
        measure: Name of the measure.
        where: Values of the other factors.
        having: Runs of the alternatives at the point.
        pairs: All pairs of the alternatives, judged.
        better: The better end of the measure; None if it has none.
    """
    means = {one: _mean(sample.values[measure]) for one, sample in having.items()}
    order = [one for one, mean in means.items() if mean is not None]
    order.sort(key=lambda one: means[one] or 0.0, reverse=better != "less")
    letters = compact_letters(order, [(one.first, one.second) for one in pairs if one.real])
    between = {frozenset((one.first, one.second)): one for one in pairs}
    places = []
    for one in order:
        pair = between[frozenset((order[0], one))] if one != order[0] else None
        if pair is not None and pair.second != one:
            pair = pair.reversed()
        places.append(Place(one, means[one] or 0.0, letters[one], pair))
    return Ranking(measure, where, better, tuple(places))


def _mean(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None


def compact_letters(
    order: Sequence[Value], apart: Iterable[tuple[Value, Value]]
) -> dict[Value, str]:
    """Letters of a compact letter display: two values share one if they cannot be told apart.

    The groups come from one that has all values: each pair that differs splits those that have
    both, and groups within another are left out (insert and absorb; Piepho 2004).

    Args:
        order: The values, the best first; the group of the best is a.
        apart: The pairs that differ.

    >>> compact_letters(["x", "y", "z"], [("x", "z")])
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    groups: list[frozenset[Value]] = [frozenset(order)]
    for first, second in apart:
        split = [group for group in groups if first in group and second in group]
        parts = [part for group in split for part in (group - {first}, group - {second})]
        found = list(dict.fromkeys([*(one for one in groups if one not in split), *parts]))
        groups = [one for one in found if not any(one < other for other in found)]
    place = {one: at for at, one in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[one] for one in group))
    return {
        one: "".join(_letter(at) for at, group in enumerate(groups) if one in group)
        for one in order
    }


def _letter(at: int) -> str:
    """Letter of a group; after z come a2, b2 and so on."""
    again, letter = divmod(at, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(again + 1) if again else "")
