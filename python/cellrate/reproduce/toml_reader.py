"""Reads the keys of a TOML table; unknown keys and wrong types are errors that name the place."""

# ruff: noqa: ANN401 - values of TOML are of any type
import itertools
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cellrate.language.expressions import ExpressionError, parse
from cellrate.reproduce.errors import ReproduceError

Table = dict[str, Any]
TEMPLATE = re.compile(r"\{([^{}]*)\}")
"""Matches an expression in a text that stands for its value."""


class Reader:
    """Takes keys out of a table; keys that are left at the end are unknown.

    Args:
        table: The table, which is not changed.
        place: File or table that error messages name.
    """

    def __init__(self, table: Table, place: str) -> None:
        self.place = place
        self._table = dict(table)

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """Removes a key and returns its value.

        Raises:
            ReproduceError: The key is missing and has no default, or its value has the wrong type.
        """
        if key not in self._table:
            if default is None:
                raise ReproduceError(f"{self.place}: `{key}` is missing")
            return default
        value = self._table.pop(key)
        if not isinstance(value, kind):
            raise ReproduceError(f"{self.place}: `{key}` is {value!r}, which is of the wrong type")
        return value

    def optional(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """Removes a key and returns its value; nothing if it is missing."""
        return self.take(key, kind) if key in self._table else None

    def text(self, key: str, default: str | None = None) -> str:
        """A text, with every run of white space replaced by a single space."""
        return " ".join(str(self.take(key, str, default)).split())

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty if the key is missing."""
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            raise ReproduceError(f"{self.place}: `{key}` must be a list of texts")
        return tuple(" ".join(value.split()) for value in values)

    def choice(self, key: str, allowed: tuple[str, ...]) -> Any:
        """A text that must be one of the allowed ones."""
        value = self.text(key)
        if value not in allowed:
            raise ReproduceError(
                f"{self.place}: `{key}` is {value!r}; allowed: {', '.join(allowed)}"
            )
        return value

    def expression(self, key: str, default: str | None = None) -> str:
        """A text that must be an expression of the language, or the default."""
        value = self.text(key, default)
        if value != default:
            self._check(key, value)
        return value

    def templates(self, key: str) -> tuple[str, ...]:
        """A list of texts in which `TEMPLATE` finds expressions, empty if the key is missing."""
        values = self.texts(key)
        for expression in itertools.chain.from_iterable(map(TEMPLATE.findall, values)):
            self._check(key, expression)
        return values

    def _check(self, key: str, expression: str) -> None:
        try:
            parse(expression)
        except ExpressionError as error:
            raise ReproduceError(f"{self.place}: `{key}`: {error}") from error

    def tables(self, key: str) -> list["Reader"]:
        """Readers of a list of tables."""
        items = self.take(key, list, [])
        return [Reader(item, f"{self.place}, {key} {i}") for i, item in enumerate(items, 1)]

    def names(self) -> list[str]:
        """Keys that have not been taken yet."""
        return list(self._table)

    def done(self) -> None:
        """Raises `ReproduceError` if a key has not been taken."""
        if self._table:
            raise ReproduceError(f"{self.place}: unknown key `{next(iter(self._table))}`")


def read_toml(path: Path) -> Table:
    """The content of a TOML file.

    Raises:
        ReproduceError: The file cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ReproduceError(f"{path}: {error}") from error


def check_unique(ids: Sequence[str], place: str, kind: str) -> None:
    """Raises `ReproduceError` with the place if two ids of a kind are equal."""
    for repeated in {i for i in ids if ids.count(i) > 1}:
        raise ReproduceError(f"{place}: two {kind} are called `{repeated}`")
