"""Packets of a capture file, as tshark reads them."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cellrate.simulation.captures import DISSECTOR

CHECKED = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
"""Without these options tshark trusts checksums."""
VC_MULTIPLEXED = (*CHECKED, "-o", "erf.aal5_type:UNSPEC")
"""ERF records do not state the payload of AAL5; tshark would take IP without LLC/SNAP for LANE."""
CELLS_OF_53 = (*CHECKED, "-o", 'uat:user_dlts:"User 0 (DLT=147)","atm_oam_cell","0","","0",""')
"""Selects the only dissector of tshark that checks the HEC, and the CRC-10 of RM cells."""
OUR_DISSECTOR = ("-X", f"lua_script:{DISSECTOR}")
"""Selects cellrate's dissector of RM cells."""
TRUE = ("1", "True")
"""Values that versions of tshark write for a flag that is set."""
SECONDS = 600

Row = dict[str, str]


def command() -> str | None:
    """Path of tshark, if it is installed."""
    return shutil.which("tshark")


@cache
def version() -> str:
    """Version of tshark."""
    return _run(["--version"]).split()[2].rstrip(".")


def counted(
    path: Path, patterns: Sequence[str], protocol: str, options: Sequence[str]
) -> Counter[str]:
    """Number of lines in the printed details of a protocol that match each of the patterns."""
    text = _run(["-n", "-r", str(path), *options, "-O", protocol])
    return Counter({pattern: len(re.findall(pattern, text, re.MULTILINE)) for pattern in patterns})


def rows(
    path: Path, fields: Sequence[str], where: str = "", options: Sequence[str] = CHECKED
) -> list[Row]:
    """A row per packet that the display filter lets pass: the fields, empty where absent."""
    names = [part for field in fields for part in ("-e", field)]
    filtered = ["-Y", where] if where else []
    form = ["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=,"]
    text = _run([*options, "-n", "-r", str(path), *filtered, *form, *names])
    return [dict(zip(fields, line.split("\t"), strict=True)) for line in text.splitlines()]


def payload_by_statistics(path: Path, filters: Sequence[str]) -> list[int]:
    """Bytes of TCP payload that pass each display filter, by tshark's `-z io,stat`."""
    sums = [f"SUM(tcp.len)tcp.len&&({where})" for where in filters]
    text = _run(["-n", "-q", "-r", str(path), "-z", ",".join(["io,stat,0", *sums])])
    [line] = [line for line in text.splitlines() if "<>" in line and re.search(r"\d", line)]
    return [int(column) for column in line.strip("|").split("|")[1:]]


def _run(arguments: Sequence[str]) -> str:
    tshark = command()
    if tshark is None:
        raise FileNotFoundError("tshark is not installed")
    done = subprocess.run(
        [tshark, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    complaints = [line for line in done.stderr.splitlines() if "as user" not in line]
    if done.returncode != 0 or complaints:
        raise ChildProcessError("\n".join(complaints) or f"tshark ended with {done.returncode}")
    return done.stdout
