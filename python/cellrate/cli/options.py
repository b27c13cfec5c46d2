"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter, Token

from cellrate.common.problems import BadInput
from cellrate.common.whole_number import MOST_SEED, MOST_WORKERS, read_whole_number
from cellrate.functions import runs_of


def whole(least: int, about: str, *, most: int | None = None, shown: bool = True) -> Parameter:
    """An option that takes a whole number, and refuses fractions, which cyclopts would round.

    Args:
        least: Smallest value.
        about: Description.
        most: Largest value; None without a limit.
        shown: True to show the default.
    """

    def read(_type: type, tokens: Sequence[Token]) -> int:
        [token] = tokens
        return read_whole_number(token.value, token.keyword or "", least, most)

    return Parameter(converter=read, help=about, show_default=None if shown else False)


def seeds_from(first: int, count: int) -> tuple[int, ...]:
    """The seeds of the options `--first-seed` and `--seeds`.

    Raises:
        BadInput: The last seed is too large.
    """
    try:
        return runs_of.seeds_from(first, count)
    except ValueError as error:
        raise BadInput(f"--first-seed {first}: {error}") from error


def _threads(_type: type, tokens: Sequence[Token]) -> int | Literal["auto"]:
    [token] = tokens
    if token.value == "auto":
        return "auto"
    try:
        return read_whole_number(token.value, token.keyword or "", 1, MOST_WORKERS)
    except BadInput as error:
        raise BadInput(f"{error}, or auto") from None


ScenarioFile: TypeAlias = Annotated[
    str,
    Parameter(name="FILE", allow_leading_hyphen=True, help="Scenario file; - is standard input."),
]
Settings: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--set",
        show_default=False,
        negative="",
        help="Setting by dotted path, as in --set flow.tcp.count=5; repeatable.",
    ),
]
Seed: TypeAlias = Annotated[int | None, whole(0, "Seed instead of the scenario's.", most=MOST_SEED)]
Json: TypeAlias = Annotated[
    bool, Parameter(name="--json", negative="", help="Print JSON, and nothing else.")
]
Threads: TypeAlias = Annotated[
    int | Literal["auto"],
    Parameter(
        name="--threads",
        converter=_threads,
        help="Number of threads; by default as many as make the run faster. The result does "
        "not depend on it.",
    ),
]
Workers: TypeAlias = Annotated[
    int | None, whole(1, "Number of runs at a time; by default one per core.", most=MOST_WORKERS)
]
Fresh: TypeAlias = Annotated[
    bool, Parameter(negative="", help="Simulate all runs again instead of using kept results.")
]
Study: TypeAlias = Annotated[
    Path,
    Parameter(name="STUDY", help="Directory of a study's data set, or file of a study that ran."),
]
