"""Description of a data set: `study.json`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias

from cellrate import _core
from cellrate.common.estimates import LEVEL
from cellrate.common.problems import BadInput

FORMAT = 1
"""Version of the format of a data set; data sets of other versions are not read."""

TEXTS = ("choice", "boolean")
"""Kinds of factors whose values are texts; all other kinds have numbers."""

Replications: TypeAlias = int | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FactorColumn:
    """A factor or derived parameter of a study.

    Attributes:
        name: Name of the column.
        path: Path of the scenario's key; None for a free variable.
        kind: `choice`, `boolean`, `number`, `integer`, or the kind of a quantity: `Time`, `Rate`,
            `Cells`, `Bytes`, `Buffer`, `Delay`.
        unit: Unit of the column's numbers; empty without a unit.
        written: Quantities as the study file lists them, such as `100 km`; empty without a unit.
    """

    name: str
    path: str | None = None
    kind: str = "number"
    unit: str = ""
    written: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """True if the column holds texts, False if numbers."""
        return self.kind in TEXTS

    @property
    def texts(self) -> dict[float, str]:
        """The quantities of the study file by their values in the column."""
        return {_core.quantity(text, self.kind.lower()): text for text in self.written}


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """A named measure of the study: an expression over a run."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class Description:
    """Description of a study for readers of its data.

    Attributes:
        name: Name of the study.
        scenario: Path of the scenario, or name of the template.
        factors: The factors.
        derived: The derived parameters.
        measures: The named measures.
        level: Level of confidence intervals.
        common_random_numbers: True if equal replications of all points have the same seed.
        replications: Number of replications, or the rule that stops them.
        traces: Kinds of traces that are kept.
        link_layer: Link layer of the scenario.
        file: Path of the study file; empty if it is not known.
        settings: Settings of every run besides those of the file (`--set`).
    """

    name: str
    scenario: str
    factors: tuple[FactorColumn, ...] = ()
    derived: tuple[FactorColumn, ...] = ()
    measures: tuple[MeasureColumn, ...] = ()
    level: float = LEVEL
    common_random_numbers: bool = True
    replications: Replications = 1
    traces: tuple[str, ...] = ()
    link_layer: str = "atm"
    file: str = ""
    settings: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """The study file with its further settings, as on the command line."""
        return " ".join([self.file, *(f"--set {shlex.quote(one)}" for one in self.settings)])

    def is_of(self, file: str) -> bool:
        """True if the data set comes from this study file, or does not name its study file."""
        return not self.file or Path(self.file).resolve() == Path(file).resolve()

    @property
    def varied(self) -> tuple[FactorColumn, ...]:
        """Factors and derived parameters."""
        return (*self.factors, *self.derived)

    @property
    def texts(self) -> dict[str, dict[float, str]]:
        """Quantities as the study file lists them, by column and value."""
        return {one.name: one.texts for one in self.factors if one.written}


def as_json(description: Description, *, runs: int, failed: int) -> str:
    """The text of `study.json`."""
    found = {
        "format": FORMAT,
        "version": _core.__version__,
        **asdict(description),
        "runs": runs,
        "failed": failed,
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def from_json(text: str, place: str) -> Description:
    """Reads a description from the text of `study.json`.

    Raises:
        BadInput: The text is not a description, or is of another format.
    """
    try:
        found = json.loads(text)
        form = found["format"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise BadInput(f"{place} is not a description of a data set: {why}") from error
    if form != FORMAT:
        raise BadInput(
            f"{place} is of format {form}, written by cellrate {found.get('version', '?')}; "
            f"this is cellrate {_core.__version__}, which reads format {FORMAT}: "
            "run the study again"
        )
    try:
        return Description(
            name=_typed(found["name"], str),
            scenario=_typed(found["scenario"], str),
            factors=tuple(map(_factor, found["factors"])),
            derived=tuple(map(_factor, found["derived"])),
            measures=tuple(MeasureColumn(**_texts(one)) for one in found["measures"]),
            level=_typed(found["level"], float),
            common_random_numbers=_typed(found["common_random_numbers"], bool),
            replications=_typed(found["replications"], int | dict),
            traces=tuple(_typed(one, str) for one in found["traces"]),
            link_layer=_typed(found.get("link_layer", "atm"), str),
            file=_typed(found.get("file", ""), str),
            settings=tuple(_typed(one, str) for one in found.get("settings", ())),
        )
    except (TypeError, KeyError, AttributeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise BadInput(f"{place} is damaged: {why}; run the study again") from error


def _factor(found: Mapping[str, Any]) -> FactorColumn:
    written = tuple(_typed(text, str) for text in found.get("written", ()))
    present = {
        key: one for key, one in found.items() if key != "written" and (key != "path" or one)
    }
    return FactorColumn(**_texts(present), written=written)


def _texts(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _typed(value, str) for key, value in found.items()}


def _typed(value: Any, kind: type | UnionType) -> Any:  # noqa: ANN401  checked at run time
    if not isinstance(value, kind):
        raise TypeError(f"it has {value!r} where {getattr(kind, '__name__', kind)} is expected")
    return value
