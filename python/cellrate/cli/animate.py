"""`cellrate animate`: a film of the cells on all links, over a short span."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.options import ScenarioFile, Seed, Settings
from cellrate.cli.own_place import own_paths
from cellrate.cli.span import span
from cellrate.common import terminal, whole_file
from cellrate.common.problems import BadInput, reading, writing
from cellrate.common.whole_file import make_directory
from cellrate.simulation import source
from cellrate.simulation.runner import Job

FORMATS = ("html", "gif", "mp4")
LENGTH_SECONDS = 15.0
MOST_FRAMES = 1200


def animate(
    file: ScenarioFile,
    /,
    *,
    start: Annotated[
        str | None,
        Parameter(
            name="--from",
            allow_leading_hyphen=True,
            help='Start of the span, as in "10 ms"; that of the first flow by default.',
        ),
    ] = None,
    end: Annotated[
        str | None,
        Parameter(
            name="--to",
            allow_leading_hyphen=True,
            help='End of the span, as in "10.2 ms"; two round trips after its start by default, '
            "or as many cells as a film shows.",
        ),
    ] = None,
    speed: Annotated[
        str | None,
        Parameter(help='Simulated time in a second of film, as in "20 us".'),
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
    """Make a film: cells move on links, queues fill, RM cells turn round, in slow motion.

    Every cell of the span is shown, where its last bit is: data cells, RM cells there and back,
    those that carry a mark (EFCI, CI, NI), credit cells, and a cross for each lost cell. The page
    plays, stops and goes step by step; GIF and MP4 are for slides. MP4 needs the program ffmpeg.
    The run up to the end of the span is done cell by cell, which takes several times as long as
    cellrate run. Without -o the films are written to out/NAME-film.
    """
    asked_span = span(start or "0 s", end, ("--from", "--to"))
    formats: tuple[str, ...] = FORMATS if output is None else (output.suffix.removeprefix("."),)
    if formats[0] not in FORMATS:
        raise BadInput(f"-o {output}: a film is written as {', '.join(FORMATS)}")
    from cellrate.simulation.animation import drawn_film
    from cellrate.simulation.animation.film import frame_times, shown_film
    from cellrate.simulation.animation.film_page import film_page

    if formats == ("mp4",):
        drawn_film.require_ffmpeg(Path(str(output)))
    elif "mp4" in formats and not drawn_film.has_ffmpeg():
        formats = tuple(one for one in formats if one != "mp4")
        terminal.say("no mp4: it needs the program ffmpeg, which is not on the path")
    with reading(file):
        text, name = source.read(file)
    stem = source.stem(name)
    place = Path("out") / f"{stem}-film" if output is None else output.with_suffix("")
    with writing(place):
        make_directory(place.parent)
    made = shown_film(
        Job(text, name, tuple(settings), seed),
        None if start is None else asked_span[0],
        None if end is None else asked_span[1],
        place,
    )
    shown = made.start_seconds, made.end_seconds
    per_second = _speed(speed, length, shown[1] - shown[0])
    rate = drawn_film.FRAMES_PER_SECOND
    # Refused before anything is written.
    times = [] if formats == ("html",) else frame_times(made, per_second, rate, MOST_FRAMES)
    if output is None:
        asked = ["animate", text, settings, seed, shown, per_second]
        files = own_paths(place.parent, stem, [f"-film.{one}" for one in formats], asked)
    else:
        files = [place.with_name(f"{place.name}.{one}") for one in formats]
    for path in files:
        with whole_file.replacing(path) as fresh:
            if path.suffix == ".html":
                fresh.write_text(film_page(made, per_second), encoding="utf-8", newline="\n")
            elif path.suffix == ".gif":
                drawn_film.write_gif(made, times, fresh)
            else:
                drawn_film.write_mp4(made, times, fresh)
    slow = f"{made.cells.height:,} cells on links, {made.losses.height:,} lost"
    terminal.say(f"{slow}; {1 / per_second:,.0f} times slower than simulated time")
    terminal.say(f"written to {', '.join(map(str, files))}")


def _speed(speed: str | None, length: str | None, span_seconds: float) -> float:
    """Simulated seconds in a second of film.

    Raises:
        BadInput: Both are given, or one is not a time above zero.
    """
    if speed is not None and length is not None:
        raise BadInput("--speed and --length: give one of them; each follows from the other")
    if speed is not None:
        return _time(speed, "--speed")
    return span_seconds / (LENGTH_SECONDS if length is None else _time(length, "--length"))


def _time(text: str, option: str) -> float:
    try:
        found = _core.quantity(text, "time")
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from error
    if found <= 0:
        raise BadInput(f"{option} {text}: it must be above zero")
    return found
