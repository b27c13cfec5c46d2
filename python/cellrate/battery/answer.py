"""The answer of the battery: the way schemes stand among each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cellrate.battery.contenders import Contender
from cellrate.battery.duels import Duel, Values
from cellrate.battery.experiments import Experiment
from cellrate.battery.run_record import Record
from cellrate.battery.standings import Standing
from cellrate.common.document import Shown

if TYPE_CHECKING:
    from cellrate.common.document import Document


@dataclass(frozen=True)
class Answer(Shown):
    """Schemes judged on the fixed set of experiments.

    Attributes:
        contenders: The schemes that were asked for and run; none for the ranking of those built in.
        experiments: The experiments.
        seeds: The seeds of each.
        records: Every run, of the contenders and of the built-in schemes.
        values: Their measures by scheme, experiment and measure.
        duels: Each scheme's duels with the built-in schemes.
        standings: All schemes, the best first.
        work: Time per cell-hop over that of ERICA; None if it could not be measured.
        irregular: Names of contenders of which the same run, made twice, was not the same.
    """

    contenders: tuple[Contender, ...]
    experiments: tuple[Experiment, ...]
    seeds: tuple[int, ...]
    records: tuple[Record, ...]
    values: Values
    duels: Mapping[str, tuple[Duel, ...]]
    standings: tuple[Standing, ...]
    work: Mapping[str, float | None]
    irregular: tuple[str, ...]

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.contenders) or "built-in schemes"
        return f"<Battery of {names}: {len(self.standings)} schemes>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contenders."""
        return tuple(one.name for one in self.contenders)

    def rank(self, scheme: str) -> int:
        """Rank of a scheme, from 1."""
        return [one.scheme for one in self.standings].index(scheme) + 1

    def errors(self, scheme: str) -> dict[str, str]:
        """The first error of a scheme by experiment, where it failed."""
        found: dict[str, str] = {}
        for one in self.records:
            if one.scheme == scheme and one.error:
                found.setdefault(one.experiment, one.error)
        return found

    def document(self) -> Document:
        """The report, which is also shown on the terminal and as a web page."""
        from cellrate.battery.report import report

        return report(self)
