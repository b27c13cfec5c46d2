"""Tools for all faults: a study, the command that runs the study, and checks of the outcome."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeAlias, TypedDict, Unpack

from cellrate import _core
from cellrate.simulation.runner import build_id

from proof.campaign import COMMAND

HANG_SECONDS = 300
"""Time limit of a command, far beyond the time of any command here."""
STUDY = """
template = "n-source"
set = ["run.duration={duration}", "measure.from=10 ms", "run.start_jitter=1 ms",
       "measure.traces=[]"]
[factors]
"control.scheme" = ["erica", "efci", "fmmra"]
"flow.tcp.count" = [2, 3, 4, 5]
[replications]
count = {count}
[measures]
throughput = "throughput_mbit"
"""
BAD_WORDS = "Traceback", "panicked", "defect of cellrate", "Exception ignored"

Files: TypeAlias = dict[str, bytes]
Ended: TypeAlias = subprocess.CompletedProcess[str]


def is_root_with(program: str) -> bool:
    """True for root, if a program is installed."""
    return os.geteuid() == 0 and shutil.which(program) is not None


def at_most(kind: int, value: int) -> Callable[[], None]:
    """A function that limits a resource of its process."""
    hard = resource.getrlimit(kind)[1]
    return lambda: resource.setrlimit(kind, (value, hard))


class Surroundings(TypedDict, total=False):
    """Surroundings of a command: added variables, a function that sets limits, words before it."""

    environment: Mapping[str, str]
    limit: Callable[[], None]
    through: tuple[str, ...]


def study(count: int, duration: str = "30 ms") -> str:
    """A study of short runs, `count` at each of twelve points."""
    return STUDY.format(count=count, duration=duration)


def files(directory: Path) -> Files:
    """Contents of the files in a directory, by path."""
    found = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def store_of(out: Path) -> _core.Store:
    """The store that the command keeps in a directory."""
    (out / "results").mkdir(parents=True, exist_ok=True)
    return _core.Store(out / "results" / build_id())


def contents(store: _core.Store) -> dict[str, bytes]:
    """All results in a store, by key."""
    found = {key: store.get(key) for key in store.keys()}  # noqa: SIM118  it is no mapping
    return {key: data for key, data in found.items() if data is not None}


def leftovers(out: Path) -> list[str]:
    """Paths that exist only while a process writes: locks, hidden directories, temporary files."""
    marks = (".lock", ".tmp", ".merging")
    found = (path for path in out.rglob("*") if path.name != "merge.lock")
    return sorted(
        str(path.relative_to(out))
        for path in found
        if path.suffix in marks or path.name.startswith(".")
    )


@dataclass
class Ground:
    """A directory and random numbers for one kind of faults, with its counts and findings.

    At its end the context manager kills all started processes and removes the directory. `skipped`
    has faults that could not be caused here, with reasons; `running` has started processes.
    """

    place: Path
    source: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, str] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running:
            # Until a process has been waited for, its process number is not used again.
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        shutil.rmtree(self.place, ignore_errors=True)

    def expect(self, held: bool, otherwise: str) -> None:
        """Counts a check, and adds the finding `otherwise` if the check failed."""
        self.counts["checks"] += 1
        if not held:
            self.findings.append(otherwise)

    def start(
        self, *arguments: str | Path, **around: Unpack[Surroundings]
    ) -> subprocess.Popen[str]:
        """Starts the command in a session of its own."""
        self.running = [process for process in self.running if process.returncode is None]
        process = subprocess.Popen(
            [*around.get("through", ()), str(COMMAND), *map(str, arguments)],
            cwd=self.place,
            env={**os.environ, **around.get("environment", {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="backslashreplace",
            start_new_session=True,
            preexec_fn=around.get("limit"),
        )
        self.running.append(process)
        return process

    def strike(self, process: subprocess.Popen[str], how: signal.Signals) -> None:
        """Sends a signal to all processes of a started command that has not ended."""
        if process.poll() is None:
            os.killpg(process.pid, how)

    def end(self, process: subprocess.Popen[str], what: str) -> Ended:
        """Waits for the end; a hang or a stack trace is a finding."""
        try:
            out, err = process.communicate(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.findings.append(f"{what}: hangs")
        if process.returncode == -signal.SIGINT and err.endswith("KeyboardInterrupt\n"):
            # Python ends by itself on Ctrl-C while it still loads the command's modules.
            self.counts["SIGINT before the command began"] += 1
        else:
            for word in BAD_WORDS:
                self.expect(word not in err, f"{what}: {word} in {err[-500:]!r}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run(self, what: str, *arguments: str | Path, **around: Unpack[Surroundings]) -> Ended:
        """Runs the command to its end."""
        return self.end(self.start(*arguments, **around), what)

    def succeeds(self, what: str, *arguments: str | Path, **around: Unpack[Surroundings]) -> Ended:
        """Runs the command, and checks its exit code."""
        ended = self.run(what, *arguments, **around)
        self.expect(ended.returncode == 0, f"{what}: {ended.returncode} {ended.stderr[-500:]!r}")
        return ended

    def refused(self, what: str, ended: Ended, *words: str) -> None:
        """Checks that a command ended with exit code 1 or 2 and one line of error with `words`."""
        lines = [line for line in ended.stderr.splitlines() if not line.startswith("warning")]
        said = len(lines) == 1 and lines[0].startswith("error: ")
        self.expect(
            ended.returncode in (1, 2) and said and all(word in lines[0] for word in words),
            f"{what}: {ended.returncode}, {ended.stderr[-600:]!r}",
        )

    def write(self, name: str, text: str) -> Path:
        """Writes a file into the directory `place`."""
        path = self.place / name
        path.write_text(text, encoding="utf-8")
        return path

    def undisturbed(self, file: Path) -> tuple[Files, float]:
        """Runs a study without faults; returns the files of its data set, and the seconds taken."""
        began = time.monotonic()
        self.succeeds("undisturbed", "study", file, "--out", "undisturbed")
        return files(self.place / "undisturbed" / "studies"), time.monotonic() - began

    def resumes(self, what: str, file: Path, out: Path, whole: Files) -> None:
        """Checks that a study resumes with its kept results, and ends as without faults."""
        kept = len(contents(store_of(out)))
        ended = self.succeeds(what, "study", file, "--out", out, "--json")
        if ended.returncode == 0:
            known = json.loads(ended.stdout)["known"]
            self.expect(known == kept, f"{what}: {kept} were kept, {known} are known")
        self.same(what, out, whole)

    def same(self, what: str, out: Path, whole: Files) -> None:
        """Checks that the data set is that of a run without faults, and no other files are left."""
        self.expect(files(out / "studies") == whole, f"{what}: another data set")
        left = leftovers(out)
        self.expect(not left, f"{what}: left over {left}")
