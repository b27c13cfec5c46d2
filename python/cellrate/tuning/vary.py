"""What is varied: what `--vary` says, or else the parameters that the schemes declare."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cellrate import _core
from cellrate.cli.problems import BadInput, choose
from cellrate.network import Network
from cellrate.tuning.keys import Key, Keys
from cellrate.tuning.laboratory import Setting
from cellrate.tuning.ranges import SCALES, WHOLE, Choices, Range, Scale, Space, written

FORM = "--vary takes PATH, PATH=LOW..HIGH, PATH=LOW..HIGH:SCALE or PATH=A,B,C"
# Wider explicit ranges are searched by order of magnitude.
WIDE = 20.0


@dataclass(frozen=True)
class Scene:
    """What a range may depend on: the keys of the scenario and its network."""

    keys: Keys
    network: Network


@dataclass(frozen=True)
class Left:
    """A declared parameter that is not varied, and why."""

    path: str
    why: str


def varied(scene: Scene, asked: Sequence[str]) -> Space:
    """What the command line asks to vary.

    Raises:
        BadInput: A parameter is unknown, or its range is no range.
    """
    space = tuple(_asked(scene, one) for one in asked)
    for number, one in enumerate(space):
        if one.path in {other.path for other in space[:number]}:
            raise BadInput(f"--vary {one.path}: it is varied twice")
    return space


def declared(scene: Scene, tables: Sequence[str]) -> tuple[Space, tuple[Left, ...]]:
    """The parameters in these tables that declare a range, and those that are left out.

    Choices and switches among them are variants of a scheme rather than its settings; they are
    varied only if asked for.
    """
    space: list[Range | Choices] = []
    left: list[Left] = []
    for key in (key for table in tables for key in _keys(scene, table)):
        if key.search is None or not _applies(key):
            continue
        try:
            space.append(_declared(scene, key))
        except BadInput as error:
            left.append(Left(key.path, str(error)))
    return tuple(space), tuple(left)


def parameter_tables(scene: Scene) -> tuple[str, ...]:
    """Where a scenario's control and discard have their parameters.

    EFCI does nothing by itself: what sources do about it, RIF and RDF, belongs to it.
    """
    nodes = scene.keys.document["topology"].get("node", ())
    own = [
        f"topology.node.{n['name']}.{k}" for n in nodes for k in ("control", "discard") if k in n
    ]
    schemes = {node.switch.scheme for node in scene.network.nodes if node.switch}
    has_abr = any(flow.abr for flow in scene.network.flows)
    sources = ["abr.rif", "abr.rdf"] if "efci" in schemes and has_abr else []
    return ("switch.control", "switch.discard", *own, *sources)


def included(scene: Scene, text: str) -> Setting:
    """A setting to compare with: `abr.rif=1/128,abr.rdf=1/2`; `rif` is short for `abr.rif`.

    Raises:
        BadInput: A parameter is unknown, or its value none of its kind.
    """
    values = []
    for part in text.split(","):
        path, equals, value = (piece.strip() for piece in part.partition("="))
        if not (path and equals and value):
            raise BadInput(f"--include {text!r}; it takes PATH=VALUE,PATH=VALUE")
        key = scene.keys.find(path if "." in path else f"abr.{path}")
        values.append((key.path, _listed_value(key, value)))
    return Setting(tuple(values))


def number(text: str, key: Key) -> float:
    """A value as a number in SI units or cells.

    Raises:
        BadInput: It is none, or has the wrong unit.
    """
    if key.kind in {"number", "integer"}:
        try:
            value = float(Fraction(text.replace(" ", "")))
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"{key.path} cannot be {text!r}; a number such as 0.5 or 1/64") from None
        if key.kind == "integer" and value != round(value):
            raise BadInput(f"{key.path} cannot be {text}; it is a whole number")
        return value
    try:
        return _core.quantity(text, key.kind.lower())
    except ValueError as error:
        raise BadInput(f"{key.path}: {error}") from None


def _keys(scene: Scene, place: str) -> Iterable[Key]:
    """The key at a place, or all below it if it is a table."""
    return scene.keys.below(place) if not place.startswith("abr.") else [scene.keys.find(place)]


def _listed_value(key: Key, text: str) -> str:
    """A value as a scenario has it."""
    if key.kind in {"boolean", "choice"}:
        return choose(text, key.choices or ("true", "false"), f"value of {key.path}")
    value = number(text, key)
    return written(value, key.kind) if key.kind in {"number", "integer"} else text


def _asked(scene: Scene, text: str) -> Range | Choices:
    path, equals, values = (part.strip() for part in text.partition("="))
    if not path or (equals and not values):
        raise BadInput(f"--vary {text!r}; {FORM}")
    key = scene.keys.find(path)
    if not equals:
        return _of_itself(scene, key)
    if ".." in values:
        return _interval(key, values)
    return _listed(key, values)


def _of_itself(scene: Scene, key: Key) -> Range | Choices:
    """The range that a parameter declares, or everything that it can be."""
    if key.kind == "boolean":
        return Choices(key.path, key.kind, ("false", "true"))
    if key.kind == "choice":
        return Choices(key.path, key.kind, key.choices)
    if key.search is None:
        why = key.not_searched or "it declares no range"
        raise BadInput(f"--vary {key.path}: {why}; give one: --vary {key.path}=LOW..HIGH")
    return _declared(scene, key)


def _declared(scene: Scene, key: Key) -> Range:
    search: Mapping[str, Any] = key.search or {}
    if "of" in search:
        whole = _whole(scene, key, search["of"])
        low, high = search["low"] * whole, search["high"] * whole
    else:
        low, high = (_plain(search[end], key) for end in ("low", "high"))
    if key.kind in WHOLE:
        low, high = max(1.0, float(math.ceil(low))), float(math.floor(high))
    step = _plain(search["step"], key) if "step" in search else 0.0
    if low >= high:
        raise BadInput(f"--vary {key.path}: there is nothing between {low:g} and {high:g}")
    return Range(key.path, key.kind, low, high, search["scale"], step)


def _plain(value: object, key: Key) -> float:
    return float(value) if isinstance(value, int | float) else number(str(value), key)


def _whole(scene: Scene, key: Key, name: str) -> float:
    """What a declared range is a share of.

    Raises:
        BadInput: There is no such limit in the scenario.
    """
    advice = f"give its range: --vary {key.path}=LOW..HIGH"
    if name == "buffer":
        finite = min(node.switch.buffer_cells for node in scene.network.nodes if node.switch)
        if math.isinf(finite):
            raise BadInput(f"{key.path} is searched as a share of an infinite buffer; {advice}")
        return finite
    rates = [flow.abr.parameters for flow in scene.network.flows if flow.abr is not None]
    if not rates:
        raise BadInput(f"{key.path} has no effect: no flow is ABR")
    return float(min(rate[f"{name}_bits_per_second"] for rate in rates))


def _applies(key: Key) -> bool:
    """Whether the scenario has what a declared parameter depends on."""
    conditions: Mapping[str, Any] = (key.search or {}).get("when", {})
    return all(_holds(key.siblings.get(name), wanted) for name, wanted in conditions.items())


def _holds(found: object, wanted: object) -> bool:
    """Whether a key has one of several values, or is there (and not false) if that is wanted."""
    if isinstance(wanted, list):
        return found in wanted
    return (found is not None and found is not False) == wanted


def _interval(key: Key, text: str) -> Range:
    ends, colon, scale_text = text.partition(":")
    low_text, high_text = (end.strip() for end in ends.split("..", 1))
    if key.kind in {"boolean", "choice"} or not (low_text and high_text):
        raise BadInput(f"--vary {key.path}={text}; {FORM}")
    low, high = number(_with_unit(low_text, high_text), key), number(high_text, key)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise BadInput(f"--vary {key.path}={text}: both ends of a range are finite")
    if low >= high:
        raise BadInput(f"--vary {key.path}={text}: {low_text} is not below {high_text}")
    scale: Scale = _scale(key, low, high)
    if colon:
        scale = next(one for one in SCALES if one == choose(scale_text.strip(), SCALES, "scale"))
    found = Range(key.path, key.kind, low, high, scale)
    return _checked(found, text)


def _checked(found: Range, text: str) -> Range:
    """The range, if its scale can span it."""
    if found.scale != "linear" and found.low <= 0:
        raise BadInput(f"--vary {found.path}={text}: a range that begins at 0 is linear")
    if found.scale == "powers-of-two":
        steps = math.log2(found.high / found.low)
        if not math.isclose(steps, round(steps), abs_tol=1e-9):
            ends = f"{found.text(found.low)} and {found.text(found.high)}"
            raise BadInput(f"--vary {found.path}={text}: {ends} are no power of two apart")
    return found


def _scale(key: Key, low: float, high: float) -> Scale:
    """The scale that the parameter declares, if it can span the range, or else by its width."""
    declared_scale: Scale | None = (key.search or {}).get("scale")
    if declared_scale == "linear" or low <= 0:
        return "linear"
    if declared_scale is not None:
        return declared_scale
    return "log" if high / low >= WIDE else "linear"


def _with_unit(low: str, high: str) -> str:
    """`0.5` of `0.5..5 ms` with the unit of the other end."""
    unit = re.fullmatch(r"[0-9_.eE+-]+\s*([A-Za-z/]+.*)", high)
    return f"{low} {unit[1]}" if unit and re.fullmatch(r"[0-9_.eE+-]+", low) else low


def _listed(key: Key, text: str) -> Choices:
    values = [_listed_value(key, part.strip()) for part in text.split(",")]
    if key.kind not in {"boolean", "choice"}:
        values.sort(key=lambda value: number(value, key))
    found = Choices(key.path, key.kind, tuple(dict.fromkeys(values)))
    if len(found.values) < 2:
        raise BadInput(f"--vary {key.path}={text}: one value is no choice; use --set")
    return found
