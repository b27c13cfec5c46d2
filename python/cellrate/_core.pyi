"""Scenarios, runs and stored results: the part of cellrate that is written in Rust."""

from collections.abc import Callable
from os import PathLike
from typing import TypedDict, final, type_check_only

__version__: str

@type_check_only
class Diagnostic(TypedDict):
    """One thing that is wrong with a scenario, and where; line and column count from 1."""

    severity: str
    message: str
    path: str
    line: int
    column: int
    label: str
    help: str

@type_check_only
class Estimate(TypedDict):
    """What a run will need at most; no available bytes where that cannot be found out."""

    memory_bytes: int
    available_bytes: int | None
    cells_in_flight: int

@type_check_only
class SeriesInfo(TypedDict):
    """What a series is of, and how many points it has."""

    kind: str
    entity: str
    unit: str
    points: int

@type_check_only
class Events(TypedDict):
    """The event log as columns of equal length; see the reference of the scenario file."""

    time_seconds: list[float]
    kind: list[str]
    vc: list[str]
    port: list[str | None]
    pdu: list[int | None]
    cause: list[str | None]
    cell: list[int | None]
    sequence_bytes: list[int | None]
    er_cells_per_second: list[float | None]

class ScenarioError(ValueError):
    """A scenario cannot be run.

    Attributes:
        rendered: All diagnostics as annotated plain text.
        diagnostics: At least one error; warnings too.
    """

    rendered: str
    diagnostics: list[Diagnostic]

class Cancelled(Exception):  # noqa: N818  not an error: somebody wanted it
    """A run was stopped by its progress function."""

@final
class Outcome:
    """A finished run: summary, scenario as it was run, traces and events."""

    def summary(self) -> str:
        """Every measure, as one JSON object."""

    def resolved(self) -> str:
        """The scenario with every default written out, as TOML."""

    def key(self) -> str:
        """Under which the outcome is kept."""

    def series(self) -> list[SeriesInfo]:
        """What was traced."""

    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]:
        """Seconds, least and greatest values of a series as little-endian doubles.

        Raises:
            IndexError: There is no such series.
        """

    def events(self) -> Events:
        """The event log as columns."""

    def to_bytes(self) -> bytes:
        """Everything as bytes, with a checksum."""

    @staticmethod
    def from_bytes(data: bytes) -> Outcome:
        """The outcome in bytes that ``to_bytes`` gave.

        Raises:
            ValueError: They are damaged, or of another version.
        """

@final
class Store:
    """A directory of results, safe for several threads and processes at once."""

    def __new__(cls, path: str | PathLike[str]) -> Store:
        """Opens the store, which is made if it is not there.

        Raises:
            OSError: The directory can be neither made nor read.
        """

    def get(self, key: str) -> bytes | None:
        """The bytes kept under a key; None if there are none or they are damaged.

        Raises:
            ValueError: The key is none.
            OSError: The entry is there and cannot be read.
        """

    def put(self, key: str, data: bytes) -> None:
        """Keeps bytes under a key, whole or not at all.

        Raises:
            ValueError: The key is none.
            OSError: The entry cannot be written.
        """

    def contains(self, key: str) -> bool:
        """Whether ``get`` would find something."""

    def keys(self) -> list[str]:
        """All keys, in order."""

    def problems(self) -> list[str]:
        """Damaged entries met so far, each told once."""

def resolve(text: str, path: str, overrides: list[str], seed: int | None) -> str:
    """The scenario with every default written out, as TOML.

    Args:
        text: The scenario.
        path: Its name in diagnostics.
        overrides: ``path=value`` settings, applied in order.
        seed: Replaces the scenario's seed.

    Raises:
        ScenarioError: The scenario is wrong.
    """

def check(text: str, path: str, overrides: list[str], seed: int | None) -> list[Diagnostic]:
    """Warnings about a scenario that can be run.

    Raises:
        ScenarioError: The scenario is wrong.
    """

def estimate(text: str, path: str, overrides: list[str], seed: int | None) -> Estimate:
    """What a run will need of memory at most, and what there is.

    Raises:
        ScenarioError: The scenario is wrong.
    """

def run(
    text: str,
    path: str,
    overrides: list[str],
    seed: int | None,
    progress: Callable[[float, float], bool | None] | None,
) -> Outcome:
    """Runs a scenario, with the interpreter's lock released.

    Args:
        text: The scenario.
        path: Its name in diagnostics.
        overrides: ``path=value`` settings, applied in order.
        seed: Replaces the scenario's seed.
        progress: Called with now and end in simulated seconds about ten times a second; stops the
            run by returning False.

    Raises:
        ScenarioError: The scenario is wrong, or needs more memory than there is.
        Cancelled: The progress function stopped the run.
    """

def key(resolved: str) -> str:
    """Under which the result of a resolved scenario is kept: a hash of version and scenario."""

def schema() -> str:
    """JSON Schema of the scenario file."""

def registry() -> str:
    """Everything that a scenario can name, each with ``name`` and ``about``, as JSON."""

def template(name: str) -> str:
    """A commented scenario to start from.

    Raises:
        ValueError: There is no template of that name.
    """

def bench(
    workloads: list[str] | None, progress: Callable[[float, float], bool | None] | None
) -> str:
    """Times the engine on one core against bare floor loops: ns per cell-hop, as JSON.

    Args:
        workloads: Which measurements; all by default.
        progress: Called with the share done and 1 after each measurement; stops the bench by
            returning False.

    Raises:
        ValueError: There is no such measurement.
        Cancelled: The progress function stopped the bench.
    """
