"""A scenario as an object: read, changed, checked and run from Python."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from cellrate import _core
from cellrate.common.document import Shown
from cellrate.common.extras import needing
from cellrate.common.numbers import counted
from cellrate.common.problems import FEW, nearest
from cellrate.simulation import source
from cellrate.simulation.runner import Job

if TYPE_CHECKING:
    from cellrate.common.document import Document
    from cellrate.simulation.api import Result
    from cellrate.simulation.progress_line import Watcher

Overrides: TypeAlias = "Mapping[str, object] | Iterable[str]"
"""Settings, nested or by dotted path, or texts in the form ``path=value`` of ``--set``."""


@dataclass(frozen=True, slots=True)
class Validation(Shown):
    """The result of the checks of a valid scenario.

    Attributes:
        name: Name of the scenario.
        warnings: Warnings, each with ``message``, ``path``, ``line`` and ``column``.
        estimate: Needs of a run: an upper bound ``memory_bytes``, and ``available_bytes`` of this
            machine. Over Ethernet only ``seconds`` is known.
    """

    name: str
    warnings: tuple[Mapping[str, Any], ...]
    estimate: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<Validation of {self.name}: valid, {counted(len(self.warnings), 'warning')}>"

    def document(self) -> Document:
        """The warnings and needs as a document."""
        from cellrate.simulation.scenario_document import validation_document

        return validation_document(self)


class Scenario(Shown):
    """A scenario that is valid; it never changes, and `with_` returns another one.

    >>> scenario = Scenario.from_template("n-source")
    >>> scenario["switch.control.scheme"], scenario["topology.bottleneck"]
    ('erica', '5 ms')
    >>> scenario.with_({"flow": {"tcp": {"count": 3}}})["flow.tcp.count"]
    3

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, or another `Scenario`. A text
            of several lines is TOML, any other a path.
        overrides: Settings, nested or by dotted path; see
            :func:`cellrate.simulation.source.settings`.
        seed: Replaces the scenario's seed; a whole number from 0 to 2^63 - 1.

    Raises:
        ScenarioError: The scenario is wrong; its text shows the place and what is allowed.
        TypeError: The seed is not an integer, or an argument is of another wrong type.
        ValueError: The seed is out of range.
        OSError: The file cannot be read.
    """

    def __init__(
        self, scenario: ScenarioLike, overrides: Overrides = (), seed: int | None = None
    ) -> None:
        self._job = job_of(scenario, overrides, seed)
        self._checked = self._job.scenario()

    @classmethod
    def from_template(cls, name: str) -> Scenario:
        """The template with a name, as ``cellrate new`` prints it.

        Raises:
            ValueError: There is no such template; the message lists all.
        """
        return cls(Job(_core.template(name), name))

    def __repr__(self) -> str:
        flows = counted(sum(int(group["count"]) for group in self["flow"]), "flow")
        return f"<Scenario {self.name}: {flows}, {self['run.duration']}, seed {self.seed}>"

    def __getitem__(self, path: str) -> Any:  # noqa: ANN401  any value of TOML
        """The value of a key in the resolved scenario: number, list, mapping, or text with a unit.

        Args:
            path: Dotted path, as in ``switch.buffer``; tables of an array go by name or index, as
                in ``flow.tcp.count``.

        Raises:
            KeyError: There is no such key; the message names the nearest.
        """
        value: Any = self._values
        for at, key in enumerate(path.split(".")):
            inside = _named(value)
            if key not in inside:
                before = ".".join(path.split(".")[:at])
                raise KeyError(_absent(path, before, key, list(inside)))
            value = inside[key]
        return value

    def _ipython_key_completions_(self) -> list[str]:
        """Every path that ``scenario["`` can be completed to, in IPython and notebooks."""
        return list(_paths("", self._values))

    @property
    def name(self) -> str:
        """Path of the scenario, or name of its template."""
        return self._job.path

    @property
    def seed(self) -> int:
        """Seed of every random stream."""
        return int(self["run.seed"])

    @property
    def job(self) -> Job:
        """The scenario as a job for `run_many`."""
        return self._job

    @cached_property
    def _values(self) -> dict[str, Any]:
        return tomllib.loads(self.resolved())

    def resolved(self) -> str:
        """The scenario as TOML with all settings applied and every default written out."""
        return self._checked.resolved()

    def with_(self, overrides: Overrides = (), *, seed: int | None = None) -> Scenario:
        """The scenario with further settings, which replace its settings of the same keys.

        Args:
            overrides: Settings, nested or by dotted path, as for the class.
            seed: Replaces the seed.

        Raises:
            ScenarioError: The scenario is wrong with these settings.
            TypeError: The seed or a value is of a wrong type.
            ValueError: The seed is out of range.
        """
        return Scenario(self, overrides, seed)

    def validate(self) -> Validation:
        """Checks the scenario without running it, and estimates the memory or time of a run."""
        checked = self._checked
        needs = checked.cost() if checked.link_layer == "ethernet" else checked.estimate()
        return Validation(self.name, tuple(checked.warnings()), needs)

    def run(
        self, *, store: _core.Store | None = None, progress: Watcher | bool | None = None
    ) -> Result:
        """Runs the scenario; see :func:`cellrate.run`."""
        from cellrate.simulation.api import run

        return run(self, store=store, progress=progress)

    def document(self) -> Document:
        """The network, the ports and the flows as a document."""
        with needing("the table of a scenario"):
            from cellrate.simulation.scenario_document import scenario_document

            return scenario_document(self)


ScenarioLike: TypeAlias = "str | PathLike[str] | Mapping[str, object] | Scenario | Job"
"""Types in which a scenario can be given."""


def job_of(scenario: ScenarioLike, overrides: Overrides = (), seed: int | None = None) -> Job:
    """The job of a scenario with further settings, which replace its settings of the same keys.

    Raises:
        TypeError: The type of the scenario is not in `ScenarioLike`, or the seed is not an integer.
        ValueError: The seed is out of range.
        OSError: The file cannot be read.
        ScenarioError: The file is not UTF-8 text.
    """
    given = scenario.job if isinstance(scenario, Scenario) else scenario
    if isinstance(given, Job):
        base = given
    else:
        text, name = source.given(given)
        base = Job(text, name)
    settings = (*base.overrides, *source.settings(overrides))
    return Job(base.text, base.path, settings, base.seed if seed is None else seed)


def _named(value: object) -> Mapping[str, Any]:
    """Entries of a table by key, or of an array by index and, if tables have names, by name.

    Any other value gives an empty mapping.
    """
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, list):
        return {}
    by_index = {str(index): one for index, one in enumerate(value)}
    tables = (table for table in value if isinstance(table, Mapping) and "name" in table)
    return by_index | {str(table["name"]): table for table in tables}


def _paths(above: str, value: object) -> Iterator[str]:
    """Paths of all keys below a value.

    Elements of arrays are addressed by name if they have one.
    """
    named = _named(value)
    names = {id(one) for key, one in named.items() if not key.isdecimal()}
    for key, one in named.items():
        if key.isdecimal() and id(one) in names:
            continue
        path = f"{above}.{key}" if above else key
        yield path
        yield from _paths(path, one)


def _absent(path: str, before: str, key: str, known: list[str]) -> str:
    where = f"in {before}" if before else "in the scenario"
    near = nearest(key, known, FEW)
    return f"{path}: there is no {key!r} {where}; there are {', '.join(near) or 'no keys'}"
