"""`cellrate run`: runs a scenario once."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.answering import hand_over
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings, Taps, Threads
from cellrate.cli.own_place import own_paths
from cellrate.cli.pictures import missing_traces, picture_options, refuse_late
from cellrate.cli.progress import ProgressBar
from cellrate.cli.span import span
from cellrate.common import terminal
from cellrate.common.json_text import json_text
from cellrate.common.problems import BadInput, reading, warn
from cellrate.simulation import output, source
from cellrate.simulation.picture_options import PictureKind, PictureOptions
from cellrate.simulation.runner import Job, run_one, thread_count

# They load slowly, and most errors are known before the run.
if TYPE_CHECKING:
    from cellrate.simulation.api import Result

# Suffixes of captures that tshark reads.
READ_BY_TSHARK = (".pcap", ".pcapng", ".erf")
# Notes on the run that a capture shows.
SET_UP = (
    "for the capture connections are set up (tcp.connection_setup=true), so the run and its digest "
    "are others than without --capture; --set tcp.connection_setup=false captures that one"
)
ALONE = "the captured run is the one without --capture, with the same digest"


def run(
    file: ScenarioFile,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    json: Json = False,
    out: Annotated[Path | None, Parameter(help="Directory for traces, events, summary.")] = None,
    plot: Annotated[
        PictureKind | None,
        Parameter(help="Draw as well: traces (if nothing is named), phase or dashboard."),
    ] = None,
    plot_from: Annotated[
        str | None,
        Parameter(name="--from", help='Begin of the pictures, as in "10 ms"; 0 by default.'),
    ] = None,
    plot_to: Annotated[
        str | None,
        Parameter(name="--to", help="End of the pictures; end of the run by default."),
    ] = None,
    dark: Annotated[bool, Parameter(negative="", help="Draw the pictures light on dark.")] = False,
    capture: Taps = [],  # noqa: B006  as above
    capture_from: Annotated[
        str | None,
        Parameter(help='Begin of the captures, as in "10 ms"; begin of the run by default.'),
    ] = None,
    capture_to: Annotated[
        str | None, Parameter(help="End of the captures; end of the run by default.")
    ] = None,
    threads: Threads = "auto",
    plan: Annotated[
        bool, Parameter(negative="", help="Show what each thread would get; run nothing.")
    ] = False,
    profile: Annotated[
        bool, Parameter(negative="", help="Show what the run spends its time on instead.")
    ] = False,
) -> None:
    """Run a scenario and show its measures.

    With --out, this directory receives summary.json, resolved.toml (the scenario with every default
    written out) and, if the scenario asks for them, traces.parquet and events.parquet. --plot adds
    figures/, --capture adds captures/; without --out, they go to out/ and the scenario's name.

    --plot draws each kind of trace over time, and all above each other. --plot phase draws the
    queue against ACR, --plot dashboard queue, ACR, cwnd, throughput and utilisation above each
    other. --from and --to choose the time that pictures show.

    --capture POINT writes the traffic at a place of the network, for tcpdump, tshark and Wireshark.
    POINT is a node (all its links), "A->B" (cells that leave A to B) or "A<->B" (both directions,
    seen at A). POINT:FORMAT,... selects formats: cells, pdus, erf, line, sunatm or ip. Captures are
    made by the plain engine, which takes some twenty times as long as the run.

    --threads N divides the network among N threads, if they pay: its parts must have about the same
    to do and long links between them. A run with classes in Python has one thread, and so has the
    plain engine of captures. --plan shows the parts, or why there is one.

    --profile runs the scenario several times, with all that it records and with less, and shows the
    processor time of each step, what each recording costs, and how often components of each class
    acted.
    """
    with reading(file):
        text, name = source.read(file)
    if plan:
        _refuse_files("--plan, which runs nothing", out=out, plot=plot, capture=capture or None)
        planned = Job(text, name, tuple(settings), seed).scenario()
        _show_plan(planned, name, threads, json=json)
        return
    if profile:
        _refuse_files("--profile", out=out, plot=plot, capture=capture or None)
        _profiled(Job(text, name, tuple(settings), seed), name, json=json)
        return
    pictures = picture_options(plot, plot_from, plot_to, dark=dark)
    between = _captured_span(capture_from, capture_to, captured=bool(capture))
    job = Job(text, name, tuple(settings), seed)
    scenario = job.scenario()
    asked = (job, pictures, capture, between) if pictures or capture else None
    directory = _directory(name, out, asked)
    if pictures and (more := missing_traces(scenario.resolved(), pictures)):
        job = replace(job, overrides=(*job.overrides, more))
        scenario = job.scenario()
    if pictures:
        refuse_late(scenario.resolved(), pictures)
    earlier = None if directory is None else output.resolved_of(directory)
    if threads not in {"auto", 1}:
        _tell_fewer(scenario, threads)
    if directory is not None and capture:
        result = _captured(job, scenario, capture, between, directory, pictures, threads)
    else:
        result = _simulated(scenario, name, directory, pictures, threads)
    warn(result.warnings)
    if earlier not in (None, result.resolved):
        sys.stderr.write(
            f"note: {directory} held the result of another scenario or seed; it was replaced\n"
        )
    if json:
        sys.stdout.write(json_text(result.summary))
    else:
        from cellrate.cli import tables

        tables.show_result(result, name)
        if directory is not None:
            terminal.say(f"written to {directory}")


def _refuse_files(because: str, **options: object) -> None:
    """Refuses options that ask for files of a run that is not made.

    Raises:
        BadInput: One of them is given.
    """
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise BadInput(f"--{given}: nothing is written with {because}")


def _show_plan(scenario: _core.Scenario, name: str, threads: Threads, *, json: bool) -> None:
    from cellrate.cli import partition

    found = partition.Parted(source.short_name(name), scenario.partition(thread_count(threads)))
    hand_over(
        json=json,
        as_json=lambda: partition.as_json(found),
        report=lambda: partition.report(found),
    )


def _tell_fewer(scenario: _core.Scenario, threads: Threads) -> None:
    """Says why the run has fewer threads than the user asks for, if it has."""
    found = scenario.partition(thread_count(threads))
    count = len(found["parts"])
    if found["reason"]:
        fewer = "one thread" if count == 1 else f"{count} threads"
        sys.stderr.write(f"note: {fewer} instead of {threads}: {found['reason']}\n")


def _profiled(job: Job, name: str, *, json: bool) -> None:
    """Profiles a job and shows what was found."""
    from dataclasses import asdict

    from cellrate.cli import tables
    from cellrate.simulation.profile import profile

    with ProgressBar("profiling") as progress:
        found = profile(job, progress)
    if json:
        sys.stdout.write(json_text(asdict(found)))
    else:
        tables.show_profile(found, name)


def _simulated(
    scenario: _core.Scenario,
    name: str,
    directory: Path | None,
    figures: PictureOptions | None,
    threads: Threads,
) -> Result:
    """Simulates a scenario and writes its results to a directory, if given."""
    from cellrate.simulation.api import Result

    with ProgressBar("simulating") as progress:
        outcome = run_one(scenario, progress=progress, threads=threads)
    result = Result(outcome, source.short_name(name), scenario)
    if directory is not None:
        result.save(directory, figures=figures or False)
    return result


def _captured(
    job: Job,
    scenario: _core.Scenario,
    taps: list[str],
    between: tuple[float, float],
    directory: Path,
    figures: PictureOptions | None,
    threads: Threads,
) -> Result:
    """Simulates a job with captures, writes both to a directory, and notes which run it is.

    Raises:
        BadInput: There is no such place or format.
    """
    from cellrate.simulation import captures

    try:
        taken = captures.take(
            job,
            scenario,
            taps,
            directory,
            between,
            ProgressBar,
            figures=figures or False,
            threads=threads,
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


def _captured_span(begin: str | None, end: str | None, *, captured: bool) -> tuple[float, float]:
    """Begin and end of captures in seconds.

    Raises:
        BadInput: A text is not a time, the end is not after the begin, or nothing is captured.
    """
    options = "--capture-from", "--capture-to"
    for option, text in zip(options, (begin, end), strict=True):
        if text is not None and not captured:
            raise BadInput(f"{option}: there is nothing to capture without --capture")
    return span("0 s" if begin is None else begin, end, options)


def _directory(name: str, out: Path | None, asked: object) -> Path | None:
    """Directory for files, if any are written; checked before the run.

    Args:
        name: Name of the scenario.
        out: The directory that the user names, if any.
        asked: What decides the files without a named directory; None if nothing is written then.

    Raises:
        BadInput: The directory has files that are not results of a run.
    """
    directory = out
    if out is None and asked is not None:
        [directory] = own_paths(Path("out"), Path(name.strip("<>")).stem, [""], ["run", asked])
    if directory is not None:
        try:
            output.refuse_foreign(directory)
        except FileExistsError as error:
            raise BadInput(str(error)) from error
    return directory
