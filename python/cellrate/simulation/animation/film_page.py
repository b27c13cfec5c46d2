"""A film as a self-contained web page with a player; it loads nothing from elsewhere."""

from __future__ import annotations

import json
import math
from html import escape
from importlib import resources
from typing import Any

from cellrate.common.document import Document, Paragraph, Table, columns, rows
from cellrate.common.document.web_page import blocks, head
from cellrate.simulation.animation.drawn_film import names_of
from cellrate.simulation.animation.film import MOST_QUEUES, Film, Queue
from cellrate.simulation.animation.node_places import name_sides

MICROSECONDS = 1e6
SPEEDS = ((0.1, "0.1x"), (0.25, "0.25x"), (0.5, "0.5x"), (1, "1x"), (2, "2x"))
STEPS = 200
"""Number of steps from begin to end for the step buttons."""
SHAPES = {
    "data": '<circle cx="6" cy="6" r="4"/>',
    "credit": '<rect x="2" y="2" width="8" height="8"/>',
    "rm": '<path d="M11 6 2 11 2 1z"/>',
}
FRAME_SHAPE = '<rect x="0" y="4" width="12" height="4"/>'


def film_page(film: Film, seconds_per_second: float) -> str:
    """The page of a film.

    Args:
        film: The film.
        seconds_per_second: Simulated seconds in a second of film.
    """
    style = _text("cellrate.common.document", "page.css") + _text(__package__, "player.css")
    script = _text(__package__, "player.js")
    # A closing tag within the data would end the script element.
    data = json.dumps(_data(film, seconds_per_second), separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    slow = f"{1 / seconds_per_second:,.0f} times slower than simulated time"
    choices = "".join(
        f'<option value="{share}"{" selected" if share == 1 else ""}>{name}</option>'
        for share, name in SPEEDS
    )
    seen = set(film.moving["look"])
    looks = "".join(_look(film, look) for look in film.looks if look in seen)
    return (
        f"{head(film.title, style, script)}<body>\n<h1>{escape(film.title)}</h1>\n"
        f'<p class="faint">{film.start_seconds * 1e3:.10g} to {film.end_seconds * 1e3:.10g} ms of '
        f"the run, {slow}.</p>\n"
        '<noscript><p class="why">The film needs a script, which this browser does not run. '
        "The table below counts what it shows; the GIF of the same command needs none."
        "</p></noscript>\n"
        f'<canvas id="picture" role="img" aria-label="{film.units.capitalize()} on the links of '
        f'the network, queues of its ports and lost {film.units}"></canvas>\n'
        '<div id="controls" hidden><button type="button" id="play">Play</button>'
        '<button type="button" id="back" aria-label="one step back">&#9664;|</button>'
        '<button type="button" id="forward" aria-label="one step forward">|&#9654;</button>'
        f'<input type="range" id="scrub" min="0" max="1000" value="0" aria-label="time">'
        f'<span id="time"></span><label>speed <select id="speed">{choices}</select></label></div>\n'
        f'<p class="faint" id="seen"></p>\n<ul class="looks">{looks}</ul>\n'
        f"{blocks(_facts(film).parts)}\n"
        f'<script type="application/json" id="film">{data}</script>\n'
        f"<script>{script}</script>\n</body></html>\n"
    )


def _text(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text("utf-8")


def _look(film: Film, look: str) -> str:
    own = SHAPES.get(look.removesuffix("-marked"), SHAPES["rm"])
    shape = FRAME_SHAPE if film.has_frames else own
    edge = ' stroke="currentColor"' if look.endswith("-marked") else ""
    return (
        f'<li><svg viewBox="0 0 12 12" fill="var(--{look})"{edge} aria-hidden="true">{shape}</svg> '
        f"{names_of(film)[look]}</li>"
    )


def _facts(film: Film) -> Document:
    """The numbers of a film as a document, for browsers without scripts."""
    counted = film.moving.group_by("link", maintain_order=True).len().rows()
    lost = dict(film.losses.group_by("link").len().rows())
    found = rows([name, f"{count:,}", f"{lost.get(name, 0):,}"] for name, count in sorted(counted))
    unit = film.units[:-1]
    where, marks = "at the place where its last bit is", "data cells with EFCI and RM cells"
    queue = "A queue"
    if film.has_frames:
        where = "drawn from its last bit to its first, preamble included"
        marks = "packets with CE and records"
        queue = f"The {MOST_QUEUES} longest queues have a bar. A queue, in kB,"
    keys = (
        "Keys: space plays and pauses, the arrows go a step, Home and End to the ends. Every "
        f"{unit} is one of the run, {where}. {queue} includes the {unit} in "
        f"transmission; the bar shows its greatest length in {film.step_seconds * 1e6:.4g} us. A "
        f"cross is a lost {unit}. Marked are {marks} with CI or NI. Nodes that stand too close "
        "for names show them under the pointer."
    )
    names = "link", f"{film.units} seen", "lost at its port"
    table = Table(columns(*names, numbers=(1, 2)), found)
    return Document(film.title, (Paragraph(keys, "faint"), table))


def _data(film: Film, seconds_per_second: float) -> dict[str, Any]:
    """The film for the script; times in microseconds since the start of the run."""
    nodes = {name: at for at, name in enumerate(film.network.nodes)}
    links = {way.name: at for at, way in enumerate(film.network.ways)}
    senders = {way.name: nodes[way.sender] for way in film.network.ways}
    sides = name_sides(film.network)
    start, end = film.start_seconds * MICROSECONDS, film.end_seconds * MICROSECONDS
    return {
        "start": start,
        "end": end,
        "speed": seconds_per_second * MICROSECONDS,
        "step": (end - start) / STEPS,
        "units": film.units,
        "looks": film.looks,
        "nodes": [
            {"name": name, "switch": name not in sides, "at": film.places[name]}
            | ({"side": sides[name]} if name in sides else {})
            for name in film.network.nodes
        ],
        "links": [[nodes[way.sender], nodes[way.receiver]] for way in film.network.ways],
        # Times of the last bit; for frames also the departure of the first bit.
        "moving": [
            [links[link], film.looks.index(look), *map(_shown, times)]
            for link, look, *times in film.moving.rows()
        ],
        "queues": [_queue(film, queue, nodes) for queue in film.queues],
        "losses": [[_shown(time), senders[link]] for time, link in film.losses.rows()],
    }


def _queue(film: Film, queue: Queue, nodes: dict[str, int]) -> dict[str, Any]:
    # One point before the span, so that the start of the span has a value.
    first = max(int((queue.time < film.start_seconds).sum()) - 1, 0)
    last = int((queue.time <= film.end_seconds).sum())
    lengths = queue.lengths[first:last]
    limited = math.isfinite(queue.limit)
    return {
        "node": nodes[queue.sender],
        "to": queue.receiver,
        "limited": limited,
        "most": queue.limit if limited else float(lengths.max()),
        "time": [_shown(seconds) for seconds in queue.time[first:last]],
        "lengths": [
            round(float(length), 1) if film.has_frames else int(length) for length in lengths
        ],
        "unit": " kB" if film.has_frames else "",
    }


def _shown(seconds: float) -> float:
    """A time in seconds as microseconds, rounded to 1 ps."""
    return round(float(seconds) * MICROSECONDS, 6)
