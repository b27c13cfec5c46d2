"""Changed data and stored values of a made-up paper, for transcripts of messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from cellrate.functions.published import question_of
from cellrate.papers import Question, assumptions_of
from cellrate.papers.findings import held_out
from cellrate.papers.inference import plan
from cellrate.papers.joint_readings import BLOCK, BLOCKS, measure_readings
from cellrate.papers.paper import Reading
from cellrate.papers.reading import read_paper
from cellrate.papers.readings_file import none_yet, write_readings
from made_up_paper import Recorder, write_paper

STORED = """
seeds = [1]

[[parameter]]
assumption = "threshold"
verdict = "held-out"
chosen = "200 cells"
used = true
results = 16
experiments = 8
values = [
  {label = "as assumed", seeds = 1, share = 0.5, p = 0.2, allowed = true},
  {label = "200 cells", seeds = 1, share = 0.6, allowed = true},
  {label = "800 cells", seeds = 1, share = 0.5, p = 0.2, allowed = true},
]

[[parameter]]
assumption = "buffer"
verdict = "as-assumed"
chosen = "as assumed"
used = false
results = 2
experiments = 1
values = [{label = "as assumed", seeds = 1, share = 0.5, allowed = true}]
"""


def inferred_with(old: str, new: str) -> None:
    """Reads stored values with one of their texts changed."""
    assert old in STORED, old
    with TemporaryDirectory() as directory:
        place = write_paper(Path(directory) / "madeup")
        (place / "inferred.toml").write_text(STORED.replace(old, new, 1), encoding="utf-8")
        held_out(read_paper(place))


def inferring_with(old: str, new: str) -> None:
    """Plans an inference of the paper with one text of its data changed."""
    with TemporaryDirectory() as directory:
        place = write_paper(Path(directory) / "madeup")
        text = (place / "published.toml").read_text("utf-8")
        assert old in text, old
        (place / "published.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
        paper = read_paper(place)
        question = Question((*assumptions_of(paper),), (1,), whole=True)
        plan(Recorder().laboratory(paper), question, lambda _: False)


def asked(parameters: str) -> None:
    """Asks for parameters of the paper."""
    with TemporaryDirectory() as directory:
        paper = read_paper(write_paper(Path(directory) / "madeup"))
        question_of(paper, parameters.split(","), range(1, 2))


def readings_with(old: str, new: str) -> None:
    """Reads stored joint readings with one of their texts changed."""
    with TemporaryDirectory() as directory:
        place = write_paper(Path(directory) / "madeup")
        none = none_yet(read_paper(place))
        one = Reading(1, tuple(0 for _ in none.axes), tuple(True for _ in none.results))
        write_readings(place, replace(none, readings=(one,)))
        text = (place / "readings.toml").read_text("utf-8")
        assert old in text, old
        (place / "readings.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
        read_paper(place)


def readings_wanted(number: int) -> None:
    """Asks for joint readings after the last row of the design."""
    with TemporaryDirectory() as directory:
        paper = read_paper(write_paper(Path(directory) / "madeup"))
        none = none_yet(paper)
        last = Reading(
            BLOCK * BLOCKS, tuple(0 for _ in none.axes), tuple(True for _ in none.results)
        )
        before = replace(none, readings=(last,))
        measure_readings(Recorder().laboratory(paper), number, before, lambda _: None)
