"""Results of the built-in schemes, which come with the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import polars as pl

from cellrate import __version__
from cellrate.battery.experiments import PLACE, fingerprint
from cellrate.battery.run_record import SCHEMA, Record, records, table
from cellrate.common import whole_file
from cellrate.common.problems import BadInput

FILE = PLACE / "built-in.csv"
"""A row for each run, below a line that says of which experiments and version."""
WORK_FILE = PLACE / "built-in-work.csv"
"""Time per cell-hop of each scheme, as a multiple of ERICA's."""


def shipped() -> tuple[Record, ...]:
    """The runs of every built-in scheme.

    Raises:
        BadInput: They are of other experiments than those of this installation.
    """
    return _read(FILE)


@cache
def _read(file: Path) -> tuple[Record, ...]:
    text = file.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    if head != _head():
        raise BadInput(
            f"{file} has results of other experiments ({head.lstrip('# ')}); "
            "in a checkout `python -m proof.measured.battery` makes them anew"
        )
    return tuple(records(pl.read_csv(rest.encode(), schema=SCHEMA)))


def work() -> dict[str, float]:
    """Time per cell-hop of each built-in scheme over that of ERICA, measured once."""
    rows = pl.read_csv(WORK_FILE.read_bytes()).iter_rows()
    return {str(name): float(ratio) for name, ratio in rows}


def write(found: Iterable[Record]) -> None:
    """Replaces the shipped runs."""
    body = table(found).write_csv(line_terminator="\n")
    whole_file.write_text(FILE, f"{_head()}\n{body}")


def write_work(ratios: Sequence[tuple[str, float]]) -> None:
    """Replaces the shipped times."""
    lines = [f"{name},{ratio:.2f}" for name, ratio in ratios]
    whole_file.write_text(WORK_FILE, "\n".join(["scheme,times_erica", *lines, ""]))


def _head() -> str:
    return f"# experiments {fingerprint()}, cellrate {__version__}"
