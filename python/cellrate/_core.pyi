from collections.abc import Callable, Sequence
from os import PathLike
from random import Random
from typing import NoReturn, TypedDict, final, type_check_only

from cellrate.schemes.classes import Kind

__all__ = [
    "Cancelled",
    "Connection",
    "DataCell",
    "Outcome",
    "Port",
    "PortEpisode",
    "Queue",
    "RmCell",
    "Scenario",
    "ScenarioError",
    "SchemeError",
    "Source",
    "SourceEpisode",
    "Store",
    "__interface__",
    "__version__",
    "bench",
    "measures",
    "quantity",
    "read_parquet_with",
    "refuse_study",
    "registry",
    "schema",
    "set_scheme_finder",
    "step_ports",
    "step_sources",
    "study",
    "study_schema",
    "template",
    "toml_as_json",
]

__interface__: str
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
class Cost(TypedDict):
    units: int
    hops: int
    nanoseconds_per_hop: float
    seconds: float
    memory_bytes: int | None
    most_trace_bytes: int
    most_event_bytes: int

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
class PartShare(TypedDict):
    nodes: int
    work_share: float

@type_check_only
class Partition(TypedDict):
    parts: list[PartShare]
    cut_links: int
    lookahead_seconds: float | None
    crossing_share: float
    speedup: float
    reason: str

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

@type_check_only
class FrameColumns(TypedDict):
    link: list[str]
    vc: list[str]
    kind: list[str]
    packet: list[int]
    octets: list[int]
    marked: list[bool]
    began_seconds: list[float]
    left_seconds: list[float]
    arrived_seconds: list[float]
    dropped: list[bool]
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
    def random(self) -> Random: ...
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
class Queue:
    @property
    def channels(self) -> int: ...
    @property
    def random(self) -> Random: ...
    @property
    def now(self) -> float: ...
    @property
    def length(self) -> int: ...
    @property
    def buffer(self) -> int | float: ...
    @property
    def channel(self) -> int: ...
    @property
    def cells(self) -> int: ...
    @property
    def active(self) -> int: ...

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
    def random(self) -> Random: ...
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
    @property
    def link_layer(self) -> str: ...
    @property
    def over_tcp(self) -> bool: ...
    def size(self) -> tuple[int, int, int]: ...
    def given(self) -> tuple[str, str, list[str], int | None]: ...
    def hook_steps(self) -> int: ...
    def schema(self) -> str: ...
    def resolved(self) -> str: ...
    def key(self) -> str: ...
    def warnings(self) -> list[Diagnostic]: ...
    def network(self) -> str: ...
    def require_cells(self) -> None: ...
    def require_one_link_layer(self) -> None: ...
    def require_point_to_point(self) -> None: ...
    def cost(self) -> Cost: ...
    def estimate(self) -> Estimate: ...
    def check(self) -> list[KnownWarning]: ...
    def partition(self, threads: int | None) -> Partition: ...
    def run(
        self,
        progress: Callable[[float, float], bool | None] | None = None,
        threads: int | None = ...,
    ) -> Outcome: ...
    def profile(
        self, progress: Callable[[float, float], bool | None] | None = None
    ) -> tuple[Outcome, list[tuple[str, float, int]], float]: ...
    def passages(
        self,
        from_seconds: float,
        to_seconds: float,
        most: int,
        progress: Callable[[float, float], bool | None] | None = None,
    ) -> PassageColumns | FrameColumns: ...
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
    def overview(self, most_flows: int, most_queues: int) -> str: ...
    def resolved(self) -> str: ...
    def key(self) -> str: ...
    def series(self) -> list[SeriesInfo]: ...
    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]: ...
    def events(self) -> Events: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Outcome: ...

@final
class PortEpisode:
    def __new__(
        cls, scenario: Scenario, port: str | None = None, interval: float | None = None
    ) -> PortEpisode: ...
    @property
    def port(self) -> str: ...
    @property
    def buffer(self) -> float: ...
    @property
    def arrival_rate(self) -> float: ...
    @property
    def arrival_links(self) -> int: ...
    @property
    def largest(self) -> float: ...
    @property
    def rate(self) -> float: ...
    @property
    def channels(self) -> int: ...
    @property
    def interval(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def now(self) -> float: ...
    @property
    def ended(self) -> bool: ...
    def step(self, share: float) -> list[float]: ...
    def summary(self) -> str: ...

@final
class SourceEpisode:
    def __new__(
        cls, scenario: Scenario, flow: str | None = None, interval: float | None = None
    ) -> SourceEpisode: ...
    @property
    def flow(self) -> str: ...
    @property
    def pcr(self) -> float: ...
    @property
    def mcr(self) -> float: ...
    @property
    def icr(self) -> float: ...
    @property
    def interval(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def now(self) -> float: ...
    @property
    def ended(self) -> bool: ...
    def step(self, share: float) -> list[float]: ...
    def summary(self) -> str: ...

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

def step_ports(
    episodes: Sequence[PortEpisode], shares: Sequence[float], threads: int
) -> list[list[float]]: ...
def step_sources(
    episodes: Sequence[SourceEpisode], shares: Sequence[float], threads: int
) -> list[list[float]]: ...
def schema(ethernet: bool = False) -> str: ...
def set_scheme_finder(finder: Callable[[Kind, str, str], object]) -> None: ...
def read_parquet_with(reader: Callable[[PathLike[str]], str]) -> None: ...
def registry() -> str: ...
def measures(ethernet: bool = ...) -> str: ...
def quantity(text: str, kind: str) -> float: ...
def template(name: str) -> str: ...
def toml_as_json(text: str) -> str: ...
def bench(
    workloads: list[str] | None, progress: Callable[[float, float], bool | None] | None
) -> str: ...
def study(text: str, path: str) -> str: ...
def study_schema() -> str: ...
def refuse_study(
    text: str, path: str, place: list[int | str], message: str, advice: str
) -> NoReturn: ...
