"""Runs that are captured: losses of every kind under every recovery, and cells of every kind."""

from __future__ import annotations

from dataclasses import dataclass

from cellrate.theory.cell_conversions import cells_per_pdu

RECOVERIES = ("timeout-only", "tahoe", "reno", "newreno", "sack", "jacobson88")

LOSSY = """
[run]
duration = "{seconds} s"
seed = {seed}

[measure]
events = ["timeout", "retransmission"]
event_limit = 1_000_000

[topology]
template = "graph"
node = [
    {{ name = "senders", kind = "host" }},
    {{ name = "cells", kind = "host" }},
    {{ name = "X", kind = "switch" }},
    {{ name = "receivers", kind = "host" }},
]
link = [
    {{ from = "senders", to = "X", rate = "20 Mbit/s", delay = "0.1 ms" }},
    {{ from = "cells", to = "X", rate = "20 Mbit/s", delay = "0.1 ms" }},
    {{ from = "X", to = "receivers", rate = "6 Mbit/s", delay = "5 ms" }},
]

[switch]
buffer = "200 cells"

[tcp]
window = "200000 bytes"
granularity = "10 ms"
initial_rto = "1 s"
min_rto = "200 ms"

[[flow]]
name = "noise"
service = "ubr"
source = {{ kind = "poisson", rate = "1 Mbit/s" }}
from = "cells"
to = "receivers"
"""
"""Transfers that end before the run does, so that nothing is left on its way; random cells make the
losses irregular."""
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

CELLS = """
[run]
duration = "60 ms"

[topology]
template = "n-source"
link_rate = "30 Mbit/s"
bottleneck_rate = "20 Mbit/s"
access = "10 km"
bottleneck = "200 km"
egress = "10 km"

[switch]
buffer = "200 cells"
control = { scheme = "efci", threshold = "20 cells" }

[tcp]
granularity = "1 ms"
min_rto = "10 ms"
initial_rto = "20 ms"
mss = "1500 bytes"

[measure]
traces = ["acr"]
sample = "10 us"
trace_points = 10_000

[abr]
mcr = "1 Mbit/s"
icr = "5 Mbit/s"

[[flow]]
name = "tcp"
count = 2
service = "abr"

[[flow]]
name = "cbr"
service = "cbr"
source = { kind = "cbr", rate = "2 Mbit/s" }
"""
"""ABR under EFCI, whose marks come back as CI, beside cells of constant rate; ACR is sampled more
often than cells are sent."""
MCR, PCR = 1e6 / 424, 30e6 / 424
"""Of its channels, in cells/s."""

SETTINGS: dict[str, tuple[str, ...]] = {
    "llc-snap": (),
    "vc-mux": ('aal5.encapsulation="vc-mux"',),
    "52-byte headers": ("tcp.header_bytes=52",),
    "100-byte headers": ("tcp.header_bytes=100",),
}
"""Forms that packets may have."""


@dataclass(frozen=True)
class Case:
    """A run.

    Attributes:
        name: Its name in the findings.
        text: The scenario.
        overrides: Settings of it.
    """

    name: str
    text: str
    overrides: tuple[str, ...] = ()


def lossy(*, seconds: float = 20.0, size: str = "500 kB", seed: int = 1) -> Case:
    """A transfer under each recovery, all between the same hosts, that lose segments.

    Every other one has its acknowledgements delayed; with the next seed, the others.
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
    return Case(f"losses, seed {seed}", LOSSY.format(seconds=seconds, seed=seed) + "".join(flows))


def cells(form: str) -> Case:
    """ABR with RM cells, and bare cells, with packets of that form."""
    return Case(f"cells, {form}", CELLS, SETTINGS[form])


STOP_AND_WAIT = """
[run]
duration = "2 s"

[topology]
template = "single-switch"
link_rate = "10 Mbit/s"
bottleneck_rate = "4 Mbit/s"
access = "{access} ms"
bottleneck = "{bottleneck} ms"

[tcp]
mss = "{mss} bytes"
window = "{mss} bytes"
granularity = "10 ms"
initial_rto = "1 s"

[[flow]]
name = "tcp"
service = "ubr"
source = {{ kind = "transfer", size = "{size} bytes" }}
"""
"""A window of one segment: what is out is one segment or one acknowledgement, and no queue."""


@dataclass(frozen=True)
class StopAndWait:
    """One segment after the other.

    Attributes:
        access: Delay of the sender's link in milliseconds.
        bottleneck: Delay of the receiver's.
        mss: Bytes of a segment.
        segments: How many.
    """

    access: float
    bottleneck: float
    mss: int
    segments: int

    @property
    def case(self) -> Case:
        """The run."""
        text = STOP_AND_WAIT.format(
            access=self.access,
            bottleneck=self.bottleneck,
            mss=self.mss,
            size=self.mss * self.segments,
        )
        delays = f"{self.access} and {self.bottleneck} ms"
        return Case(f"stop and wait, {self.mss} bytes, {delays}", text)

    @property
    def segment_seconds(self) -> float:
        """From the first bit of a segment at the sender to its last."""
        return self._cells * FAST_CELL

    @property
    def round_trip_seconds(self) -> float:
        """From the last bit of a segment to the last of its acknowledgement, both at the sender.

        The slower link begins with the first cell and so ends behind the last; an acknowledgement
        is two cells, of which the switch sends the second on when it has it.
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
