"""Classes and their objects in settings: `{"switch.control": MyScheme(high=500)}` from Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from cellrate.schemes import permission
from cellrate.schemes.parameter_schema import written_parameters

TAGS = {"control": "scheme", "discard": "policy", "recovery": "policy", "law": "law"}
"""Key of the name in the table of each kind of component."""


def as_settings(value: object, key: str) -> object:
    """A value of a setting with names in place of classes, and tables in place of their objects.

    Whoever hands a class over allows its code.

    Args:
        value: The value.
        key: The last key of its path, such as `control`.
    """
    if isinstance(value, Mapping):
        return {name: as_settings(one, name) for name, one in value.items()}
    if isinstance(value, type):
        return named(value)
    if dataclasses.is_dataclass(value) and key in TAGS:
        return {TAGS[key]: named(type(value)), **written_parameters(value)}
    return value


def named(cls: type) -> str:
    """The name by which scenarios of this process name a class."""
    name = f"{cls.__module__}:{cls.__name__}"
    permission.allow(name)
    return name
