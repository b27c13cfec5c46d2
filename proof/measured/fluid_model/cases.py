"""Cases to compare: persistent ABR sources behind one EFCI switch, as a loop and as a scenario."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from cellrate.simulation.runner import Job
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.efci import EfciLoop, Integrated, LimitCycle, integrate, limit_cycle

LINK_BITS = 149.76e6
# A little more than the bottleneck rate, so that queues form at the bottleneck only.
ACCESS_BITS = 149.763e6
NRM = 32
# A cell is transmitted as a whole at each hop: source, switch, destination, switch on the way back.
HOPS = 4
LOOP = Path(__file__).with_name("loop.toml")

FLOW = (
    '{{name="{name}", count={count}, service="abr", access="{access:.0f} ns", '
    'source={{kind="persistent"}}}}'
)


@dataclass(frozen=True)
class Case:
    """Parameters of one case, in the order N_VC, tau, RIF, RDF, Q_H and Q_L.

    The round trip tau is without transmission times.
    """

    sources: int
    round_trip_seconds: float
    rif: float
    rdf: float
    high_cells: int = 3000
    low_cells: int = 3000

    @property
    def propagation_loop(self) -> EfciLoop:
        """Loop of the model that is closest to the simulator, with propagation delays only."""
        return EfciLoop(
            self.sources,
            LINK_BITS / CELL_BITS,
            self.round_trip_seconds,
            self.high_cells,
            self.low_cells,
            self.rif,
            self.rdf,
            NRM,
            ACCESS_BITS / CELL_BITS,
            decrease="per-cell",
            growth="delayed",
        )

    @property
    def loop(self) -> EfciLoop:
        """The propagation loop, with the delay that whole cells add to the feedback."""
        return self.propagation_loop.with_cell_delays(HOPS)

    @cached_property
    def cycle(self) -> LimitCycle:
        """Limit cycle that the model computes."""
        return limit_cycle(self.loop)

    @property
    def rm_interval_seconds(self) -> float:
        """Time between RM cells of a source while there is a queue: N Nrm / BW."""
        return self.sources * NRM * CELL_BITS / LINK_BITS

    def job(self, cycles: int, seed: int) -> Job:
        """Simulation of a number of cycles; the second half is measured."""
        flow = (("source", self.sources, self.round_trip_seconds),)
        return self._job(flow, cycles * self.cycle.period_seconds, seed)

    def _job(self, groups: Sequence[tuple[str, int, float]], duration: float, seed: int) -> Job:
        """Simulation of groups of sources, of which the second half is measured.

        A group has a name, a number of sources and a round trip in seconds. The shortest round trip
        consists of four equal hops.
        """
        hop = min(tau for _, _, tau in groups) / HOPS
        flows = (
            FLOW.format(name=name, count=count, access=(tau / 2 - hop) * 1e9)
            for name, count, tau in groups
        )
        settings = (
            f'run.duration="{duration:.6f} s"',
            f'measure.from="{duration / 2:.6f} s"',
            f'topology.access="{hop * 1e9:.0f} ns"',
            f'topology.bottleneck="{hop * 1e9:.0f} ns"',
            f'switch.control.high="{self.high_cells} cells"',
            f'switch.control.low="{self.low_cells} cells"',
            f'abr.icr="{LINK_BITS / self.sources:.0f} bit/s"',
            f"abr.rif={self.rif!r}",
            f"abr.rdf={self.rdf!r}",
            f"flow=[{', '.join(flows)}]",
        )
        return Job(LOOP.read_text(encoding="utf-8"), "fluid-check.toml", settings, seed)


@dataclass(frozen=True)
class TwoGroups(Case):
    """A case with half of the sources near, at `round_trip_seconds`, and half of them far."""

    far_seconds: float = 0.0
    integrated_cycles: int = 25

    @cached_property
    def integrated(self) -> Integrated:
        """Result of the model's extension to sources with different delays."""
        near = self.loop.with_(sources=self.sources / 2)
        longer = self.far_seconds - self.round_trip_seconds
        far = near.with_(round_trip_seconds=float(near.tau) + longer)
        return integrate([near, far], cycles=self.integrated_cycles)

    def job(self, cycles: int, seed: int) -> Job:
        """Simulation of a number of cycles; the second half is measured."""
        half = self.sources // 2
        groups = (("near", half, self.round_trip_seconds), ("far", half, self.far_seconds))
        return self._job(groups, cycles * self.integrated.period_seconds, seed)


def grid() -> list[Case]:
    """Cases over N, tau and four pairs (RIF, RDF), with few or many RM cells in each cycle."""
    pairs = [(1 / 1024, 1 / 64), (1 / 256, 1 / 16), (1 / 256, 1 / 2), (1 / 64, 1 / 4)]
    return [
        Case(sources, tau, rif, rdf)
        for sources, tau, (rif, rdf) in product((5, 10, 30), (0.5e-3, 2e-3, 8e-3), pairs)
    ]


def two_groups() -> list[TwoGroups]:
    """Cases of ten sources, five of which have a longer round trip."""
    return [
        TwoGroups(10, 1e-3, 1 / 64, 1 / 4, far_seconds=3e-3),
        TwoGroups(10, 1e-3, 1 / 256, 1 / 16, far_seconds=6e-3),
        TwoGroups(10, 1e-3, 1 / 256, 1 / 2, far_seconds=6e-3),
        TwoGroups(10, 1e-3, 1 / 64, 1 / 4, far_seconds=8e-3),
    ]
