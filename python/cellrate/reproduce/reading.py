"""Reads a paper's TOML files; anything outside the format is an error that names the place."""

import itertools
from pathlib import Path
from typing import Any

from cellrate.language.expressions import names
from cellrate.reproduce.another_unit import with_repetitions
from cellrate.reproduce.draws import read_draws
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import (
    Alternative,
    Assumption,
    Claim,
    Erratum,
    Experiment,
    Explanation,
    Paper,
    Point,
    Proof,
    Published,
    Variant,
)
from cellrate.reproduce.reading_published import read_figure, read_published, read_table
from cellrate.reproduce.toml_reader import Reader, check_unique, read_toml


def read_paper(directory: Path) -> Paper:
    """Reads the paper whose data is in `directory`.

    Raises:
        ReproduceError: If the data is not as `papers/README.md` says.
    """
    scenarios = {
        p.name: p.read_text("utf-8") for p in sorted((directory / "scenarios").glob("*.toml"))
    }
    errata = read_errata(directory / "errata.toml")
    head = Reader(read_toml(directory / "paper.toml"), f"{directory.name}/paper.toml")
    paper = Paper(
        id=head.text("id"),
        title=head.text("title"),
        authors=head.texts("authors"),
        published_in=head.text("published_in"),
        year=head.take("year", int),
        summary=head.text("summary"),
        directory=directory,
        experiments=_experiments(directory, scenarios, errata),
        errata=errata,
        explanations=_explanations(directory, {erratum.id for erratum in errata}),
        draws=read_draws(directory),
        scenarios=scenarios,
    )
    head.done()
    _check_explanations(paper)
    _check_uses(paper)
    return paper


def _experiments(
    directory: Path, scenarios: dict[str, str], errata: tuple[Erratum, ...]
) -> tuple[Experiment, ...]:
    reader = Reader(read_toml(directory / "published.toml"), f"{directory.name}/published.toml")
    assumptions = {a.id: a for a in map(_assumption, reader.tables("assumption"))}
    by_id = {erratum.id: erratum for erratum in errata}
    experiments = tuple(
        _experiment(r, assumptions, by_id, scenarios) for r in reader.tables("experiment")
    )
    reader.done()
    check_unique([e.id for e in experiments], directory.name, "experiments")
    return experiments


def _assumption(reader: Reader) -> Assumption:
    alternatives = []
    for each in reader.tables("alternatives"):
        also = Reader(each.take("also", dict, {}), f"{each.place}, also")
        more = tuple((name, also.templates(name)) for name in also.names())
        alternatives.append(Alternative(each.text("label"), each.templates("set"), more))
        each.done()
    assumption = Assumption(
        id=reader.text("id"),
        parameter=reader.text("parameter"),
        assumed=reader.text("assumed"),
        why=reader.text("why", ""),
        scenarios=reader.texts("scenarios"),
        alternatives=tuple(alternatives),
    )
    reader.done()
    return assumption


def _experiment(
    reader: Reader,
    assumptions: dict[str, Assumption],
    errata: dict[str, Erratum],
    scenarios: dict[str, str],
) -> Experiment:
    identifier = reader.text("id")
    reader.place = identifier
    listed, wrong = reader.texts("assumptions"), reader.texts("errata")
    for unknown in (name for name in listed if name not in assumptions):
        raise ReproduceError(f"{identifier}: there is no assumption `{unknown}`")
    for unknown in (name for name in wrong if name not in errata):
        raise ReproduceError(f"{identifier}: there is no erratum `{unknown}`")
    variants = tuple(_variant(r, scenarios) for r in reader.tables("variant"))
    by_name = {v.name: v for v in variants}
    if len(by_name) < len(variants):
        raise ReproduceError(f"{identifier}: two variants have the same name")
    published = [read_published(r) for r in reader.tables("published")]
    for table in reader.tables("table"):
        published += read_table(table, by_name)
    experiment = Experiment(
        id=identifier,
        kind=reader.choice("kind", ("figure", "table", "text", "analytic")),
        title=reader.text("title"),
        where=reader.text("where"),
        assumptions=tuple(assumptions[name] for name in listed),
        errata=tuple(errata[name] for name in wrong),
        remarks=reader.texts("remarks"),
        variants=variants,
        published=tuple(with_repetitions(published)),
        claims=tuple(_claim(each, set(by_name)) for each in reader.tables("claim")),
        figures=tuple(map(read_figure, reader.tables("figure"))),
    )
    reader.done()
    for each in published:
        _check_runs(each, identifier, set(by_name))
    return experiment


def _check_runs(published: Published, experiment: str, variants: set[str]) -> None:
    """Checks that a measured value names a run, and that a check of arithmetic does not."""
    if not published.measure:
        return
    named = bool(names(published.measure) & (variants | {"it"}))
    place = f"{experiment}, `{published.quantity}`"
    if published.kind == "measured" and not named:
        raise ReproduceError(f"{place}: `measure` of a measured value names no run")
    if published.kind == "arithmetic" and named:
        raise ReproduceError(
            f"{place}: `measure` of a check of arithmetic names a run; "
            "the kind of a value from runs is `measured`"
        )


def _variant(reader: Reader, scenarios: dict[str, str]) -> Variant:
    name = reader.text("name")
    reader.place += f" `{name}`"
    if not name.isidentifier():
        raise ReproduceError(f"{reader.place}: a variant's name must be an identifier")
    scenario = reader.text("scenario")
    if scenario not in scenarios:
        raise ReproduceError(f"{reader.place}: there is no scenario `{scenario}`")
    vary, points = reader.take("vary", dict, {}), reader.take("points", list, [])
    if vary and points:
        raise ReproduceError(f"{reader.place}: give either `vary` or `points`, not both")
    variant = Variant(
        name=name,
        label=reader.text("label", name),
        scenario=scenario,
        set=reader.templates("set"),
        points=tuple(points or _product(vary)),
        constants=reader.take("with", dict, {}),
        swept=bool(vary or points),
    )
    reader.done()
    return variant


def _product(vary: dict[str, list[Any]]) -> list[Point]:
    """All combinations of the values; the last key varies fastest."""
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def _claim(reader: Reader, variants: set[str]) -> Claim:
    holds_if, uses = reader.expression("holds_if"), reader.texts("uses")
    claim = Claim(
        id=reader.text("id"),
        text=reader.text("text"),
        holds_if=holds_if,
        where=reader.text("where", ""),
        general=reader.optional("general", int),
        uses=uses,
        about_runs=bool(uses) or bool(names(holds_if) & variants),
    )
    reader.done()
    return claim


def _explanations(directory: Path, errata: set[str]) -> tuple[Explanation, ...]:
    path = directory / "explanations.toml"
    if not path.exists():
        return ()
    reader = Reader(read_toml(path), f"{directory.name}/explanations.toml")
    explanations = []
    for each in reader.tables("explanation"):
        explanations.append(_explanation(each, errata))
        each.done()
    reader.done()
    return tuple(explanations)


def _explanation(reader: Reader, errata: set[str]) -> Explanation:
    explanation = Explanation(
        experiment=reader.text("experiment"),
        of=reader.texts("of"),
        text=reader.text("text"),
        impossible=reader.text("impossible", ""),
        draw=reader.take("draw", bool, default=False),
        open=reader.text("open", ""),
    )
    reader.place += f" of {explanation.experiment}"
    _check_end(explanation, errata, reader.place)
    return explanation


def _check_end(explanation: Explanation, errata: set[str], place: str) -> None:
    """Checks that an explanation ends as impossible, as a draw, or with a deciding experiment."""
    if explanation.impossible and explanation.impossible not in errata:
        raise ReproduceError(f"{place}: there is no erratum `{explanation.impossible}`")
    if explanation.impossible and (explanation.open or explanation.draw):
        raise ReproduceError(f"{place}: `impossible` excludes `draw` and `open`")
    if not (explanation.impossible or explanation.draw or explanation.open):
        raise ReproduceError(f"{place}: one of `impossible`, `draw` and `open` is needed")


def _check_explanations(paper: Paper) -> None:
    known = {
        (e.id, name)
        for e in paper.experiments
        for name in [*(p.quantity for p in e.published), *(c.id for c in e.claims)]
    }
    explained: set[tuple[str, str]] = set()
    for explanation in paper.explanations:
        for of in explanation.of:
            if (explanation.experiment, of) not in known:
                place = f"{explanation.experiment}, which has no such value or claim"
                raise ReproduceError(f"{paper.id}: an explanation of `{of}` in {place}")
            if (explanation.experiment, of) in explained:
                raise ReproduceError(
                    f"{paper.id}: two explanations of `{of}` in {explanation.experiment}"
                )
            explained.add((explanation.experiment, of))


def _check_uses(paper: Paper) -> None:
    known = {experiment.id for experiment in paper.experiments}
    users = [
        (f"{e.id}, claim {c.id}", experiment)
        for e in paper.experiments
        for c in e.claims
        for experiment in c.uses
    ]
    users += [
        (f"erratum {e.id}", experiment)
        for e in paper.errata
        for p in e.proofs
        for experiment in p.uses
    ]
    for user, experiment in users:
        if experiment not in known:
            raise ReproduceError(f"{paper.id}: {user} uses `{experiment}`, which does not exist")


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """Reads the errata of a paper, in the order of the file; empty if there is no file.

    Raises:
        ReproduceError: If an erratum is not as `papers/README.md` says.
    """
    if not path.exists():
        return ()
    reader = Reader(read_toml(path), f"{path.parent.name}/{path.name}")
    errata = tuple(map(_erratum, reader.tables("erratum")))
    reader.done()
    check_unique([erratum.id for erratum in errata], reader.place, "errata")
    return errata


def _erratum(reader: Reader) -> Erratum:
    erratum = Erratum(
        id=reader.text("id"),
        where=reader.text("where"),
        printed=reader.text("printed"),
        right=reader.text("right"),
        why=reader.text("why"),
        proofs=tuple(map(_proof, reader.tables("proof"))),
    )
    reader.done()
    if not erratum.proofs:
        raise ReproduceError(f"{reader.place} `{erratum.id}`: an erratum needs a proof")
    return erratum


def _proof(reader: Reader) -> Proof:
    values = []
    for each in reader.tables("values"):
        values.append((each.text("quantity"), each.expression("measure"), each.text("unit", "")))
        each.done()
    proof = Proof(
        text=reader.text("text"),
        holds_if=reader.expression("holds_if"),
        values=tuple(values),
        uses=reader.texts("uses"),
    )
    reader.done()
    return proof
