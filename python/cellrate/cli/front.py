"""The list of commands and the version, shown without any library that loads slowly."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence

from cellrate._core import __version__
from cellrate.cli.commands import GROUPS

WIDTH = 80
ABOUT = "Cell-level simulation of closed-loop flow control (ATM ABR, UBR) under TCP."
USAGE = "Usage: cellrate COMMAND"
MORE = "cellrate COMMAND --help says more of a command."
_OPTIONS = (
    ("-h, --help", "Show this list."),
    ("--version", "Show the version."),
    (
        "--allow-code",
        "With any command: let scenarios run the Python classes that they name as schemes.",
    ),
)


def front(arguments: Sequence[str]) -> str | None:
    """Answer to arguments that name no command: the list of commands, or the version.

    Returns:
        Lines for standard output, or None if the arguments ask for something else.
    """
    match list(arguments):
        case [] | ["--help"] | ["-h"]:
            return "\n".join(_list_of_commands()) + "\n"
        case ["--version"]:
            return f"{__version__}\n"
    return None


def _list_of_commands() -> Iterator[str]:
    bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    yield from (ABOUT, "", USAGE)
    for group, members in GROUPS.items():
        yield from ("", _heading(group, bold=bold))
        yield from _entries([(one.name, one.about) for one in members])
    yield from ("", _heading("Options", bold=bold))
    yield from _entries(_OPTIONS)
    yield from ("", MORE)


def _heading(text: str, *, bold: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if bold else text


def _entries(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Lines of names with their descriptions beside them."""
    indent = max(len(name) for name, _ in entries) + 4
    for name, about in entries:
        first, *rest = textwrap.wrap(about, WIDTH - indent, break_on_hyphens=False)
        yield f"  {name.ljust(indent - 2)}{first}"
        yield from (" " * indent + line for line in rest)
