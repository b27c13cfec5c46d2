"""Measures, traces and events as polars data frames: one row per entity, units in the names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from cellrate import _core
from cellrate.simulation.series import Series


def rows(table: str, summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table, `flows`, `classes`, `vcs`, `ports` or `queues`, one per entity."""
    if table == "flows":
        return [_flat(flow, "balance") for flow in summary["flows"]]
    if table == "ports":
        ports = (_without(port, "queues") for port in summary["ports"])
        return [_flat(port, "control") for port in ports]
    if table == "queues":
        return [
            {"port": port["name"], "priority": priority, **queue}
            for port in summary["ports"]
            for priority, queue in enumerate(port["queues"], start=1)
        ]
    found: list[dict[str, Any]] = summary[table]
    return found


def flows(summary: dict[str, Any]) -> pl.DataFrame:
    """One row per flow; the byte balance as columns ``balance_...``."""
    return _frame(rows("flows", summary))


def classes(summary: dict[str, Any]) -> pl.DataFrame:
    """One row per service class of the forward channels."""
    return _frame(rows("classes", summary))


def vcs(summary: dict[str, Any]) -> pl.DataFrame:
    """One row per directed virtual channel."""
    return _frame(rows("vcs", summary))


def ports(summary: dict[str, Any]) -> pl.DataFrame:
    """One row per output port; counters of its control scheme as columns ``control_...``."""
    return _frame(rows("ports", summary))


def queues(summary: dict[str, Any]) -> pl.DataFrame:
    """One row per queue of a port, in order of priority from 1."""
    return _frame(rows("queues", summary))


def traces(series: Sequence[Series]) -> pl.DataFrame:
    """One row per point: kind, entity, unit, time_seconds, minimum, maximum."""
    labels = ("kind", "entity", "unit")
    values = ("time_seconds", "minimum", "maximum")
    schema = dict.fromkeys(labels, pl.String()) | dict.fromkeys(values, pl.Float64())
    parts = [
        pl.DataFrame(
            {"time_seconds": one.time, "minimum": one.minimum, "maximum": one.maximum}
        ).select(
            pl.lit(one.kind).alias("kind"),
            pl.lit(one.entity).alias("entity"),
            pl.lit(one.unit).alias("unit"),
            *values,
        )
        for one in series
    ]
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def events(outcome: _core.Outcome) -> pl.DataFrame:
    """One row per event: time, kind, channel, port, PDU, cause and so on; null where absent."""
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
    return pl.DataFrame(outcome.events(), schema=schema)


def _frame(found: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(found, infer_schema_length=None)


def _flat(row: dict[str, Any], key: str) -> dict[str, Any]:
    """The row with the entries of its dictionary ``key``, if present, as separate columns."""
    inner = row[key] or {}
    return _without(row, key) | {f"{key}_{name}": value for name, value in inner.items()}


def _without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}
