"""Command `cellrate`."""

from __future__ import annotations

import sys

import cellrate_command

from cellrate.cli import process
from cellrate.common import garbage_collection


def main() -> None:
    """Runs the command with the arguments of the process and exits with its code."""
    cellrate_command.begin()
    garbage_collection.collect_rarely()
    try:
        process.prepare_streams()
        process.guard_memory()
        from cellrate.cli.app import run_command
    except ModuleNotFoundError as error:
        from cellrate.common.extras import advice_of_missing

        advice = advice_of_missing(error)
        if advice is None:
            raise
        sys.stderr.write(f"error: {advice}\n")
        sys.exit(1)
    except (ImportError, MemoryError, OSError) as error:
        sys.stderr.write(f"error: the program cannot be loaded: {str(error) or 'out of memory'}\n")
        sys.exit(1)
    try:
        status = run_command(sys.argv[1:])
        process.end_at_once()
    except KeyboardInterrupt as signalled:  # as the command ended, or while it undid its work
        process.end_at_once()
        status = process.exit_code(signalled)
    sys.exit(status)
