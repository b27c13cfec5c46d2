"""Failures for want of memory, threads or open files, from wherever they come."""

from __future__ import annotations

import errno
import importlib.util

from cellrate.problems import ADVICE, told

THREADS = "can't start new thread", "os error 11", "WouldBlock"
"""What Python and libraries say if the system allows them no further thread."""
OPEN_FILES = "os error 24", "TooManyOpenFiles"
"""What libraries say if they may open no further file."""


def lacking(error: BaseException) -> str | None:
    """What the system has too little of, if that is why something failed; None for a defect."""
    if isinstance(error, OSError):
        return told(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory; allow more of it (ulimit -v), or use fewer --workers"
    text = " ".join(str(error).split())
    if any(words in text for words in THREADS):
        return f"the system allows no further thread; {ADVICE[errno.EAGAIN]}"
    if any(words in text for words in OPEN_FILES):
        return f"too many files are open; {ADVICE[errno.EMFILE]}"
    if isinstance(error, ImportError) and _is_there(error):
        # A library that is there and is not loaded for want of memory says so in its own words.
        return f"a part of the program cannot be loaded: {text}"
    return None


def _is_there(error: ImportError) -> bool:
    """Whether a module of somebody else failed to load, rather than is missing."""
    package = (error.name or "").partition(".")[0]
    if package == "cellrate" or isinstance(error, ModuleNotFoundError):
        return False
    return not package or importlib.util.find_spec(package) is not None
