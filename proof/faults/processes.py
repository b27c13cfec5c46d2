"""Processes as Linux shows them in /proc: their parents, their sessions and their open files."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")


def children(parent: int, running: str) -> list[int]:
    """Processes that a process has started and whose command line has these words, in order."""
    found = (pid for pid, (of, _, _) in _processes().items() if of == parent)
    return sorted(pid for pid in found if running in _command(pid))


def members(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    alive = _processes().items()
    return [pid for pid, (_, of, state) in alive if of == session and state != "Z"]


def opened_below(pid: int, place: Path) -> bool:
    """True if a process has a file or directory below the place open."""
    try:
        descriptors = list((PROC / str(pid) / "fd").iterdir())
    except OSError:
        return False
    return any(place.resolve() in target.parents for target in map(_target, descriptors))


def _target(descriptor: Path) -> Path:
    try:
        return descriptor.readlink()
    except OSError:
        return PROC


def _stat(pid: str) -> tuple[int, int, str]:
    """Parent, session and state of a process."""
    text = (PROC / pid / "stat").read_text(encoding="utf-8", errors="replace")
    state, parent, _, session = text.rpartition(")")[2].split()[:4]
    return int(parent), int(session), state


def _command(pid: int) -> str:
    try:
        return (PROC / str(pid) / "cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _processes() -> dict[int, tuple[int, int, str]]:
    found = {}
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            try:
                found[int(entry.name)] = _stat(entry.name)
            except (OSError, ValueError):
                continue
    return found
