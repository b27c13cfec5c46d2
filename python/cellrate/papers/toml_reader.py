"""Reads TOML tables into dataclasses; errors name the place of unknown keys and wrong types."""

# ruff: noqa: ANN401 - values of TOML are of any type
from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from cellrate.language.expressions import ExpressionError, parse
from cellrate.papers.paper import Expression, ReproduceError, Settings

T = TypeVar("T")
Table = dict[str, Any]
TEMPLATE = re.compile(r"\{([^{}]*)\}")
"""Matches a `{expression}` in a text, which its value replaces."""
NUMBER = (int, float)


@cache  # cached, because one paper has hundreds of tables of one kind
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


class Reader:
    """Takes keys out of a table; keys that are left at the end are unknown.

    Args:
        table: The table, which is not changed.
        place: File or table that error messages name.
    """

    def __init__(self, table: Table, place: str) -> None:
        self.place = place
        self._table = dict(table)

    def fill(self, kind: type[T], **given: Any) -> T:
        """A dataclass from the table: keys are fields, except the fields in `given`.

        Types of fields decide what keys may hold. A missing key has the default of its field, or is
        empty if it is a list.

        Raises:
            ReproduceError: A key is missing or unknown, or its value has the wrong type.
        """
        hints = _hints(kind)  # type: ignore[arg-type]  # a class is hashable
        for field in fields(kind):  # type: ignore[arg-type]  # every kind is a dataclass
            key = field.metadata.get("key", field.name)
            if field.name in given:
                continue
            if key not in self._table and field.default is not MISSING:
                given[field.name] = field.default
            elif key in self._table or field.default_factory is MISSING:
                given[field.name] = self._typed(key, hints[field.name])
        self.done()
        return kind(**given)

    def _typed(self, key: str, hint: Any) -> Any:
        """Removes a key and returns its value in the type of a field."""
        if hint is str:
            return self.text(key)
        if hint == Expression:
            return self.expression(key)
        if hint == Settings:
            return self.settings(key)
        if get_origin(hint) is Literal:
            return self.choice(key, get_args(hint))
        if get_origin(hint) is tuple:
            return self._list(key, get_args(hint)[0])
        if hint in (float, float | None):
            return float(self.take(key, NUMBER))
        if is_dataclass(hint):
            table = self.take(key, dict)
            return Reader(table, f"{self.place}, {key}").fill(hint)  # type: ignore[arg-type]
        container = get_origin(hint) in (dict, list)
        return self.take(key, get_origin(hint) if container else hint)

    def _list(self, key: str, item: Any) -> tuple[Any, ...]:
        if item is str:
            return self.texts(key)
        if item is float:
            return tuple(map(float, self.take(key, list, [])))
        return tuple(table.fill(item) for table in self.tables(key))

    def take(self, key: str, kind: Any, default: Any = None) -> Any:
        """Removes a key and returns its value, which must be of a type or of one of several.

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
        """A text that must be one of `allowed`."""
        value = self.text(key)
        if value not in allowed:
            raise ReproduceError(
                f"{self.place}: `{key}` is {value!r}; allowed: {', '.join(allowed)}"
            )
        return value

    def expression(self, key: str) -> str:
        """A text that must be an expression of the language."""
        value = self.text(key)
        self._check(key, value)
        return value

    def settings(self, key: str) -> tuple[str, ...]:
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

    def tables(self, key: str) -> list[Reader]:
        """A reader for each table of a list of tables; an error in a table names its number."""
        items = self.take(key, list, [])
        return [Reader(item, f"{self.place}, {key} {i}") for i, item in enumerate(items, 1)]

    def names(self) -> list[str]:
        """Keys of the table that have not been taken yet."""
        return list(self._table)

    def done(self) -> None:
        """Raises `ReproduceError` if a key has not been taken."""
        if self._table:
            raise ReproduceError(f"{self.place}: unknown key `{next(iter(self._table))}`")


def read_toml(path: Path) -> Reader:
    """A reader of a TOML file; error messages name the file by its directory and name.

    Raises:
        ReproduceError: The file cannot be read or is not TOML.
    """
    try:
        return Reader(tomllib.loads(path.read_text("utf-8")), f"{path.parent.name}/{path.name}")
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ReproduceError(f"{path}: {error}") from error


def check_unique(ids: Sequence[str], place: str, kind: str) -> None:
    """Raises `ReproduceError` with the place if two ids of a kind are equal."""
    for repeated in {i for i in ids if ids.count(i) > 1}:
        raise ReproduceError(f"{place}: two {kind} are called `{repeated}`")
