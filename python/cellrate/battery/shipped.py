"""Runs as rows of a table, and the stored runs of the built-in schemes in the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import polars as pl

from cellrate import __version__
from cellrate.battery.experiments import MEASURES, PLACE, fingerprint
from cellrate.common import whole_file
from cellrate.common.problems import BadInput
from cellrate.studies.compare.duels import Record

FILE = PLACE / "built-in.csv"
"""File with a row for each run; its first line has the version and the experiments' fingerprint."""
WORK_FILE = PLACE / "built-in-work.csv"
"""File with the processor time per cell-hop of each scheme, divided by the time of ERICA."""
SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("scheme", "experiment"), pl.String),
    "seed": pl.Int64,
    "digest": pl.String,
    **{measure.name: pl.Float64 for measure in MEASURES},
    "error": pl.String,
}


def table(records: Iterable[Record]) -> pl.DataFrame:
    """A table with a row for each record; a settling time that never comes is infinite."""
    rows = [{**vars(record), **record.values} for record in records]
    return pl.DataFrame([{name: row[name] for name in SCHEMA} for row in rows], schema=SCHEMA)


@cache
def shipped() -> tuple[Record, ...]:
    """The stored runs of every built-in scheme.

    Raises:
        BadInput: The stored runs belong to another set of experiments.
    """
    head, _, rest = FILE.read_text(encoding="utf-8").partition("\n")
    if head != _head():
        raise BadInput(
            f"{FILE} has results of other experiments ({head.lstrip('# ')}); "
            "in a checkout `python -m proof.measured.battery` makes them anew"
        )
    return tuple(
        Record(
            row["scheme"],
            row["experiment"],
            row["seed"],
            row["digest"] or "",
            {measure.name: row[measure.name] for measure in MEASURES},
            row["error"] or "",
        )
        for row in pl.read_csv(rest.encode(), schema=SCHEMA).iter_rows(named=True)
    )


def work() -> dict[str, float]:
    """Processor time per cell-hop of each built-in scheme over the time of ERICA, measured once."""
    rows = pl.read_csv(WORK_FILE.read_bytes()).iter_rows()
    return {str(name): float(ratio) for name, ratio in rows}


def write(found: Iterable[Record]) -> None:
    """Replaces the file with the runs of built-in schemes in the package."""
    body = table(found).write_csv(line_terminator="\n")
    whole_file.write_text(FILE, f"{_head()}\n{body}")


def write_work(ratios: Sequence[tuple[str, float]]) -> None:
    """Replaces the file with the times per cell-hop of built-in schemes in the package."""
    lines = [f"{name},{ratio:.2f}" for name, ratio in ratios]
    whole_file.write_text(WORK_FILE, "\n".join(["scheme,times_erica", *lines, ""]))


def _head() -> str:
    return f"# experiments {fingerprint()}, cellrate {__version__}"
