"""The file `readings.toml` of a paper: its joint readings (sets of values of open parameters)."""

from __future__ import annotations

import json
from pathlib import Path

from cellrate.common import whole_file
from cellrate.papers.paper import (
    AS_ASSUMED,
    Paper,
    Reading,
    ReadingAxis,
    Readings,
    ReproduceError,
    assumptions_of,
    subjects_of,
)
from cellrate.papers.toml_reader import Reader, read_toml

NAME = "readings.toml"
HEADER = """\
# Joint readings: all open parameters drawn together; written by `cellrate reproduce --readings`.
# `axes`: the parameters and their values, the assumed one first. `results`: experiment, and
# quantity or claim's id. A line of `readings`: number of the row in the design, which is the seed,
# too; number of the value on each axis; for each result 1 if it is met or holds, else 0.
"""


def axes_of(paper: Paper) -> tuple[ReadingAxis, ...]:
    """Parameters that a paper does not print, each with its assumed and its alternative values."""
    return tuple(
        ReadingAxis(name, (AS_ASSUMED, *(other.label for other in assumption.alternatives)))
        for name, assumption in assumptions_of(paper).items()
    )


def none_yet(paper: Paper) -> Readings:
    """An empty list of joint readings, with the open parameters and the results of a paper."""
    results = tuple((subject.experiment, subject.name) for subject in subjects_of(paper))
    return Readings(axes_of(paper), results, ())


def read_readings(paper: Paper) -> Readings:
    """Reads the joint readings from the directory of a paper's data; none without a file.

    Raises:
        ReproduceError: The file is damaged, or older than the paper's data.
    """
    path, now = paper.directory / NAME, none_yet(paper)
    if not path.exists():
        return now
    reader = read_toml(path)
    axes = tuple(ReadingAxis(axis[0], tuple(axis[1:])) for axis in _lists(reader, "axes"))
    results = tuple((line[0], line[1]) for line in _lists(reader, "results", 2))
    if (axes, results) != (now.axes, now.results):
        raise ReproduceError(
            f"{reader.place}: its parameters, values or results are not those of the paper's "
            f"data; remove it and run `cellrate reproduce {paper.id} --readings 64`"
        )
    lines, place = reader.texts("readings"), reader.place
    reader.done()
    readings = tuple(
        _reading(line, now, f"{place}, reading {i}") for i, line in enumerate(lines, 1)
    )
    return Readings(axes, results, readings)


def _lists(reader: Reader, key: str, length: int = 0) -> list[list[str]]:
    """A list of lists of texts; with `length` each list must have this length."""
    lists: list[list[str]] = []
    for each in reader.take(key, list):
        texts = isinstance(each, list) and all(isinstance(text, str) for text in each)
        if not texts or not each or (length and len(each) != length):
            raise ReproduceError(f"{reader.place}: `{key}` must be lists of texts")
        lists.append(each)
    return lists


def _reading(line: str, now: Readings, place: str) -> Reading:
    try:
        point, values, met = line.split(" ")
        numbers = tuple(map(int, values.split(",")))
        reading = Reading(int(point), numbers, tuple(bool(int(one)) for one in met))
    except ValueError:
        raise ReproduceError(f"{place}: {line!r} is not `point values met`") from None
    known = len(numbers) == len(now.axes) and len(met) == len(now.results)
    if not known or any(
        not 0 <= value < len(axis.labels) for value, axis in zip(numbers, now.axes, strict=True)
    ):
        raise ReproduceError(f"{place}: it does not fit the axes and results of the file")
    return reading


def write_readings(directory: Path, readings: Readings) -> None:
    """Writes a paper's joint readings into its directory, and replaces earlier ones."""
    lines = [HEADER, "axes = ["]
    lines += [f"  {_texts([axis.assumption, *axis.labels])}," for axis in readings.axes]
    lines += ["]", "", "results = ["]
    lines += [f"  {_texts(result)}," for result in readings.results]
    lines += ["]", "", "readings = ["]
    for each in readings.readings:
        met = "".join("1" if one else "0" for one in each.met)
        lines.append(f'  "{each.point} {",".join(map(str, each.values))} {met}",')
    whole_file.write_text(directory / NAME, "\n".join([*lines, "]"]) + "\n")


def _texts(texts: list[str] | tuple[str, ...]) -> str:
    """Texts as a list of basic strings of TOML, in the form of JSON."""
    return json.dumps(list(texts), ensure_ascii=False)
