"""The directory of a data set: replaced as a whole; other files in it are kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cellrate.simulation import output
from cellrate.studies.dataset.columns import ENTITIES, TRACES

STUDY = "study.json"
RUNS = "runs"
DICTIONARY = "dictionary"
OURS = frozenset(
    {
        STUDY,
        f"{DICTIONARY}.json",
        f"{DICTIONARY}.md",
        *(f"{table}.parquet" for table in (RUNS, *ENTITIES, TRACES)),
    }
)


def refuse_foreign(directory: Path) -> None:
    """Checks that a directory is new or empty, or holds a data set.

    Raises:
        FileExistsError: The path is a file, a directory with other files but no data set, or the
            working directory, which cannot be replaced.
    """
    if directory.resolve() == Path.cwd():
        raise FileExistsError(f"{directory} is the working directory; name a directory in it")
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir() or directory.is_symlink():
        raise FileExistsError(f"{directory} exists and is not a directory")
    if any(directory.iterdir()) and not (directory / STUDY).is_file():
        raise FileExistsError(
            f"{directory} is not empty and holds no data set; name an empty or new directory"
        )


@contextmanager
def replacing(directory: Path) -> Iterator[Path]:
    """A fresh directory that replaces `directory` if the block ends without an exception.

    Other files in the directory of an earlier data set, such as reports and figures, are kept.

    Raises:
        FileExistsError: `directory` is not empty and holds no data set.
    """

    def take(fresh: Path) -> None:
        for entry in directory.iterdir() if directory.exists() else ():
            if entry.name not in OURS:
                copy = shutil.copytree if entry.is_dir() else shutil.copy2
                copy(entry, fresh / entry.name)

    with output.replacing(directory, refuse_foreign, take) as fresh:
        yield fresh
