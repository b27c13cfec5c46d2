"""Runs that are captured: losses of every kind under every recovery, and cells of every kind."""

from dataclasses import dataclass
from pathlib import Path

from cellrate.theory.cell_conversions import cells_per_pdu


def _scenario(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


RECOVERIES = ("timeout-only", "tahoe", "reno", "newreno", "sack", "jacobson88")


FLOW = """
[[flow]]
name = "{recovery}"
service = "ubr"
start = "{start} ms"
source = {{ kind = "transfer", size = "{size}" }}
from = "senders"
to = "receivers"
tcp = {{ recovery = "{recovery}", delayed_ack = {delayed} }}
"""
CELLS = _scenario("cells.toml")
MCR, PCR = 1e6 / 424, 30e6 / 424
"""MCR and PCR of the channels in `CELLS`, in cells/s."""

SETTINGS: dict[str, tuple[str, ...]] = {
    "llc-snap": (),
    "vc-mux": ('aal5.encapsulation="vc-mux"',),
    "52-byte headers": ("tcp.header_bytes=52",),
    "100-byte headers": ("tcp.header_bytes=100",),
}
"""Forms that packets may have."""


@dataclass(frozen=True)
class Case:
    """A run that is captured: its name in the findings, the scenario, and settings."""

    name: str
    text: str
    overrides: tuple[str, ...] = ()


def lossy(*, seconds: float = 20.0, size: str = "500 kB", seed: int = 1) -> Case:
    """Transfers that lose segments, one under each recovery, all between the same hosts.

    Every second transfer has delayed acknowledgements; with the next seed, the other transfers.
    """
    flows = [
        FLOW.format(
            recovery=recovery,
            start=50 * number,
            size=size,
            delayed=str((number + seed) % 2 == 0).lower(),
        )
        for number, recovery in enumerate(RECOVERIES)
    ]
    run = f'[run]\nduration = "{seconds} s"\nseed = {seed}\n'
    text = "".join([run, _scenario("lossy.toml"), *flows])
    return Case(f"losses, seed {seed}", text)


def cells(form: str) -> Case:
    """A scenario with ABR, RM cells and raw cells, whose packets have the form `form`."""
    return Case(f"cells, {form}", CELLS, SETTINGS[form])


@dataclass(frozen=True)
class StopAndWait:
    """A transfer with one outstanding segment.

    The delays of the links at the sender and at the receiver are in milliseconds.
    """

    access: float
    bottleneck: float
    mss: int
    segments: int

    @property
    def case(self) -> Case:
        """The run."""
        settings = (
            f'topology.access="{self.access} ms"',
            f'topology.bottleneck="{self.bottleneck} ms"',
            f'tcp.mss="{self.mss} bytes"',
            f'tcp.window="{self.mss} bytes"',
            f'flow.tcp.source.size="{self.mss * self.segments} bytes"',
        )
        name = f"stop and wait, {self.mss} bytes, {self.access} and {self.bottleneck} ms"
        return Case(name, _scenario("stop-and-wait.toml"), settings)

    @property
    def segment_seconds(self) -> float:
        """Time from the first bit of a segment to its last bit, at the sender."""
        return self._cells * FAST_CELL

    @property
    def round_trip_seconds(self) -> float:
        """Time from the last bit of a segment to that of its acknowledgement, at the sender.

        The slower link begins with the first cell, and ends after the last cell has arrived. An
        acknowledgement has two cells; the switch forwards the second one as soon as it arrives.
        """
        behind = self._cells * SLOW_CELL - (self._cells - 1) * FAST_CELL
        return 2e-3 * (self.access + self.bottleneck) + behind + 2 * SLOW_CELL + FAST_CELL

    @property
    def _cells(self) -> int:
        return cells_per_pdu(self.mss)


FAST_CELL, SLOW_CELL = 424 / 10e6, 424 / 4e6
WAITING = (
    StopAndWait(0.3, 3.0, 512, 40),
    StopAndWait(2.0, 0.1, 1500, 30),
    StopAndWait(0.05, 20.0, 9140, 10),
)
