"""`python -m proof.sanitizers`: looks for undefined behaviour and data races.

Miri and ThreadSanitizer need components of a nightly toolchain; what is absent is said. Valgrind's
helgrind is no substitute: it takes the atomics of the standard library for races.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field

from proof.campaign import ROOT, end_with, keep

TRIPLE = "x86_64-unknown-linux-gnu"
UNCHECKED = "-p cellrate-engine --lib kernel::unchecked"
"""All unsafe code there is."""
KERNEL = "-p cellrate-engine --lib kernel::"
STORE = "-p cellrate-machine --lib store::"
SIMULATION = "-p cellrate-engine --test suite tcp_exact"


@dataclass(frozen=True)
class Look:
    """A tool over some tests.

    Attributes:
        tool: Its name.
        tests: Which tests, as cargo selects them; the last word is a name in them.
        cargo: Command of cargo before the tests.
        needs: A command that says whether the tool is there.
        absent: Advice if it is not.
        environment: Variables that are set for it.
    """

    tool: str
    tests: str
    cargo: str
    needs: str
    absent: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def taken(self) -> dict[str, str]:
        """Takes the look; its outcome as it is kept."""
        found = {"tool": self.tool, "tests": self.tests}
        if self._run(self.needs).returncode != 0:
            return found | {"outcome": "absent", "to get it": self.absent}
        options, _, name = self.tests.rpartition(" ")
        done = self._run(f"{self.cargo} --locked {options} -- {name}")
        passed = sum(map(int, re.findall(r"(\d+) passed", done.stdout)))
        if done.returncode != 0 or passed == 0:
            print(done.stdout[-4000:] + done.stderr[-4000:])
            return found | {"outcome": "found something"}
        return found | {"outcome": f"clean, {passed} tests"}

    def _run(self, line: str) -> subprocess.CompletedProcess[str]:
        kind = self.environment.get("RUSTFLAGS", "plain").rpartition("=")[2]
        target = {"CARGO_TARGET_DIR": str(ROOT / "target" / "sanitizers" / kind)}
        settings = os.environ | target | dict(self.environment)
        return subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=ROOT,
            env=settings,
            capture_output=True,
            text=True,
            check=False,
        )


def _memcheck(tests: str) -> Look:
    runner = f"CARGO_TARGET_{TRIPLE.upper().replace('-', '_')}_RUNNER"
    return Look(
        "valgrind memcheck",
        tests,
        "cargo test",
        "valgrind --version",
        "apt-get install valgrind",
        {runner: "valgrind -q --error-exitcode=9 --tool=memcheck"},
    )


def _address(tests: str) -> Look:
    return Look(
        "address sanitizer",
        tests,
        f"cargo +nightly test --target {TRIPLE}",
        "cargo +nightly --version",
        "rustup toolchain install nightly",
        {"RUSTFLAGS": "-Zsanitizer=address", "ASAN_OPTIONS": "detect_leaks=0"},
    )


LOOKS = (
    Look(
        "Miri",
        UNCHECKED,
        "cargo +nightly miri test",
        "cargo +nightly miri --version",
        "rustup component add --toolchain nightly miri rust-src",
    ),
    _address(KERNEL),
    _address(SIMULATION),
    Look(
        "thread sanitizer",
        STORE,
        f"cargo +nightly test --target {TRIPLE} -Zbuild-std",
        'test -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library"',
        "rustup component add --toolchain nightly rust-src",
        {"RUSTFLAGS": "-Zsanitizer=thread"},
    ),
    _memcheck(KERNEL),
    _memcheck(SIMULATION),
)


def main() -> int:
    """Looks with every tool that is there; 1 if one found something."""
    found = []
    for number, look in enumerate(LOOKS, start=1):
        print(f"{number}/{len(LOOKS)} {look.tool}: {look.tests}", flush=True)
        found.append(look.taken())
    clean = sum(each["outcome"].startswith("clean") for each in found)
    keep("sanitizers", {"clean": clean, "of": len(found), "looks": found})
    for each in found:
        print(f"{each['tool']:<20} {each['tests']:<60} {each['outcome']}")
    return int(any(each["outcome"] == "found something" for each in found))


if __name__ == "__main__":
    end_with(main)
