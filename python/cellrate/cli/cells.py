"""`cellrate animate`, `time-space`: every cell or frame of a short span, as film or diagram."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from cellrate.cli.amounts import duration, seconds, span
from cellrate.cli.from_function import made_from
from cellrate.cli.one_run import job_of
from cellrate.cli.options import ScenarioFile, Seed, Settings
from cellrate.cli.places import figure_files, own_paths
from cellrate.cli.progress import WORTH_SHOWING_SECONDS, ProgressBar
from cellrate.common import terminal, whole_file
from cellrate.common.problems import BadInput, writing
from cellrate.common.whole_file import make_directory
from cellrate.functions import about
from cellrate.simulation import source
from cellrate.simulation.spans import OPTIONS, refuse_outside

FORMATS = ("html", "gif", "mp4")
LENGTH_SECONDS = 15.0
MOST_FRAMES = 1200
FIRST_PICTURES = 10
"""Number of pictures from whose time the time of all is estimated."""


def animate(
    file: ScenarioFile,
    /,
    *,
    start: Annotated[
        str | None,
        Parameter(
            name="--from",
            allow_leading_hyphen=True,
            help='Start of the span, as in "10 ms"; by default the start of the first flow.',
        ),
    ] = None,
    end: Annotated[
        str | None,
        Parameter(
            name="--to",
            allow_leading_hyphen=True,
            help='End of the span, as in "10.2 ms"; by default two round trips after its start '
            "(eight over Ethernet), or earlier if a film cannot show so many cells or frames.",
        ),
    ] = None,
    speed: Annotated[
        str | None, Parameter(help='Simulated time per second of film, as in "20 us".')
    ] = None,
    length: Annotated[
        str | None,
        Parameter(help='Length of the film instead of --speed, as in "10 s"; 15 s by default.'),
    ] = None,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="FILE.html, .gif or .mp4; all by default."),
    ] = None,
) -> None:
    """Make a film: cells or frames move on links, queues fill, in slow motion.

    The film shows every cell at the place of its last bit: data cells, forward and backward RM
    cells, marked cells (EFCI, CI, NI), credit cells, and a cross for each lost cell. Over Ethernet
    every frame is a line as long as the frame on its link. The page plays, stops and goes step by
    step; GIF and MP4 are for slides, and take most of the time: -o FILE.html leaves them out. MP4
    needs the program ffmpeg. Over ATM the run up to the end of the span handles one event at a
    time, which takes several times as long as cellrate run. Without -o the films are written to
    out/NAME-film.
    """
    asked_span = span(start or "0 s", end, OPTIONS)
    formats: tuple[str, ...] = FORMATS if output is None else (output.suffix.removeprefix("."),)
    if formats[0] not in FORMATS:
        raise BadInput(f"-o {output}: a film is written as {', '.join(FORMATS)}")
    from cellrate.simulation.animation import drawn_film
    from cellrate.simulation.animation.film import frame_times, shown_film
    from cellrate.simulation.animation.film_page import film_page

    if formats == ("mp4",):
        drawn_film.require_ffmpeg(Path(str(output)))
    elif "mp4" in formats and not drawn_film.has_ffmpeg():
        formats = tuple(name for name in formats if name != "mp4")
        terminal.say("no mp4: it needs the program ffmpeg, which is not on the path")
    job = job_of(file, settings, seed)
    stem = source.stem(job.path)
    place = Path("out") / f"{stem}-film" if output is None else output.with_suffix("")
    with writing(place):
        make_directory(place.parent)
    begin = None if start is None else asked_span[0]
    until = None if end is None else asked_span[1]
    with ProgressBar("simulating cell by cell") as progress:
        made = shown_film(job, begin, until, place, progress)
    shown = made.start_seconds, made.end_seconds
    per_second = _speed(speed, length, shown[1] - shown[0])
    rate = drawn_film.FRAMES_PER_SECOND
    # Checked before any file is written.
    times = [] if formats == ("html",) else frame_times(made, per_second, rate, MOST_FRAMES)
    if output is None:
        asked = ["animate", job.text, settings, seed, shown, per_second]
        files = own_paths(place.parent, stem, [f"-film.{name}" for name in formats], asked)
    else:
        files = [place.with_name(f"{place.name}.{name}") for name in formats]
    for path in files:
        with whole_file.replacing(path) as fresh:
            if path.suffix == ".html":
                fresh.write_text(film_page(made, per_second), encoding="utf-8", newline="\n")
            else:
                with ProgressBar(f"drawing {path.suffix[1:]}") as progress:
                    gif = path.suffix == ".gif"
                    watch = _estimating(progress, f"{made.moving.height:,} {made.units} on links")
                    drawn_film.write(made, times, fresh, gif=gif, progress=watch)
    slow = f"{made.moving.height:,} {made.units} on links, {made.losses.height:,} lost"
    terminal.say(f"{slow}; {1 / per_second:,.0f} times slower than simulated time")
    terminal.say(f"written to {', '.join(map(str, files))}")


def _estimating(progress: ProgressBar, shown: str) -> Callable[[int, int], None]:
    """A progress that writes, after the first pictures, what is drawn and about how long it takes.

    Args:
        progress: Gets the number of drawn pictures and of all pictures.
        shown: Text on what the pictures show.
    """

    def watch(drawn: int, total: int) -> None:
        progress(drawn, total)
        if drawn == FIRST_PICTURES:
            whole = (time.monotonic() - progress.started) * total / drawn
            if whole > WORTH_SHOWING_SECONDS:
                progress.note(
                    f"{progress.label}: {total:,} pictures of {shown}, about {duration(whole)}; "
                    "-o NAME.html writes the page alone, at once"
                )

    return watch


def _speed(speed: str | None, length: str | None, span_seconds: float) -> float:
    """Simulated seconds in a second of film.

    Raises:
        BadInput: Both options are given, or one is not a time above zero.
    """
    if speed is not None and length is not None:
        raise BadInput("--speed and --length: give one of them; each follows from the other")
    if speed is not None:
        return _time(speed, "--speed")
    return span_seconds / (LENGTH_SECONDS if length is None else _time(length, "--length"))


def _time(text: str, option: str) -> float:
    found = seconds(text, option)
    if found <= 0:
        raise BadInput(f"{option} {text}: it must be above zero")
    return found


@made_from(about.time_space, order=("from_seconds", "to_seconds", "flow", "overrides", "seed"))
def time_space(
    file: ScenarioFile,
    /,
    *,
    from_seconds: Annotated[
        str | None,
        Parameter(
            name="--from",
            allow_leading_hyphen=True,
            help='Start of the span, as in "10 ms"; by default the start of the flow.',
        ),
    ] = None,
    to_seconds: Annotated[
        str | None,
        Parameter(
            name="--to",
            allow_leading_hyphen=True,
            help='End of the span, as in "34 ms"; by default two round trips after the start.',
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="FILE.png, .svg or .pdf; all three by default."),
    ] = None,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Draw a time-space diagram: each cell or frame of a flow on its path in the network.

    Time goes across, the nodes of the path upwards. A sloping line is a cell on a link, a level
    line a waiting cell, a cross a lost cell; a frame is a band as wide as its transmission time.
    Over ATM the run up to the end of the span handles one event at a time, which takes several
    times as long as cellrate run. Without -o the figure is written to out/NAME-time-space.
    """
    job = job_of(file, options["overrides"], options["seed"])
    from cellrate.simulation.figures import FORMATS, save
    from cellrate.simulation.network.ethernet_view import network_of
    from cellrate.simulation.passages import flow_named, passages, usual_end
    from cellrate.studies.plots.time_space import time_space as draw

    scenario = job.scenario()
    network = network_of(scenario)
    drawn = flow_named(network, options["flow"])
    begin = drawn.start_seconds if from_seconds is None else span(from_seconds, None, OPTIONS)[0]
    if to_seconds is None:
        refuse_outside(scenario, (begin, math.inf), OPTIONS)
        shown = begin, usual_end(network, drawn, begin)
    else:
        shown = span(from_seconds or f"{begin!r} s", to_seconds, OPTIONS)
        refuse_outside(scenario, shown, OPTIONS)
    stem, formats = figure_files(Path(), output, tuple(FORMATS))
    with ProgressBar("simulating cell by cell") as progress:
        seen = passages(scenario, shown, progress=progress)
    figure = draw(seen, drawn)
    if output is None:
        endings = [f"-time-space.{name}" for name in formats]
        asked = ["time-space", job.text, [*job.overrides], job.seed, shown, drawn.name]
        paths = own_paths(Path("out"), source.stem(job.path), endings, asked)
        stem = paths[0].with_suffix("")
    make_directory(stem.parent)
    terminal.say(f"written to {', '.join(map(str, save(figure, stem, formats)))}")
