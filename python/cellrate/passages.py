"""Every cell on every link over a short span of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from cellrate import _core

MOST = 20_000
"""So many passages make a picture black; more are counted only."""


@dataclass(frozen=True)
class Passages:
    """Cells on links.

    Attributes:
        frame: A row for each cell on each link: `link`, `vc`, `kind` (data, frm or brm), `cell`
            (number among the data cells of the channel, modulo 2^20; null of an RM cell),
            `left_seconds` (its last bit leaves the sender) and `arrived_seconds`.
        start_seconds: Begin of the span.
        end_seconds: Its end.
        omitted: Further passages, which the frame has not.
    """

    frame: pl.DataFrame
    start_seconds: float
    end_seconds: float
    omitted: int


def passages(
    text: str,
    path: str,
    span: tuple[float, float],
    overrides: Sequence[str] = (),
    seed: int | None = None,
    most: int = MOST,
) -> Passages:
    """Simulates a scenario cell by cell up to the end of a span, and notes what travels in it.

    The plain engine does it, which takes several times as long as a run of that length; both agree
    in every cell.

    Args:
        text: The scenario, as TOML.
        path: Its name in diagnostics.
        span: Begin and end, in seconds.
        overrides: ``path=value`` settings, applied in order.
        seed: Replaces the scenario's seed.
        most: Cells on links at most.

    Raises:
        ScenarioError: The scenario is wrong.
        ValueError: The span is none.
    """
    found = _core.passages(text, path, list(overrides), seed, *span, most)
    columns = {name: found[name] for name in SCHEMA}  # type: ignore[literal-required]
    return Passages(pl.DataFrame(columns, schema=SCHEMA), *span, found["omitted"])


SCHEMA = {
    "link": pl.String(),
    "vc": pl.String(),
    "kind": pl.String(),
    "cell": pl.Int64(),
    "left_seconds": pl.Float64(),
    "arrived_seconds": pl.Float64(),
}
