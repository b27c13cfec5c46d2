"""Standing of a disagreement: impossible, consistent with a draw, or open."""

from enum import StrEnum

from cellrate.reproduce.draws import Drawn
from cellrate.reproduce.paper_data import Claim, Explanation, Published
from cellrate.reproduce.scoring import last_place


class Standing(StrEnum):
    """Classes of disagreements."""

    IMPOSSIBLE = "impossible"
    """A proof shows that the paper contradicts itself or physics there."""
    CONSISTENT = "consistent"
    """Single events decide, and the printed value is within the middle 95 % of our runs."""
    OPEN = "open"
    """An experiment that would decide is named."""
    UNEXPLAINED = "not explained yet"


def standing_of_value(
    published: Published, explanation: Explanation | None, drawn: Drawn | None
) -> Standing:
    """Standing of a printed value that is not met."""
    place = last_place(published.printed, published.value or 0.0)
    consistent = (
        drawn is not None
        and published.value is not None
        and drawn.consistent_with(published.value, place)
    )
    return _standing(explanation, consistent=consistent)


def standing_of_claim(
    claim: Claim, explanation: Explanation | None, drawn: Drawn | None
) -> Standing:
    """Standing of a claim that does not hold in every seed."""
    return _standing(
        explanation, consistent=claim.about_runs and drawn is not None and drawn.happens
    )


def _standing(explanation: Explanation | None, *, consistent: bool) -> Standing:
    if explanation is None:
        return Standing.UNEXPLAINED
    if explanation.impossible:
        return Standing.IMPOSSIBLE
    if explanation.draw and consistent:
        return Standing.CONSISTENT
    return Standing.OPEN if explanation.open else Standing.UNEXPLAINED
