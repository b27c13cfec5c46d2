"""Directories for what is being written, beside where it will stand."""

from __future__ import annotations

import glob
import os
import re
import shutil
import socket
import tempfile
from pathlib import Path

OLD = "old"
"""In a scratch directory, what stood in the place before and has just been moved aside."""


def beside(directory: Path) -> Path:
    """A new directory beside another one, hidden, and named by who writes there."""
    return Path(
        tempfile.mkdtemp(prefix=f"{_prefix(directory)}{os.getpid()}.", dir=directory.parent)
    )


def clear(directory: Path) -> None:
    """Removes what writers of a directory left that were killed, and puts back what they took.

    Only processes of this machine can be known to be gone; what others left stays.
    """
    prefix = _prefix(directory)
    for left in directory.parent.glob(f"{glob.escape(prefix)}*"):
        writer = left.name.removeprefix(prefix).partition(".")[0]
        if not writer.isdecimal() or _lives(int(writer)):
            continue
        if (left / OLD).exists() and not directory.exists():
            (left / OLD).rename(directory)
        shutil.rmtree(left, ignore_errors=True)


def _prefix(directory: Path) -> str:
    host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
    return f".{directory.name}.{host}."


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
