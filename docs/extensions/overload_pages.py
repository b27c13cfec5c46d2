"""The page of one overload under every component: runs `overload.toml` and draws each run.

All pictures of a scenario have the same axes. Runs and pictures take some ten seconds of processor
time.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cellrate import _core
from cellrate.common.numbers import counted, number
from cellrate.common.picture_style import COLOURS, FAINT, STYLE
from cellrate.simulation.figures import draw, new_figure, svg
from cellrate.simulation.purposes import PURPOSES
from cellrate.simulation.run_pictures import throughput
from cellrate.simulation.runner import Job, run_many
from cellrate.simulation.series import Series, series_of
from matplotlib import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sphinx.application import Sphinx

DATA = Path(__file__).with_name("overload.toml")
GENERATED = "generated"
WIDTH, HEIGHT = 3.6, 1.15
"""Width of a picture, and height of each of its two panels, in inches."""
HEAD = """# One overload under every component

Five sources together send more than one link carries. Each picture shows what a component makes of
it: above the queue of the link, below the rate of each source, the first source in orange. The grey
part is the start, which the numbers leave out. Pictures of a link layer have the same axes; a rate
above that of the link is outside. The
[page of components](../evidence/generated/components.md) names their sources and tests, and
`docs/extensions/overload.toml` has the scenarios and settings of all runs.
"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_page(Path(app.srcdir) / GENERATED))
    return {"parallel_read_safe": True}


def write_page(place: Path) -> None:
    """Runs all scenarios, and writes the page and its pictures into a directory."""
    place.mkdir(parents=True, exist_ok=True)
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    runs = jobs(data)
    outcomes = dict(zip(runs, run_many(list(runs.values())), strict=True))
    parts = [HEAD, *(f"{one['title']}: {one['about']}\n" for one in data["scenario"].values())]
    for group, kinds in PURPOSES.items():
        drawn = [kind for kind in kinds if kind in data["kind"]]
        parts += [f"## {group}\n"] if drawn else []
        for kind in drawn:
            settings = data["kind"][kind]
            scenario = data["scenario"][settings["scenario"]]
            parts.append(f"{scenario['title']}. {settings.get('about', '')}\n")
            parts.append("::::{container} pictures")
            for name, why in kinds[kind].items():
                file = f"{kind}-{name}.svg"
                outcome = outcomes[kind, name]
                (place / file).write_text(picture(outcome, scenario), encoding="utf-8")
                parts.append(_figure(file, f"`{name}`, {why}: {caption(outcome, scenario)}."))
            parts.append("::::\n")
    (place / "overload.md").write_text("\n".join(parts), encoding="utf-8")


def _figure(file: str, text: str) -> str:
    return f":::{{figure}} {file}\n:alt: Queue and rates over time\n\n{text}\n:::"


def jobs(data: Mapping[str, Any]) -> dict[tuple[str, str], Job]:
    """The run of every component, by kind and name."""
    return {
        (kind, name): Job(
            data["scenario"][data["kind"][kind]["scenario"]]["text"],
            f"{kind}-{name}",
            tuple(_settings(data, kind, name)),
        )
        for kinds in PURPOSES.values()
        for kind in kinds.keys() & data["kind"].keys()
        for name in kinds[kind]
    }


def _settings(data: Mapping[str, Any], kind: str, name: str) -> Iterator[str]:
    """Settings of a run; a setting with the word FLOW is repeated for each flow."""
    of_kind = data["kind"][kind]
    flows = data["scenario"][of_kind["scenario"]]["flows"]
    for setting in (*of_kind["set"], *of_kind.get("more", {}).get(name, ())):
        for flow in flows if "FLOW" in setting else ("",):
            yield setting.replace("NAME", name).replace("FLOW", flow)


def queue_of(outcome: _core.Outcome, scenario: Mapping[str, Any]) -> Series:
    """The length over time of all queues together of the overloaded port."""
    port = scenario["port"]
    parts = [
        one
        for one in series_of(outcome)
        if one.kind == "queue" and one.entity.partition("/")[0] == port
    ]
    lengths = np.sum([one.maximum for one in parts], axis=0)
    return Series("queue", port, parts[0].unit, parts[0].time, lengths, lengths)


def rates_of(outcome: _core.Outcome, scenario: Mapping[str, Any]) -> list[Series]:
    """Rates of the sources: of acknowledged bytes, or of bytes on the first line of each source."""
    if "sent" not in scenario:
        return [throughput(one) for one in series_of(outcome) if one.kind == "sequence"]
    lines = {one.entity: one for one in series_of(outcome) if one.kind == "utilisation"}
    found = []
    for flow, line in scenario["sent"].items():
        time = lines[line].time
        octets = np.cumsum(lines[line].middle * np.diff(time, prepend=0.0))
        octets *= scenario["sent_rate"] / 8.0
        found.append(throughput(Series("sequence", flow, "bytes", time, octets, octets)))
    return found


def _start(outcome: _core.Outcome) -> float:
    """End of the start-up, which the measuring window leaves out, in seconds."""
    return _core.quantity(tomllib.loads(outcome.resolved())["measure"]["from"], "time")


def picture(outcome: _core.Outcome, scenario: Mapping[str, Any]) -> str:
    """Queue and rates of a run over time, as SVG."""
    figure, (above, below) = new_figure(2, width=WIDTH, height=HEIGHT)
    queue = queue_of(outcome, scenario)
    end = float(queue.time[-1])
    divisor, unit = (1.0, "s") if end >= 1.0 else (1e-3, "ms")
    with style.context(STYLE):
        draw(above, queue, scenario["queue"]["unit"], divisor)
        first, *others = rates_of(outcome, scenario)
        for colour, one in zip(COLOURS[2:], others, strict=False):
            draw(below, one, scenario["rate"]["unit"], divisor, colour=colour)
        draw(below, first, scenario["rate"]["unit"], divisor, colour=COLOURS[1])
        for panel, of in ((above, scenario["queue"]), (below, scenario["rate"])):
            _frame(panel, of, _start(outcome) / divisor, end / divisor)
        below.set_xlabel(f"time ({unit})")
    return f"{svg(figure)}\n"


def _frame(panel: Axes, of: Mapping[str, Any], start: float, end: float) -> None:
    """Sets the axes that all pictures of a scenario share, and shades the start-up."""
    panel.set_ylabel(of["label"])
    panel.set_xlim(0, end)
    panel.set_ylim(0, 1.08 * of["most"] / of["unit"])
    panel.axvspan(0, start, color=FAINT, alpha=0.13, lw=0, zorder=0)


def caption(outcome: _core.Outcome, scenario: Mapping[str, Any]) -> str:
    """Text with longest queue, losses and goodput of the flows, after the start-up."""
    summary = json.loads(outcome.summary())
    queue = queue_of(outcome, scenario)
    longest = queue.between(_start(outcome), float(queue.time[-1])).maximum.max()
    goodput = np.sort([one["goodput_bits_per_second"] for one in summary["flows"]])
    rate, length = scenario["rate"], scenario["queue"]
    lost = summary["totals"][scenario["lost"]]
    low, high = (_digits(value / rate["unit"]) for value in goodput[[0, -1]])
    return (
        f"the queue reaches {number(round(longest / length['unit']))} {_unit(length)}, "
        f"{counted(lost, 'packet') if lost else 'no packet'} {'are' if lost > 1 else 'is'} lost, "
        f"and the flows deliver {_digits(goodput.sum() / rate['unit'])} {_unit(rate)}, "
        f"{low if low == high else f'{low} to {high}'} each"
    )


def _digits(value: float) -> str:
    """A number with three significant digits."""
    return f"{value:.3g}"


def _unit(of: Mapping[str, Any]) -> str:
    return str(of["label"].partition("(")[2].rstrip(")"))
