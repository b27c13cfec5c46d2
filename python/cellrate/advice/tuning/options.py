"""Options of `cellrate tune`, and the forms of `--vary` and `--include`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.advice.tuning.declared import ResolvedScenario, declared_range, kind_as_written
from cellrate.advice.tuning.laboratory import Setting
from cellrate.common.problems import BadInput, choose
from cellrate.studies.parameters.keys import Key, number
from cellrate.studies.parameters.ranges import SCALES, Choices, Range, Scale, Space, written

FORM = "--vary takes PATH, PATH=LOW..HIGH, PATH=LOW..HIGH:SCALE or PATH=A,B,C"
# Ratio of the ends above which an explicit range is searched on a logarithmic scale.
WIDE = 20.0


@dataclass(frozen=True)
class TuneOptions:
    """Options of a tuning.

    Attributes:
        vary: Parameters to vary, see `FORM`; empty to vary those that the fluid model covers
            or that the control scheme and the discard policy declare.
        include: Settings to compare with, see `included`.
        objective: Criteria in their order, see `objective.Objective.named`; by default those of
            `objective.default`.
        seeds: Number of seeds of the best settings.
        first_seed: The first of these seeds.
        budget: Greatest number of simulations; None for a number that suits the method and the
            seeds.
        search_seed: Seed of the random numbers of a search.
    """

    vary: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    objective: str | None = None
    seeds: int = 5
    first_seed: int = 1
    budget: int | None = None
    search_seed: int = 1


DEFAULTS = TuneOptions()


def varied(scenario: ResolvedScenario, asked: Sequence[str]) -> Space:
    """Parses the values of `--vary` into the ranges and choices to search.

    Raises:
        BadInput: A parameter is unknown or varied twice, or its range is not valid.
    """
    space = tuple(_asked(scenario, text) for text in asked)
    for at, parameter in enumerate(space):
        if parameter.path in {other.path for other in space[:at]}:
            raise BadInput(f"--vary {parameter.path}: the parameter is varied twice")
    return space


def included(scenario: ResolvedScenario, text: str) -> Setting:
    """Parses a setting to compare with: `abr.rif=1/128,abr.rdf=1/2`; `rif` means `abr.rif`.

    Raises:
        BadInput: A parameter is unknown, or its value is not valid.
    """
    values = []
    for part in text.split(","):
        path, equals, value = (piece.strip() for piece in part.partition("="))
        if not (path and equals and value):
            raise BadInput(f"--include takes PATH=VALUE,PATH=VALUE, not {text!r}")
        whole = "." in path or scenario.link_layer == "ethernet"
        key = scenario.keys.find(path if whole else f"abr.{path}")
        if key.path == "run.seed":
            raise BadInput(f"--include {text}: every setting gets the same seeds; see --seeds")
        values.append((key.path, _listed_value(key, value)))
    return Setting(tuple(values))


def _asked(scenario: ResolvedScenario, text: str) -> Range | Choices:
    path, equals, values = (part.strip() for part in text.partition("="))
    if not path or (equals and not values):
        raise BadInput(f"--vary {text!r}; {FORM}")
    key = scenario.keys.find(path)
    if key.path == "run.seed":
        raise BadInput("--vary run.seed: every setting gets the same seeds; see --seeds")
    if (changes := scenario.network.change_of(key.path)) is not None:
        raise BadInput(
            f"--vary {key.path}: {changes} during the run; name a key that keeps its value"
        )
    if not equals:
        return _default_range(scenario, key)
    if ".." in values:
        return _interval(key, values)
    return _listed(key, values)


def _default_range(scenario: ResolvedScenario, key: Key) -> Range | Choices:
    """The range that a parameter declares, or all values of a boolean or a choice."""
    if key.kind == "boolean":
        return Choices(key.path, key.kind, ("false", "true"))
    if key.kind == "choice":
        return Choices(key.path, key.kind, key.choices)
    if key.search is None:
        why = f": {key.not_searched}" if key.not_searched else ""
        raise BadInput(
            f"--vary {key.path} needs a range, --vary {key.path}=LOW..HIGH, since the key has none "
            f"of its own{why}"
        )
    return declared_range(scenario, key)


def _listed_value(key: Key, text: str) -> str:
    """Checks a value of a list and returns it in the form that scenario files use."""
    if key.kind in {"boolean", "choice"}:
        return key.chosen(text)
    value = number(text, key)
    return written(value, key.kind) if key.kind in {"number", "integer"} else text


def _interval(key: Key, text: str) -> Range:
    ends, colon, scale_text = text.partition(":")
    low_text, high_text = (end.strip() for end in ends.split("..", 1))
    if key.kind in {"boolean", "choice"}:
        values = "true or false" if key.kind == "boolean" else "one of a list of names"
        raise BadInput(
            f"--vary {key.path}={text}: LOW and HIGH must be numbers, but {key.path} is {values}; "
            f"--vary {key.path} tries each value"
        )
    if not (low_text and high_text):
        raise BadInput(f"--vary {key.path}={text}; {FORM}")
    low, high = number(_with_unit(low_text, high_text), key), number(high_text, key)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise BadInput(f"--vary {key.path}={text}: both ends of a range must be finite")
    if low >= high:
        raise BadInput(f"--vary {key.path}={text}: {low_text} is not below {high_text}")
    scale: Scale = _scale(key, low, high)
    if colon:
        chosen = choose(scale_text.strip(), SCALES, "scale")
        scale = next(known for known in SCALES if known == chosen)
    interval = Range(key.path, kind_as_written(key.kind, high_text), low, high, scale)
    _require_fitting_scale(interval, text)
    return interval


def _require_fitting_scale(interval: Range, text: str) -> None:
    """Raises BadInput if the scale cannot span the range."""
    at = f"--vary {interval.path}={text}"
    if interval.scale != "linear" and interval.low <= 0:
        raise BadInput(f"{at}: a range that begins at 0 needs the scale `linear`")
    if interval.scale == "powers-of-two":
        steps = math.log2(interval.high / interval.low)
        if not math.isclose(steps, round(steps), abs_tol=1e-9):
            ends = f"{interval.text(interval.low)} and {interval.text(interval.high)}"
            raise BadInput(f"{at}: the ratio of {ends} is not a power of two")


def _scale(key: Key, low: float, high: float) -> Scale:
    """The declared scale if it can span the range; if none is declared, the scale by the width."""
    declared_scale: Scale | None = (key.search or {}).get("scale")
    if declared_scale == "linear" or low <= 0:
        return "linear"
    if declared_scale is not None:
        return declared_scale
    return "log" if high / low >= WIDE else "linear"


def _with_unit(low: str, high: str) -> str:
    """The lower end of `0.5..5 ms` with the unit of the upper end: `0.5 ms`."""
    unit = re.fullmatch(r"[0-9_.+-]+(?:[eE][+-]?[0-9]+)?\s*((?![eE][+-]?[0-9])[A-Za-z/].*)", high)
    return f"{low} {unit[1]}" if unit and re.fullmatch(r"[0-9_.eE+-]+", low) else low


def _listed(key: Key, text: str) -> Choices:
    values = [_listed_value(key, part.strip()) for part in text.split(",")]
    if key.kind not in {"boolean", "choice"}:
        values.sort(key=lambda value: number(value, key))
    choices = Choices(key.path, key.kind, tuple(dict.fromkeys(values)))
    if len(choices.values) < 2:
        raise BadInput(
            f"--vary {key.path}={text}: only one value is given; use --set for one value"
        )
    return choices
