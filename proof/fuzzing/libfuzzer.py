"""A run of libFuzzer: its options, its messages, its findings."""

from __future__ import annotations

import os
import re
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from proof.fuzzing.targets import INPUTS, ROOT, Target

TIMEOUT_SECONDS = 10
"""An input that takes longer is a finding, as is one that needs more memory than the next."""
MOST_MEBIBYTES = 2048
GRACE_SECONDS = 240
"""Time beyond its own that a target may take to start and to read its corpus; then it is ended."""
PARTING_SECONDS = 20
MEMORY = Path("/dev/shm")  # noqa: S108 - each check makes a directory of its own there
"""Place of temporary files, if the system has it: disks are not tested, and they are slow."""
LINE = re.compile(r"^#(\d+)\s.*\bcov: (\d+) .*\bcorp: (\d+)/", re.MULTILINE)
EXECUTIONS = re.compile(r"number_of_executed_units: (\d+)")
PEAK = re.compile(r"peak_rss_mb: +(\d+)")


@dataclass(frozen=True)
class Run:
    """Result of fuzzing a target.

    Attributes:
        target: Its name.
        language: `rust` or `python`.
        executions: Inputs tried.
        seconds: Time that this took.
        edges: Branches of the instrumented code that some input took.
        corpus: Inputs that each took another one.
        peak_mebibytes: Most memory that the process had.
        findings: Files with inputs that broke something.
        ended: True if it ended by itself, and not because its time and the grace were over.
    """

    target: str
    language: str
    executions: int
    seconds: int
    edges: int
    corpus: int
    peak_mebibytes: int
    findings: tuple[str, ...]
    ended: bool


def fuzz(target: Target, seconds: int, work: Path, words: Path) -> Run:
    """Fuzzes a target.

    Args:
        target: The target.
        seconds: For how long.
        work: Where corpora, findings and logs are kept.
        words: Dictionary for targets that take one.

    Raises:
        RuntimeError: It ended without having tried anything.
    """
    corpus, found = work / "corpus" / target.name, work / "findings" / target.name
    for directory in (corpus, found):
        directory.mkdir(parents=True, exist_ok=True)
    before = _written(found)
    given = [INPUTS / of / target.name for of in ("seeds", "regressions")]
    command = [
        *target.command(str(ROOT / "target" / "fuzzing-tools")),
        f"-max_total_time={seconds}",
        f"-max_len={target.longest}",
        f"-timeout={TIMEOUT_SECONDS}",
        f"-rss_limit_mb={MOST_MEBIBYTES}",
        f"-artifact_prefix={found}/",
        "-print_final_stats=1",
        "-print_funcs=0",
        *([f"-dict={words}"] if target.words else []),
        str(corpus),
        *(str(directory) for directory in given if directory.is_dir()),
    ]
    log = work / f"{target.name}.log"
    began = time.monotonic()
    code = outcome(command, log, seconds + GRACE_SECONDS)
    took = round(time.monotonic() - began)
    # A finding of an earlier run that is found again is written again.
    findings = sorted(name for name, _ in _written(found) - before)
    told = log.read_text(encoding="utf-8", errors="replace")
    lines = LINE.findall(told)
    if not lines or (code not in (0, None) and not findings):
        raise RuntimeError(f"{target.name} {_told(code)}: see {log}")
    executions = EXECUTIONS.findall(told)
    return Run(
        target.name,
        target.language,
        int(executions[-1]) if executions else int(lines[-1][0]),
        took,
        int(lines[-1][1]),
        int(lines[-1][2]),
        max(map(int, PEAK.findall(told)), default=0),
        tuple(findings),
        code is not None,
    )


def _written(found: Path) -> set[tuple[str, int]]:
    """Names of the findings there, and when each was written."""
    return {(path.name, path.stat().st_mtime_ns) for path in found.iterdir()}


def _told(code: int | None) -> str:
    return "had to be ended" if code is None else f"ended with {code}"


def outcome(command: list[str], log: Path, limit: float) -> int | None:
    """The exit code of a command; None if it had to be ended.

    Args:
        command: What to run.
        log: Where its words go.
        limit: Seconds that it may take.
    """
    with log.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603
            command,
            cwd=ROOT,
            # Threads that outlive an input are no leak.
            env=os.environ
            | {"ASAN_OPTIONS": "detect_leaks=0"}
            | ({"TMPDIR": str(MEMORY)} if MEMORY.is_dir() else {}),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            # libFuzzer then still tells what it did.
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PARTING_SECONDS)
            return None
        finally:
            process.kill()
            process.wait()
