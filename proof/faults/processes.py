"""Processes as Linux shows them in /proc: their sessions and their open files."""

from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def members(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for entry in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):
            text = entry.read_text(encoding="utf-8", errors="replace")
            # Behind the name of the command: state, parent, group, session.
            state, _, _, of = text.rpartition(")")[2].split()[:4]
            if int(of) == session and state != "Z":
                found.append(int(entry.parent.name))
    return found


def opened_below(pid: int, place: Path) -> bool:
    """True if a process has an open file or directory below `place`."""
    found = []
    with suppress(OSError):
        for descriptor in (PROC / str(pid) / "fd").iterdir():
            with suppress(FileNotFoundError):
                found.append(descriptor.readlink())
    return any(place.resolve() in target.parents for target in found)
