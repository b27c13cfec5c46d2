"""Reads a paper's TOML files; whatever is not in the format is an error that names the place."""

# ruff: noqa: ANN401 - values of TOML are of any type
import itertools
import tomllib
from pathlib import Path
from typing import Any

from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.expressions import parse
from cellrate.reproduce.model import (
    KINDS,
    SCORES,
    Alternative,
    Assumption,
    Axis,
    Claim,
    Curve,
    Experiment,
    Explanation,
    Figure,
    Paper,
    Point,
    PrintedPoint,
    Published,
    Table,
    Variant,
)


class _Reader:
    """Takes keys out of a table; what is left at the end is unknown."""

    def __init__(self, table: Table, place: str) -> None:
        self.place = place
        self._table = dict(table)

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        if key not in self._table:
            if default is None:
                raise ReproduceError(f"{self.place}: `{key}` is missing")
            return default
        value = self._table.pop(key)
        if not isinstance(value, kind):
            raise ReproduceError(f"{self.place}: `{key}` is {value!r}, which is of the wrong type")
        return value

    def optional(self, key: str, kind: type | tuple[type, ...]) -> Any:
        return self.take(key, kind) if key in self._table else None

    def text(self, key: str, default: str | None = None) -> str:
        return " ".join(str(self.take(key, str, default)).split())

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            raise ReproduceError(f"{self.place}: `{key}` is a list of texts")
        return tuple(" ".join(value.split()) for value in values)

    def choice(self, key: str, allowed: tuple[str, ...]) -> Any:
        value = self.text(key)
        if value not in allowed:
            raise ReproduceError(
                f"{self.place}: `{key}` is {value!r}; allowed: {', '.join(allowed)}"
            )
        return value

    def expression(self, key: str, default: str | None = None) -> str:
        value = self.text(key, default)
        if value:
            parse(value)
        return value

    def tables(self, key: str) -> list["_Reader"]:
        items = self.take(key, list, [])
        return [_Reader(item, f"{self.place}, {key} {i}") for i, item in enumerate(items, 1)]

    def names(self) -> list[str]:
        return list(self._table)

    def done(self) -> None:
        if self._table:
            raise ReproduceError(f"{self.place}: unknown key `{next(iter(self._table))}`")


def read_paper(directory: Path) -> Paper:
    """The paper whose data is in `directory`.

    Raises:
        ReproduceError: If the data is not as `papers/README.md` says.
    """
    scenarios = {
        p.name: p.read_text("utf-8") for p in sorted((directory / "scenarios").glob("*.toml"))
    }
    head = _Reader(_toml(directory / "paper.toml"), f"{directory.name}/paper.toml")
    paper = Paper(
        id=head.text("id"),
        title=head.text("title"),
        authors=head.texts("authors"),
        published_in=head.text("published_in"),
        year=head.take("year", int),
        summary=head.text("summary"),
        directory=directory,
        experiments=_experiments(directory, scenarios),
        explanations=_explanations(directory),
        scenarios=scenarios,
    )
    head.done()
    _check_explanations(paper)
    return paper


def _toml(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ReproduceError(f"{path}: {error}") from error


def _experiments(directory: Path, scenarios: dict[str, str]) -> tuple[Experiment, ...]:
    reader = _Reader(_toml(directory / "published.toml"), f"{directory.name}/published.toml")
    assumptions = {a.id: a for a in map(_assumption, reader.tables("assumption"))}
    experiments = tuple(_experiment(r, assumptions, scenarios) for r in reader.tables("experiment"))
    reader.done()
    ids = [e.id for e in experiments]
    for repeated in {i for i in ids if ids.count(i) > 1}:
        raise ReproduceError(f"{directory.name}: two experiments are called `{repeated}`")
    return experiments


def _assumption(reader: _Reader) -> Assumption:
    alternatives = []
    for each in reader.tables("alternatives"):
        also = _Reader(each.take("also", dict, {}), f"{each.place}, also")
        more = tuple((name, also.texts(name)) for name in also.names())
        alternatives.append(Alternative(each.text("label"), each.texts("set"), more))
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
    reader: _Reader, assumptions: dict[str, Assumption], scenarios: dict[str, str]
) -> Experiment:
    identifier = reader.text("id")
    reader.place = identifier
    listed = reader.texts("assumptions")
    for unknown in (name for name in listed if name not in assumptions):
        raise ReproduceError(f"{identifier}: there is no assumption `{unknown}`")
    variants = tuple(_variant(r, scenarios) for r in reader.tables("variant"))
    by_name = {v.name: v for v in variants}
    if len(by_name) < len(variants):
        raise ReproduceError(f"{identifier}: two variants have the same name")
    published = [_published(r) for r in reader.tables("published")]
    for table in reader.tables("table"):
        published += _table(table, by_name)
    experiment = Experiment(
        id=identifier,
        kind=reader.choice("kind", ("figure", "table", "text", "analytic")),
        title=reader.text("title"),
        where=reader.text("where"),
        assumptions=tuple(assumptions[name] for name in listed),
        errata=reader.texts("errata"),
        variants=variants,
        published=tuple(published),
        claims=tuple(map(_claim, reader.tables("claim"))),
        figures=tuple(map(_figure, reader.tables("figure"))),
    )
    reader.done()
    return experiment


def _variant(reader: _Reader, scenarios: dict[str, str]) -> Variant:
    name = reader.text("name")
    reader.place += f" `{name}`"
    if not name.isidentifier():
        raise ReproduceError(f"{reader.place}: a variant's name is an identifier")
    scenario = reader.text("scenario")
    if scenario not in scenarios:
        raise ReproduceError(f"{reader.place}: there is no scenario `{scenario}`")
    vary, points = reader.take("vary", dict, {}), reader.take("points", list, [])
    if vary and points:
        raise ReproduceError(f"{reader.place}: either `vary` or `points`")
    variant = Variant(
        name=name,
        label=reader.text("label", name),
        scenario=scenario,
        set=reader.texts("set"),
        points=tuple(points or _product(vary)),
        constants=reader.take("with", dict, {}),
        swept=bool(vary or points),
    )
    reader.done()
    return variant


def _product(vary: dict[str, list[Any]]) -> list[Point]:
    """All combinations, the last key fastest."""
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def _published(reader: _Reader) -> Published:
    value = reader.optional("value", (int, float))
    published = Published(
        quantity=reader.text("quantity"),
        kind=reader.choice("kind", KINDS),
        printed=reader.text("printed"),
        value=None if value is None else float(value),
        unit=reader.text("unit", ""),
        where=reader.text("where", ""),
        measure=reader.expression("measure", ""),
        score=reader.text("score", ""),
        order=reader.text("order", ""),
        restates=reader.text("restates", ""),
    )
    reader.done()
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
        if (published.score == "order") != bool(published.order):
            raise ReproduceError(f"{where}: `order` goes with the score `order`")
    elif published.score:
        raise ReproduceError(f"{where}: only measured values are scored")
    if published.kind == "derived" and not published.measure:
        raise ReproduceError(f"{where}: a derived value needs `measure`")
    if published.kind == "restated" and not published.restates:
        raise ReproduceError(f"{where}: `restates` is missing")


def _table(reader: _Reader, variants: dict[str, Variant]) -> list[Published]:
    """The values of a table, line by line."""
    where, name = reader.text("where", ""), reader.text("variant")
    if name not in variants or not variants[name].swept:
        raise ReproduceError(f"{reader.place}: `{name}` is no row of runs")
    columns = reader.tables("columns")
    templates = [_column(column) for column in columns]
    values = [
        value
        for row in reader.tables("rows")
        for value in _row(row, templates, variants[name], where)
    ]
    reader.done()
    return values


def _column(reader: _Reader) -> Table:
    column = {
        "quantity": reader.text("quantity"),
        "unit": reader.text("unit", ""),
        "kind": reader.choice("kind", KINDS),
        "measure": reader.expression("measure", ""),
        "score": reader.text("score", ""),
        "order": reader.text("order", ""),
        "restates": reader.text("restates", ""),
    }
    reader.done()
    return column


def _row(reader: _Reader, columns: list[Table], variant: Variant, where: str) -> list[Published]:
    at = tuple(reader.take("at", list))
    if at not in {tuple(point.values()) for point in variant.points}:
        raise ReproduceError(f"{reader.place}: `{variant.name}` has no run at {at}")
    printed, score, kind = reader.texts("printed"), reader.texts("score"), reader.texts("kind")
    restates = reader.text("restates", "")
    reader.done()
    for given in (printed, score, kind):
        if given and len(given) != len(columns):
            raise ReproduceError(f"{reader.place}: {len(columns)} columns, {len(given)} entries")
    keys = next(point for point in variant.points if tuple(point.values()) == at)
    conditions = ", ".join(f"{key} = {value}" for key, value in keys.items())
    values = []
    for i, column in enumerate(columns):
        if printed[i] == "-":
            continue
        cell = column | {"quantity": f"{column['quantity']}, {conditions}"}
        cell |= {"kind": kind[i]} if kind else {}
        cell |= {"score": score[i]} if score else {}
        cell |= {"restates": restates} if restates else {}
        cell |= {} if cell["score"] == "order" else {"order": ""}
        if cell["kind"] != "measured":
            cell["score"] = cell["order"] = ""
        value = Published(
            **cell,
            printed=printed[i],
            value=_number(printed[i]),
            where=where,
            it=(variant.name, at),
        )
        _check_published(value, reader.place)
        values.append(value)
    return values


def _number(printed: str) -> float | None:
    try:
        return float(printed.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def _claim(reader: _Reader) -> Claim:
    claim = Claim(
        id=reader.text("id"),
        text=reader.text("text"),
        holds_if=reader.expression("holds_if"),
        where=reader.text("where", ""),
    )
    reader.done()
    return claim


def _axis(table: Table, place: str) -> Axis:
    reader = _Reader(table, place)
    start, end = reader.optional("from", (int, float)), reader.optional("to", (int, float))
    axis = Axis(
        label=reader.text("label"),
        axis=reader.text("axis", ""),
        scale=float(reader.take("scale", (int, float), 1.0)),
        start=None if start is None else float(start),
        end=None if end is None else float(end),
        log=reader.take("log", bool, False),  # noqa: FBT003 - the default of a key
    )
    reader.done()
    return axis


def _figure(reader: _Reader) -> Figure:
    printed = []
    for point in reader.tables("printed"):
        number = (int, float)
        x, y = point.take("x", number), point.take("y", number)
        printed.append(PrintedPoint(point.text("label"), float(x), float(y)))
        point.done()
    figure = Figure(
        id=reader.text("id"),
        title=reader.text("title"),
        kind=reader.choice("kind", ("sweep", "trace")),
        x=_axis(reader.take("x", dict), f"{reader.place}, x"),
        y=_axis(reader.take("y", dict), f"{reader.place}, y"),
        curves=tuple(map(_curve, reader.tables("curves"))),
        printed=tuple(printed),
    )
    reader.done()
    for curve in figure.curves:
        complete = curve.variant and curve.measure if figure.kind == "sweep" else curve.series
        if not complete:
            raise ReproduceError(f"{reader.place}: curve `{curve.label}` lacks its data")
    return figure


def _curve(reader: _Reader) -> Curve:
    series = reader.texts("series")
    curve = Curve(
        label=reader.text("label"),
        variant=reader.text("variant", ""),
        measure=reader.expression("measure", ""),
        run=reader.expression("run", ""),
        series=(series[0], series[1]) if series else None,
        only=reader.take("only", dict, {}),
    )
    reader.done()
    return curve


def _explanations(directory: Path) -> tuple[Explanation, ...]:
    path = directory / "explanations.toml"
    if not path.exists():
        return ()
    reader = _Reader(_toml(path), f"{directory.name}/explanations.toml")
    explanations = []
    for each in reader.tables("explanation"):
        explanations.append(
            Explanation(each.text("experiment"), each.texts("of"), each.text("text"))
        )
        each.done()
    reader.done()
    return tuple(explanations)


def _check_explanations(paper: Paper) -> None:
    known = {
        (e.id, name)
        for e in paper.experiments
        for name in [*(p.quantity for p in e.published), *(c.id for c in e.claims)]
    }
    for explanation in paper.explanations:
        for of in explanation.of:
            if (explanation.experiment, of) not in known:
                place = f"{explanation.experiment}, which has no such value or claim"
                raise ReproduceError(f"{paper.id}: an explanation of `{of}` in {place}")
