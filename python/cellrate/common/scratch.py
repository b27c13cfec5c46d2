"""Scratch directories for files that are being written, beside their final place."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # as on Windows
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

OLD = "old"
"""Name, within a scratch directory, of the previous contents during a replacement."""
LONGEST_NAME = 120
"""Greatest length in bytes of a directory's name within a scratch name; longer ones are hashed."""
UNKNOWN = -1

_held: dict[Path, int] = {}
"""Scratch directories of this process, with the file descriptors of their locks."""


def beside(directory: Path) -> Path:
    """Makes a hidden, locked directory beside `directory`, named after host and process."""
    while True:
        name = f"{_prefix(directory)}{os.getpid()}.{os.urandom(4).hex()}"
        made = directory.parent / name
        # Registered before it is made, so that `remove_all` finds it after an interrupt.
        _held[made] = UNKNOWN
        try:
            made.mkdir(mode=0o700)
        except OSError:
            del _held[made]
            raise
        lock = _locked(made)
        # Before this process locked the directory, another process may have removed it as left by
        # a killed process.
        if made.exists() and lock is not None:
            _held[made] = lock
            return made
        del _held[made]


def _remove_tree(place: Path) -> None:
    """Removes a directory, or as much of it as can be removed."""
    import shutil  # the start of every command loads this module

    shutil.rmtree(place, ignore_errors=True)


@contextmanager
def directory(place: Path) -> Iterator[Path]:
    """A scratch directory as from `beside`, removed at the end of the block."""
    made = beside(place)
    try:
        yield made
    finally:
        remove(made)


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """A context manager that locks a directory for one process at a time.

    Has no effect on systems without file locks.
    """
    if not HAS_LOCKS:
        yield
        return
    lock = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # as on some network file systems
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def remove(made: Path) -> None:
    """Removes a directory that `beside` made, as far as possible."""
    _remove_tree(made)
    _close(_held.pop(made, UNKNOWN))


def remove_all() -> None:
    """Removes all scratch directories of this process, after an interrupt."""
    for made in list(_held):
        remove(made)


def clear(directory: Path) -> None:
    """Removes scratch directories of killed processes, and restores directories that they moved.

    Directories of other machines are left alone, since their processes may still run.
    """
    prefix = _prefix(directory)
    for left in directory.parent.glob(f"{glob.escape(prefix)}*"):
        writer = left.name.removeprefix(prefix).partition(".")[0]
        if not writer.isdecimal():
            continue
        lock = _locked(left)
        # The process number is not sufficient, because in containers it is the same after each
        # start.
        if lock is None or (lock == UNKNOWN and _lives(int(writer))):
            continue
        if (left / OLD).exists() and not directory.exists():
            (left / OLD).rename(directory)
        _remove_tree(left)
        _close(lock)


def _prefix(directory: Path) -> str:
    import socket  # the start of every command loads this module

    host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
    name = directory.name
    if len(os.fsencode(name)) > LONGEST_NAME:
        import hashlib  # slow to load, and hardly ever needed

        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    return f".{name}.{host}."


def _locked(made: Path) -> int | None:
    """Locks a directory; None if another process holds the lock or the directory is gone."""
    if not HAS_LOCKS:
        return UNKNOWN
    try:
        lock = os.open(made, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:  # as on some network file systems
        os.close(lock)
        return UNKNOWN
    return lock


def _close(lock: int) -> None:
    if lock != UNKNOWN:
        os.close(lock)


def _lives(process: int) -> bool:
    """True if a process of this machine exists, or if this cannot be determined."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
