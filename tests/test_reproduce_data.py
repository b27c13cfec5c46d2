"""The papers' data: everything in it is in the format, every expression is about what there is."""

import itertools
import re
import shlex
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from cellrate.cli.papers import chosen
from cellrate.common.papers_place import experiment_names
from cellrate.language.expressions import ExpressionError, attributes, evaluate, names
from cellrate.papers import ReproduceError
from cellrate.papers.collection import all_papers, experiment_ids, papers_root, select
from cellrate.papers.draws import drawn_subjects
from cellrate.papers.findings import held_out
from cellrate.papers.paper import Paper, experiment_as, read_as
from cellrate.papers.reading import read_paper
from cellrate.papers.results import measure
from cellrate.papers.runs import (
    PRINTED,
    Outcomes,
    command_of,
    job_of,
    jobs_at,
    name_in_expressions,
    run_ids,
    runs_of,
    scope_of,
    vocabulary,
)
from cellrate.papers.stored import ASSUMED, read_stored
from cellrate.papers.tally import tally
from cellrate.simulation.runner import Job
from small_paper import write_paper

PAPERS = all_papers()


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_ids_begin_with_the_papers(paper: Paper) -> None:
    assert paper.directory.name == paper.id
    assert all(e.id.startswith(f"{paper.id}-") for e in paper.experiments)


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_expressions_name_only_what_there_is(paper: Paper) -> None:
    for experiment in paper.experiments:
        known = set(vocabulary()) | {PRINTED} | {v.name for v in experiment.variants}
        for claim in experiment.claims:
            used = runs_elsewhere(paper, claim.uses, claim.holds_if)
            assert names(claim.holds_if) <= known | used, f"{experiment.id}, {claim.id}"
        for published in experiment.published:
            if published.measure:
                extra = ({"it"} if published.it else set()) | dict(published.at).keys()
                assert names(published.measure) <= known | extra, f"{experiment.id}, {published}"
        for curve in (curve for figure in experiment.figures for curve in figure.curves):
            drawn = names(curve.measure or curve.points or "0")
            drawn |= names(curve.run or curve.variant or "0")
            variants = [v for v in experiment.variants if v.name == curve.variant]
            varied = {key for variant in variants for key in variant.points[0]}
            assert drawn <= known | varied | {"it"}, f"{experiment.id}, {curve.label}"


def runs_elsewhere(paper: Paper, uses: Sequence[str], expression: str) -> set[str]:
    """Names of the used experiments; what is read of them must be their variants."""
    used = [e for e in paper.experiments if e.id in uses]
    for experiment in used:
        read = attributes(expression).get(name_in_expressions(paper, experiment), set())
        assert read <= {v.name for v in experiment.variants}, f"{experiment.id}: {expression}"
    return {name_in_expressions(paper, experiment) for experiment in used}


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_errata_are_proven_by_what_there_is(paper: Paper) -> None:
    for erratum in paper.errata:
        for proof in erratum.proofs:
            for expression in [proof.holds_if, *(value.measure for value in proof.values)]:
                used = runs_elsewhere(paper, proof.uses, expression)
                assert names(expression) <= set(vocabulary()) | used, erratum.id


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_quantities_and_claims_have_one_meaning(paper: Paper) -> None:
    for experiment in paper.experiments:
        quantities = [p.quantity for p in experiment.published]
        claims = [c.id for c in experiment.claims]
        assert len(set(quantities)) == len(quantities), experiment.id
        assert len(set(claims)) == len(claims), experiment.id
        assert not set(quantities) & set(claims), experiment.id


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_no_measure_of_the_same_run_is_scored_twice(paper: Paper) -> None:
    seen: dict[object, str] = {}
    for experiment in paper.experiments:
        for published in experiment.published:
            if not published.score:
                continue
            runs = [
                job_of(paper, variant, point, 1)
                for run, variant, point in run_ids(experiment)
                if run in runs_of(experiment, published)
            ]
            what = published.measure.replace(next(iter(names(published.measure))), "")
            key = (tuple(runs), what.split(".", 1)[-1])
            place = f"{experiment.id}, {published.quantity}"
            assert key not in seen, f"{place} and {seen.get(key)}"
            seen[key] = place


# Routes of 8,192 hosts take a second for each scenario; what is set is set of each host alike.
FEWER_HOSTS = {"papers/uet/scenarios/permutation.toml": ("topology.hosts_per_leaf=1",)}


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_every_alternative_makes_scenarios(paper: Paper) -> None:
    for experiment in paper.experiments:
        for assumption in experiment.assumptions:
            for alternative in assumption.alternatives:
                changed = experiment_as(experiment, [(assumption, alternative)])
                same = run_ids(experiment)
                for (_, before, _), (_, variant, point) in zip(same, run_ids(changed), strict=True):
                    if variant != before and point in (variant.points[0], variant.points[-1]):
                        job = job_of(paper, variant, point, 1)
                        fewer = FEWER_HOSTS.get(job.path, ())
                        replace(job, overrides=(*job.overrides, *fewer)).key()


def test_a_run_is_named_by_its_command() -> None:
    paper = next(p for p in PAPERS if p.id == "ohsaki95")
    experiment = next(e for e in paper.experiments if e.id == "ohsaki95-fig5")
    variant = next(v for v in experiment.variants if v.name == "abr")
    assert command_of(job_of(paper, variant, {"buffer": 10}, 3)) == (
        "cellrate run papers/ohsaki95/scenarios/abr.toml --set 'switch.buffer=10 KiB'"
        " --set 'switch.control.threshold=96 cells' --seed 3"
    )


def test_selection() -> None:
    assert [p.id for p, _ in select(None, None)] == [p.id for p in PAPERS]
    for paper, wanted in [
        ("ohsaki95", ["fig5"]),
        ("ohsaki95", ["ohsaki95-fig5"]),
        ("ohsaki95-fig5", None),
    ]:
        ((_, experiments),) = select(paper, wanted)
        assert [e.id for e in experiments] == ["ohsaki95-fig5"]
    assert "ohsaki95-fig5" in experiment_ids()
    assert experiment_names() == experiment_ids()
    with pytest.raises(ReproduceError, match="no paper `nobody12`; there are"):
        select("nobody12", None)
    with pytest.raises(ReproduceError, match="no experiment `fig99`; there are"):
        select("ohsaki95", ["fig99"])


BROKEN = [
    ('kind = "figure"', 'kind = "picture"', "allowed: figure, table, text, analytic"),
    ('kind = "figure"', 'kind = "figure"\ncolour = 3', "unknown key `colour`"),
    ('title = "Effective', 'tilte = "Effective', "`title` is missing"),
    ('score = "throughput"', 'score = "delay"', "is scored by one of"),
    ('scenario = "abr.toml"', 'scenario = "acr.toml"', "no scenario `acr.toml`"),
    ('measure = "abr[300]', 'measure = "abr[300]]', "is not an expression"),
    ('holds_if = "abs(', 'holds_if = "" # abs(', "it is empty"),
    ("{floor(buffer * 1000 / 53)}", "{}", "it is empty"),
    ("{floor(buffer * 1000 / 53)}", "{1)+(1}", "closes brackets that it does not open"),
    ('"thresholds", "', '"tresholds", "', "no assumption `tresholds`"),
    ('name = "epd"', 'name = "abr"', "two variants have the same name"),
    ("value = 8464", "", "needs `value` and `measure`"),
]


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_what_is_not_in_the_format_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    copy = tmp_path / "ohsaki95"
    shutil.copytree(papers_root() / "ohsaki95", copy)
    text = (copy / "published.toml").read_text("utf-8")
    assert old in text
    (copy / "published.toml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(ReproduceError) as caught:
        read_paper(copy)
    assert message in str(caught.value)


def test_an_explanation_of_nothing_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "ohsaki95"
    shutil.copytree(papers_root() / "ohsaki95", copy)
    text = '[[explanation]]\nexperiment = "ohsaki95-fig5"\nof = ["nothing"]\ntext = "x"\n'
    (copy / "explanations.toml").write_text(text, "utf-8")
    with pytest.raises(ReproduceError, match="no such value or claim"):
        read_paper(copy)


TABLE = """
[[experiment]]
id = "x-table"
kind = "table"
title = "t"
where = "w"
[[experiment.variant]]
name = "row"
scenario = "a.toml"
points = [{ n = 2, buffer = 256 }, { n = 5, buffer = 5720 }]
[[experiment.table]]
where = "Table 1"
variant = "row"
columns = [
  { quantity = "T", kind = "measured", score = "rate", order = "T", measure = "it.x" },
  { quantity = "CLR", unit = "%", kind = "measured", score = "loss", measure = "it.y" },
]
rows = [
  { at = [2, 256], printed = ["3.1", "-"] },
  { at = [5, 5720], printed = ["11.7", "0.0"], score = ["throughput", "loss"] },
]
"""


def test_a_table_becomes_its_values(tmp_path: Path) -> None:
    (experiment,) = read_paper(write_paper(tmp_path / "x", TABLE)).experiments
    found = [(p.quantity, p.value, p.score, p.order, p.it) for p in experiment.published]
    assert found == [
        ("T, n = 2, buffer = 256", 3.1, "rate", "T", ("row", (2, 256))),
        ("T, n = 5, buffer = 5720", 11.7, "throughput", "T", ("row", (5, 5720))),
        ("CLR, n = 5, buffer = 5720", 0.0, "loss", "", ("row", (5, 5720))),
    ]


ARITHMETIC = """
[[experiment]]
id = "x-table"
kind = "table"
title = "t"
where = "w"
[[experiment.table]]
key = "n"
columns = [{ quantity = "square", kind = "arithmetic", measure = "n * n" }]
rows = [{ at = [2], printed = ["4"] }, { at = [3], printed = ["9.5"] }]
[[experiment.figure]]
id = "a"
title = "t"
kind = "formula"
x = { label = "n" }
y = { label = "square" }
curves = [{ label = "here", points = "[(n, n * n) for n in range(4)]" }]
printed = [{ curve = "here", of = "square" }, { curve = "here", x = 0, y = 1 }]
"""


def test_a_table_of_arithmetic_is_computed_for_the_key_of_each_row(tmp_path: Path) -> None:
    paper = read_paper(write_paper(tmp_path / "x", ARITHMETIC))
    (experiment,) = paper.experiments
    scope = scope_of(paper, experiment, Outcomes(), 1)
    assert evaluate("printed('square')", scope) == [(4.0, 4.0), (9.5, 9.0)]
    assert [measure(experiment, each, scope) for each in experiment.published] == [4.0, 9.0]
    (figure,) = experiment.figures
    assert [(one.x, one.y) for one in figure.printed] == [(2.0, 4.0), (3.0, 9.5), (0.0, 1.0)]
    with pytest.raises(ExpressionError, match="has no column of arithmetic `cube`"):
        evaluate("printed('cube')", scope)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("at = [2]", "at = [2, 3]", "`at` needs one value, that of `n`"),
        ('of = "square"', 'of = "cube"', "no table of arithmetic has a column `cube`"),
        ('kind = "arithmetic"', 'kind = "measured", score = "rate"', "names no run"),
    ],
)
def test_what_does_not_fit_a_table_of_arithmetic_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(ReproduceError, match=message):
        read_paper(write_paper(tmp_path / "x", ARITHMETIC.replace(old, new)))


RUN = """
[[experiment]]
id = "x-one"
kind = "text"
title = "t"
where = "w"
[[experiment.variant]]
name = "base"
scenario = "a.toml"
"""
VALUE = """
[[experiment.published]]
quantity = "Q"
kind = "{kind}"
printed = "1"
value = 1
measure = "{measure}"
"""
CLAIM = """
[[experiment.claim]]
id = "c"
text = "t"
holds_if = "{holds_if}"
"""


@pytest.mark.parametrize(
    ("kind", "measure", "score", "message"),
    [
        ("measured", "2 * 3", 'score = "rate"', "names no run"),
        ("arithmetic", "base.x / 3", "", "names a run"),
        ("arithmetic", "2 * 3", 'score = "rate"', "only measured values"),
        ("arithmetic", "2 * 3", 'order = "T"', "only measured values"),
        ("derived", "2 * 3", "", "allowed: measured, arithmetic, restated"),
        ("measured", "base.x", 'score = "order"', "is scored by one of"),
    ],
)
def test_only_what_runs_give_is_measured(
    tmp_path: Path, kind: str, measure: str, score: str, message: str
) -> None:
    text = RUN + VALUE.format(kind=kind, measure=measure) + score + "\n"
    with pytest.raises(ReproduceError, match=message):
        read_paper(write_paper(tmp_path / "x", text))


def test_a_claim_that_names_no_run_is_a_check_of_arithmetic(tmp_path: Path) -> None:
    for holds_if, about_runs in [("base.x > 1", True), ("2 > 1", False)]:
        paper = read_paper(
            write_paper(tmp_path / holds_if[0], RUN + CLAIM.format(holds_if=holds_if))
        )
        assert paper.experiments[0].claims[0].about_runs is about_runs


EXPLANATION = '[[explanation]]\nexperiment = "x-one"\nof = ["c"]\ntext = "why"\n'


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ('impossible = "nothing"', "no erratum `nothing`"),
        ('impossible = "e"\ndraw = true', "excludes `draw`"),
        (EXPLANATION + "draw = true", "two explanations of `c`"),
    ],
)
def test_every_disagreement_has_one_explanation(tmp_path: Path, ends: str, message: str) -> None:
    directory = write_paper(tmp_path / "x", RUN + CLAIM.format(holds_if="base.x > 1"))
    (directory / "explanations.toml").write_text(EXPLANATION + ends + "\n", "utf-8")
    erratum = 'id = "e"\nwhere = "w"\nprinted = "1"\nright = "2"\nwhy = "y"\n'
    proof = '[[erratum.proof]]\ntext = "t"\nholds_if = "2 > 1"\n'
    (directory / "errata.toml").write_text(f"[[erratum]]\n{erratum}{proof}", "utf-8")
    with pytest.raises(ReproduceError, match=message):
        read_paper(directory)


@pytest.mark.parametrize(
    ("measure", "again"),
    [
        ("it.q / 11040", "Q, n = 2"),
        ("149.76 - it.q", "Q, n = 2"),
        ("it.q / it.q", ""),
        ("it.q", ""),
        ("it.q ** 2", ""),
        ("it.r / 11040", ""),
    ],
)
def test_a_value_may_say_another_in_another_unit(tmp_path: Path, measure: str, again: str) -> None:
    text = (
        '[[experiment]]\nid = "x-t"\nkind = "table"\ntitle = "t"\nwhere = "w"\n'
        '[[experiment.variant]]\nname = "row"\nscenario = "a.toml"\npoints = [{ n = 2 }]\n'
        '[[experiment.table]]\nwhere = "T"\nvariant = "row"\ncolumns = [\n'
        '  { quantity = "Q", kind = "measured", score = "queue", measure = "it.q" },\n'
        f'  {{ quantity = "R", kind = "measured", score = "queue", measure = "{measure}" }},\n'
        ']\nrows = [{ at = [2], printed = ["10", "20"] }]\n'
    )
    if measure == "it.q":
        text = text.replace('measure = "it.q" },\n  {', 'measure = "it.p" },\n  {', 1)
    (experiment,) = read_paper(write_paper(tmp_path / "x", text)).experiments
    assert [each.again for each in experiment.published] == ["", again]


def test_a_row_of_a_table_is_a_run(tmp_path: Path) -> None:
    broken = TABLE.replace("at = [2, 256]", "at = [3, 256]")
    with pytest.raises(ReproduceError, match=r"no run at \(3, 256\)"):
        read_paper(write_paper(tmp_path / "x", broken))


def test_words_are_the_committed_ones() -> None:
    table = tomllib.loads((papers_root() / "words.toml").read_text("utf-8"))
    numbers = {
        name: next(v for k, v in word.items() if k != "meaning") for name, word in table.items()
    }
    assert numbers == {
        "fair": 0.98,
        "slightly": 0.05,
        "about_equal": 0.05,
        "much": 2,
        "high": 0.9,
        "small": 0.1,
    }


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_every_disagreement_of_five_seeds_has_an_end(paper: Paper) -> None:
    stored = read_stored(paper, ASSUMED)
    assert stored is not None
    assert len(stored.seeds) == 5
    misses = tally(stored.results(paper)).misses
    assert [miss for miss in misses if not miss.why] == []


SENTENCE_END = re.compile(r"(?<!Fig)(?<!Figs)[.?!](?= |$)")


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_explanations_are_short_and_their_commands_are_commands(paper: Paper) -> None:
    for each in paper.explanations:
        assert len(SENTENCE_END.findall(each.text)) <= 5, (each.experiment, each.of)
        if each.run:
            program, command, *words = shlex.split(each.run)
            assert program == "cellrate"
            names = list(itertools.takewhile(lambda word: not word.startswith("--"), words))
            changes = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
            jobs = jobs_of_command(paper, command, names)
            for job in jobs:
                replace(job, overrides=(*job.overrides, *changes)).scenario()


def jobs_of_command(paper: Paper, command: str, names: list[str]) -> list[Job]:
    """Simulations of a command that runs a scenario or experiments of a paper."""
    if command == "run":
        [path] = names
        return [Job.from_file(papers_root() / path.removeprefix("papers/"))]
    assert command == "reproduce"
    ids = chosen(names, experiment_names())[1]
    assert ids
    return [job for one in ids for job in jobs_at(paper, paper.experiment(one), (1,))]


def test_draws_as_assumed_end_nothing_of_a_paper_that_is_read_otherwise() -> None:
    paper = next(p for p in PAPERS if p.id == "fmmra")
    choice = paper.experiments[0].assumptions[0]
    assert paper.draws
    assert read_as(paper, ()).draws == paper.draws
    assert read_as(paper, [(choice, choice.alternatives[0])]).draws == ()


@pytest.mark.parametrize("paper", PAPERS, ids=[p.id for p in PAPERS])
def test_what_is_kept_beside_a_paper_is_of_it(paper: Paper) -> None:
    known = [(subject.experiment, subject.name) for subject in drawn_subjects(paper)]
    assert [drawn.key for drawn in paper.draws if drawn.key not in known] == []
    assert all(drawn.seeds >= 100 for drawn in paper.draws)
    assert read_as(paper, held_out(paper)).id == paper.id
