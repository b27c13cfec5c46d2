"""Libraries that only some functions need, and the extras that install them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

Extra: TypeAlias = Literal["cli", "cluster", "graph", "gym", "pandas", "xarray"]
LIBRARIES: dict[Extra, tuple[str, ...]] = {
    "cli": ("cycler", "cyclopts", "matplotlib", "optuna", "polars", "rich", "scipy"),
    "cluster": ("cryptography", "distributed"),
    "graph": ("networkx",),
    "gym": ("gymnasium",),
    "pandas": ("pandas", "pyarrow"),
    "xarray": ("xarray",),
}
"""The extras of the package, and the modules that each installs."""


class MissingExtra(ModuleNotFoundError):
    """A library that an extra installs is missing; the message has the command to install it."""


@contextmanager
def needing(what: str) -> Iterator[None]:
    """Says which extra installs a library that the block imports and that is missing.

    Args:
        what: The thing that needs the library, as the subject of the message.

    Raises:
        MissingExtra: A library is missing that an extra installs.
    """
    try:
        yield
    except MissingExtra:
        raise
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        extra = next((one for one, modules in LIBRARIES.items() if module in modules), None)
        if extra is None:
            raise
        message = f"{what} needs {module}, which is not installed: pip install 'cellrate[{extra}]'"
        raise MissingExtra(message, name=module) from None
