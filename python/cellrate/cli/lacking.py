"""Messages for failures from lack of memory, threads or open files, whatever raised them."""

from __future__ import annotations

import errno
import importlib.util

from cellrate.common.problems import ADVICE, system_message

THREADS = "can't start new thread", "os error 11", "WouldBlock"
"""Texts of errors in Python and libraries if the system allows no further thread."""
OPEN_FILES = "os error 24", "TooManyOpenFiles"
"""Texts of errors in libraries if they may open no further file."""


def lacking(error: BaseException) -> str | None:
    """Message for an error from lack of a system resource; None for all other errors."""
    if isinstance(error, OSError):
        return system_message(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory; allow more of it (ulimit -v), or use fewer --workers"
    text = " ".join(str(error).split())
    if any(words in text for words in THREADS):
        return f"the system allows no further thread; {ADVICE[errno.EAGAIN]}"
    if any(words in text for words in OPEN_FILES):
        return f"too many files are open; {ADVICE[errno.EMFILE]}"
    if isinstance(error, ImportError) and _is_there(error):
        # The library is installed but fails to load, for example from lack of memory.
        return f"a part of the program cannot be loaded: {text}"
    return None


def _is_there(error: ImportError) -> bool:
    """True if an installed module outside this package failed to load."""
    package = (error.name or "").partition(".")[0]
    if package == "cellrate" or isinstance(error, ModuleNotFoundError):
        return False
    return not package or importlib.util.find_spec(package) is not None
