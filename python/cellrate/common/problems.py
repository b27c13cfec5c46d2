"""Errors of input and of the system, and warnings, as messages for users."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike

MOST_NAMED = 50
"""Number of allowed names above which a message shows only the nearest."""
FEW = 8
LONGEST_PATH = 200
FREE_SPACE = "free some space, or write elsewhere; existing files are unchanged"


class BadInput(Exception):
    """The user's input is wrong; the message says what was found and what is allowed."""

    def _render_traceback_(self) -> list[str]:
        """The lines that notebooks show instead of a traceback: only the message."""
        return [f"{type(self).__name__}: {self}"]


EMPTY_PATH = "the path of the file is empty; name a file"


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Converts failures to read the user's file into `BadInput`."""
    try:
        yield
    except OSError as error:
        if not path:
            raise BadInput(EMPTY_PATH) from error
        if path.startswith("--") and error.errno == errno.ENOENT:
            raise BadInput(f"unknown option {path}; --help lists the options") from error
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error


ADVICE = {
    errno.ENOSPC: FREE_SPACE,
    errno.EDQUOT: FREE_SPACE,
    errno.EFBIG: FREE_SPACE,
    errno.EACCES: "allow writing there, or name another place",
    errno.EROFS: "allow writing there, or name another place",
    errno.ENAMETOOLONG: "name a shorter one",
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENFILE: "close other programs, or allow more open files",
    errno.EAGAIN: "allow more threads (ulimit -u), or use fewer (--workers)",
}
"""Remedies for failures of the system, by error number."""


def system_message(error: OSError, tried: str = "") -> str:
    """A failure of the system on one line: action, path, reason, and remedy."""
    if error.strerror is None:
        return str(error)
    where = "" if error.filename is None else shortened(str(error.filename))
    begin = " ".join(part for part in (tried, where) if part)
    advice = ADVICE.get(error.errno or 0)
    return (f"{begin}: " if begin else "") + error.strerror + (f"; {advice}" if advice else "")


def shortened(path: str) -> str:
    """The path, with its middle left out if it is too long for a line."""
    return path if len(path) <= LONGEST_PATH else f"{path[:40]}...{path[-40:]}"


@contextmanager
def writing(path: str | PathLike[str]) -> Iterator[None]:
    """Adds the path to the messages of failures to write a file or directory.

    Raises:
        OSError: The file cannot be written; the message gives the reason and a remedy.
    """
    try:
        yield
    except FileExistsError:
        # The message of this error names the path already.
        raise
    except OSError as error:
        error.filename = str(path) if error.strerror is not None else None
        raise OSError(system_message(error, "cannot write")) from error
    except _of_tables() as error:
        # Polars' exception does not keep the error number.
        why = " ".join(str(error).split())
        place = shortened(str(path))
        raise OSError(f"cannot write {place}: {why}; {FREE_SPACE}") from error


def _of_tables() -> tuple[type[Exception], ...]:
    """Exceptions that polars raises if it cannot write; empty if polars has not been imported."""
    exceptions = sys.modules.get("polars.exceptions")
    return (exceptions.ComputeError,) if exceptions else ()


def choose(name: str, allowed: Sequence[str], what: str) -> str:
    """Returns the name if it is allowed.

    Raises:
        BadInput: The name is not allowed; the message suggests the nearest name and lists all
            allowed ones, or the nearest few of very many.
    """
    if name in allowed:
        return name
    import difflib  # only wrong names need it

    nearest = difflib.get_close_matches(name, allowed, n=1, cutoff=0.5)
    hint = f", did you mean {nearest[0]!r}?" if nearest else ""
    shown = list(allowed)
    if len(shown) > MOST_NAMED:
        shown = difflib.get_close_matches(name, allowed, n=FEW, cutoff=0.0)
        shown.append(f"... ({len(allowed)} of them)")
    raise BadInput(f"there is no {what} {name!r}{hint or ';'} allowed: {', '.join(shown)}")


def nearest(name: str, known: Sequence[str], most: int) -> list[str]:
    """All known names if they are few, else those nearest to a name."""
    if len(known) <= most:
        return list(known)
    import difflib  # only wrong names need it

    return difflib.get_close_matches(name, known, n=most, cutoff=0.0)


def warn(warnings: Iterable[Mapping[str, str]]) -> None:
    """Writes each warning to standard error."""
    for warning in warnings:
        sys.stderr.write(f"warning[{warning['code']}]: {warning['message']}\n")


THREADS = "can't start new thread", "os error 11", "WouldBlock"
"""Messages of Python and libraries if the system refuses a further thread."""
OPEN_FILES = "os error 24", "TooManyOpenFiles"
"""Messages of libraries if the system refuses to open a further file."""


def lacking(error: BaseException) -> str | None:
    """Message for an error caused by lack of memory, threads or files.

    None for all other errors.
    """
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
    import importlib.util  # only failures to import need it

    package = (error.name or "").partition(".")[0]
    if package == "cellrate" or isinstance(error, ModuleNotFoundError):
        return False
    return not package or importlib.util.find_spec(package) is not None
