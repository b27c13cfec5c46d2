"""Runs a command line of `cellrate`: error messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cellrate import _core
from cellrate._core import ScenarioError, SchemeError
from cellrate.cli import process, usual_lines
from cellrate.cli.commands import commands, front
from cellrate.cli.process import Terminated, exit_code
from cellrate.common import compiled, scratch
from cellrate.common.extras import advice_of_missing
from cellrate.common.problems import BadInput, choose, lacking
from cellrate.schemes import permission

OK = 0
FAILED = 1
BAD_INPUT = 2
MOST_ARGUMENTS = 2000
"""Greatest number of arguments of a command line."""


def run_command(arguments: Sequence[str]) -> int:
    """Runs one command.

    Returns:
        0 on success, 1 on failure, 2 for wrong input, 130 after Ctrl-C, and 128 plus the number of
        any other signal that ended the command.
    """
    try:
        _refuse_unreadable(arguments)
        _refuse_too_many(arguments)
        with permission.of_command(arguments):
            status = _answered(
                [argument for argument in arguments if argument != permission.ALLOW_CODE]
            )
        sys.stdout.flush()
    except ScenarioError as error:
        return _complain(error.rendered.rstrip("\n"), BAD_INPUT)
    except BadInput as error:
        return _complain(f"error: {error}", BAD_INPUT)
    except SchemeError as error:
        from cellrate.schemes.watching import told

        return _complain(f"error: {told(error)}", FAILED)
    except KeyboardInterrupt as signalled:
        scratch.remove_all()
        word = "terminated" if isinstance(signalled, Terminated) else "interrupted"
        from cellrate.cli.places import kept_so_far  # imports more than help needs

        return _complain(f"{word}{kept_so_far()}", exit_code(signalled))
    except BrokenPipeError:
        # The reader of standard output has ended.
        process.nothing_more()
        return FAILED
    except BaseException as error:  # panics of libraries do not derive from `Exception`
        why = advice_of_missing(error) or lacking(error)
        if why is None:
            compiled.note_if_older(error, _core)
            raise
        if isinstance(error, OSError) and error.filename == process.OUTPUT:
            process.nothing_more()
        return _complain(f"error: {why}", FAILED)
    return OK if status is None else status


def _answered(arguments: Sequence[str]) -> int | None:
    """Runs a command line.

    Returns:
        The exit code that the command chose, or None.

    Raises:
        BadInput: The first argument is not a command (the message names the nearest), or the
            command has no such option.
    """
    page = front(arguments)
    if page is not None:
        sys.stdout.write(page)
        return OK
    if not arguments[0].startswith("-"):
        choose(arguments[0], [command.name for command in commands()], "command")
    line = usual_lines.parsed(arguments)
    if line is not None:
        usual_lines.call(line)
        return OK
    from cellrate.cli.parser import call  # its library loads slowly

    return call(arguments)


def _refuse_unreadable(arguments: Sequence[str]) -> None:
    """Refuses arguments that are not UTF-8, since file names are stored in results as UTF-8.

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


def _refuse_too_many(arguments: Sequence[str]) -> None:
    """Refuses very long command lines, since the time to parse grows with their square.

    Raises:
        BadInput: There are too many arguments.
    """
    if len(arguments) > MOST_ARGUMENTS:
        raise BadInput(
            f"{len(arguments):,} arguments: at most {MOST_ARGUMENTS:,}; settings can be written "
            "into the scenario file"
        )


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"{text}\n")
    return status
