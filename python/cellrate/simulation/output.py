"""Writes the files of a result into a directory, which appears complete or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate.common import scratch
from cellrate.common.input_file import read_own_text
from cellrate.common.problems import writing
from cellrate.common.whole_file import make_directory
from cellrate.simulation.picture_options import PictureOptions

if TYPE_CHECKING:
    import polars as pl

    from cellrate.simulation.api import Result

SUMMARY = "summary.json"
RESOLVED = "resolved.toml"
TRACES = "traces.parquet"
EVENTS = "events.parquet"
FIGURES = "figures"
CAPTURES = "captures"
HEAD, DIGEST = 4096, re.compile(r'"digest": "([^"]*)"')
"""Number of characters at the start of a summary that contain the digest, and its pattern.

A whole summary may be very long, so only its start is read.
"""
OURS = frozenset({SUMMARY, RESOLVED, TRACES, EVENTS, FIGURES, CAPTURES})


def refuse_foreign(directory: Path) -> None:
    """Checks that a directory can be replaced: that it holds at most an earlier result.

    Raises:
        FileExistsError: The path is a file, is below a file, or is a directory with files that are
            not part of a result.
    """
    for place in directory.parents:
        if place.is_file():
            raise FileExistsError(
                f"{place} is a file, so there can be no {directory}; name another directory"
            )
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir() or directory.is_symlink():
        raise FileExistsError(f"{directory} exists and is not a directory")
    foreign = sorted(entry.name for entry in directory.iterdir() if entry.name not in OURS)
    if foreign:
        raise FileExistsError(
            f"{directory} holds {foreign[0]}, which is not part of a result; "
            "name an empty or new directory"
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """The scenario and the digest, by which results of runs are told apart.

    Attributes:
        resolved: The scenario with every default.
        digest: Digest of the run.
    """

    resolved: str
    digest: str

    @classmethod
    def of(cls, directory: Path) -> Identity | None:
        """Identity of the result in a directory; None without a result."""
        try:
            resolved = read_own_text(directory / RESOLVED)
            with (directory / SUMMARY).open(encoding="utf-8") as file:
                head = file.read(HEAD)
        except (OSError, UnicodeDecodeError):
            return None
        digest = DIGEST.search(head)
        return None if digest is None else cls(resolved, digest[1])

    def difference(self, other: Identity) -> str:
        """Difference from another result, for a message; empty if both are of the same run.

        Traces do not count as a difference, because pictures add traces to a run.
        """
        if self.resolved != other.resolved:
            import tomllib  # most results need no comparison

            [one, two] = (tomllib.loads(each.resolved) for each in (self, other))
            for scenario in (one, two):
                scenario["measure"].pop("traces", None)
            if one != two:
                return "another scenario or seed"
        return "" if self.digest == other.digest else "another version of cellrate"


def keep_others(directory: Path, fresh: Path) -> None:
    """Copies pictures and captures of an earlier result of the same run to the fresh result.

    Files of the fresh result are not overwritten. Captures are copied if the fresh result has none.

    Raises:
        OSError: A file cannot be copied.
    """
    earlier, now = Identity.of(directory), Identity.of(fresh)
    if earlier is None or now is None or earlier.difference(now):
        return
    import shutil  # most results keep nothing

    if (directory / CAPTURES).is_dir() and not (fresh / CAPTURES).exists():
        shutil.copytree(directory / CAPTURES, fresh / CAPTURES)
    for picture in sorted((directory / FIGURES).glob("*")):
        own = fresh / FIGURES / picture.name
        if picture.is_file() and not own.exists():
            own.parent.mkdir(exist_ok=True)
            shutil.copy2(picture, own)


def write(result: Result, place: Path, *, figures: bool | PictureOptions) -> None:
    """Writes the files of a result into a directory that has none of them."""
    _write_text(place / SUMMARY, json.dumps(result.summary, indent=2) + "\n")
    _write_text(place / RESOLVED, result.resolved)
    if result.traces:
        _write_table(result.trace_frame, place / TRACES)
    if result.logs_events:
        _write_table(result.events, place / EVENTS)
    if figures:
        options = PictureOptions() if figures is True else figures
        _draw(result, place / FIGURES, options)


def replacing_result(directory: Path) -> AbstractContextManager[Path]:
    """As `replacing`, for a result; pictures and captures of the same run are kept."""
    return replacing(directory, take=partial(keep_others, directory))


@contextmanager
def replacing(
    directory: Path,
    refuse: Callable[[Path], None] = refuse_foreign,
    take: Callable[[Path], None] | None = None,
) -> Iterator[Path]:
    """Context manager with a fresh directory, which replaces `directory` unless the block raises.

    Args:
        directory: The directory to replace.
        refuse: Raises an exception if `directory` holds files that must not be replaced.
        take: Called with the fresh directory just before the replacement.

    Raises:
        FileExistsError: `directory` holds files that are not part of a result.
        OSError: A file cannot be written; `directory` is unchanged.
    """
    with writing(directory):
        make_directory(directory.parent)
        with scratch.alone(directory.parent):
            scratch.clear(directory)
            # Checked before the block, which may simulate for hours.
            refuse(directory)
        with scratch.directory(directory) as place:
            fresh = place / "fresh"
            fresh.mkdir()
            yield fresh
            # Another process may have written the same result meanwhile, which is then replaced.
            # But other files may also have appeared there, so the check is repeated.
            with scratch.alone(directory.parent):
                refuse(directory)
                if take is not None:
                    take(fresh)
                _exchange(directory, fresh, place / scratch.OLD)


def _draw(result: Result, place: Path, options: PictureOptions) -> None:
    """Draws each picture of a run into a file; traces also together in one file."""
    from cellrate.common.picture_style import save as save_figure
    from cellrate.simulation import run_pictures

    place.mkdir()
    for stem, figure in run_pictures.asked(result, options):
        save_figure(figure, place / stem, dark=options.dark)


def _exchange(directory: Path, fresh: Path, old: Path) -> None:
    """Moves `directory` to `old` and `fresh` to `directory`.

    Undoes the first move if the second fails.
    """
    if not directory.exists():
        fresh.rename(directory)
        return
    try:
        directory.rename(old)
        fresh.rename(directory)
    except BaseException:
        if old.exists() and not directory.exists():
            old.rename(directory)
        raise


def _write_table(table: pl.DataFrame, path: Path) -> None:
    from cellrate.common import parquet_table  # imported late, because polars loads slowly

    parquet_table.write(table, path)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
