"""Pages on inferred values of a paper's open parameters, from the paper's file inferred.toml."""

from __future__ import annotations

import textwrap
import tomllib
from typing import TYPE_CHECKING, Any

from cellrate.common.document import (
    Block,
    Document,
    Figure,
    Listing,
    Paragraph,
    Section,
    Span,
    Table,
    columns,
    rows,
)
from cellrate.common.document.markdown import markdown
from cellrate.common.numbers import counted
from cellrate.papers.findings import held_out
from cellrate.papers.hold_out import VERDICTS
from cellrate.papers.inference_report import RULES
from cellrate.papers.stored import ASSUMED, INFERRED, read_stored
from cellrate.papers.tally import tally
from cellrate.simulation.figures import COLOURS, STYLE, new_figure, save
from matplotlib import style

if TYPE_CHECKING:
    from pathlib import Path

    from cellrate.papers.paper import Paper
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

CAPTION = (
    "Share of the results that each value meets. Dot: all, hollow if excluded; triangles: half A "
    "upwards, half B downwards"
)
WIDTH, ROW, EDGE = 4.6, 0.46, 0.75
"""Width of the picture, height of the row of a value, and height of the rest, in inches."""
CHARACTERS = 58
"""Greatest length of a value's name in the picture."""


def write_inferred(paper: Paper, place: Path) -> None:
    """Writes the page of a paper and its picture into a directory, if the paper was inferred."""
    stored = paper.directory / "inferred.toml"
    if not stored.exists():
        return
    found = tomllib.loads(stored.read_text(encoding="utf-8"))
    name = f"{paper.id}-inferred"
    save(_picture(found["parameter"]), place / name, ("svg",))
    (place / f"{name}.md").write_text(markdown(_page(paper, found, name)), encoding="utf-8")


def _page(paper: Paper, found: dict[str, Any], name: str) -> Document:
    command = f"cellrate infer {paper.id} --seeds {len(found['seeds'])}"
    kept = tuple(
        (f"{one.parameter}: ", Span(other.label, "emphasis")) for one, other in held_out(paper)
    )
    known = {one.id: one for experiment in paper.experiments for one in experiment.assumptions}
    parts: list[Block] = [
        Paragraph(
            ("The results are those of ", Span(command, "code"), ", which also gives reasons.")
        ),
        Paragraph(RULES),
        _counts(paper),
        Listing(kept) if kept else Paragraph("No value passed validation, so both are the same."),
    ]
    for parameter in found["parameter"]:
        assumption = known[parameter["assumption"]]
        basis = f"{parameter['results']} results of {parameter['experiments']} experiments"
        section = (
            Paragraph(f"Assumed: {assumption.assumed}. Rests on {basis}."),
            Paragraph(Span(_conclusion(parameter), "strong")),
            _values(parameter, len(found["seeds"])),
        )
        parts.append(Section(f"{assumption.id}: {assumption.parameter}", section))
    parts.append(Section("The pictures", (Figure(lambda: "", CAPTION, file=f"{name}.svg"),)))
    return Document(f"{paper.title}: what was not printed", tuple(parts))


def _counts(paper: Paper) -> Table:
    """Numbers met and claims holding, as assumed and with inferred values."""
    kept = [read_stored(paper, reading) for reading in (ASSUMED, INFERRED)]
    tallies = [tally(stored.results(paper)) for stored in kept if stored is not None]
    titles = ("", "fixed before seeing results", "with inferred values that passed validation")
    return Table(
        columns(*titles, numbers=(1, 2)),
        rows(
            [
                ["numbers met", *(str(one.values) for one in tallies)],
                ["claims about runs that hold", *(str(one.claims) for one in tallies)],
            ]
        ),
    )


def _conclusion(parameter: dict[str, Any]) -> str:
    verdict = VERDICTS[parameter["verdict"]]
    if parameter["verdict"] == "as-assumed":
        return "as assumed: no other value meets more results"
    if parameter["used"]:
        return f"{verdict}: {parameter['chosen']}"
    return f"{verdict}, not used: {parameter['chosen']}"


def _values(parameter: dict[str, Any], seeds: int) -> Table:
    found = []
    for value in parameter["values"]:
        halves = [f"{value[key]:.3f}" if key in value else "-" for key in ("share_a", "share_b")]
        found.append([value["label"], f"{value['share']:.3f}", *halves, _standing(value, seeds)])
    titles = ("value", "share", "half A", "half B", "")
    return Table(columns(*titles, numbers=(1, 2, 3)), rows(found), wide=True)


def _standing(value: dict[str, Any], seeds: int) -> str:
    if "p" not in value:
        return "best"
    text = f"{'allowed' if value['allowed'] else 'excluded'}, p = {value['p']:.2g}"
    tried = value["seeds"]
    return text if tried == seeds else f"{text}, out after {counted(tried, 'seed')}"


def _picture(parameters: list[dict[str, Any]]) -> Drawing:
    heights = [ROW * len(parameter["values"]) + EDGE for parameter in parameters]
    figure, _ = new_figure(width=WIDTH, height=sum(heights))
    with style.context([*STYLE, {"svg.fonttype": "none"}]):
        figure.clear()
        panels = figure.subplots(len(parameters), 1, squeeze=False, height_ratios=heights)
        for axes, parameter in zip(panels[:, 0], parameters, strict=True):
            _draw(axes, parameter)
    return figure


def _draw(axes: Axes, parameter: dict[str, Any]) -> None:
    for row, value in enumerate(parameter["values"]):
        colour = COLOURS[6] if value["allowed"] else COLOURS[1]
        axes.plot([0, 1], [row, row], color="#e4e4e4", linewidth=0.6, zorder=0)
        for key, half, marker in (("share_a", COLOURS[0], "^"), ("share_b", COLOURS[4], "v")):
            if key in value:
                axes.plot(value[key], row + 0.17, marker, color=half, markersize=4)
        face = colour if value["allowed"] else "white"
        axes.plot(
            value["share"], row, "o", markersize=6, markeredgecolor=colour, markerfacecolor=face
        )
        name = textwrap.shorten(value["label"], CHARACTERS, placeholder=" ...")
        name += ": best" if "p" not in value else ": allowed" if value["allowed"] else ": excluded"
        weight = "normal" if "p" in value else "bold"
        axes.text(0, row - 0.28, name, fontsize=8, color=colour, weight=weight, va="bottom")
    axes.set_ylim(len(parameter["values"]) - 0.6, -1.0)
    axes.set_xlim(-0.03, 1.03)
    axes.set_yticks([])
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"share of {parameter['results']} results met")
    axes.set_title(parameter["assumption"])
