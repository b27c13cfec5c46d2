"""The errors that predictions had in a campaign of random scenarios."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cellrate.advice.explain.claims import Claim

PLACE = Path(__file__).with_name("track_record.json")
# A record of fewer cases says nothing of the next one.
ENOUGH = 30


@dataclass(frozen=True)
class Record:
    """The record of predictions of one kind.

    Attributes:
        cases: Scenarios in which the kind of prediction applied.
        within: Of expected values, the relative error that 90 % of the cases had at most; else
            None.
        held: Of limits and of losses, the share of cases in which the prediction was right; else
            None.
    """

    cases: int
    within: float | None = None
    held: float | None = None

    def text(self) -> str:
        """The record in words, as the end of a sentence in brackets.

        >>> Record(412, within=0.153).text()
        'within 16 % in 90 % of 412 random scenarios'
        >>> Record(97, held=0.979).text()
        'held in 97 % of 97 random scenarios'
        """
        if self.within is not None:
            # Rounded up, and the share below down, so that the words promise no more than was seen.
            return f"within {_up(100 * self.within)} % in 90 % of {self.cases:,} random scenarios"
        return f"held in {int(100 * (self.held or 0.0))} % of {self.cases:,} random scenarios"


def _up(value: float) -> int:
    return int(value) + (value > int(value))


@cache
def records() -> dict[str, Record]:
    """All records by the name of the kind of prediction, as the campaign wrote them."""
    read = json.loads(PLACE.read_text(encoding="utf-8"))
    return {name: Record(**one) for name, one in read["predictions"].items()}


def spoken(claim: Claim) -> str:
    """The record of a claim's kind in words; says so if there are too few cases."""
    record = records().get(claim.topic)
    if record is None or record.cases < ENOUGH:
        cases = 0 if record is None else record.cases
        return f"held against {cases} random scenarios only, so its error is not known"
    return record.text()
