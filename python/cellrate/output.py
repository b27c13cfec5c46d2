"""A result as files that other tools open, in a directory that is there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cellrate import scratch
from cellrate.problems import writing

if TYPE_CHECKING:
    from cellrate.api import Result

SUMMARY = "summary.json"
RESOLVED = "resolved.toml"
TRACES = "traces.parquet"
EVENTS = "events.parquet"
FIGURES = "figures"
CAPTURES = "captures"
OURS = frozenset({SUMMARY, RESOLVED, TRACES, EVENTS, FIGURES, CAPTURES})


def refuse_foreign(directory: Path) -> None:
    """Makes sure that writing a result into a directory destroys nothing but an earlier result.

    Raises:
        FileExistsError: It is a file, or holds something that is no part of a result.
    """
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir() or directory.is_symlink():
        raise FileExistsError(f"{directory} exists and is no directory")
    foreign = sorted(entry.name for entry in directory.iterdir() if entry.name not in OURS)
    if foreign:
        raise FileExistsError(
            f"{directory} holds {foreign[0]}, which is no part of a result; "
            "name an empty or new directory"
        )


def save(result: Result, directory: Path, *, figures: bool) -> Path:
    """Writes a result; see `Result.save`."""
    with replacing(directory) as place:
        write(result, place, figures=figures)
    return directory


def write(result: Result, place: Path, *, figures: bool) -> None:
    """Writes the files of a result into a directory that has none of them."""
    _write_text(place / SUMMARY, json.dumps(result.summary, indent=2) + "\n")
    _write_text(place / RESOLVED, result.resolved)
    if result.traces:
        result.trace_frame.write_parquet(place / TRACES)
    if result.logs_events:
        result.events.write_parquet(place / EVENTS)
    if figures:
        _draw(result, place / FIGURES)


@contextmanager
def replacing(
    directory: Path,
    refuse: Callable[[Path], None] = refuse_foreign,
    take: Callable[[Path], None] | None = None,
) -> Iterator[Path]:
    """A fresh directory that takes the place of `directory` if the block ends without an exception.

    Args:
        directory: What is replaced.
        refuse: Raises an exception if that would destroy what is not ours.
        take: Told where the fresh directory is, just before it takes the place.

    Raises:
        FileExistsError: `directory` holds something that is no part of a result.
        OSError: Something cannot be written; what was there before is still there.
    """
    with writing(directory):
        directory.parent.mkdir(parents=True, exist_ok=True)
        with scratch.alone(directory.parent):
            scratch.clear(directory)
            # Before the block, which may simulate for hours.
            refuse(directory)
        with scratch.directory(directory) as place:
            fresh = place / "fresh"
            fresh.mkdir()
            yield fresh
            # Another process may have written the same meanwhile: the later one counts, but others
            # may have put something there, too.
            with scratch.alone(directory.parent):
                refuse(directory)
                if take is not None:
                    take(fresh)
                _exchange(directory, fresh, place / scratch.OLD)


def _draw(result: Result, place: Path) -> None:
    """Draws each kind of trace into a file of its own, and all of them above each other."""
    from cellrate.figures import save as save_figure

    place.mkdir()
    save_figure(result.plot(), place / "all")
    for kind in dict.fromkeys(series.kind for series in result.traces):
        save_figure(result.plot(kind), place / kind)


def _exchange(directory: Path, fresh: Path, old: Path) -> None:
    """Puts `fresh` where `directory` is, which goes to `old` and comes back if that fails."""
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


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
