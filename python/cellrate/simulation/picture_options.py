"""Options of a run's pictures.

This module does not import matplotlib, because a run without pictures imports it, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

PictureKind: TypeAlias = Literal[
    "traces", "phase", "dashboard", "queue", "acr", "cwnd", "sequence", "utilisation"
]
KINDS: tuple[PictureKind, ...] = get_args(PictureKind)
# Pictures of a single kind of trace.
TRACES = KINDS[3:]

# Traces that a picture needs, from top to bottom; `traces` draws all traces of the scenario.
NEEDED: dict[PictureKind, tuple[str, ...]] = {
    "traces": (),
    "phase": ("queue", "acr"),
    "dashboard": TRACES,
    **{kind: (kind,) for kind in TRACES},
}


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """The pictures that a run draws.

    Attributes:
        kind: Which pictures: all traces over time, the phase portrait, the dashboard, or one trace.
        from_seconds: Start of the time shown.
        to_seconds: End of the time shown; infinity for the end of the run.
        dark: True for light lines on a dark ground.
    """

    kind: PictureKind = "traces"
    from_seconds: float = 0.0
    to_seconds: float = math.inf
    dark: bool = False
