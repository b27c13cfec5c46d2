from collections.abc import Callable, Sequence
from os import PathLike
from typing import NoReturn, TypedDict, final, type_check_only

from cellrate.schemes.classes import Kind

__all__ = [
    "Cancelled",
    "Connection",
    "DataCell",
    "Outcome",
    "Port",
    "RmCell",
    "Scenario",
    "ScenarioError",
    "SchemeError",
    "Source",
    "Store",
    "__version__",
    "bench",
    "measures",
    "quantity",
    "read_parquet_with",
    "refuse_study",
    "registry",
    "schema",
    "set_scheme_finder",
    "study",
    "study_schema",
    "template",
]

__version__: str

@type_check_only
class Diagnostic(TypedDict):
    severity: str
    message: str
    path: str
    line: int
    column: int
    label: str
    help: str

@type_check_only
class Need(TypedDict):
    need: str
    amount: int
    of_what: str
    bytes: int

@type_check_only
class Estimate(TypedDict):
    memory_bytes: int
    available_bytes: int | None
    cells_in_flight: int
    needs: list[Need]
    cells: int
    cell_hops: int
    most_cell_hops: int
    seconds: float
    nanoseconds_per_cell_hop: float
    most_trace_bytes: int
    most_event_bytes: int
    capture_bytes: int

@type_check_only
class KnownWarning(TypedDict):
    code: str
    message: str

@type_check_only
class SeriesInfo(TypedDict):
    kind: str
    entity: str
    unit: str
    points: int

@type_check_only
class Events(TypedDict):
    time_seconds: list[float]
    kind: list[str]
    vc: list[str]
    port: list[str | None]
    pdu: list[int | None]
    cause: list[str | None]
    cell: list[int | None]
    sequence_bytes: list[int | None]
    er_cells_per_second: list[float | None]

@type_check_only
class PassageColumns(TypedDict):
    link: list[str]
    vc: list[str]
    kind: list[str]
    cell: list[int | None]
    left_seconds: list[float]
    arrived_seconds: list[float]
    omitted: int

class ScenarioError(ValueError):
    rendered: str
    diagnostics: list[Diagnostic]

class SchemeError(RuntimeError):
    place: str

class Cancelled(Exception): ...

@final
class Port:
    @property
    def rate(self) -> float: ...
    @property
    def now(self) -> float: ...
    @property
    def queue(self) -> int: ...
    @property
    def knows_queue(self) -> bool: ...
    @property
    def channels(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cells(self) -> int: ...
    @property
    def background(self) -> int: ...
    @property
    def active(self) -> int: ...
    @property
    def capacity_left(self) -> float: ...
    def cells_of(self, channel: int) -> int: ...
    def rate_of(self, channel: int) -> float: ...
    def every(
        self, seconds: float | None = None, cells: int | None = None, slots: int | None = None
    ) -> None: ...

@final
class RmCell:
    @property
    def channel(self) -> int: ...
    er: float
    ci: bool
    ni: bool
    @property
    def ccr(self) -> float: ...
    @property
    def mcr(self) -> float: ...

@final
class Connection:
    cwnd: int
    ssthresh: int
    @property
    def now(self) -> float: ...
    @property
    def acked(self) -> int: ...
    @property
    def flight(self) -> int: ...
    @property
    def rwnd(self) -> int: ...
    @property
    def mss(self) -> int: ...
    def half(self) -> int: ...
    def grow(self) -> None: ...

@final
class Source:
    acr: float
    decrease: float
    @property
    def now(self) -> float: ...
    @property
    def icr(self) -> float: ...
    @property
    def mcr(self) -> float: ...
    @property
    def pcr(self) -> float: ...
    @property
    def nrm(self) -> int: ...

@final
class DataCell:
    @property
    def channel(self) -> int: ...
    efci: bool
    @property
    def is_rm(self) -> bool: ...
    @property
    def ends_pdu(self) -> bool: ...

@final
class Scenario:
    def __new__(
        cls,
        text: str,
        path: str,
        overrides: Sequence[str] = ...,
        seed: int | None = None,
        *,
        without_code: bool = False,
    ) -> Scenario: ...
    @property
    def code(self) -> list[str]: ...
    def given(self) -> tuple[str, str, list[str], int | None]: ...
    def hook_steps(self) -> int: ...
    def schema(self) -> str: ...
    def resolved(self) -> str: ...
    def key(self) -> str: ...
    def warnings(self) -> list[Diagnostic]: ...
    def network(self) -> str: ...
    def estimate(self) -> Estimate: ...
    def check(self) -> list[KnownWarning]: ...
    def run(self, progress: Callable[[float, float], bool | None] | None = None) -> Outcome: ...
    def passages(self, from_seconds: float, to_seconds: float, most: int) -> PassageColumns: ...
    def capture(
        self,
        taps: Sequence[str],
        from_seconds: float,
        to_seconds: float,
        directory: str | PathLike[str],
        progress: Callable[[float, float], bool | None] | None = None,
    ) -> str: ...

@final
class Outcome:
    def summary(self) -> str: ...
    def resolved(self) -> str: ...
    def key(self) -> str: ...
    def series(self) -> list[SeriesInfo]: ...
    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]: ...
    def events(self) -> Events: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Outcome: ...

@final
class Store:
    def __new__(cls, path: str | PathLike[str]) -> Store: ...
    def get(self, key: str) -> bytes | None: ...
    def put(self, key: str, data: bytes) -> None: ...
    def reject(self, key: str, why: str) -> None: ...
    def contains(self, key: str) -> bool: ...
    def keys(self) -> list[str]: ...
    def problems(self) -> list[str]: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Store: ...
    def __exit__(self, *_raised: object) -> None: ...

def schema() -> str: ...
def set_scheme_finder(finder: Callable[[Kind, str, str], object]) -> None: ...
def read_parquet_with(reader: Callable[[PathLike[str]], str]) -> None: ...
def registry() -> str: ...
def measures() -> str: ...
def quantity(text: str, kind: str) -> float: ...
def template(name: str) -> str: ...
def bench(
    workloads: list[str] | None, progress: Callable[[float, float], bool | None] | None
) -> str: ...
def study(text: str, path: str) -> str: ...
def study_schema() -> str: ...
def refuse_study(
    text: str, path: str, place: list[int | str], message: str, advice: str
) -> NoReturn: ...
