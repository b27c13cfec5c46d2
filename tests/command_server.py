"""Runs the command again and again, and imports what it needs only once.

Most commands that tests give are over in less time than their imports take. So a process, this file
as a script, imports everything that any subcommand needs, and forks for each command; the fork runs
what the installed script runs, with streams, directory and exit code of its own. All forks have the
hash seed of the process; other seeds are left to `make determinism`.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
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
# What a shell sets as it goes; a page may put what is on the path already before it once more.
OF_A_SHELL = {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}
# It imports next to nothing, and ends as the command ends.
HANDING_OVER = """#!{python} -IS
import os, socket, sys
environment = {{name: value for name, value in os.environ.items() if name not in {of_a_shell!r}}}
if environment != {known!r} or not os.path.exists({listening!r}):
    os.execv({command!r}, [{command!r}, *sys.argv[1:]])
line = socket.socket(socket.AF_UNIX)
line.connect({listening!r})
import json
request = json.dumps([[{command!r}, *sys.argv[1:]], os.getcwd()]).encode()
socket.send_fds(line, [len(request).to_bytes(8)], [0, 1, 2])
line.sendall(request)
status = line.recv(8)
if len(status) != 8:
    sys.exit("the process that runs commands has ended")
status = int.from_bytes(status, signed=True)
sys.exit(status if status >= 0 else 128 - status)
"""
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

    Args:
        settings: Variables that commands find in their environment besides those of the tests.
    """

    def __init__(self, **settings: str) -> None:
        self._environment = dict(os.environ)
        self._settings = settings
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
            _end(self._process)
        self._process = self._line = None

    def _start(self) -> socket.socket:
        if self._line is None:
            self._line, other = socket.socketpair()
            environment = {**self._environment, **self._settings}
            self._process = _process_on(other, environment)
            other.close()
        return self._line


class ShellServer:
    """The process that forks for shells: their `cellrate` is a script that hands its line over.

    Where commands do not fork, or once a shell has changed the environment, the script becomes the
    installed one.
    """

    def __init__(self, place: Path, command: Path) -> None:
        """Begins to listen.

        Args:
            place: An empty directory for the script, which goes onto a shell's path.
            command: The installed script.
        """
        self.environment = dict(os.environ)
        self.environment.pop("PYTEST_CURRENT_TEST", None)
        self.environment["PATH"] = f"{place}:{command.parent}:{self.environment['PATH']}"
        self._process: subprocess.Popen[bytes] | None = None
        known = {name: value for name, value in self.environment.items() if name not in OF_A_SHELL}
        script = place / command.name
        script.write_text(
            HANDING_OVER.format(
                python=sys.executable,
                command=str(command),
                listening=str(place / "line"),
                known=known,
                of_a_shell=OF_A_SHELL,
            ),
            encoding="utf-8",
        )
        script.chmod(0o755)
        if sys.platform == "linux":
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(str(place / "line"))
                listening.listen()
                # Once nobody holds the other end of its input, it ends.
                self._process = _process_on(listening, self.environment, stdin=subprocess.PIPE)

    def stop(self) -> None:
        """Ends the process, its forks, and the processes that these have started."""
        if self._process is not None:
            _end(self._process)
        self._process = None


def _process_on(
    line: socket.socket, environment: dict[str, str], stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, __file__, str(line.fileno())],
        pass_fds=[line.fileno()],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    # All that it has begun is in its group; there is none if all have ended.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


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


def _listen(listening: socket.socket) -> None:
    """Serves all who come, at once, since a shell's commands may wait for one another."""
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            os.killpg(0, signal.SIGKILL)
        line, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _serve(line)
            os._exit(0)
        line.close()
        # Those that have ended leave nothing behind.
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


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
    atexit._run_exitfuncs()  # noqa: SLF001  temporary files are removed there
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
    given = socket.socket(fileno=int(sys.argv[1]))
    listens = given.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    (_listen if listens else _serve)(given)
