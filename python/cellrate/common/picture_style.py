"""The style of all pictures, its dark form, and files of figures with reproducible bytes.

The colours are those of Okabe and Ito, which the colour-blind can distinguish.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cycler import cycler
from matplotlib import colors, style
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from cellrate.common import whole_file

# Without yellow, which is too light for a line on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
FAINT = "#999999"
# Colour of notes and of levels with their names.
NOTE = "#5f6670"
# The colours of the dark style by those of the light style; other colours stay.
DARK = {
    "#ffffff": "#15181c",
    "#000000": "#e6e6e6",
    "#e4e4e4": "#343a42",
    "#5f6670": "#a3adb8",
    "#0072b2": "#4aa8e8",
    "#d55e00": "#f0853a",
    "#009e73": "#2cc79c",
}

_OWN: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "savefig.dpi": 150,
    "svg.hashsalt": "cellrate",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
STYLE: list[str | dict[str, Any]] = ["default", _OWN]
"""Settings of matplotlib: its default style with changes.

A `matplotlibrc` in the working directory is ignored: it would change the bytes of files, and might
require LaTeX.
"""

FORMATS: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "cellrate"},
    "pdf": {"CreationDate": None, "Creator": "cellrate", "Producer": None},
}
"""File formats of figures, with metadata that leaves out times and versions."""


def darken(figure: Figure) -> None:
    """Changes a figure to the dark style: its background, its texts and the colours of `DARK`."""
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            artist.set_color(_dark(artist.get_color()))
            artist.set_markerfacecolor(_dark(artist.get_markerfacecolor()))
            artist.set_markeredgecolor(_dark(artist.get_markeredgecolor()))
        elif isinstance(artist, Text):
            artist.set_color(_dark(artist.get_color()))
        elif isinstance(artist, Patch):
            # A patch has one alpha for both colours, which the colours already include.
            face, edge = artist.get_facecolor(), artist.get_edgecolor()
            artist.set_facecolor(_dark(face))
            artist.set_edgecolor(_dark(edge))
        elif isinstance(artist, Collection):
            _darken_collection(artist)


def _darken_collection(artist: Collection) -> None:
    """Changes a collection's colours unless these come from a colour map."""
    if artist.get_array() is not None:
        return
    artist.set_facecolor([_dark(colour) for colour in artist.get_facecolor()])
    artist.set_edgecolor([_dark(colour) for colour in artist.get_edgecolor()])


def _dark(colour: Any) -> Any:  # noqa: ANN401  matplotlib takes colours of many types
    """The dark style's colour for one of the light style; its opacity stays."""
    if isinstance(colour, str) and colour in {"none", "auto"}:
        return colour
    red, green, blue, opacity = colors.to_rgba(colour)
    found = DARK.get(colors.to_hex((red, green, blue)))
    return colour if found is None else (*colors.to_rgb(found), opacity)


def save(
    figure: Figure, stem: Path, formats: Sequence[str] = ("png", "svg"), *, dark: bool = False
) -> list[Path]:
    """Writes a figure into files; equal figures give equal bytes.

    Args:
        figure: The figure.
        stem: Path without suffix.
        formats: Keys of `FORMATS`.
        dark: True to change the figure to the dark style first.
    """
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    if dark:
        darken(figure)
    with style.context(STYLE):
        for file, suffix in zip(files, formats, strict=True):
            # Libraries hide the error of a full disk, so they write to memory.
            drawn = io.BytesIO()
            figure.savefig(drawn, format=suffix, metadata=FORMATS[suffix])
            with whole_file.replacing(file) as fresh:
                fresh.write_bytes(drawn.getvalue())
    return files


def svg(figure: Figure) -> str:
    """The figure as an SVG element; equal figures give equal texts."""
    buffer = io.StringIO()
    with style.context([*STYLE, {"svg.fonttype": "none"}]):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
