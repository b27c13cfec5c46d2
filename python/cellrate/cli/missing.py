"""Names the extra of the package that installs a missing library."""

from __future__ import annotations

EXTRAS = {
    "gymnasium": "gym",
    "networkx": "graph",
    "distributed": "cluster",
    "dask": "cluster",
    "xarray": "xarray",
    **dict.fromkeys(("cyclopts", "matplotlib", "optuna", "polars", "rich", "scipy"), "cli"),
}
"""Extras by the name of the library."""


def advice_of_missing(error: BaseException | None) -> str | None:
    """Message for an error from a library that is not installed; None for all other errors.

    >>> advice_of_missing(ModuleNotFoundError("No module named 'polars'", name="polars"))
    "the command needs polars: pip install 'cellrate[cli]'"
    """
    while error is not None:
        if isinstance(error, ModuleNotFoundError):
            library = (error.name or "").partition(".")[0]
            if library in EXTRAS:
                return f"the command needs {library}: pip install 'cellrate[{EXTRAS[library]}]'"
        error = error.__cause__  # cyclopts wraps the error of a command's module
    return None
