"""A run of libFuzzer: its options, what it tells, what it found."""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from proof.fuzzing.targets import ROOT, Target

INPUTS = ROOT / "fuzz"
TIMEOUT_SECONDS = 10
"""An input that takes longer is a finding, as is one that needs more memory than the next."""
MOST_MEBIBYTES = 2048
LINE = re.compile(r"^#(\d+)\s.*\bcov: (\d+) .*\bcorp: (\d+)/", re.MULTILINE)
EXECUTIONS = re.compile(r"number_of_executed_units: (\d+)")
PEAK = re.compile(r"peak_rss_mb: +(\d+)")


@dataclass(frozen=True)
class Run:
    """What came of fuzzing a target.

    Attributes:
        target: Its name.
        language: `rust` or `python`.
        executions: Inputs tried.
        seconds: How long that took.
        edges: Branches of the instrumented code that some input took.
        corpus: Inputs that each took another one.
        peak_mebibytes: Most memory that the process had.
        findings: Files with inputs that broke something.
    """

    target: str
    language: str
    executions: int
    seconds: int
    edges: int
    corpus: int
    peak_mebibytes: int
    findings: tuple[str, ...]


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
    before = {path.name for path in found.iterdir()}
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
    with log.open("wb") as out:
        done = subprocess.run(  # noqa: S603
            command,
            cwd=ROOT,
            # Threads that outlive an input are no leak.
            env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"},
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        )
    took = round(time.monotonic() - began)
    findings = sorted(path.name for path in found.iterdir() if path.name not in before)
    told = log.read_text(encoding="utf-8", errors="replace")
    lines = LINE.findall(told)
    if not lines or (done.returncode != 0 and not findings):
        raise RuntimeError(f"{target.name} ended with {done.returncode}: see {log}")
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
    )
