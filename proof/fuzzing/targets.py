"""The fuzz targets, and a run of one of them by libFuzzer."""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from proof.campaign import ROOT

INPUTS = ROOT / "fuzz"
"""Seeds, regressions, and the targets in Rust."""
BUILT = ROOT / "target" / "fuzz"
WORK = ROOT / "target" / "fuzzing"
"""Corpora, findings and logs."""
TIMEOUT_SECONDS = 10
"""Greatest time of an input; like an input that needs more than `MOST_MEBIBYTES`, a slower input is
a finding."""
MOST_MEBIBYTES = 2048
GRACE_SECONDS = 240
"""Additional time for a target to start and to read its corpus; then the target is ended."""
MEMORY = Path("/dev/shm")  # noqa: S108 - each check makes a directory of its own there
"""Directory of temporary files, if the system has it, since disks are slow and not under test."""
EXECUTIONS = re.compile(r"^#(\d+)\s", re.MULTILINE)


@cache
def host() -> str:
    """The platform of the nightly toolchain, as a target triple.

    Raises:
        FileNotFoundError: There is no nightly toolchain.
    """
    command = ["rustc", "+nightly", "--print", "host-tuple"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise FileNotFoundError(
            "fuzzing needs a nightly toolchain: rustup toolchain install nightly"
        )
    return said.stdout.strip()


@dataclass(frozen=True)
class Target:
    """A reader that is fuzzed, in `rust` or `python`, with inputs of at most `longest` bytes.

    `words` is true if words of scenarios and studies are put into inputs (`dictionary`).
    """

    name: str
    language: str
    longest: int = 4096
    words: bool = False

    def command(self) -> list[str]:
        """Command that runs the target, without the options of libFuzzer."""
        if self.language == "rust":
            return [str(BUILT / host() / "release" / self.name)]
        # Atheris is no dependency of the package, so its directory comes last in the search path.
        tools = str(ROOT / "target" / "fuzzing-tools")
        code = f"import sys; sys.path.append({tools!r}); from proof.fuzzing import atheris_run"
        return [sys.executable, "-c", f"{code}; atheris_run.main({self.name!r})"]

    def fuzz(self, seconds: int, words: Path) -> dict[str, Any]:
        """Fuzzes for `seconds`, with the dictionary `words` if the target uses one.

        Returns:
            The run as a JSON object of the results. `findings` are files with inputs that broke the
            reader; `ended` is false if the target was ended after its time and `GRACE_SECONDS`.

        Raises:
            RuntimeError: The target ended without having tried an input.
        """
        corpus, found = WORK / "corpus" / self.name, WORK / "findings" / self.name
        for directory in (corpus, found):
            directory.mkdir(parents=True, exist_ok=True)
        given = [INPUTS / of / self.name for of in ("seeds", "regressions")]
        command = [
            *self.command(),
            f"-max_total_time={seconds}",
            f"-max_len={self.longest}",
            f"-timeout={TIMEOUT_SECONDS}",
            f"-rss_limit_mb={MOST_MEBIBYTES}",
            f"-artifact_prefix={found}/",
            "-print_funcs=0",
            *([f"-dict={words}"] if self.words else []),
            str(corpus),
            *(str(directory) for directory in given if directory.is_dir()),
        ]
        # Threads that live longer than an input are no memory leak.
        settings = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}
        settings |= {"TMPDIR": str(MEMORY)} if MEMORY.is_dir() else {}
        log, before, began = WORK / f"{self.name}.log", _written(found), time.monotonic()
        code: int | None = None
        with log.open("wb") as out, suppress(subprocess.TimeoutExpired):
            code = subprocess.run(
                command,
                cwd=ROOT,
                env=settings,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=seconds + GRACE_SECONDS,
                check=False,
            ).returncode
        # A finding of an earlier run is written again, with a new time, if it is found again.
        findings = sorted(name for name, _ in _written(found) - before)
        executions = EXECUTIONS.findall(log.read_text(encoding="utf-8", errors="replace"))
        if not executions or (code not in (0, None) and not findings):
            raise RuntimeError(f"{self.name} ended with {code}: see {log}")
        return {
            "target": self.name,
            "language": self.language,
            "executions": int(executions[-1]),
            "seconds": round(time.monotonic() - began),
            "findings": findings,
            "ended": code is not None,
        }


def _written(found: Path) -> set[tuple[str, int]]:
    """Names of the findings in a directory, and the time at which each was written."""
    return {(path.name, path.stat().st_mtime_ns) for path in found.iterdir()}


TARGETS = (
    Target("quantity", "rust", longest=64),
    Target("scenario", "rust", words=True),
    Target("overrides", "rust", longest=512, words=True),
    Target("study", "rust", words=True),
    Target("transport_stream", "rust", longest=16384),
    Target("rate_table", "rust"),
    Target("outcome", "rust"),
    Target("store", "rust"),
    Target("rm_cell", "rust", longest=256),
    Target("reassembly", "rust", longest=1024),
    Target("two_engines", "rust", longest=512, words=True),
    Target("graphml", "python"),
    Target("graph_parts", "python", longest=512),
    Target("parquet_trace", "python"),
    Target("parquet_parts", "python", longest=256),
    Target("data_set", "python"),
    Target("data_set_metadata", "python", longest=64),
    Target("path_pattern", "python", longest=32),
    Target("study_file", "python", words=True),
    Target("expression", "python", longest=1024),
)


def build() -> None:
    """Builds the targets in Rust, with AddressSanitizer, debug assertions and overflow checks."""
    cargo_fuzz = ROOT / "target" / "tools" / "bin" / "cargo-fuzz"
    command = [str(cargo_fuzz), "build", "--target", host(), "--target-dir", str(BUILT)]
    environment = os.environ | {"RUSTUP_TOOLCHAIN": "nightly"}
    subprocess.run(command, cwd=INPUTS, env=environment, check=True)
