"""Libraries that only some functions need, and the extras that install them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Extra: TypeAlias = Literal["cli", "cluster", "graph", "gym", "pandas", "xarray"]
LIBRARIES: dict[Extra, tuple[str, ...]] = {
    "cli": (
        *("cycler", "cyclopts", "docstring_parser", "matplotlib", "optuna", "polars", "rich"),
        "scipy",
    ),
    "cluster": ("cryptography", "dask", "distributed"),
    "graph": ("networkx",),
    "gym": ("gymnasium",),
    "pandas": ("pandas", "pyarrow"),
    "xarray": ("xarray",),
}
"""The extras of the package, and the modules that each installs."""
EXTRAS = {module: extra for extra, modules in LIBRARIES.items() for module in modules}
"""Extras by the module that they install."""


class MissingExtra(ModuleNotFoundError):
    """A library that an extra installs is missing; the message has the command to install it."""


@contextmanager
def needing(what: str) -> Iterator[None]:
    """A context manager: a missing library raises an error that names the extra that installs it.

    Args:
        what: The function that needs the library, as the subject of the message.

    Raises:
        MissingExtra: A library is missing that an extra installs.
    """
    try:
        yield
    except MissingExtra:
        raise
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS:
            raise
        install = f"pip install 'cellrate[{EXTRAS[module]}]'"
        message = f"{what} needs {module}, which is not installed: {install}"
        raise MissingExtra(message, name=module) from None


def advice_of_missing(error: BaseException | None) -> str | None:
    """Message for an error from a library that is not installed; None for all other errors.

    >>> advice_of_missing(ModuleNotFoundError("No module named 'polars'", name="polars"))
    "the command needs polars: pip install 'cellrate[cli]'"
    """
    while error is not None:
        if isinstance(error, ModuleNotFoundError):
            module = (error.name or "").partition(".")[0]
            if module in EXTRAS:
                return f"the command needs {module}: pip install 'cellrate[{EXTRAS[module]}]'"
        error = error.__cause__  # cyclopts wraps the error of a command's module
    return None


P = ParamSpec("P")
R = TypeVar("R")


def saying_what_is_missing(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: a missing library raises an error that names the extra that installs it."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with needing(f"cellrate.{function.__name__}"):
            return function(*args, **kwargs)

    return called


def as_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """The table as a pandas frame with the same columns and rows.

    Whole numbers with missing values become floats, with NaN for missing values; texts and lists
    become objects, with None for missing values.

    Raises:
        MissingExtra: pandas is not installed.
    """
    with needing("to_pandas"):
        import pandas as pd
    columns = {
        column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
        for column in frame
    }
    return pd.DataFrame(columns, columns=frame.columns)
