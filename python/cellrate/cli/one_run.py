"""Makes one run, writes its files, and shows its measures; imports no parser of options."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate.cli.progress import ProgressBar
from cellrate.common import terminal
from cellrate.common.problems import BadInput, reading, warn
from cellrate.common.to_json import json_text
from cellrate.simulation import output, source
from cellrate.simulation.runner import Job, Threads, run_one, thread_count

# Imported late, because they load slowly and most errors are known before the run.
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cellrate import _core
    from cellrate.simulation.api import Result
    from cellrate.simulation.picture_options import PictureOptions

CAPTURE_SPAN = "--capture-from", "--capture-to"
# Suffixes of captures that tshark reads.
READ_BY_TSHARK = (".pcap", ".pcapng", ".erf")
# Notes on how the captured run differs from the run without a capture.
SET_UP = (
    "the captured run opens its TCP connections (tcp.connection_setup=true), so the digest differs "
    "from that of the run without --capture; to capture that run, add --set "
    "tcp.connection_setup=false"
)
ALONE = "the capture did not change the run: the digest equals that of the run without --capture"


def job_of(file: str, settings: Sequence[str] = (), seed: int | None = None) -> Job:
    """The job of a scenario file with settings.

    Raises:
        BadInput: The file cannot be read.
        ScenarioError: The file is not UTF-8 text.
    """
    with reading(file):
        text, name = source.read(file)
    return Job(text, name, tuple(settings), seed)


def run_once(
    job: Job,
    *,
    out: Path | None = None,
    pictures: PictureOptions | None = None,
    capture: Sequence[str] = (),
    between: tuple[float, float] = (0.0, math.inf),
    threads: Threads = "auto",
    json: bool = False,
) -> None:
    """Runs a job once and shows its measures.

    Args:
        job: The job.
        out: Directory for files; by default one with the scenario's name, if there are files to
            write.
        pictures: Pictures to draw; None for none.
        capture: Places whose traffic is written.
        between: Start and end of captures in seconds.
        threads: Threads of the run.
        json: True to show the measures as JSON.

    Raises:
        BadInput: An option does not fit the scenario, or the directory has other files.
        ScenarioError: The scenario is wrong, or needs more memory than is available.
    """
    # The scenario, what is asked of it, and the place of the files.
    scenario, more = job.scenario(), None
    if pictures:
        from cellrate.cli.pictures import missing_traces, refuse_early

        refuse_early(scenario, pictures)
        more = missing_traces(scenario.resolved(), pictures)
    if capture:
        from cellrate.simulation.spans import refuse_outside

        refuse_outside(scenario, between, CAPTURE_SPAN)
    asked = (job, pictures, list(capture), between) if pictures or capture else None
    directory = _directory(job.path, out, asked)
    earlier = None if directory is None else output.Identity.of(directory)
    # The traces that pictures need.
    if more:
        job = replace(job, overrides=(*job.overrides, more))
        scenario = job.scenario()
    # Threads.
    if threads not in {"auto", 1}:
        _note_fewer_threads(scenario, threads)
    # The run, alone or with captures, and its files.
    if directory is not None and capture:
        result = _captured(job, scenario, list(capture), between, directory, pictures, threads)
    else:
        from cellrate.simulation.api import Result

        with ProgressBar("simulating") as progress:
            outcome = run_one(scenario, progress=progress, threads=threads)
        result = Result(outcome, source.short_name(job.path), scenario)
        if directory is not None:
            result.save(directory, figures=pictures or False)
    # Warnings and notes, then the measures.
    from cellrate.simulation.at_a_glance import at_a_glance

    shown = result.summary if json else at_a_glance(result.outcome)
    warn(shown["warnings"])
    now = output.Identity(result.resolved, shown["digest"])
    if earlier is not None and (other := earlier.difference(now)):
        sys.stderr.write(f"note: {directory} held the result of {other}; it was replaced\n")
    if json:
        sys.stdout.write(json_text(shown))
        return
    _show(shown, job.path)
    if directory is not None:
        terminal.say(f"written to {directory}")


def _note_fewer_threads(scenario: _core.Scenario, threads: Threads) -> None:
    """Writes a note with the reason if the run has fewer threads than the user set."""
    found = scenario.partition(thread_count(threads))
    count = len(found["parts"])
    if found["reason"]:
        fewer = "one thread" if count == 1 else f"{count} threads"
        sys.stderr.write(f"note: the run uses {fewer} instead of {threads}: {found['reason']}\n")


def _captured(
    job: Job,
    scenario: _core.Scenario,
    taps: Sequence[str],
    between: tuple[float, float],
    directory: Path,
    pictures: PictureOptions | None,
    threads: Threads,
) -> Result:
    """Simulates a job with captures, and writes the result and the captures to a directory.

    Raises:
        BadInput: There is no such place or format.
    """
    import shlex

    from cellrate.simulation import captures

    figures = pictures or False
    try:
        taken = captures.take(
            job, scenario, taps, directory, between, ProgressBar, figures=figures, threads=threads
        )
    except captures.NothingToCapture as error:
        raise BadInput(f"--capture: {error}") from error
    sys.stderr.write(f"note: {ALONE if taken.alone else SET_UP}\n")
    for path in taken.files:
        sys.stderr.write(f"captured: {path}\n")
    first = next((path for path in taken.files if path.suffix in READ_BY_TSHARK), None)
    if first is not None:
        reader = f'tshark -X lua_script:"$(cellrate dissector)" -r {shlex.quote(str(first))}'
        sys.stderr.write(f"read it: {reader}\n")
    return taken.result


def _show(overview: Mapping[str, Any], name: str) -> None:
    """Shows a run: its size and digest, its flows, its ports, and totals.

    Args:
        overview: The run at a glance.
        name: Name of the scenario.
    """
    from cellrate.simulation.at_a_glance import hops_of, run_parts

    (hops, unit), wall = hops_of(overview), overview["wall_seconds"]
    pace = f", {1e9 * wall / hops:.0f} ns each" if hops else ""
    terminal.say(
        f"{name}: {overview['simulated_seconds']:g} s simulated in {wall:.2f} s, "
        f"{hops:,} {unit}{pace}, seed {overview['seed']}, digest {overview['digest']}"
    )
    terminal.show_parts(run_parts(overview))


def _directory(name: str, out: Path | None, asked: object) -> Path | None:
    """Directory for files, if any are written; checked before the run.

    Without a named directory files are written only if `asked` is true, in a directory of the
    scenario's name.

    Raises:
        BadInput: The directory has files that are not results of a run.
    """
    directory = out
    if out is None and asked is not None:
        from cellrate.cli.places import own_paths

        [directory] = own_paths(Path("out"), source.stem(name), [""], ["run", asked])
    if directory is not None:
        try:
            output.refuse_foreign(directory)
        except FileExistsError as error:
            raise BadInput(str(error)) from error
    return directory
