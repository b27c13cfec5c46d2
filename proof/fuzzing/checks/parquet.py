"""Check of Parquet files with a rate trace, which a scenario plays.

Random bytes are hardly ever Parquet, so they hardly test the code for columns' types and names, for
the coding of pages, and for the table made of them. `check_parts` makes well-formed files, and
damages them where the input says.
"""

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl
from cellrate import ScenarioError, _core
from cellrate.common import parquet, parquet_table

SCENARIO = """
run = { duration = "1 s" }
[topology]
template = "single-switch"
link_rate = "20 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "trace"
service = "vbr"
source = { kind = "rate-trace", file = "trace.csv" }
"""
Reader = Callable[[Path], str]
NAMES = (
    *("duration (ms)", "rate (Mbit/s)", "time (s)", "duration", "rate", "time", "rate (cells/s)"),
    *("duration (ns)", "rate (kbit/s)", "", " ", "ä", "a,b", '"', "#", "\n", "x" * 300),
)
TYPES: tuple[pl.DataType, ...] = (
    *(pl.Float64(), pl.Int64(), pl.UInt8(), pl.Float32(), pl.UInt64(), pl.Int8(), pl.Boolean()),
    *(pl.String(), pl.Binary(), pl.Categorical(), pl.Null(), pl.Decimal(20, 4)),
    *(pl.Duration("ms"), pl.Duration("us"), pl.Duration("ns"), pl.Date(), pl.Time()),
    *(pl.Datetime("us"), pl.Datetime("ns", "UTC"), pl.List(pl.Float64()), pl.Array(pl.Int8(), 2)),
    pl.Struct({"duration": pl.Int64()}),
)
VALUES: tuple[object, ...] = (
    *(0, 1, 2, 100, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1, None),
    *(0.0, -0.0, 0.5, 1e-12, 1e300, 5e-324, float("inf"), float("-inf"), float("nan")),
    *("", "1", "40 ms", "1 Mbit/s", "0 bit/s", '"', "a,b", "\n", "ä", "#", True, b"\xff", [1.5, 2]),
)
COMPRESSIONS = "uncompressed", "zstd", "snappy", "lz4", "gzip", "brotli"
ROWS = 1, 2, 3, 7, 0, 1000
FOOTER = 8
"""Bytes behind the metadata at the end of the file: the metadata's length, the magic number."""


def check(data: bytes, read: Reader = parquet.as_csv) -> None:
    """Checks the input as a file; on a damaged file polars may end the process."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "trace.parquet")
        path.write_bytes(data)
        try:
            text = read(path)
        except ValueError as error:
            assert str(error)
            return
        assert text.count("\n") >= 1
        path.with_suffix(".csv").write_text(text, encoding="utf-8", newline="")
        try:
            _core.Scenario(SCENARIO, str(Path(name, "scenario.toml")))
        except ScenarioError as error:
            assert str(error)


def check_parts(data: bytes) -> None:
    """Checks a file whose columns, coding and damages the input chooses.

    On damaged pages polars may end the process, so such files are read in a separate process.
    """
    whole, broken = document(data)
    reader = in_process if same_pages(whole, broken) else parquet.as_csv
    check(broken, reader)


def in_process(path: Path) -> str:
    """CSV text of a file, made in this process instead of the package's separate process."""
    with parquet.refused(ValueError):
        return parquet_table.as_csv(path)


def same_pages(whole: bytes, broken: bytes) -> bool:
    """True if everything before the metadata at the end of the file is unchanged."""
    pages = len(whole) - _description(whole)
    return broken[:pages] == whole[:pages]


def document(data: bytes) -> tuple[bytes, bytes]:
    """A Parquet file, first without and then with damages.

    The bytes choose the parts and the damages of the file one by one.
    """
    choices = iter(data)
    rows = ROWS[next(choices, 0) % len(ROWS)]
    columns = [_column(choices, rows) for _ in range(next(choices, 2) % 5)]
    coding = next(choices, 0)
    file = io.BytesIO()
    pl.DataFrame({column.name: column for column in columns}).write_parquet(
        file,
        compression=COMPRESSIONS[coding % len(COMPRESSIONS)],  # type: ignore[arg-type]
        statistics="full" if coding & 64 else False,
        row_group_size=1 if coding & 128 and rows < ROWS[-1] else None,
    )
    return file.getvalue(), _damaged(file.getvalue(), choices)


def _column(choices: Iterator[int], rows: int) -> pl.Series:
    """A column that repeats a few values; values that its type cannot hold become null."""
    name = NAMES[next(choices, 0) % len(NAMES)]
    kind = TYPES[next(choices, 0) % len(TYPES)]
    count = next(choices, 0) % 4 + 1
    picked = [VALUES[next(choices, 0) % len(VALUES)] for _ in range(count)]
    return series(name, kind, [picked[row % count] for row in range(rows)])


def series(name: str, kind: pl.DataType, values: list[object]) -> pl.Series:
    """A column of a type; if it cannot hold the values, all are null."""
    with suppress(TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        column = pl.Series(name, values, dtype=kind, strict=False)
        if column.dtype == kind:
            return column
    return pl.Series(name, [None] * len(values), dtype=kind)


def _damaged(file: bytes, choices: Iterator[int]) -> bytes:
    """The file after the damages that the rest of the input chooses, if any."""
    broken = bytearray(file)
    while (kind := next(choices, None)) is not None:
        place, value = next(choices, 0) << 8 | next(choices, 0), next(choices, 0)
        if not broken:
            break
        if kind % 4 == 0:
            # Damages a byte of the metadata, by which the reader finds everything else.
            broken[-1 - place % min(_description(broken), len(broken))] ^= value or 1
        elif kind % 4 == 1:
            broken[place % len(broken)] ^= value or 1
        elif kind % 4 == 2:
            del broken[place % len(broken) : place % len(broken) + value]
        else:
            start = place % len(broken)
            broken[start:start] = broken[start : start + value]
    return bytes(broken)


def _description(file: bytes | bytearray) -> int:
    """Bytes of the metadata at the end of the file, its length and magic number included."""
    return int.from_bytes(file[-FOOTER:-4], "little") + FOOTER
