"""Parses the TOML files with a paper's data; wrong entries are errors that name the place."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cellrate.language.expressions import names, parse
from cellrate.papers.paper import (
    SCORES,
    Alternative,
    Assumption,
    Claim,
    Curve,
    Drawn,
    Erratum,
    Experiment,
    Explanation,
    Expression,
    Figure,
    Kind,
    Paper,
    Point,
    PrintedPoint,
    Published,
    Readings,
    ReproduceError,
    Variant,
    in_column,
)
from cellrate.papers.readings_file import read_readings
from cellrate.papers.toml_reader import Reader, check_unique, read_toml

OPERATIONS = (ast.Mult, ast.Div, ast.Add, ast.Sub)


def read_paper(directory: Path) -> Paper:
    """Reads the paper whose data is in `directory`.

    Raises:
        ReproduceError: If the data is not as `papers/README.md` says.
    """
    files = sorted((directory / "scenarios").glob("*.toml"))
    scenarios = {path.name: path.read_text("utf-8") for path in files}
    errata = read_errata(directory / "errata.toml")
    paper = read_toml(directory / "paper.toml").fill(
        Paper,
        directory=directory,
        experiments=_experiments(directory, scenarios, errata),
        errata=errata,
        explanations=_explanations(directory, {erratum.id for erratum in errata}),
        draws=read_draws(directory),
        readings=Readings(),
        scenarios=scenarios,
    )
    _check_quantities(paper)
    _check_explanations(paper)
    _check_uses(paper)
    return replace(paper, readings=read_readings(paper))


def _experiments(
    directory: Path, scenarios: dict[str, str], errata: tuple[Erratum, ...]
) -> tuple[Experiment, ...]:
    reader = read_toml(directory / "published.toml")
    assumptions = {a.id: a for a in map(_assumption, reader.tables("assumption"))}
    by_id = {erratum.id: erratum for erratum in errata}
    experiments = tuple(
        _experiment(table, assumptions, by_id, scenarios) for table in reader.tables("experiment")
    )
    reader.done()
    check_unique([e.id for e in experiments], directory.name, "experiments")
    return experiments


def _assumption(reader: Reader) -> Assumption:
    alternatives = tuple(map(_alternative, reader.tables("alternatives")))
    return reader.fill(Assumption, alternatives=alternatives)


def _alternative(reader: Reader) -> Alternative:
    also = Reader(reader.take("also", dict, {}), f"{reader.place}, also")
    more = tuple((scenario, also.settings(scenario)) for scenario in also.names())
    return reader.fill(Alternative, also=more)


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
    variants = tuple(_variant(table, scenarios) for table in reader.tables("variant"))
    by_name = {variant.name: variant for variant in variants}
    if len(by_name) < len(variants):
        raise ReproduceError(f"{identifier}: two variants have the same name")
    published = [read_published(table) for table in reader.tables("published")]
    for table in reader.tables("table"):
        published += read_table(table, by_name)
    experiment = reader.fill(
        Experiment,
        id=identifier,
        assumptions=tuple(assumptions[name] for name in listed),
        errata=tuple(errata[name] for name in wrong),
        variants=variants,
        published=_with_repetitions(published),
        claims=tuple(_claim(table, set(by_name)) for table in reader.tables("claim")),
        figures=tuple(read_figure(table, published) for table in reader.tables("figure")),
    )
    for each in published:
        _check_runs(each, identifier, set(by_name))
    return experiment


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
    return reader.fill(
        Variant,
        name=name,
        label=reader.text("label", name),
        scenario=scenario,
        points=tuple(points or _product(vary)),
        constants=reader.take("with", dict, {}),
        swept=bool(vary or points),
        changes=(),
    )


def _product(vary: dict[str, list[Any]]) -> list[Point]:
    """All combinations of the values; the last key varies fastest."""
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def _claim(reader: Reader, variants: set[str]) -> Claim:
    claim = reader.fill(Claim, about_runs=False)
    about_runs = bool(claim.uses) or bool(names(claim.holds_if) & variants)
    return replace(claim, about_runs=about_runs)


def read_published(reader: Reader) -> Published:
    """Reads a printed value; raises `ReproduceError` if kind, score and measure do not fit."""
    published = reader.fill(Published, again="", it=None, at=())
    _check_published(published, reader.place)
    return published


def _check_published(published: Published, place: str) -> None:
    where = f"{place} `{published.quantity}`"
    if published.kind == "measured":
        if published.score not in SCORES:
            raise ReproduceError(
                f"{where}: a measured value is scored by one of {', '.join(SCORES)}"
            )
        if published.value is None or not published.measure:
            raise ReproduceError(f"{where}: a measured value needs `value` and `measure`")
    elif published.score or published.order:
        raise ReproduceError(f"{where}: only measured values have `score` and `order`")
    if published.kind == "arithmetic" and not published.measure:
        raise ReproduceError(f"{where}: a check of arithmetic needs `measure`")
    if published.kind == "restated" and not published.restates:
        raise ReproduceError(f"{where}: `restates` is missing")


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


@dataclass(frozen=True)
class _Column:
    """A column of a table of printed values: fields that all values of the column share."""

    quantity: str
    kind: Kind
    unit: str = ""
    measure: Expression = ""
    score: str = ""
    order: str = ""
    restates: str = ""


@dataclass(frozen=True)
class _Row:
    """A row of a table of printed values; its `score` and `kind` override those of columns."""

    at: list[Any]
    printed: tuple[str, ...]
    score: tuple[str, ...]
    kind: tuple[str, ...]
    restates: str = ""


def read_table(reader: Reader, variants: dict[str, Variant]) -> list[Published]:
    """Reads the values of a table, row by row; raises `ReproduceError` if a row does not fit.

    A table of runs names their variant. A table of arithmetic names a key instead, and its measures
    use the value of the key in the row.
    """
    where, key = reader.text("where", ""), reader.text("key", "")
    name = "" if key else reader.text("variant")
    if not key and (name not in variants or not variants[name].swept):
        raise ReproduceError(f"{reader.place}: `{name}` is not a variant with varied runs")
    columns = [table.fill(_Column) for table in reader.tables("columns")]
    of = variants.get(name, key)
    values = [
        value for table in reader.tables("rows") for value in _values(table, columns, of, where)
    ]
    reader.done()
    return values


def _values(
    reader: Reader, columns: list[_Column], of: Variant | str, where: str
) -> list[Published]:
    """The values of a row; `of` is the variant of the table, or its key."""
    row = reader.fill(_Row)
    at = tuple(row.at)
    if isinstance(of, Variant):
        points = [point for point in of.points if tuple(point.values()) == at]
        if not points:
            raise ReproduceError(f"{reader.place}: `{of.name}` has no run at {at}")
        place: dict[str, Any] = {"it": (of.name, at)}
    else:
        if len(at) != 1:
            raise ReproduceError(f"{reader.place}: `at` needs one value, that of `{of}`")
        points = [{of: at[0]}]
        place = {"at": ((of, at[0]),)}
    given = {"printed": row.printed, "score": row.score, "kind": row.kind}
    for key, cells in given.items():
        if cells and len(cells) != len(columns):
            raise ReproduceError(
                f"{reader.place}: `{key}` has {len(cells)} entries for {len(columns)} columns"
            )
    conditions = ", ".join(f"{key} = {value}" for key, value in points[0].items())
    values = []
    for i, column in enumerate(columns):
        own = {key: cells[i] for key, cells in given.items() if cells}
        own |= {"restates": row.restates} if row.restates else {}
        cell = asdict(column) | own | {"quantity": f"{column.quantity}, {conditions}"}
        if cell["printed"] == "-":
            continue
        if cell["kind"] != "measured":
            cell |= {"score": "", "order": ""}
        value = Published(**cell, value=_number(row.printed[i]), where=where, **place)
        _check_published(value, reader.place)
        values.append(value)
    return values


def _number(printed: str) -> float | None:
    try:
        return float(printed.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def _with_repetitions(published: Sequence[Published]) -> tuple[Published, ...]:
    """Values of an experiment, whose `again` names a value that they repeat in another unit.

    A value repeats another value if its measure combines the other's measure with a constant. For
    example, a queue in round trips is `queue / 11040`.
    """
    measures = {
        (ast.dump(parse(each.measure)), each.it): each.quantity
        for each in published
        if each.kind == "measured"
    }
    return tuple(
        replace(each, again=_again(each, measures)) if each.kind == "measured" else each
        for each in published
    )


def _again(published: Published, measures: Mapping[tuple[str, Any], str]) -> str:
    tree = parse(published.measure)
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, OPERATIONS):
        return ""
    for constant, other in ((tree.left, tree.right), (tree.right, tree.left)):
        repeated = measures.get((ast.dump(other), published.it))
        if isinstance(constant, ast.Constant) and repeated:
            return repeated
    return ""


def read_figure(reader: Reader, published: Sequence[Published] = ()) -> Figure:
    """Reads a figure; raises `ReproduceError` if a curve lacks its data."""
    printed = [one for table in reader.tables("printed") for one in _printed(table, published)]
    figure = reader.fill(
        Figure, curves=tuple(map(_curve, reader.tables("curves"))), printed=tuple(printed)
    )
    labels = [curve.label for curve in figure.curves]
    for point in figure.printed:
        if point.curve not in labels:
            message = f"`printed` names the curve {point.curve!r}; there are {', '.join(labels)}"
            raise ReproduceError(f"{reader.place}: {message}")
    for curve in figure.curves:
        data = {
            "sweep": curve.variant and curve.measure,
            "trace": curve.series,
            "formula": curve.points,
        }
        if not data[figure.kind]:
            raise ReproduceError(f"{reader.place}: curve `{curve.label}` lacks its data")
    return figure


def _printed(reader: Reader, published: Sequence[Published]) -> list[PrintedPoint]:
    """A single point, or a point for each value of a table's column, with the table's key as x."""
    if "of" not in reader.names():
        return [reader.fill(PrintedPoint)]
    curve, column = reader.text("curve"), reader.text("of")
    reader.done()
    points = [
        PrintedPoint(curve, float(each.at[0][1]), each.value)
        for each in published
        if each.at and each.value is not None and in_column(each, column)
    ]
    if not points:
        raise ReproduceError(f"{reader.place}: no table of arithmetic has a column `{column}`")
    return points


def _curve(reader: Reader) -> Curve:
    series = reader.texts("series")
    return reader.fill(Curve, series=(series[0], series[1]) if series else None)


def _explanations(directory: Path, errata: set[str]) -> tuple[Explanation, ...]:
    path = directory / "explanations.toml"
    if not path.exists():
        return ()
    reader = read_toml(path)
    explanations = []
    for table in reader.tables("explanation"):
        explanation = table.fill(Explanation)
        _check_end(explanation, errata, f"{table.place} of {explanation.experiment}")
        explanations.append(explanation)
    reader.done()
    return tuple(explanations)


def _check_end(explanation: Explanation, errata: set[str], place: str) -> None:
    """Checks that an impossible result has an erratum with a proof, and that no seed decides it."""
    if explanation.impossible and explanation.impossible not in errata:
        raise ReproduceError(f"{place}: there is no erratum `{explanation.impossible}`")
    if explanation.impossible and explanation.draw:
        raise ReproduceError(f"{place}: `impossible` excludes `draw`")


def _check_quantities(paper: Paper) -> None:
    """Checks that each quantity belongs to one value, since it is the key of stored results."""
    for experiment in paper.experiments:
        known: set[str] = set()
        for published in experiment.published:
            if published.quantity in known:
                twice = f"two values have the quantity `{published.quantity}`"
                raise ReproduceError(f"{experiment.id}: {twice}")
            known.add(published.quantity)


def _check_explanations(paper: Paper) -> None:
    known = {
        (e.id, name)
        for e in paper.experiments
        for name in [*(p.quantity for p in e.published), *(c.id for c in e.claims)]
    }
    explained: set[tuple[str, str]] = set()
    for explanation in paper.explanations:
        for of in explanation.of:
            key = (explanation.experiment, of)
            if key not in known:
                place = f"{explanation.experiment}, which has no such value or claim"
                raise ReproduceError(f"{paper.id}: an explanation of `{of}` in {place}")
            if key in explained:
                raise ReproduceError(
                    f"{paper.id}: two explanations of `{of}` in {explanation.experiment}"
                )
            explained.add(key)


def _check_uses(paper: Paper) -> None:
    known = {experiment.id for experiment in paper.experiments}
    uses = [(f"{e.id}, claim {c.id}", c.uses) for e in paper.experiments for c in e.claims]
    uses += [(f"erratum {e.id}", proof.uses) for e in paper.errata for proof in e.proofs]
    for user, experiments in uses:
        for experiment in experiments:
            if experiment not in known:
                raise ReproduceError(
                    f"{paper.id}: {user} uses `{experiment}`, which does not exist"
                )


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """Reads the errata of a paper, in the order of the file; empty if there is no file.

    Raises:
        ReproduceError: If an erratum is not as `papers/README.md` says.
    """
    if not path.exists():
        return ()
    reader = read_toml(path)
    errata = []
    for table in reader.tables("erratum"):
        errata.append(erratum := table.fill(Erratum))
        if not erratum.proofs:
            raise ReproduceError(f"{table.place} `{erratum.id}`: an erratum needs a proof")
    reader.done()
    check_unique([erratum.id for erratum in errata], reader.place, "errata")
    return tuple(errata)


def read_draws(directory: Path) -> tuple[Drawn, ...]:
    """Reads a paper's distributions over seeds from its directory; empty if none was measured.

    Raises:
        ReproduceError: The file is not as `papers/README.md` says.
    """
    path = draws_path(directory)
    if not path.exists():
        return ()
    reader = read_toml(path)
    reader.texts("jitters")
    draws = tuple(table.fill(Drawn) for table in reader.tables("draw"))
    reader.done()
    for drawn in draws:
        if bool(drawn.values) == bool(drawn.holds) or set(drawn.holds) - {"0", "1"}:
            place = f"{directory.name}/draws.toml: {drawn.experiment}, {drawn.of}"
            raise ReproduceError(
                f"{place}: one of `values` and `holds` is needed, `holds` of ones and zeros"
            )
    return draws


def draws_path(directory: Path) -> Path:
    """Path of the file with a paper's distributions over seeds in its directory."""
    return directory / "draws.toml"
