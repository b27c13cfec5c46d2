"""Parses the command line; a command is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence

import cyclopts

from cellrate._core import __version__
from cellrate.cli import signals
from cellrate.cli.commands import GROUPS
from cellrate.cli.front import ABOUT
from cellrate.cli.pictures import with_picture
from cellrate.common.problems import BadInput


def _assembled() -> cyclopts.App:
    """The application of all commands."""
    found = cyclopts.App(
        name="cellrate", help=ABOUT, version=__version__, suppress_keyboard_interrupt=False
    )
    for number, (group, members) in enumerate(GROUPS.items()):
        panel = cyclopts.Group(group, sort_key=number)
        for order, one in enumerate(members):
            lines = "".join(f"\n\n`{line}`" for line in one.examples)
            found.command(
                f"cellrate.cli.{one.target}",
                name=one.name,
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
    try:
        function, bound, _ = app.parse_args(
            with_picture(arguments), exit_on_error=False, print_error=False
        )
    except cyclopts.CycloptsError as error:
        raise BadInput(str(error)) from error
    signals.listen()
    status: int | None = function(*bound.args, **bound.kwargs)
    return status
