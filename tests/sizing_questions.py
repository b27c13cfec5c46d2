"""Questions about buffers that several tests ask."""

from __future__ import annotations

import functools
from pathlib import Path

from cellrate.advice.sizing import Answer, Question, size_buffer
from cellrate.simulation.runner import run_many

PAPERS = Path(__file__).parents[1] / "papers"
UBR = (PAPERS / "ohsaki95/scenarios/ubr.toml").read_text(encoding="utf-8")
TRANSFERS = (PAPERS / "kalyan97/scenarios/file-transfer.toml").read_text(encoding="utf-8")
BACKGROUND = (PAPERS / "kalyan97/scenarios/on-off-vbr.toml").read_text(encoding="utf-8")
# Equal links, over which the cells of equal sources meet again and again.
LOCKING = """
[run]
duration = "1200 ms"
[measure]
from = "300 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "10 km"
egress = "1 km"
[tcp]
recovery = "reno"
mss = "512 bytes"
window = "64 KiB"
granularity = "10 ms"
min_rto = "20 ms"
[[flow]]
name = "tcp"
count = 5
service = "ubr"
"""

runner = functools.partial(run_many, workers=2)


def ask(text: str, *settings: str, seeds: int = 2, **asked: object) -> Answer:
    question = Question(text, "asked.toml", settings, seeds=tuple(range(1, seeds + 1)), **asked)  # type: ignore[arg-type]
    return size_buffer(question, runner)


def links(kilometres: int) -> list[str]:
    names = ("access", "bottleneck", "egress")
    return ["flow.tcp.count=15", *(f'topology.{name}="{kilometres} km"' for name in names)]
