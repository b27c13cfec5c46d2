"""Takes keys out of a TOML table; what is left or of the wrong type is an error with its place."""

# ruff: noqa: ANN401 - values of TOML are of any type
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cellrate.language.errors import ExpressionError
from cellrate.language.expressions import parse
from cellrate.reproduce.errors import ReproduceError

Table = dict[str, Any]


class Reader:
    """A table and the place that errors name; what is left of it at the end is unknown."""

    def __init__(self, table: Table, place: str) -> None:
        self.place = place
        self._table = dict(table)

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """The value of a key; an error if it is missing without a default, or of the wrong type."""
        if key not in self._table:
            if default is None:
                raise ReproduceError(f"{self.place}: `{key}` is missing")
            return default
        value = self._table.pop(key)
        if not isinstance(value, kind):
            raise ReproduceError(f"{self.place}: `{key}` is {value!r}, which is of the wrong type")
        return value

    def optional(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """The value of a key, or nothing."""
        return self.take(key, kind) if key in self._table else None

    def text(self, key: str, default: str | None = None) -> str:
        """A text, its white space made single."""
        return " ".join(str(self.take(key, str, default)).split())

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty if absent."""
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            raise ReproduceError(f"{self.place}: `{key}` is a list of texts")
        return tuple(" ".join(value.split()) for value in values)

    def choice(self, key: str, allowed: tuple[str, ...]) -> Any:
        """One of some texts."""
        value = self.text(key)
        if value not in allowed:
            raise ReproduceError(
                f"{self.place}: `{key}` is {value!r}; allowed: {', '.join(allowed)}"
            )
        return value

    def expression(self, key: str, default: str | None = None) -> str:
        """A text that is an expression."""
        value = self.text(key, default)
        if value:
            try:
                parse(value)
            except ExpressionError as error:
                raise ReproduceError(f"{self.place}: {error}") from error
        return value

    def tables(self, key: str) -> list["Reader"]:
        """Readers of a list of tables."""
        items = self.take(key, list, [])
        return [Reader(item, f"{self.place}, {key} {i}") for i, item in enumerate(items, 1)]

    def names(self) -> list[str]:
        """Keys that are left."""
        return list(self._table)

    def done(self) -> None:
        """An error if a key is left."""
        if self._table:
            raise ReproduceError(f"{self.place}: unknown key `{next(iter(self._table))}`")


def read_toml(path: Path) -> Table:
    """The table in a file; an error with its path if there is none."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ReproduceError(f"{path}: {error}") from error


def check_unique(ids: Sequence[str], place: str, kind: str) -> None:
    """An error with the place if two of a kind have the same id."""
    for repeated in {i for i in ids if ids.count(i) > 1}:
        raise ReproduceError(f"{place}: two {kind} are called `{repeated}`")
