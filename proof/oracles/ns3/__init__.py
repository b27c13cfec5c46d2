"""TCP as ns-3 simulates it: its traces, and the engine's tests against them."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from proof.campaign import ROOT
from proof.oracles.patterns import Pattern, read_patterns
from proof.oracles.tool import Oracle
from proof.oracles.traces import Event

SCRIPT = Path(__file__).with_name("one_way.py")
REQUIREMENTS = ROOT / "proof" / "requirements-ns3.txt"
VENV = ROOT / "target" / "ns3-venv"
PYTHON = VENV / "bin" / "python"

# Its name in ns-3, whether the senders use SACK, and the first ssthresh in packets, 0 without.
VARIANTS: dict[str, dict[str, object]] = {
    "newreno": {"type": "TcpNewReno", "sack": False, "ssthresh": 0},
    "sack": {"type": "TcpNewReno", "sack": True, "ssthresh": 0},
    "cubic": {"type": "TcpCubic", "sack": False, "ssthresh": 20},
    "vegas": {"type": "TcpVegas", "sack": False, "ssthresh": 0},
}


def simulate(name: str, patterns: list[Pattern]) -> list[list[Event]]:
    """The runs of one of `VARIANTS`, in one process: to load ns-3 takes longer than all of them.

    Raises:
        ChildProcessError: ns-3 failed.
    """
    jobs = [json.dumps({**asdict(pattern), **VARIANTS[name]}) for pattern in patterns]
    done = subprocess.run(
        [PYTHON, SCRIPT], input="\n".join(jobs), capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(jobs):
        raise ChildProcessError(f"ns-3, {name}: run {len(lines)}: {done.stderr[-2000:]}")
    return [[_event(*row) for row in json.loads(line)] for line in lines]


def _event(time: int, ack: bool, packet: int, cwnd: float) -> Event:
    return Event(time, ack=ack, packet=packet, cwnd=cwnd)


def install() -> str:
    """Its version; ns-3 comes from the package index into an environment of its own.

    Raises:
        CalledProcessError: It cannot be installed.
    """
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([PYTHON, "-m", "pip", "install", *options, "-r", REQUIREMENTS], check=True)
    [version] = [
        line.partition("==")[2].split()[0]
        for line in REQUIREMENTS.read_text().splitlines()
        if line.startswith("ns3==")
    ]
    return version


# Window functions show over seconds; the short patterns are of losses.
PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "newreno": (),
    "sack": (),
    "cubic": tuple(read_patterns("tcp_windows.csv")),
    "vegas": tuple(read_patterns("tcp_windows.csv")),
}
ORACLE = Oracle("ns3", "ns-3", install, simulate, PATTERNS)
