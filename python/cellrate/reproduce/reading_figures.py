"""Reads the figures of an experiment."""

from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Axis, Curve, Figure, PrintedPoint
from cellrate.reproduce.reader import Reader, Table


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
        printed.append(PrintedPoint(point.text("label"), float(x), float(y)))
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
