"""Refuses study files with duplicate or ineffective entries, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cellrate.common.problems import BadInput
from cellrate.studies.dataset.columns import own_columns
from cellrate.studies.study.definition import Column
from cellrate.studies.study.factors import Place, Reading, Refusals

MOST_SEED = 2**63 - 1
SEED_OF_A_STUDY = "`seed` of the study is the first replication's"


def refuse_seed(setting: str) -> None:
    """Refuses a setting of the command line that sets the seed.

    Raises:
        BadInput: The setting is the seed.
    """
    if _path(setting) == "run.seed":
        raise BadInput(f"--set {setting}: it has no effect in a study; {SEED_OF_A_STUDY}")


def refuse_contradictions(document: Mapping[str, Any], reading: Reading, refusal: Refusals) -> None:
    """Refuses an empty table, a duplicate parameter or name, and a seed besides `seed`.

    Raises:
        ScenarioError: The study has one of these.
    """
    for at, table in enumerate(document["paired"]):
        if not table:
            raise refusal(("paired", at), "the table is empty", "name two factors or more")
    for at, setting in enumerate(document["set"]):
        if _path(setting) == "run.seed":
            raise refusal(("set", at), f"`{setting}` has no effect in a study", SEED_OF_A_STUDY)
    paths: dict[str, str] = {}
    for column, place in _varied(reading):
        other = paths.setdefault(column.path, column.name) if column.path else column.name
        if other != column.name:
            message = f"`{column.name}` is the same parameter as `{other}`"
            raise refusal(place, message, "set it once: as a factor, paired, or derived")
    _refuse_names(document, reading, refusal)


def _refuse_names(document: Mapping[str, Any], reading: Reading, refusal: Refusals) -> None:
    """Refuses names that would be two columns of the data set."""
    taken = own_columns()
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
        ScenarioError: It is too large.
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
        if reading.full_path(_path(setting)) in varied
    )


def _varied(reading: Reading) -> Iterator[tuple[Column, Place]]:
    """Every factor and derived parameter, with its place in the study file."""
    for axis in reading.axes:
        yield from ((factor.column, factor.place) for factor in axis.factors)
    yield from ((one.column, one.place) for one in reading.derived)


def _path(setting: str) -> str:
    return setting.partition("=")[0].strip()
