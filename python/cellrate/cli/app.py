"""Subcommands of `cellrate`, and its exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import cyclopts

from cellrate import ScenarioError, __version__
from cellrate.cli import bench, inspect, reproduce, run, streams
from cellrate.cli.pictures import with_picture
from cellrate.cli.signals import Terminated, exit_code
from cellrate.common import scratch
from cellrate.common.problems import BadInput, lacking

OK = 0
FAILED = 1
BAD_INPUT = 2

app = cyclopts.App(
    name="cellrate",
    help="Cell-level simulation of closed-loop flow control (ATM ABR, UBR) under TCP.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)
for command in (
    inspect.new,
    run.run,
    inspect.validate,
    inspect.schema,
    inspect.dissector,
    inspect.list_names,
    reproduce.reproduce,
    bench.bench,
):
    app.command(command, name="list" if command is inspect.list_names else None)
# These are imported only when they are called, because they need scipy, which loads slowly.
app.command("cellrate.cli.import_graph:import_graph", name="import-graph")
app.command("cellrate.cli.theory:app", name="theory")
app.command("cellrate.cli.explain:explain", name="explain")
app.command("cellrate.cli.size_buffer:size_buffer", name="size-buffer")
app.command("cellrate.cli.study:study", name="study")
app.command("cellrate.cli.tune:tune", name="tune")
app.command("cellrate.cli.choose:choose", name="choose")
app.command("cellrate.cli.infer:infer", name="infer")
app.command("cellrate.cli.table:table", name="table")
app.command("cellrate.cli.compare:compare", name="compare")
app.command("cellrate.cli.plot:plot", name="plot")
app.command("cellrate.cli.time_space:time_space", name="time-space")
app.command("cellrate.cli.animate:animate", name="animate")
app.command("cellrate.cli.report:report", name="report")


def run_command(arguments: Sequence[str]) -> int:
    """Runs one command.

    Returns:
        0 on success, 1 on failure, 2 for wrong input, 130 after Ctrl-C, and 128 plus the number of
        any other signal that ended it.
    """
    try:
        _refuse_unreadable(arguments)
        status = app(
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
        return _complain(word, exit_code(signalled))
    except BrokenPipeError:
        # The reader of standard output has gone.
        streams.nothing_more()
        return FAILED
    except BaseException as error:  # panics of libraries do not derive from `Exception`
        why = lacking(error)
        if why is None:
            raise
        if isinstance(error, OSError) and error.filename == streams.OUTPUT:
            streams.nothing_more()
        return _complain(f"error: {why}", FAILED)
    return OK if status is None else int(status)


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
