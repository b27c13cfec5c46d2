"""Measures, traces and events as polars data frames: one row per entity, units in the names."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import polars as pl

from cellrate import _core
from cellrate.common.extras import as_pandas, needing
from cellrate.simulation.packets import is_over_ethernet
from cellrate.simulation.series import Series

if TYPE_CHECKING:
    import pandas as pd

    from cellrate.simulation.api import Result


OF_CELLS = ("pdu", "cell", "er_cells_per_second")
"""Columns of the event log that have no meaning over Ethernet."""


class Frame(pl.DataFrame):
    """A data frame of polars whose conversion to pandas does not need pyarrow.

    Operations of polars on such a frame may return plain frames of polars, which need pyarrow.
    The extra `pandas` installs pyarrow.
    """

    def to_pandas(
        self,
        *,
        use_pyarrow_extension_array: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> pd.DataFrame:
        """Converts as polars does; without pyarrow and options, as `Result.to_pandas` does.

        Raises:
            MissingExtra: pandas is not installed, or an option is given, and pyarrow is not
                installed. The extra `pandas` installs both.
        """
        extended = use_pyarrow_extension_array
        if find_spec("pyarrow") is None and not (extended or options):
            return as_pandas(self)
        with needing("to_pandas"):
            for library in ("pyarrow", "pandas"):
                importlib.import_module(library)
        return super().to_pandas(use_pyarrow_extension_array=extended, **options)


def rows(name: str, summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table, `flows`, `classes`, `vcs`, `ports` or `queues`, one per entity.

    The byte balance of flows (bytes sent, delivered, lost and so on) has columns ``balance_...``,
    the counters of a port's control scheme ``control_...``; queues of a port are in order of
    priority, from 1. A run over Ethernet has no rows in `classes` and `vcs`.
    """
    if name == "flows":
        return [_flat(flow, "balance") for flow in summary["flows"]]
    if name == "ports":
        ports = (_without(port, "queues") for port in summary["ports"])
        return [_flat(port, "control") for port in ports]
    if name == "queues":
        return [
            {"port": port["name"], "priority": priority, **queue}
            for port in summary["ports"]
            for priority, queue in enumerate(port["queues"], start=1)
        ]
    found: list[dict[str, Any]] = summary.get(name, [])
    return found


def frame(name: str, result: Result) -> pl.DataFrame:
    """A table of a result as a polars data frame; its name is one of `api.TABLES`."""
    if name == "trace_frame":
        return Frame(traces(result.traces))
    found = events(result.outcome) if name == "events" else table(name, result.summary)
    return Frame(found)


def table(name: str, summary: dict[str, Any]) -> pl.DataFrame:
    """The rows of a table as a data frame."""
    return pl.DataFrame(rows(name, summary), infer_schema_length=None)


def traces(series: Sequence[Series]) -> pl.DataFrame:
    """One row per point: kind, entity, unit, time_seconds, minimum, maximum."""
    labels = ("kind", "entity", "unit")
    values = ("time_seconds", "minimum", "maximum")
    schema = dict.fromkeys(labels, pl.String()) | dict.fromkeys(values, pl.Float64())
    parts = [
        pl.DataFrame(
            {"time_seconds": trace.time, "minimum": trace.minimum, "maximum": trace.maximum}
        ).select(
            pl.lit(trace.kind).alias("kind"),
            pl.lit(trace.entity).alias("entity"),
            pl.lit(trace.unit).alias("unit"),
            *values,
        )
        for trace in series
    ]
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def events(outcome: _core.Outcome) -> pl.DataFrame:
    """One row per event: time, kind, channel, port, PDU, cause and so on; null where absent.

    Over Ethernet there are no columns of cells: ``pdu``, ``cell``, ``er_cells_per_second``, unless
    the network has an ATM part.
    """
    schema = {
        "time_seconds": pl.Float64,
        "kind": pl.String,
        "vc": pl.String,
        "port": pl.String,
        "pdu": pl.Int64,
        "cause": pl.String,
        "cell": pl.Int64,
        "sequence_bytes": pl.Int64,
        "er_cells_per_second": pl.Float64,
    }
    frame = pl.DataFrame(outcome.events(), schema=schema)
    return frame.drop(OF_CELLS) if is_over_ethernet(outcome, alone=True) else frame


def _flat(row: dict[str, Any], key: str) -> dict[str, Any]:
    """The row with the entries of its dictionary ``key``, if present, as separate columns."""
    inner = row.get(key) or {}
    return _without(row, key) | {f"{key}_{name}": value for name, value in inner.items()}


def _without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}
