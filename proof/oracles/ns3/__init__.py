"""TCP and queues as ns-3 simulates them: their traces, and the engine's tests against them."""

import json
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from proof.campaign import ROOT
from proof.oracles.ns3 import disciplines
from proof.oracles.patterns import Pattern, read_patterns
from proof.oracles.tool import Oracle
from proof.oracles.traces import Event

SCRIPT = Path(__file__).with_name("models.py")
REQUIREMENTS = ROOT / "proof" / "requirements-ns3.txt"
VENV = ROOT / "target" / "ns3-venv"
PYTHON = VENV / "bin" / "python"

# For each variant the class in ns-3, whether the senders use SACK and ECN, and the initial ssthresh
# in packets; 0 for none.
VARIANTS: dict[str, dict[str, object]] = {
    "newreno": {"type": "TcpNewReno", "sack": False, "ecn": False, "ssthresh": 0},
    "sack": {"type": "TcpNewReno", "sack": True, "ecn": False, "ssthresh": 0},
    "cubic": {"type": "TcpCubic", "sack": False, "ecn": False, "ssthresh": 20},
    "vegas": {"type": "TcpVegas", "sack": False, "ecn": False, "ssthresh": 0},
    "newreno-ecn": {"type": "TcpNewReno", "sack": False, "ecn": True, "ssthresh": 0},
    "sack-ecn": {"type": "TcpNewReno", "sack": True, "ecn": True, "ssthresh": 0},
    "dctcp": {"type": "TcpDctcp", "sack": True, "ecn": True, "ssthresh": 0},
}


def simulate(name: str, patterns: list[Pattern]) -> list[list[Event]]:
    """The runs of one of `VARIANTS`, in one process: loading ns-3 takes longer than all runs."""
    jobs = [{**asdict(pattern), **VARIANTS[name]} for pattern in patterns]
    return [[_event(*row) for row in rows] for rows in _run("one_way", jobs)]


def tables() -> dict[str, str]:
    """Traces of queue disciplines, by file."""
    return disciplines.tables(partial(_run, "queues"))


def _run(model: str, jobs: list[dict[str, Any]]) -> list[list[Any]]:
    """The rows of each job of a model, which runs in an interpreter that has ns-3."""
    text = "\n".join(json.dumps(job) for job in jobs)
    command = [str(PYTHON), str(SCRIPT), model]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(jobs):
        raise ChildProcessError(f"ns-3, {model}: run {len(lines)}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in lines]


def _event(time: int, ack: bool, packet: int, cwnd: float) -> Event:
    return Event(time, ack=ack, packet=packet, cwnd=cwnd)


def install() -> str:
    """Version of ns-3, which is installed from the package index into a virtual environment."""
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


# Patterns for each variant; window functions need long patterns, the short patterns are of losses.
FILES = dict.fromkeys(("cubic", "vegas"), "tcp_windows.csv") | dict.fromkeys(
    ("newreno-ecn", "sack-ecn", "dctcp"), "tcp_marks.csv"
)
PATTERNS = {name: read_patterns(FILES[name]) if name in FILES else [] for name in VARIANTS}
ORACLE = Oracle("ns3", "ns-3", install, simulate, PATTERNS, tables=tables)
