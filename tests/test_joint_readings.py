"""Joint readings: all open parameters of a paper drawn together, and what results depend on."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cellrate.papers import ReproduceError
from cellrate.papers.collection import all_papers
from cellrate.papers.dependence import across_readings, dependences, omega_squared
from cellrate.papers.joint_readings import association, choices_at, measure_readings, points
from cellrate.papers.laboratory import Laboratory, Unit
from cellrate.papers.paper import Paper, Reading, Readings, Subject, subjects_of
from cellrate.papers.readings_file import axes_of, none_yet, read_readings, write_readings
from cellrate.simulation.runner import run_many
from made_up_paper import Recorder, made_up

PAPERS = all_papers()
CHEAP = {
    "fmmra": "fmmra-fig4",
    "gerla95": "gerla95-text-prca-rate",
    "kalyan97": "kalyan97-fig8.7a",
    "marsan97": "marsan97-fig4L",
    "ohsaki95": "ohsaki95-fig7a",
    "zhu16": "zhu16-packets",
}
"""An experiment of each paper whose runs are short."""
OF_FEW_RUNS = {"zhu16": ("n2-4us",), "gerla95": ("shorter-drains-sooner",), "marsan97": ("slow",)}
"""Results that need few runs of an experiment."""


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Paper:
    return made_up(tmp_path_factory.mktemp("papers") / "madeup")


@pytest.fixture(scope="module")
def sixteen(paper: Paper) -> Readings:
    return measure_readings(Recorder().laboratory(paper), 16, none_yet(paper), lambda _found: None)


def test_values_are_equally_often_and_no_two_axes_are_confounded() -> None:
    for paper in PAPERS:
        axes = axes_of(paper)
        first = np.array([values for _, values in itertools.islice(points(axes), 64)]).T
        members = []
        for axis, column in zip(axes, first, strict=True):
            counts = np.bincount(column, minlength=len(axis.labels))
            assert counts.max() - counts.min() <= 1, axis
            members.append((column == np.arange(len(axis.labels))[:, None]).astype(float))
        pairs = itertools.combinations(members, 2)
        # A confounded pair of axes with k values has 64 / (k - 1); chance has 1.
        assert max(association(one, other) for one, other in pairs) < 2.5, paper.id


def test_association_by_hand() -> None:
    one = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]])
    assert association(one, one) == 4.0
    assert association(one, np.array([[1.0, 0, 1, 0], [0, 1, 0, 1]])) == 0.0
    # Counts 2, 1, 0, 1 against 1.5, 1.5, 0.5, 0.5: 1/6 + 1/6 + 1/2 + 1/2.
    three = np.array([[1.0, 1, 1, 0], [0, 0, 0, 1]])
    assert association(one, three) == pytest.approx(4 / 3)


def test_variance_that_groups_explain_by_hand() -> None:
    # Means 2/3 and 1/3: between 1/6, total 3/2, within (3/2 - 1/6) / 4 = 1/3.
    values, results = np.array([0, 0, 0, 1, 1, 1]), np.array([[1.0, 1, 0, 0, 0, 1]]).T
    assert omega_squared(values, results)[0] == pytest.approx((1 / 6 - 1 / 3) / (3 / 2 + 1 / 3))
    assert omega_squared(values, np.array([[1.0, 1, 1, 0, 0, 0]]).T)[0] == pytest.approx(1.0)


def test_readings_go_on_where_they_stopped(paper: Paper, sixteen: Readings, tmp_path: Path) -> None:
    directory = tmp_path / "madeup"
    copy = replace(paper, directory=directory)
    directory.mkdir()
    for wanted in 2, 3:
        measure_readings(
            Recorder().laboratory(paper),
            wanted,
            read_readings(copy),
            lambda found: write_readings(directory, found),
        )
        assert len(read_readings(copy).readings) == wanted
    assert read_readings(copy) == replace(sixteen, readings=sixteen.readings[:3])


def test_a_reading_is_that_of_its_point(paper: Paper, sixteen: Readings) -> None:
    last = sixteen.readings[-1]
    assert next(v for number, v in points(sixteen.axes) if number == last.point) == last.values
    choices = choices_at(paper, last.values)
    settings = {setting for _, alternative in choices for setting in alternative.set}
    assert len(choices) == sum(value > 0 for value in last.values)
    recorder = Recorder()
    units = [Unit(choices, subject, (last.point,)) for subject in subjects_of(paper)]
    marks = recorder.laboratory(paper).marks(units, "")
    assert tuple(mark.met for mark in marks) == last.met
    assert {job.seed for job in recorder.jobs} == {last.point}
    used = {setting for job in recorder.jobs for setting in job.overrides}
    assert settings <= used


def test_the_hidden_parameter_is_found_and_no_other(paper: Paper, sixteen: Readings) -> None:
    read = replace(paper, readings=sixteen)
    of = {subject.name: subject for subject in subjects_of(paper) if "of9" in subject.experiment}
    [found] = dependences(read, of["close"])
    assert found.axis.assumption == "threshold"
    met = {
        label: counts[0] for label, counts in zip(found.axis.labels, found.by_value, strict=True)
    }
    assert met["200 cells"] > 0
    assert met["as assumed"] == met["800 cells"] == 0
    noise = np.random.default_rng(3).permutation([True] * 8 + [False] * 8)
    at = sixteen.results.index(("madeup-of9", "close"))
    shuffled = tuple(
        replace(r, met=(*r.met[:at], bool(one), *r.met[at + 1 :]))
        for r, one in zip(sixteen.readings, noise, strict=True)
    )
    assert not dependences(
        replace(paper, readings=replace(sixteen, readings=shuffled)), of["close"]
    )


def test_a_result_that_holds_in_less_than_half_is_fragile(paper: Paper) -> None:
    [subject, *_] = subjects_of(paper)
    none = none_yet(paper)
    for met, fragile in (31, True), (32, False):
        lines = tuple(
            Reading(i, tuple(0 for _ in none.axes), tuple(i < met for _ in none.results))
            for i in range(64)
        )
        read = replace(paper, readings=replace(none, readings=lines))
        found = across_readings(read, subject, stands=True)
        assert (found.is_fragile, found.is_robust) == (fragile, not fragile)
        assert str(found) == f"{met} of 64"
        fewer = replace(none, readings=lines[:63])
        found = across_readings(replace(paper, readings=fewer), subject, stands=True)
        assert (found.is_fragile, found.is_robust) == (False, False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"205 cells"', '"206 cells"', "are not those of the paper's data"),
        ('"madeup-of3", "close"', '"madeup-of3", "far"', "are not those of the paper's data"),
        ("readings = [\n", 'readings = [\n  "1 0,0 1",\n', "does not fit the axes and results"),
        ("readings = [\n", 'readings = [\n  "one",\n', "is not `point values met`"),
    ],
)
def test_damaged_or_older_readings_are_refused(
    paper: Paper, sixteen: Readings, tmp_path: Path, old: str, new: str, message: str
) -> None:
    write_readings(tmp_path, sixteen)
    text = (tmp_path / "readings.toml").read_text("utf-8")
    assert old in text
    (tmp_path / "readings.toml").write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ReproduceError, match=message):
        read_readings(replace(paper, directory=tmp_path))


WITH_READINGS = [paper for paper in PAPERS if paper.readings.readings]


def test_some_paper_has_readings() -> None:
    assert WITH_READINGS


@pytest.mark.parametrize("paper", WITH_READINGS, ids=[paper.id for paper in WITH_READINGS])
def test_no_reading_meets_what_is_explained_as_impossible(paper: Paper) -> None:
    for number, (experiment, name) in enumerate(paper.readings.results):
        why = paper.explanation(experiment, name)
        if why is not None and why.impossible:
            meeting = [r.point for r in paper.readings.readings if r.met[number]]
            assert not meeting, f"{experiment}, {name}: {why.impossible}"


@pytest.mark.parametrize("paper", WITH_READINGS, ids=[paper.id for paper in WITH_READINGS])
def test_a_stored_reading_comes_out_again(paper: Paper) -> None:
    laboratory = Laboratory(
        paper, lambda jobs, told: run_many(jobs, progress=told), lambda *_: None
    )
    wanted = [
        Subject(CHEAP[paper.id], s.of)
        for s in subjects_of(paper)
        if s.experiment == CHEAP[paper.id] and s.name in OF_FEW_RUNS.get(paper.id, (s.name,))
    ]
    assert wanted
    reading = paper.readings.readings[0]
    choices = choices_at(paper, reading.values)
    units = [Unit(choices, subject, (reading.point,)) for subject in wanted]
    found = [mark.met for mark in laboratory.marks(units, "")]
    stored = dict(zip(paper.readings.results, reading.met, strict=True))
    assert found == [stored[subject.experiment, subject.name] for subject in wanted]
