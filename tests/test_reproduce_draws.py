"""Draws: a printed run among many of ours, and where a disagreement ends."""

import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest
from cellrate.papers.collection import all_papers, select
from cellrate.papers.dependence import AcrossReadings, Dependence
from cellrate.papers.draws import measure_draws, write_draws
from cellrate.papers.paper import Claim, Drawn, Explanation, Published, ReproduceError
from cellrate.papers.reading import read_draws
from cellrate.papers.results import Disagreement
from cellrate.papers.runs import runnable
from cellrate.papers.scoring import Standing, standing_of
from cellrate.simulation.runner import run_many

HUNDRED = Drawn("x-one", "Q", values=tuple(float(i) for i in range(1, 101)))


def test_a_percentile_counts_half_of_what_rounds_to_the_printed_value() -> None:
    # 1 to 100: 9 are below 10, and 10 itself rounds to it.
    assert HUNDRED.percentile(10.0, 1.0) == 9.5
    # Printed to tens: 5 to 15 round to 10, four are below.
    assert HUNDRED.percentile(10.0, 10.0) == 4 + 11 / 2
    assert HUNDRED.percentile(0.0, 1.0) == 0
    assert HUNDRED.percentile(1000.0, 1.0) == 100


def test_consistent_is_the_middle_95_percent() -> None:
    found = [value for value in range(102) if HUNDRED.consistent_with(float(value), 0.0)]
    # Without rounding a value itself counts half: 3 has 2.5 % below it, 98 has 97.5 %.
    assert (found[0], found[-1]) == (3, 98)


def test_a_claim_is_consistent_if_it_happens() -> None:
    assert not Drawn("x-one", "c", holds="1" * 4 + "0" * 196).happens
    assert Drawn("x-one", "c", holds="0" * 195 + "1" * 5).happens


def test_draws_come_back_as_they_were_written(tmp_path: Path) -> None:
    draws = [
        Drawn("x-one", "a \u2265 b", values=(1.5, 2e6, 0.0)),
        Drawn("x-one", "c", holds="011"),
    ]
    write_draws(tmp_path, draws)
    assert list(read_draws(tmp_path)) == draws
    assert read_draws(tmp_path / "nothing") == ()


@pytest.mark.parametrize("ends", ['values = [1.0]\nholds = "1"', 'holds = "012"', 'holds = ""', ""])
def test_a_draw_has_values_or_ones_and_zeros(tmp_path: Path, ends: str) -> None:
    draw = f'jitters = ["1 ms"]\n[[draw]]\nexperiment = "x-one"\nof = "c"\n{ends}\n'
    (tmp_path / "draws.toml").write_text(draw, "utf-8")
    with pytest.raises(ReproduceError, match="x-one, c: one of `values` and `holds`"):
        read_draws(tmp_path)


@pytest.mark.parametrize(
    ("name", "experiment"), [("kalyan97", "kalyan97-table8.1"), ("ohsaki95", "ohsaki95-fig7a")]
)
def test_the_first_two_stored_draws_come_out_again(name: str, experiment: str) -> None:
    [(paper, some)] = select(name, [experiment])
    found = measure_draws(paper, some, 2, run_many)
    stored = {drawn.key: drawn for drawn in paper.draws}
    assert found
    for drawn in found:
        # Values are stored with six digits.
        values = tuple(float(f"{value:.6g}") for value in drawn.values)
        old = stored[drawn.key]
        assert (values, drawn.holds) == (old.values[:2], old.holds[:2])


PUBLISHED = Published("Q", "measured", "10", 10.0, score="queue")
FAR = Published("Q", "measured", "900", 900.0, score="queue")
CLAIM = Claim("c", "t", "base.x > 1")


def why(**ends: object) -> Explanation:
    """An explanation with some end."""
    return Explanation("x-one", ("Q", "c"), "t", **ends)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("published", "explanation", "drawn", "met", "of", "standing"),
    [
        (PUBLISHED, why(impossible="e"), HUNDRED, 64, 64, Standing.IMPOSSIBLE),
        (PUBLISHED, why(draw=True), HUNDRED, 0, 64, Standing.CONSISTENT),
        (FAR, why(draw=True), HUNDRED, 2, 64, Standing.DEPENDS),
        (FAR, why(draw=True), HUNDRED, 1, 64, Standing.CONTRADICTED),
        (PUBLISHED, why(), None, 2, 64, Standing.DEPENDS),
        (PUBLISHED, None, None, 2, 80, Standing.DEPENDS),
        (PUBLISHED, None, None, 2, 81, Standing.CONTRADICTED),
        (PUBLISHED, why(), None, 0, 63, Standing.UNDECIDED),
        (PUBLISHED, why(), None, 2, 3, Standing.DEPENDS),
        (PUBLISHED, why(), None, 0, 0, Standing.UNDECIDED),
    ],
)
def test_where_a_value_ends(
    published: Published,
    explanation: Explanation | None,
    drawn: Drawn | None,
    met: int,
    of: int,
    standing: Standing,
) -> None:
    readings = [number < met for number in range(of)]
    assert standing_of(published, explanation, drawn, readings) is standing


def test_a_claim_that_never_holds_is_not_consistent() -> None:
    never, some = (Drawn("x-one", "c", holds=holds) for holds in ("0" * 200, "0001" * 50))
    readings = [False] * 64
    assert standing_of(CLAIM, why(draw=True), some, readings) is Standing.CONSISTENT
    assert standing_of(CLAIM, why(draw=True), never, readings) is Standing.CONTRADICTED


def test_the_command_of_an_explanation_ends_before_the_next_sentence() -> None:
    axis = SimpleNamespace(assumption="window", labels=("16 KiB", "64 KiB"))
    depends = Dependence(axis, 0.26, ((3, 8), (1, 8)))  # type: ignore[arg-type]
    run = Explanation("x-one", ("Q",), "It differs.", run="cellrate run x --seed 1")
    readings = AcrossReadings(depends_on=(depends,))
    known = Disagreement(Standing.CONTRADICTED, run, None, readings).known
    assert "Command: `cellrate run x --seed 1`. window explains 26% of it" in known


def test_commands_of_explanations_name_files_that_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout by their short paths, elsewhere by those of the papers' data."""
    commands = [
        one.run for paper in all_papers() for one in paper.explanations if "papers/" in one.run
    ]
    assert commands
    for command in commands:
        assert runnable(command) == command
    monkeypatch.chdir(tmp_path)
    for command in commands:
        parts = shlex.split(runnable(command))
        files = [part for part in parts if part.endswith(".toml")]
        assert files
        assert all(Path(file).exists() for file in files)
        assert len(parts) == len(shlex.split(command))
