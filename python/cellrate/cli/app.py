"""Subcommands of `cellrate`, and its exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import cyclopts

from cellrate._core import ScenarioError, __version__
from cellrate.cli import streams
from cellrate.cli.commands import GROUPS, commands
from cellrate.cli.missing import advice_of_missing
from cellrate.cli.pictures import with_picture
from cellrate.cli.signals import Terminated, exit_code
from cellrate.common import scratch
from cellrate.common.problems import BadInput, choose, lacking

OK = 0
FAILED = 1
BAD_INPUT = 2


def _assembled(*, described: bool) -> cyclopts.App:
    """The application; no command is imported before it is called.

    Args:
        described: True to describe each command by its first sentence, for the list of commands.
            The description of a command would be that sentence only, too.
    """
    found = cyclopts.App(
        name="cellrate",
        help="Cell-level simulation of closed-loop flow control (ATM ABR, UBR) under TCP.",
        version=__version__,
        suppress_keyboard_interrupt=False,
        # Markdown loads slowly.
        help_format="plaintext" if described else None,
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
                **({"help": one.about} if described else {}),
                **({"help_epilogue": f"Examples:{lines}"} if lines else {}),
            )
    return found


app = _assembled(described=False)


def run_command(arguments: Sequence[str]) -> int:
    """Runs one command.

    Returns:
        0 on success, 1 on failure, 2 for wrong input, 130 after Ctrl-C, and 128 plus the number of
        any other signal that ended it.
    """
    try:
        _refuse_unreadable(arguments)
        status = _for(arguments)(
            with_picture(arguments),
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
        sys.stdout.flush()
    except ScenarioError as error:
        return _complain(error.rendered.rstrip("\n"), BAD_INPUT)
    except (BadInput, cyclopts.CycloptsError) as error:
        return _complain(f"error: {error}", BAD_INPUT)
    except KeyboardInterrupt as signalled:
        scratch.remove_all()
        word = "terminated" if isinstance(signalled, Terminated) else "interrupted"
        from cellrate.cli.places import kept_so_far  # imports more than help needs

        return _complain(f"{word}{kept_so_far()}", exit_code(signalled))
    except BrokenPipeError:
        # The reader of standard output has gone.
        streams.nothing_more()
        return FAILED
    except BaseException as error:  # panics of libraries do not derive from `Exception`
        why = advice_of_missing(error) or lacking(error)
        if why is None:
            raise
        if isinstance(error, OSError) and error.filename == streams.OUTPUT:
            streams.nothing_more()
        return _complain(f"error: {why}", FAILED)
    return OK if status is None else int(status)


def _for(arguments: Sequence[str]) -> cyclopts.App:
    """The application for some arguments.

    Raises:
        BadInput: The first argument is no command; the message names the nearest.
    """
    first = arguments[0] if arguments else "--help"
    if first.startswith("-"):
        return _assembled(described=True)
    choose(first, [one.name for one in commands()], "command")
    return app


def _refuse_unreadable(arguments: Sequence[str]) -> None:
    """Refuses arguments that are not text, since file names go into results, which are UTF-8.

    Raises:
        BadInput: An argument is not UTF-8 text.
    """
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode(errors="surrogateescape").decode(errors="backslashreplace")
            raise BadInput(
                f"{shown}: this argument is not UTF-8 text; rename the file, or set a UTF-8 locale"
            ) from None


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"{text}\n")
    return status
