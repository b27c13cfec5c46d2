"""Parses usual command lines of `run` and `validate` without cyclopts, which loads slowly.

All other command lines are left to cyclopts, which also gives all errors and all help.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTING = re.compile(r"[A-Za-z_][\w.-]*=.+", re.DOTALL)
# Numbers of so few digits that they do not exceed the greatest seed or number of threads.
WHOLE = re.compile(r"[0-9]{1,18}")
POSITIVE = re.compile(r"[1-9][0-9]{0,2}")


class Line(NamedTuple):
    """A parsed command line.

    Attributes:
        command: Name of the command.
        file: The scenario file.
        options: Values of the options that are given, by the name of the command's parameter.
    """

    command: str
    file: str
    options: Mapping[str, Any]


def parsed(arguments: Sequence[str]) -> Line | None:
    """The parsed command line if it has a usual form; None for all others, valid or not.

    >>> parsed(["run", "my.toml", "--seed", "2"])
    Line(command='run', file='my.toml', options={'seed': 2})
    >>> parsed(["run", "my.toml", "--seed", "2.5"]) is None
    True
    """
    if not arguments or arguments[0] not in {"run", "validate"}:
        return None
    command, *rest = arguments
    files: list[str] = []
    options: dict[str, Any] = {}
    words = iter(rest)
    for word in words:
        if not word.startswith("-"):
            files.append(word)
        elif word == "--json":
            if "json" in options:
                return None
            options["json"] = True
        elif not _take(command, word, next(words, ""), options):
            return None
    return Line(command, files[0], options) if len(files) == 1 and files[0] else None


def _take(command: str, option: str, value: str, options: dict[str, Any]) -> bool:
    """Adds an option with its value to `options`; False if the option is left to cyclopts."""
    if option == "--set" and SETTING.fullmatch(value):
        options.setdefault("overrides", []).append(value)
        return True
    name = option.removeprefix("--")
    if name in options:
        return False
    if option == "--seed" and WHOLE.fullmatch(value):
        options[name] = int(value)
    elif command == "validate":
        return False
    elif option == "--threads" and (value == "auto" or POSITIVE.fullmatch(value)):
        options[name] = "auto" if value == "auto" else int(value)
    elif option == "--out" and value and not value.startswith("-"):
        from pathlib import Path

        options[name] = Path(value)
    else:
        return False
    return True


def call(line: Line) -> None:
    """Calls the command of a line.

    Raises:
        BadInput: The file cannot be read, or an option does not fit the scenario.
        ScenarioError: The scenario is wrong, or needs more memory than is available.
    """
    from cellrate.cli import one_run, process

    process.listen()
    options = dict(line.options)
    job = one_run.job_of(line.file, options.pop("overrides", ()), options.pop("seed", None))
    if line.command == "run":
        one_run.run_once(job, **options)
    else:
        scenario = job.scenario()
        from cellrate.cli import validated  # slow; unused if the scenario is wrong

        validated.validate(scenario, job.path, **options)
