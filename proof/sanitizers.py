"""`python -m proof.sanitizers`: looks for undefined behaviour and data races.

Miri and ThreadSanitizer need components of a nightly toolchain; what is absent is said. Valgrind's
helgrind is no substitute: it takes the atomics of the standard library for races.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "proof" / "results" / "sanitizers.json"
TRIPLE = "x86_64-unknown-linux-gnu"
UNCHECKED = ("-p", "cellrate-engine", "--lib", "kernel::unchecked")
"""All unsafe code there is."""

KERNEL = ("-p", "cellrate-engine", "--lib", "kernel::")
STORE = ("-p", "cellrate-machine", "--lib", "store::")
SIMULATION = ("-p", "cellrate-engine", "--test", "suite", "tcp_exact")


@dataclass(frozen=True)
class Look:
    """A tool over some tests.

    Attributes:
        tool: Its name.
        tests: Which tests, as cargo selects them.
        toolchain: Of Rust; empty for the one that `cargo` is of.
        environment: Variables that are set for it.
        before: Arguments of cargo before the tests.
        needs: A command that says whether the tool is there.
        absent: Advice if it is not.
    """

    tool: str
    tests: tuple[str, ...]
    toolchain: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ("test",)
    needs: tuple[str, ...] = ()
    absent: str = ""

    def command(self) -> list[str]:
        """Command line of cargo."""
        *options, name = self.tests
        chosen = [f"+{self.toolchain}"] if self.toolchain else []
        return ["cargo", *chosen, *self.before, "--locked", *options, "--", name]


def _valgrind(tool: str, tests: tuple[str, ...]) -> Look:
    runner = f"valgrind -q --error-exitcode=9 --tool={tool}"
    return Look(
        f"valgrind {tool}",
        tests,
        environment={f"CARGO_TARGET_{TRIPLE.upper().replace('-', '_')}_RUNNER": runner},
        needs=("valgrind", "--version"),
        absent="apt-get install valgrind",
    )


def _sanitizer(name: str, tests: tuple[str, ...], needs: tuple[str, ...], absent: str) -> Look:
    return Look(
        f"{name} sanitizer",
        tests,
        toolchain="nightly",
        environment={"RUSTFLAGS": f"-Zsanitizer={name}", "ASAN_OPTIONS": "detect_leaks=0"},
        before=("test", "--target", TRIPLE, *(("-Zbuild-std",) if name == "thread" else ())),
        needs=needs,
        absent=absent,
    )


_NIGHTLY = ("cargo", "+nightly", "--version")
_SOURCES = ("sh", "-c", 'test -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library"')
LOOKS = (
    Look(
        "Miri",
        UNCHECKED,
        toolchain="nightly",
        before=("miri", "test"),
        needs=("cargo", "+nightly", "miri", "--version"),
        absent="rustup component add --toolchain nightly miri rust-src",
    ),
    _sanitizer("address", KERNEL, _NIGHTLY, "rustup toolchain install nightly"),
    _sanitizer("address", SIMULATION, _NIGHTLY, "rustup toolchain install nightly"),
    _sanitizer("thread", STORE, _SOURCES, "rustup component add --toolchain nightly rust-src"),
    _valgrind("memcheck", KERNEL),
    _valgrind("memcheck", SIMULATION),
)


def main() -> int:
    """Looks with every tool that is there; 1 if one found something."""
    parser = argparse.ArgumentParser(prog="python -m proof.sanitizers", description=__doc__)
    parser.parse_args()
    found = []
    for number, look in enumerate(LOOKS, start=1):
        print(f"{number}/{len(LOOKS)} {look.tool}: {' '.join(look.tests)}", flush=True)  # noqa: T201
        try:
            found.append(_look(look))
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)  # noqa: T201
            return 130
    RESULTS.parent.mkdir(exist_ok=True)
    clean = sum(one["outcome"].startswith("clean") for one in found)
    results = {"unsafe": unsafe_places(), "clean": clean, "of": len(found), "looks": found}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8", newline="\n")
    for one in found:
        print(f"{one['tool']:<20} {one['tests']:<60} {one['outcome']}")  # noqa: T201
    return int(any(one["outcome"] == "found something" for one in found))


def _look(look: Look) -> dict[str, str]:
    told = {"tool": look.tool, "tests": " ".join(look.tests)}
    if look.needs and _run(list(look.needs), {}).returncode != 0:
        return told | {"outcome": "absent", "to get it": look.absent}
    done = _run(look.command(), look.environment)
    passed = sum(map(int, re.findall(r"(\d+) passed", done.stdout)))
    if done.returncode != 0 or passed == 0:
        print(done.stdout[-4000:] + done.stderr[-4000:])  # noqa: T201
        return told | {"outcome": "found something"}
    return told | {"outcome": f"clean, {passed} tests"}


def _run(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    kind = environment.get("RUSTFLAGS", "plain").rpartition("=")[2]
    target = ROOT / "target" / "sanitizers" / kind
    settings = os.environ | {"CARGO_TARGET_DIR": str(target)} | dict(environment)
    try:
        return subprocess.run(  # noqa: S603
            command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def unsafe_places() -> list[str]:
    """Files of the workspace with unsafe code of their own, without their comments."""
    found = []
    for path in sorted((ROOT / "crates").rglob("src/**/*.rs")):
        code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        if re.search(r"\bunsafe\s*(\{|fn|impl|trait|extern)", code):
            found.append(str(path.relative_to(ROOT)))
    return found


if __name__ == "__main__":
    sys.exit(main())
