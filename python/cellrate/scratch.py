"""Directories for what is being written, beside where it will stand."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import secrets
import shutil
import socket
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
"""In a scratch directory, what stood in the place before and has just been moved aside."""
LONGEST_NAME = 120
"""Bytes of a name that leave room for who writes there."""
UNKNOWN = -1

_held: dict[Path, int] = {}
"""Scratch directories of this process, and what holds their locks."""


def beside(directory: Path) -> Path:
    """A new directory beside another one, hidden, named by who writes there, and locked."""
    while True:
        name = f"{_prefix(directory)}{os.getpid()}.{secrets.token_hex(4)}"
        made = directory.parent / name
        # It is noted first: an interrupt may come between any two steps, and `remove_all` then.
        _held[made] = UNKNOWN
        try:
            made.mkdir(mode=0o700)
        except OSError:
            del _held[made]
            raise
        lock = _locked(made)
        # Before it was locked it could be taken for what a killed writer left.
        if made.exists() and lock is not None:
            _held[made] = lock
            return made
        del _held[made]


@contextmanager
def directory(place: Path) -> Iterator[Path]:
    """`beside`, for as long as the block takes."""
    made = beside(place)
    try:
        yield made
    finally:
        remove(made)


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Nobody else is in such a block for this directory, where locks are known."""
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
    """Removes what `beside` has made, as far as that is possible."""
    shutil.rmtree(made, ignore_errors=True)
    _close(_held.pop(made, UNKNOWN))


def remove_all() -> None:
    """Removes all that this process has made and not yet removed, after an interrupt."""
    for made in list(_held):
        remove(made)


def clear(directory: Path) -> None:
    """Removes what writers of a directory left that were killed, and puts back what they took.

    Only processes of this machine can be known to be gone; what others left stays.
    """
    prefix = _prefix(directory)
    for left in directory.parent.glob(f"{glob.escape(prefix)}*"):
        writer = left.name.removeprefix(prefix).partition(".")[0]
        if not writer.isdecimal():
            continue
        lock = _locked(left)
        # A number says little: processes of a container have the same one after each start.
        if lock is None or (lock == UNKNOWN and _lives(int(writer))):
            continue
        if (left / OLD).exists() and not directory.exists():
            (left / OLD).rename(directory)
        shutil.rmtree(left, ignore_errors=True)
        _close(lock)


def _prefix(directory: Path) -> str:
    host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
    name = directory.name
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    return f".{name}.{host}."


def _locked(made: Path) -> int | None:
    """What holds the lock of a directory; None if another one holds it, or it is gone."""
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
    """Whether a process of this machine is there; where that cannot be asked, it may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
