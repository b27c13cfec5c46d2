"""Parses the command line; the module of a command is imported when the command is called."""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Sequence

import cyclopts

from cellrate._core import __version__
from cellrate.cli import process
from cellrate.cli.commands import ABOUT, GROUPS
from cellrate.cli.pictures import unknown_picture, with_picture
from cellrate.common.problems import BadInput, choose
from cellrate.simulation.picture_options import KINDS


def _assembled() -> cyclopts.App:
    """The application of all commands."""
    found = cyclopts.App(
        name="cellrate", help=ABOUT, version=__version__, suppress_keyboard_interrupt=False
    )
    for number, (group, members) in enumerate(GROUPS.items()):
        panel = cyclopts.Group(group, sort_key=number)
        for order, command in enumerate(members):
            lines = "".join(f"\n\n`{line}`" for line in command.examples)
            found.command(
                f"cellrate.cli.{command.target}",
                name=command.name,
                group=panel,
                sort_key=order,
                **({"help_epilogue": f"Examples:{lines}"} if lines else {}),
            )
    return found


app = _assembled()


def call(arguments: Sequence[str]) -> int | None:
    """Calls a command with the options of a command line.

    Returns:
        The exit code that the command chose, or None.

    Raises:
        BadInput: There is no such option, or it has a wrong value.
    """
    # matplotlib warns of faults in a `matplotlibrc`, which cellrate does not use.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        function, bound, _ = app.parse_args(
            with_picture(arguments), exit_on_error=False, print_error=False
        )
    except cyclopts.MissingArgumentError as error:
        raise BadInput(_lacking(arguments, error)) from error
    except cyclopts.UnusedCliTokensError as error:
        raise BadInput(_unused(arguments, error.unused_tokens or [])) from error
    except cyclopts.CycloptsError as error:
        raise BadInput(str(error)) from error
    process.listen()
    status: int | None = function(*bound.args, **bound.kwargs)
    return status


def _unused(arguments: Sequence[str], unused: Sequence[str]) -> str:
    """The error message on arguments that a command does not take.

    Raises:
        BadInput: The argument names a kind of picture that does not exist.
    """
    names, _, _ = app.parse_commands(arguments)
    kind = unknown_picture(arguments)
    if kind is not None:
        choose(kind, KINDS, "picture")
    what = ", ".join(map(repr, unused))
    many = "arguments" if len(unused) > 1 else "argument"
    command = " ".join(("cellrate", *names))
    return f"{command} takes no {many} {what}; its --help lists the arguments and options"


def _with_dash(option: str, words: Sequence[str]) -> str:
    """The negative value behind an option, which is read as an option; empty if there is none."""
    at = words.index(option) + 1 if option in words else len(words)
    return words[at] if at < len(words) and re.match(r"-[\d.]", words[at]) else ""


def _lacking(arguments: Sequence[str], error: cyclopts.MissingArgumentError) -> str:
    """The error message on missing options of a command, or on an option without a value."""
    names, apps, rest = app.parse_commands(arguments)
    given = {word.partition("=")[0] for word in rest}
    needed = [option.name for option in apps[-1].assemble_argument_collection() if option.required]
    lacking = [name for name in needed if name not in given]
    own = error.argument.name if error.argument is not None else ""
    command = " ".join(("cellrate", *names))
    negative = _with_dash(own, rest)
    if negative:
        written = f"{own}={shlex.quote(negative)}"
        return f"{own} needs a value; one that begins with `-` follows `=`, as in {written}"
    if own in given or not lacking:
        return f"{own} needs a value; {command} --help explains it"
    what = ", ".join(lacking)
    return f"{command} needs {what}; see {command} --help"
