"""Keys that choose among names, and where each name gives a run of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from credit_effects import CREDIT, LOSSES
from discard_effects import CROWDED, TAGGED
from end_system_effects import STARVED
from erica_effects import BURSTY
from key_effects import ERICA, GRAPH, IDLE, LOSSY, PAIR, UBR, UNEASY
from scheme_effects import CONGESTED, LOOPS, PROPORTIONAL, WIDE
from source_effects import DATA, STREAMS


@dataclass(frozen=True, slots=True)
class Choice:
    """A key that chooses among names, and settings under which each of them makes a difference.

    Attributes:
        path: Path of the key, or of the table that it is the tag of, as `--set` takes it.
        context: Settings of all runs.
        scenario: File that all runs start from.
        tag: The key in the table that chooses; empty if the path leads to the key itself.
        beside: What else a variant needs in its table, by its name.
    """

    path: str
    context: tuple[str, ...] = ()
    scenario: str = PAIR
    tag: str = ""
    beside: dict[str, str] = field(default_factory=dict)

    def setting(self, name: str) -> str:
        """The setting that chooses a name."""
        if not self.tag:
            return f'{self.path}="{name}"'
        beside = f", {self.beside[name]}" if name in self.beside else ""
        return f'{self.path}={{ {self.tag} = "{name}"{beside} }}'


def of_scheme(scheme: str, key: str, *context: str) -> Choice:
    """A parameter of a control scheme."""
    chosen = f'switch.control={{ scheme = "{scheme}" }}'
    return Choice(f"switch.control.{key}", (chosen, *WIDE, *context))


def of_erica(key: str, *context: str, scenario: str = PAIR) -> Choice:
    """A parameter of ERICA."""
    return Choice(f"switch.control.{key}", (*ERICA, *context), scenario)


RELATIVE = 'sampling = "10 cells", low = "20 cells", high = "60 cells"'
RATE = 'rate = "1 Mbit/s"'
# Every class has a queue of its own, and what is sent beside TCP is between them.
POLICED = ('flow.tcp.policer={ pcr = "20 Mbit/s", scr = "1 Mbit/s", mbs = "50 cells" }',)
CLASSES = (
    'switch.priority=[["vbr"], ["cbr"], ["abr"], ["ubr"], ["random"]]',
    (
        'flow=[{ name = "tcp", count = 2, service = "abr" },'
        f' {{ name = "over", service = "cbr", source = {{ kind = "cbr", {RATE} }} }},'
        f' {{ name = "under", service = "ubr", source = {{ kind = "cbr", {RATE} }} }}]'
    ),
)
# Channels with unlike weights, and with unlike minimum rates.
WEIGHED = (
    (
        'flow=[{ name = "tcp", service = "ubr", weight = 3 },'
        ' { name = "more", service = "ubr", count = 2 }]'
    ),
)
MINIMA = (
    (
        'flow=[{ name = "tcp", service = "abr", abr = { mcr = "1 Mbit/s" } },'
        ' { name = "more", service = "abr", count = 2, abr = { mcr = "0.25 Mbit/s" } }]'
    ),
)


def weights_of(discipline: str) -> Choice:
    """The source of the weights of channels under a discipline."""
    chosen = f'switch.schedule={{ discipline = "{discipline}" }}'
    return Choice("switch.schedule.weights", (*MINIMA, chosen))


# The same on the way of the acknowledgements.
CLASSES_BACK = (
    *CLASSES,
    "flow.over.reverse=true",
    "flow.over.count=2",
    "flow.under.reverse=true",
    "flow.under.count=3",
)

CHOICES = [
    Choice("run.simultaneous_cells", (*LOSSY, 'flow.tcp.stagger="0 s"')),
    Choice(
        "switch.control",
        ('switch.buffer="infinite"', 'abr.icr="1 Mbit/s"'),
        tag="scheme",
        beside={
            "rrm-p": RELATIVE,
            "rrm-pd": RELATIVE,
            "rrm-pd-plus": f'{RELATIVE}, beta = "1 cell"',
            "rrm-pid": RELATIVE,
        },
    ),
    Choice("switch.control.mark_at"),
    of_erica("capacity_form", scenario=GRAPH),
    of_erica("load_averaging"),
    of_erica(
        "zero_input_policy",
        *BURSTY,
        *UNEASY,
        "switch.control.average_sources=true",
        "switch.control.source_decay=1.0",
    ),
    of_erica(
        "initial_sources",
        *UNEASY,
        # The whole run is the first interval.
        'switch.control.interval="1 s"',
        'switch.control.interval_cells="1000000 cells"',
    ),
    of_erica(
        "queue_control.function", 'switch.control.queue_control={ target_delay = "1 ms", a = 2.0 }'
    ),
    of_scheme("fmmra", "er_max_floor"),
    of_scheme("eprca", "averaging", *CONGESTED),
    of_scheme("eprca", "marking", *CONGESTED),
    of_scheme("dmrca", "marking", *CONGESTED),
    of_scheme("osu", "fairness"),
    Choice(
        "switch.discard",
        CROWDED,
        tag="policy",
        beside={
            "selective-drop": 'threshold = "30 cells"',
            "fair-buffer-allocation": 'threshold = "30 cells"',
            "double-epd": 'threshold = "60 cells"',
            "dfba": 'low = "30 cells", high = "150 cells"',
        },
    ),
    Choice("switch.schedule", WEIGHED, tag="discipline"),
    weights_of("weighted-round-robin"),
    weights_of("scfq"),
    weights_of("wf2q-plus"),
    Choice("switch.vsvd.vc_rate", LOOPS),
    Choice("switch.vsvd.input", LOOPS),
    Choice("switch.vsvd.update", (*LOOPS, *UNEASY)),
    Choice("fcvc.priority", scenario=CREDIT),
    Choice("fcvc.allocation", scenario=CREDIT),
    Choice("link_errors.cells", LOSSES, CREDIT),
    Choice("link_errors.hec", ("link_errors.bit_error_ratio=1e-4",)),
    Choice("tcp.recovery", UBR),
    Choice("tcp.clock", LOSSY),
    Choice("tcp.backoff_of", (*LOSSY, 'tcp.min_rto="30 ms"')),
    Choice(
        "abr",
        tag="rules",
        beside={
            "prca": 'air = "0.1 Mbit/s"',
            "eprca": 'air = "0.1 Mbit/s"',
            "smith-predictor": 'time_constant = "1 ms"',
        },
    ),
    Choice("abr.compensation", PROPORTIONAL),
    Choice("abr.crm_rounding", ('abr.tbe="63 cells"',)),
    Choice("abr.out_of_rate", STARVED),
    Choice("abr.er_below_mcr", (*ERICA, 'abr.mcr="4 Mbit/s"')),
    # The header of LLC takes a cell more, but only of some packets.
    Choice("aal5.encapsulation", (*IDLE, 'tcp.mss="480 bytes"')),
    Choice("flow.tcp.service", CLASSES),
    Choice("flow.tcp.ack_service", CLASSES_BACK),
    Choice("flow.tcp.source_queue_refuses", ('flow.tcp.source_queue="30 cells"',)),
    Choice("flow.tcp.gfr.conformance", (*TAGGED, 'switch.discard.policy="double-epd"')),
    Choice(
        "flow.tcp.multipoint.consolidation",
        ('flow.tcp.source={ kind = "persistent" }', 'flow.tcp.multipoint.also_to=["c"]'),
        GRAPH,
    ),
    Choice("flow.tcp.policer.action", POLICED),
    Choice("flow.tcp.policer.frames", POLICED),
    Choice(
        "flow.tcp.source",
        UBR,
        tag="kind",
        beside={
            "transfer": 'size = "10 kB"',
            "messages": 'mean_length = "4 kB", mean_rate = "1 Mbit/s"',
            "www": 'think_time = "5 ms"',
            "cbr": RATE,
            "on-off": 'peak = "2 Mbit/s", period = "20 ms", duty_cycle = 0.5',
            "exponential-on-off": 'peak = "2 Mbit/s", mean_on = "2 ms", mean_off = "2 ms"',
            "mmdp": 'sources = 4, peak = "1 Mbit/s", mean_on = "2 ms", burstiness = 3.0',
            "mpeg2": 'mean = "2 Mbit/s", standard_deviation = "2 Mbit/s"',
            "transport-stream": f'file = "{DATA / "two-programs.ts"}", program = 1',
            "rate-trace": f'file = "{DATA / "rates.csv"}"',
            "poisson": RATE,
        },
    ),
    Choice("flow.cbr.source.bound", STREAMS, GRAPH),
    Choice("flow.cbr.source.rates", STREAMS, GRAPH),
]
