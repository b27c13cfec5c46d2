"""Reads the printed values of an experiment, one by one or as tables, and its figures."""

from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import (
    KINDS,
    SCORES,
    Axis,
    Curve,
    Figure,
    PrintedPoint,
    Published,
    Variant,
)
from cellrate.reproduce.toml_reader import Reader, Table


def read_published(reader: Reader) -> Published:
    """Reads a printed value; raises `ReproduceError` if kind, score and measure do not fit."""
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
    elif published.score or published.order:
        raise ReproduceError(f"{where}: only measured values have `score` and `order`")
    if published.kind == "arithmetic" and not published.measure:
        raise ReproduceError(f"{where}: a check of arithmetic needs `measure`")
    if published.kind == "restated" and not published.restates:
        raise ReproduceError(f"{where}: `restates` is missing")


def read_table(reader: Reader, variants: dict[str, Variant]) -> list[Published]:
    """Reads the values of a table, line by line; raises `ReproduceError` if a line does not fit."""
    where, name = reader.text("where", ""), reader.text("variant")
    if name not in variants or not variants[name].swept:
        raise ReproduceError(f"{reader.place}: `{name}` is not a variant with varied runs")
    columns = reader.tables("columns")
    templates = [_column(column) for column in columns]
    values = [
        value
        for row in reader.tables("rows")
        for value in _row(row, templates, variants[name], where)
    ]
    reader.done()
    return values


def _column(reader: Reader) -> Table:
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


def _row(reader: Reader, columns: list[Table], variant: Variant, where: str) -> list[Published]:
    at = tuple(reader.take("at", list))
    if at not in {tuple(point.values()) for point in variant.points}:
        raise ReproduceError(f"{reader.place}: `{variant.name}` has no run at {at}")
    printed, score, kind = reader.texts("printed"), reader.texts("score"), reader.texts("kind")
    restates = reader.text("restates", "")
    reader.done()
    for key, given in (("printed", printed), ("score", score), ("kind", kind)):
        if given and len(given) != len(columns):
            raise ReproduceError(
                f"{reader.place}: `{key}` has {len(given)} entries for {len(columns)} columns"
            )
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


def _axis(table: Table, place: str) -> Axis:
    reader = Reader(table, place)
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


def read_figure(reader: Reader) -> Figure:
    """Reads a figure; raises `ReproduceError` if a curve lacks its data."""
    printed = []
    for point in reader.tables("printed"):
        number = (int, float)
        x, y = point.take("x", number), point.take("y", number)
        printed.append(PrintedPoint(point.text("curve"), float(x), float(y)))
        point.done()
    figure = Figure(
        id=reader.text("id"),
        title=reader.text("title"),
        kind=reader.choice("kind", ("sweep", "trace", "formula")),
        x=_axis(reader.take("x", dict), f"{reader.place}, x"),
        y=_axis(reader.take("y", dict), f"{reader.place}, y"),
        curves=tuple(map(_curve, reader.tables("curves"))),
        printed=tuple(printed),
    )
    reader.done()
    labels = [curve.label for curve in figure.curves]
    for one in figure.printed:
        if one.curve not in labels:
            message = f"`printed` names the curve {one.curve!r}; there are {', '.join(labels)}"
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


def _curve(reader: Reader) -> Curve:
    series = reader.texts("series")
    curve = Curve(
        label=reader.text("label"),
        variant=reader.text("variant", ""),
        measure=reader.expression("measure", ""),
        run=reader.expression("run", ""),
        series=(series[0], series[1]) if series else None,
        only=reader.take("only", dict, {}),
        points=reader.expression("points", ""),
    )
    reader.done()
    return curve
