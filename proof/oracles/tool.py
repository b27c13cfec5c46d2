"""A simulator that the engine is compared with: makes its traces again, runs the engine's tests."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proof.campaign import ROOT
from proof.oracles import evidence
from proof.oracles.patterns import DATA, Pattern, read_patterns
from proof.oracles.traces import HEADER, Event, as_text


@dataclass(frozen=True)
class Oracle:
    """A simulator.

    Attributes:
        name: Name of the simulator's folder of traces and of the engine's test.
        title: Name of the simulator in reports.
        install: Installs the simulator if it is missing, and returns its version.
        simulate: Simulates patterns in one variant, and returns the events of each run.
        variants: Patterns of each variant; all patterns if empty.
        corrected: Variants of the engine's table in which the simulator runs with corrections.
        tables: Makes further files of traces, by name.
    """

    name: str
    title: str
    install: Callable[[], str]
    simulate: Callable[[str, list[Pattern]], list[list[Event]]]
    variants: Mapping[str, Sequence[Pattern]]
    corrected: Sequence[str] = ()
    tables: Callable[[], Mapping[str, str]] = dict

    def run(self, *, bless: bool) -> bool:
        """Makes the traces again, compares them with the committed ones, runs the engine's tests.

        With `bless` the traces and the engine's table are written instead of compared.
        """
        version = self.install()
        files = {name: self._traces(name) for name in self.variants} | dict(self.tables())
        changed = [name for name, text in files.items() if not self._same(name, text, bless=bless)]
        for name in changed:
            sys.stderr.write(f"{self.title} gives other rows than data/{self.name}/{name}.csv\n")
        if changed or not self._tested(bless=bless):
            return False
        evidence.write_results(self.name, version, self.corrected)
        return True

    def _traces(self, variant: str) -> str:
        patterns = list(self.variants[variant]) or read_patterns()
        sys.stderr.write(f"{self.title}: {variant}, {len(patterns)} runs\n")
        runs = self.simulate(variant, patterns)
        named = zip(patterns, runs, strict=True)
        return HEADER + "".join(as_text(pattern.name, events) for pattern, events in named)

    def _same(self, name: str, text: str, *, bless: bool) -> bool:
        path = DATA / self.name / f"{name}.csv"
        if bless:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return path.exists() and path.read_text() == text

    def _tested(self, *, bless: bool) -> bool:
        command = [os.environ.get("CARGO", "cargo"), "test", "--quiet", "--locked"]
        command += ["-p", "cellrate-engine", "--test", "suite", f"{self.name}::"]
        environment = os.environ | ({"CELLRATE_BLESS": "1"} if bless else {})
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        return not done.returncode


def found_or_installed(program: str, package: str) -> str:
    """The version of a Debian package, which is installed if it is missing and can be installed.

    Raises:
        SystemExit: The package is missing and cannot be installed.
    """
    if not shutil.which(program):
        apt = shutil.which("apt-get")
        if apt is None or os.geteuid():
            sys.exit(f"needs `{program}`: apt-get install {package}, as root")
        subprocess.run([apt, "install", "--yes", "--quiet", package], check=True)
    query = ["dpkg-query", "--show", "--showformat", "${Version}", package]
    if shutil.which(query[0]) is None:
        return "of unknown version"
    done = subprocess.run(query, capture_output=True, text=True, check=True)
    return done.stdout
