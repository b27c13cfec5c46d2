"""Check that names of files and folders with characters of path patterns are taken literally."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from cellrate.common import parquet_table

PARTS = (
    *("a", "b", "ab", "*", "**", "?", "[", "]", "[a]", "[!a]", "[a-b]", "{", "}", "{a,b}", ","),
    *("~", "$HOME", "%61", "=", ":", "#", "&", " ", "\\", "ä", "\u202e", "'", '"', ".", "file:"),
)
MOST_PARTS = 12
OTHERS = "a", "a.parquet", "b.parquet", "ab.parquet"
"""Names of other files in the same folder, which a pattern might match."""
OWN, FOREIGN = 1, 2


def check(data: bytes) -> None:
    """Checks a folder and a file whose names are made of parts that the input chooses."""
    choices = iter(data)
    folder, file = _name(choices), _name(choices)
    with tempfile.TemporaryDirectory() as name:
        for beside in ("a", "b", folder):
            (Path(name) / beside).mkdir(exist_ok=True)
            for other in OTHERS:
                (Path(name) / beside / other).write_bytes(TABLES[FOREIGN])
        place = Path(name) / folder / f"{file}.parquet"
        place.unlink(missing_ok=True)
        place.write_bytes(TABLES[OWN])
        assert parquet_table.scan(place).collect()["x"].to_list() == [OWN]
        assert parquet_table.columns(place) == ["x"]
        assert parquet_table.as_csv(place) == f"x\n{OWN}\n"
        query = parquet_table.scan(place).with_columns(pl.col("x") + FOREIGN)
        before = _contents(Path(name))
        made = place.with_name(f"{file}-made.parquet")
        parquet_table.sink(query, made)
        assert parquet_table.scan(made).collect()["x"].to_list() == [OWN + FOREIGN]
        assert _contents(Path(name)).keys() - before.keys() == {made}
        parquet_table.write(pl.DataFrame({"x": [FOREIGN]}), place)
        after = _contents(Path(name))
        assert {path for path in before if after[path] != before[path]} <= {place}
        assert parquet_table.scan(place).collect()["x"].to_list() == [FOREIGN]


def _name(choices: Iterator[int]) -> str:
    """A name of a few parts that is neither a directory's own name nor its parent's."""
    count = next(choices, 0) % MOST_PARTS + 1
    found = "".join(PARTS[next(choices, 0) % len(PARTS)] for _ in range(count))
    return found if found.strip(".") else "a"


def _contents(directory: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def _table(value: int) -> bytes:
    with tempfile.TemporaryFile() as file:
        pl.DataFrame({"x": [value]}).write_parquet(file)
        file.seek(0)
        return file.read()


TABLES = {value: _table(value) for value in (OWN, FOREIGN)}
