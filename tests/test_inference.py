"""Values that a made-up paper does not print, inferred back from what it prints."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest
from cellrate.common.document.terminal_text import lines, show_lines
from cellrate.common.document.web_page import web_page
from cellrate.papers import Inference, Question, ReproduceError, all_papers, infer, laboratory
from cellrate.papers.as_json import inference_as_json
from cellrate.papers.findings import Finding, held_out, store
from cellrate.papers.inference import plan
from cellrate.papers.inference_report import report, write_evidence
from cellrate.papers.laboratory import Unit
from cellrate.papers.paper import Paper, subjects_of
from cellrate.papers.runs import jobs_of
from made_up_paper import SOURCES, Recorder, made_up
from rich.console import Console

ALL = ("threshold", "buffer", "nothing")
SEEDS = (1, 2, 3)


@dataclasses.dataclass
class Answered:
    """The made-up paper, and what its results say."""

    paper: Paper
    answer: Inference
    recorder: Recorder

    def finding(self, name: str) -> Finding:
        """Finding on an assumption."""
        return next(f for f in self.answer.findings if f.parameter.assumption.id == name)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Answered:
    paper, recorder = made_up(tmp_path_factory.mktemp("papers") / "madeup"), Recorder()
    answer = infer(recorder.laboratory(paper), Question(ALL, SEEDS, whole=True))
    return Answered(paper, answer, recorder)


def test_the_true_value_is_found_and_holds_out(answered: Answered) -> None:
    found = answered.finding("threshold")
    assert len(found.parameter.subjects) == 2 * len(SOURCES)
    assert found.verdict == "held-out"
    assert found.used
    assert found.choice is not None
    assert found.choice[1].label == "200 cells"
    assert found.scores.share(2) == 1.0
    sizes = [len(half) for half in found.hold_out.halves]
    assert sizes == [len(SOURCES) / 2] * 2


def test_wrong_values_are_excluded_and_a_near_one_is_not(answered: Answered) -> None:
    found = answered.finding("threshold")
    excluded = {
        label for value, label in enumerate(found.parameter.labels) if found.excluded(value)
    }
    assert excluded == {"as assumed", "100 cells", "800 cells"}
    # The clear losers have one seed, the assumed value all of them.
    assert [found.seeds(value) for value in range(5)] == [3, 1, 3, 3, 1]


def test_what_one_experiment_says_is_fitted_and_not_used(answered: Answered) -> None:
    found = answered.finding("buffer")
    assert found.parameter.labels[found.hold_out.best] == "600 cells"
    assert (found.verdict, found.used) == ("fitted", False)
    assert not any(found.excluded(value) for value in range(2))
    assert not found.can_exclude


def test_a_value_that_changes_no_simulation_concerns_no_result(answered: Answered) -> None:
    assert [a.id for a in answered.answer.unconcerned] == ["nothing"]


def test_two_columns(answered: Answered) -> None:
    answer, count = answered.answer, len(SOURCES)
    assert dataclasses.astuple(answer.assumed) == (0, count + 1, 0, count + 1)
    # The last experiment's buffer is fitted only, and stays as assumed.
    assert dataclasses.astuple(answer.inferred) == (count, count + 1, count, count + 1)
    assert [(a.id, b.label) for a, b in answer.kept] == [("threshold", "200 cells")]


def test_only_what_is_needed_is_run_and_few_at_a_time(answered: Answered) -> None:
    done = {job.key() for job in answered.recorder.jobs}
    # 8 experiments: 5 values with the first seed, 3 with two more. The last one: 2 values with the
    # first, for it cannot hold out, and the assumed one with two more, for the columns.
    assert len(done) == 8 * (5 + 3 * 2) + 2 + 2
    told = answered.recorder.told
    assert {label for label, _, _ in told} >= {"madeup, seed 1", "madeup, more seeds"}
    assert all(done <= total for _, done, total in told)


def test_outcomes_are_held_a_few_at_a_time(
    answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laboratory, "RUNS_AT_ONCE", 4)
    recorder = Recorder()
    units = [Unit((), subject, (1,)) for subject in subjects_of(answered.paper)]
    marks = recorder.laboratory(answered.paper).marks(units, "many")
    assert recorder.batches == [4, 4, 1]
    assert not any(mark.met for mark in marks)


def test_a_plan_counts_runs_and_those_that_are_known(answered: Answered) -> None:
    recorder = Recorder()
    question = Question(ALL, SEEDS, whole=True)
    known = {job.key() for job in answered.recorder.jobs}
    stages = plan(recorder.laboratory(answered.paper), question, known.__contains__)
    counts = {stage.what: (stage.results, stage.runs, stage.known) for stage in stages}
    assert counts == {
        "threshold": (16, 40, 40),
        "buffer": (2, 2, 2),
        "nothing": (0, 0, 0),
        "all, seed 1": (18, 42, 42),
        # Of the clear losers, and of what one experiment alone says, two more seeds were spared.
        "all, 3 seeds": (18, 126, 92),
    }
    assert recorder.jobs == []


def test_what_is_stored_is_read_back(answered: Answered) -> None:
    path = store(answered.answer)
    assert path == answered.paper.directory / "inferred.toml"
    assert held_out(answered.paper) == answered.answer.kept
    text = path.read_text("utf-8")
    assert 'verdict = "fitted"' in text
    assert "cellrate infer madeup --seeds 3 --store" in text
    assert path == store(answered.answer)
    assert path.read_text("utf-8") == text
    path.unlink()
    assert held_out(answered.paper) == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"threshold"', '"treshold"', "no experiment lists that assumption"),
        ('"800 cells"', '"900 cells"', "it has no alternative '900 cells'"),
        ('chosen = "200 cells"', 'chosen = "700 cells"', "which is none of the values"),
        ('verdict = "held-out"', 'verdict = "good"', "allowed: held-out, fitted, as-assumed"),
        (
            'verdict = "held-out"',
            'verdict = "fitted"',
            "`used` is true, but the verdict is not held-out",
        ),
        ('"buffer"', '"threshold"', "two parameters are called `threshold`"),
    ],
)
def test_stale_or_broken_values_are_refused(
    answered: Answered, old: str, new: str, said: str
) -> None:
    path = store(answered.answer)
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ReproduceError, match=r"madeup/inferred\.toml") as told:
        held_out(answered.paper)
    path.unlink()
    assert said in str(told.value) or new == '"threshold"'


def test_every_paper_has_stored_values_that_still_exist() -> None:
    for paper in all_papers():
        listed = {a.id for e in paper.experiments for a in e.assumptions}
        assert {assumption.id for assumption, _ in held_out(paper)} <= listed


def test_what_cannot_be_evaluated_is_missed_and_told(answered: Answered) -> None:
    paper = answered.paper
    experiment = paper.experiments[0]
    claim = dataclasses.replace(
        experiment.claims[0], holds_if="run.bottleneck.queue_max_cells > 9 or min([]) > 0"
    )
    broken = dataclasses.replace(claim, holds_if="min([]) < run.bottleneck.queue_max_cells")
    changed = dataclasses.replace(
        paper,
        experiments=(
            dataclasses.replace(experiment, claims=(claim, broken)),
            *paper.experiments[1:],
        ),
    )
    laboratory = Recorder().laboratory(changed)
    subjects = [s for s in subjects_of(changed) if s.of in (claim, broken)]
    good, bad = laboratory.marks([Unit((), s, (1,)) for s in subjects], "two")
    assert (good.met, good.problem) == (True, "")
    assert not bad.met
    assert "min" in bad.problem


def test_claims_that_use_no_run_are_no_results() -> None:
    for paper in all_papers():
        for subject in subjects_of(paper):
            assert jobs_of(paper, subject, 1), (subject.experiment, subject.name)


def test_an_answer_is_shown_in_eighty_columns(answered: Answered) -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    show_lines(lines(report(answered.answer), console.width), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= 80
    assert "held out: 200 cells" in text
    assert "fitted only, not used: 600 cells" in text
    assert "Rests on 16 results of 8 experiments" in text
    assert "numbers met 0 of 9 8 of 9" in " ".join(text.split())


def test_page_and_evidence(answered: Answered, tmp_path: Path) -> None:
    text = web_page(report(answered.answer))
    assert text.count("<svg") == 2
    assert 'href="http' not in text
    assert "src=" not in text
    assert "200 cells: held out" in text
    assert web_page(report(answered.answer)) == text
    written = write_evidence(answered.answer, tmp_path)
    assert [path.name for path in written] == ["madeup-inferred.md", "madeup-inferred.svg"]
    markdown = written[0].read_text("utf-8")
    assert "| numbers met | 0 of 9 | 8 of 9 |" in markdown
    assert "![" in markdown


def test_json_has_everything(answered: Answered) -> None:
    found = inference_as_json(answered.answer)
    assert found["used"] == {"threshold": "200 cells"}
    assert found["inferred"]["numbers_met"] == len(SOURCES)
    first = found["parameters"][0]
    assert first["values"][2]["share_by_half"] == [1.0, 1.0]
    assert [value["allowed"] for value in first["values"]] == [False, False, True, True, False]
