"""Growth of a queue without end: watched in a longer run, in sentences, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from cellrate.advice.formulas.growth import LEAST_POINTS, LONGER, Growth, growth_of
from cellrate.advice.sizing.question import Measured
from cellrate.common.numbers import seconds
from cellrate.common.to_json import to_json
from cellrate.simulation.series import Series


@dataclass(frozen=True)
class EndlessGrowth:
    """Growth without end of the queue at a port, in an unlimited buffer.

    Queues have cells over ATM, and bytes over Ethernet.

    Attributes:
        per_second: Rate of growth.
        seen: The growth in a run; None if arithmetic alone shows the growth.
        bound: Most that the TCP windows admit to the queue; None if it is unbounded.
        least_loss_ratio: Least long-term loss ratio with any buffer, if it is known.
    """

    per_second: float
    seen: Growth | None
    bound: float | None = None
    least_loss_ratio: float | None = None

    @classmethod
    def of(cls, growth: Growth, bound: float | None) -> Self:
        """The growth that a run shows."""
        return cls(growth.per_second, growth, bound)

    def words(self, port: str, unit: str, lost: str) -> list[str]:
        """The growth in sentences.

        Args:
            port: Name of the port.
            unit: Unit of the queue, in the plural.
            lost: What buffers lose, in the plural.
        """
        pace = f"by {self.per_second:,.0f} {unit}/s"
        if self.seen is None:
            why = "the sources send more than the link carries, and no control slows them down"
            grows = f"The queue of {port} grows without end, {pace}: {why}."
            share = self.least_loss_ratio
            loses = f"loses {lost}" if share is None else f"loses {share:.3g} of all {lost}"
            return [f"{grows} Any buffer {loses}; nothing was simulated."]
        first, before, last = self.seen.spans
        means = ", ".join(f"{span.mean:,.0f}" for span in (first, before, last))
        found = [
            (
                f"The queue of {port} grows without end, {pace}, so any finite buffer "
                "overflows at some time."
            ),
            (
                f"The mean queue is {means} {unit} in three spans of the run, each twice as long "
                f"as the one before. In the last span, of "
                f"{seconds(last.end_seconds - last.begin_seconds)}, the queue never falls below "
                f"{last.least:,.0f} {unit}."
            ),
        ]
        if self.bound is not None:
            left = (self.bound - last.greatest) / self.per_second
            found.append(
                f"The TCP windows admit at most {self.bound:,.0f} {unit}, which the queue "
                f"would reach after another {seconds(max(0.0, left))}. Only a buffer of that size "
                f"never loses {'a ' + lost.removesuffix('s')}."
            )
        return found

    def remark(self, unit: str) -> str:
        """Remark for a target that a finite buffer may meet in spite of the growth."""
        pace = f"{self.per_second:,.0f} {unit}/s"
        return f"without a limit the queue grows without end, by {pace}: longer runs may lose more"

    def as_json(self, unit: str) -> dict[str, Any]:
        """The growth as a JSON value, with the unit of the queue in the keys."""
        names = {"per_second": f"{unit}_per_second", "bound": f"bound_{unit}"}
        lengths = {name: f"{name}_{unit}" for name in ("least", "mean", "greatest")}
        spans = self.seen.spans if self.seen else ()
        return {
            **to_json(self, names, without=("seen",)),
            "simulated": self.seen is not None,
            "spans": [to_json(span, lengths) for span in spans],
        }


@dataclass(frozen=True)
class Watched:
    """A queue that was watched for growth.

    Attributes:
        queue: Its trace; of the longer run if one was made.
        growth: Its growth, if it is without end.
        remarks: Remarks on runs that are too short.
    """

    queue: Series
    growth: Growth | None = None
    remarks: tuple[str, ...] = ()


def watched(run: Measured, port: str, longer: Callable[[], Measured], unit: str) -> Watched:
    """Watches the longest queue of a port; if it still rises, in a run `LONGER` times as long."""
    queue = run.queue(port)
    if len(queue) < LEAST_POINTS:
        return Watched(queue, None, ("the run is too short to tell whether the queue grows",))
    if not growth_of(queue).suspect:
        return Watched(queue)
    again = longer()
    queue = again.queue(port)
    growth = growth_of(queue)
    if growth.endless:
        return Watched(queue, growth)
    longest, before = (one.longest_queues()[port] for one in (again, run))
    if longest == before:
        return Watched(queue)
    remark = (
        "the queue still rose at the end of the run: the run is too short. The queue does not grow "
        f"without end, but reaches {longest:,} {unit} instead of {before:,} in a run {LONGER} "
        "times as long"
    )
    return Watched(queue, None, (remark,))
