"""Reads a study file, and refuses entries that appear twice or have no effect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cellrate import ScenarioError, _core
from cellrate.common.problems import BadInput, choose
from cellrate.language.expressions import ExpressionError
from cellrate.language.of_a_run import check
from cellrate.simulation import source
from cellrate.simulation.runner import Job
from cellrate.studies.dataset.columns import own_columns
from cellrate.studies.dataset.description import FactorColumn
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.study.definition import (
    Point,
    Replications,
    StoppingRule,
    Study,
)
from cellrate.studies.study.factors import Place, Reading, Refusals
from cellrate.studies.study.points import Points, TooManyPoints, rows


def read(path: str | Path, settings: Sequence[str] = ()) -> Study:
    """Reads a study from a file, or from standard input if its path is ``-``; see `parse_study`.

    Raises:
        OSError: The file, or its scenario, cannot be read.
        ScenarioError: The study is not valid; the error shows the place.
    """
    text, name = source.read(str(path))
    return parse_study(text, name, settings)


def parse_study(text: str, path: str, settings: Sequence[str] = ()) -> Study:
    """Reads a study from a text.

    Args:
        text: The study, as TOML.
        path: Path of the study; the path of its scenario is relative to its directory.
        settings: Settings of every run besides those of the file, in the form of ``--set``.

    Raises:
        BadInput: A setting is the seed.
        OSError: The scenario cannot be read.
        ScenarioError: The study is not valid; the error shows the place.
    """
    document: dict[str, Any] = json.loads(_core.study(text, path))
    refusal = Refusals(text, path)
    for setting in settings:
        refuse_seed(setting)
    document["set"] += settings
    base = _base(document, path, refusal)
    reading = Reading(document, base, refusal)
    refuse_contradictions(document, reading, refusal)
    _check_measures(document["measures"], reading.link_layer, refusal)
    points = _points(document, reading, base, refusal)
    replications = _replications(document["replications"], refusal)
    refuse_seeds_without_end(document, len(points), replications.most, refusal)
    warm_up = document["warm_up"]
    return Study(
        name=document["name"] or source.stem(path),
        path=path,
        text=text,
        base=base,
        factors=tuple(one.column for axis in reading.axes for one in axis.factors),
        derived=tuple(one.column for one in reading.derived),
        points=points,
        common_random_numbers=document["common_random_numbers"],
        replications=replications,
        warm_up=(warm_up["trace"] or "queue") if warm_up and warm_up["rule"] else None,
        measures=dict(document["measures"]),
        traces=tuple(document["keep"]["traces"]),
        link_layer=reading.link_layer,
        settings=tuple(settings),
        notes=(*reading.notes, *set_in_vain(document, reading)),
    )


def _base(document: Mapping[str, Any], path: str, refusal: Refusals) -> Job:
    """The scenario with the settings of every run."""
    settings = list(document["set"])
    warm_up = document["warm_up"]
    if warm_up and warm_up["from"] is not None:
        settings.append(f"measure.from={warm_up['from']}")
    if document["template"] is not None:
        names = [entry["name"] for entry in json.loads(_core.registry())["templates"]]
        try:
            template = choose(document["template"], names, "template")
        except BadInput as error:
            raise refusal(("template",), str(error)) from error
        text, name = _core.template(template), template
    else:
        file = Path(path).parent / document["scenario"]
        try:
            text, name = source.read(str(file))
        except (OSError, ValueError) as error:
            if isinstance(error, ScenarioError):
                raise
            reason = getattr(error, "strerror", None) or error
            raise refusal(("scenario",), f"cannot read {file}: {reason}") from error
    base = Job(text, name, tuple(settings), document["seed"])
    kept = document["keep"]["traces"]
    if kept:
        base = traced(base, kept)
    base.resolved()
    return base


def traced(base: Job, wanted: tuple[str, ...] | list[str]) -> Job:
    """Adds traces to those that the scenario of a job asks for."""
    has = Keys(base.resolved()).document["measure"]["traces"]
    both = ", ".join(f'"{one}"' for one in dict.fromkeys((*has, *wanted)))
    return Job(base.text, base.path, (*base.overrides, f"measure.traces=[{both}]"), base.seed)


def _points(
    document: Mapping[str, Any], reading: Reading, base: Job, refusal: Refusals
) -> tuple[Point, ...]:
    axes = reading.axes
    factors = tuple(factor for axis in axes for factor in axis.factors)
    points = Points(factors, reading.derived, base, refusal)
    points.refuse_idle_names()
    try:
        return tuple(
            points.point(index, row) for index, row in enumerate(rows(axes, document["design"]))
        )
    except TooManyPoints as error:
        place: Place = ("factors",)
        raise refusal(
            place, f"the design has {error}", "choose a space-filling `[design]`"
        ) from error


def _check_measures(measures: list[tuple[str, str]], link_layer: str, refusal: Refusals) -> None:
    for name, expression in measures:
        if not name.isidentifier():
            message = f"`{name}` is not a name"
            raise refusal(("measures", name), message, "allowed: letters, digits and `_`")
        try:
            check(expression, link_layer=link_layer)
        except ExpressionError as error:
            raise refusal(("measures", name), str(error)) from error


def _replications(asked: Mapping[str, Any], refusal: Refusals) -> Replications:
    until = asked["until"]
    if until is None:
        count = asked["count"] or 1
        return Replications(count, count, None, asked["level"])
    text = str(until["half_width"]).strip()
    relative = text.endswith("%")
    try:
        width = float(text.removesuffix("%")) / (100 if relative else 1)
    except ValueError:
        width = 0.0
    if not 0 < width < float("inf"):
        place: Place = ("replications", "until", "half_width")
        raise refusal(
            place,
            f"`half_width` is {text!r}",
            "allowed: a share of the mean such as `1 %`, or a number",
        )
    least, most = asked["least"] or 10, asked["most"] or 100
    rule = StoppingRule(until["measure"], width, relative)
    return Replications(least, most, rule, asked["level"])


MOST_SEED = 2**63 - 1
SEED_OF_A_STUDY = (
    "set `seed` of the study instead: the first replication has this seed, "
    "the next ones count up from it"
)


def refuse_seed(setting: str) -> None:
    """Refuses a setting of the command line that sets the seed.

    Raises:
        BadInput: The setting is the seed.
    """
    if _path_of(setting) == "run.seed":
        raise BadInput(f"--set {setting}: it has no effect in a study; {SEED_OF_A_STUDY}")


def refuse_contradictions(document: Mapping[str, Any], reading: Reading, refusal: Refusals) -> None:
    """Refuses an empty table, a parameter or name that is set twice, and a seed in `set`.

    Raises:
        ScenarioError: The study has one of these.
    """
    for at, table in enumerate(document["paired"]):
        if not table:
            raise refusal(("paired", at), "the table is empty", "name two factors or more")
    every: list[tuple[Place, str]] = [(("set", at), one) for at, one in enumerate(document["set"])]
    every += [
        (("alternatives", name, level, at), one)
        for name, values in document["alternatives"]
        for level, settings in values
        for at, one in enumerate(settings)
    ]
    for place, setting in every:
        if _path_of(setting) == "run.seed":
            raise refusal(place, f"`{setting}` has no effect in a study", SEED_OF_A_STUDY)
    paths: dict[str, str] = {}
    for column, place in _varied(reading):
        other = paths.setdefault(column.path, column.name) if column.path else column.name
        if other != column.name:
            message = f"`{column.name}` is the same parameter as `{other}`"
            raise refusal(place, message, "set it once: as a factor, paired, or derived")
    _refuse_names(document, reading, refusal)


def _refuse_names(document: Mapping[str, Any], reading: Reading, refusal: Refusals) -> None:
    """Refuses names that would be two columns of the data set."""
    taken = own_columns(reading.link_layer)
    varied = [(column.name, place) for column, place in _varied(reading)]
    measures: list[tuple[str, Place]] = [
        (name, ("measures", name)) for name, _ in document["measures"]
    ]
    for name, place in (*varied, *measures):
        if name in taken:
            message = f"the data set already has a column `{name}`"
            raise refusal(place, message, "use another name, for instance with a prefix")
        taken.add(name)


def refuse_seeds_without_end(
    document: Mapping[str, Any], points: int, most: int, refusal: Refusals
) -> None:
    """Refuses a first seed that is too large for the number of seeds needed.

    Raises:
        ScenarioError: The first seed is too large.
    """
    runs = most if document["common_random_numbers"] else most * points
    if document["seed"] + runs - 1 > MOST_SEED:
        message = f"`seed` is {document['seed']}, and {runs:,} seeds are needed"
        raise refusal(("seed",), message, f"the last one may be {MOST_SEED}")


def set_in_vain(document: Mapping[str, Any], reading: Reading) -> tuple[str, ...]:
    """Notes on settings of every run that the points override."""
    varied = {column.path for column, _ in _varied(reading)}
    return tuple(
        f"`{setting}` has no effect: the study varies it"
        for setting in document["set"]
        if reading.full_path(_path_of(setting)) in varied
    )


def _varied(reading: Reading) -> Iterator[tuple[FactorColumn, Place]]:
    """Every factor and derived parameter, with its place in the study file."""
    for axis in reading.axes:
        yield from ((factor.column, factor.place) for factor in axis.factors)
    yield from ((one.column, one.place) for one in reading.derived)


def _path_of(setting: str) -> str:
    return setting.partition("=")[0].strip()
