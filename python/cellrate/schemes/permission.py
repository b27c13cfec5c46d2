"""Permission to run the Python code that a scenario names.

A scenario can come from an unknown source, so a class that is only named in a scenario file does
not run. The user allows its code by naming the class on the command line (`--set
switch.control.scheme=my_scheme.py:MyScheme`), by `--allow-code`, or in Python by `allow_all` or
`allowing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

HELP = "read the code, then add `--allow-code`; in Python call `cellrate.schemes.allow_all()`"

OWN = "cellrate."
"""Prefix of the names of classes in this package, which need no permission."""

ALLOW_CODE = "--allow-code"
KEYS = re.compile(r"\b(scheme|recovery|policy|law)\s*=")
NAMES = re.compile(r"[^\s,=\"'\[\]{}]+:[A-Za-z_]\w*")

_named: set[str] = set()
_all = False


def allow_all() -> None:
    """Allows every scenario of this process to run the classes that it names."""
    global _all
    _all = True


@contextmanager
def of_command(arguments: Iterable[str]) -> Iterator[None]:
    """A context manager that allows the classes of a command line, or all classes.

    A command line names a class as `path.scheme=name`, alone or within a table.
    """
    global _all
    before = _all, set(_named)
    for argument in arguments:
        if argument == ALLOW_CODE:
            _all = True
        if KEYS.search(argument):
            _named.update(NAMES.findall(argument))
    try:
        yield
    finally:
        _all = before[0]
        _named.intersection_update(before[1])


def allow(name: str) -> None:
    """Allows the class of this name to run."""
    _named.add(name)


@contextmanager
def allowing(*names: str) -> Iterator[None]:
    """A context manager that allows the classes with these names."""
    new = set(names) - _named
    _named.update(new)
    try:
        yield
    finally:
        _named.difference_update(new)


def is_allowed(name: str) -> bool:
    """True if the class of this name may run."""
    return _all or name in _named or name.startswith(OWN)
