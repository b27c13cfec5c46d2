"""Runs the command again and again, and imports what it needs only once.

Most commands that tests give are over in less time than their imports take. So a process, this file
as a script, imports everything that any subcommand needs, and forks for each command; the fork runs
what the installed script runs, with streams, directory and exit code of its own. All forks have the
hash seed of the process; other seeds are left to `make determinism`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

HEADER_BYTES = 8
# Imported inside functions, so not with `cellrate.cli`. Dask is not among them: it reads its
# settings from the environment when it is imported.
SLOW_IMPORTS = (
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "optuna",
    "polars",
    "scipy.optimize",
    "scipy.stats",
)


class CommandServer:
    """The process that forks, started when the first command comes.

    A command with another environment than the one that the process began with is refused, since
    modules may have read their settings from that; `serves` tells.
    """

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def serves(self) -> bool:
        """True if commands can be run here: by the system, and with the present environment."""
        present = dict(os.environ)
        # pytest notes here which test is running.
        for environment in (present, self._environment):
            environment.pop("PYTEST_CURRENT_TEST", None)
        return sys.platform == "linux" and present == self._environment

    def run(
        self, command: list[str], stdin: bytes, cwd: Path, seconds: float
    ) -> tuple[int, bytes, bytes]:
        """Exit code, standard output and standard error of a command.

        After an error the next command gets a new process.

        Args:
            command: The words of the command, the path of the script first.
            stdin: Standard input.
            cwd: Directory in which the command runs.
            seconds: Longest time of the command, and of the imports before the first one.

        Raises:
            TimeoutError: The command takes longer.
            ConnectionError: The process that forks has ended.
        """
        line = self._start()
        line.settimeout(seconds)
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin)
            given.seek(0)
            request = json.dumps([command, str(cwd)]).encode()
            streams = [given.fileno(), out.fileno(), err.fileno()]
            try:
                socket.send_fds(line, [len(request).to_bytes(HEADER_BYTES)], streams)
                line.sendall(request)
                status = int.from_bytes(_exactly(line, HEADER_BYTES), signed=True)
            except OSError:
                self.stop()
                raise
            out.seek(0)
            err.seek(0)
            return status, out.read(), err.read()

    def stop(self) -> None:
        """Ends the process, its forks, and the processes that these have started."""
        if self._process is not None and self._line is not None:
            self._line.close()
            # All of them are in the group of the process; there is none if all have ended.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = self._line = None

    def _start(self) -> socket.socket:
        if self._line is None:
            self._line, other = socket.socketpair()
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
            other.close()
        return self._line


def _exactly(line: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = line.recv(size - len(found))
        if not more:
            raise ConnectionError("the process that runs commands has ended")
        found += more
    return found


def _import_everything() -> None:
    import cellrate.cli

    for module in pkgutil.iter_modules(cellrate.cli.__path__, "cellrate.cli."):
        importlib.import_module(module.name)
    for name in SLOW_IMPORTS:
        importlib.import_module(name)
    gc.collect()
    # The collector of a fork shall not look at all this, which would copy it.
    gc.freeze()


def _serve(line: socket.socket) -> None:
    """Forks for each command until nobody gives any; a fork leaves by the end of its command."""
    while True:
        header, streams, _, _ = socket.recv_fds(line, HEADER_BYTES, 3)
        if not header:
            return
        command, cwd = json.loads(_exactly(line, int.from_bytes(header)))
        child = os.fork()
        if child == 0:
            line.close()
            _become(command, cwd, streams)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        line.sendall(code.to_bytes(HEADER_BYTES, signed=True))


def _become(command: list[str], cwd: str, streams: list[int]) -> NoReturn:
    """Runs the command, and ends the process."""
    from cellrate.cli import main

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    sys.argv = command
    status = 1
    try:
        main()
        status = 0
    except SystemExit as ended:
        status = status_of(ended)
    except BaseException:  # noqa: BLE001 -- what the interpreter would do with it
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    # An orderly end would touch, and so copy, all that the modules have made.
    os._exit(status)


def status_of(ended: SystemExit) -> int:
    """The exit code that the interpreter makes of it; a text is printed and is a failure."""
    if ended.code is None:
        return 0
    if isinstance(ended.code, int):
        return ended.code
    sys.stderr.write(f"{ended.code}\n")
    return 1


if __name__ == "__main__":
    # As for the installed script, which is beside the interpreter, and not the directory of tests.
    if not sys.flags.safe_path:
        sys.path[0] = str(Path(sys.executable).parent)
    _import_everything()
    _serve(socket.socket(fileno=int(sys.argv[1])))
