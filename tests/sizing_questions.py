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

runner = functools.partial(run_many, workers=2)


def ask(text: str, *settings: str, seeds: int = 2, **asked: object) -> Answer:
    question = Question(text, "asked.toml", settings, seeds=tuple(range(1, seeds + 1)), **asked)  # type: ignore[arg-type]
    return size_buffer(question, runner)


def links(kilometres: int) -> list[str]:
    names = ("access", "bottleneck", "egress")
    return ["flow.tcp.count=15", *(f'topology.{name}="{kilometres} km"' for name in names)]
