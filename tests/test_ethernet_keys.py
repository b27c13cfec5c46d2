"""Every key of a scenario over Ethernet changes a run in which it acts."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import _core

# Four connections and datagrams fill a line of 100 Mbit/s behind lines of 1 Gbit/s.
BUSY = """
link_layer = "ethernet"
run.duration = "1500 ms"
topology.template = "n-source"
topology.link_rate = "1 Gbit/s"
topology.bottleneck_rate = "100 Mbit/s"
topology.access = "1 ms"
topology.bottleneck = "2 ms"
topology.egress = "1 ms"
switch.buffer = "150 kB"
switch.queues = [[7], [0]]
tcp.ecn = true
[[flow]]
name = "tcp"
count = 4
[[flow]]
name = "udp"
priority = 7
datagram = "300 bytes"
source = { kind = "cbr", rate = "20 Mbit/s" }
"""
# Eight hosts with names.
FABRIC = """
link_layer = "ethernet"
run.duration = "2 ms"
topology.template = "leaf-spine"
topology.leaves = 4
topology.spines = 2
topology.hosts_per_leaf = 2
topology.host_rate = "10 Gbit/s"
topology.host_delay = "1 us"
topology.spine_delay = "1 us"
switch.buffer = "60 kB"
[[flow]]
name = "f"
from = "h1"
to = "h8"
"""


# Four hosts whose rates a switch sets, and one that pauses.
RATED = BUSY.replace('name = "tcp"', 'name = "tcp"\nrate_control = { icr = "30 Mbit/s" }').replace(
    "[[flow]]", 'switch.control = { scheme = "erica", interval = "10 ms" }\n[[flow]]', 1
)

# Credit control of all flows, without classes.
CREDITED = BUSY.replace("switch.queues = [[7], [0]]", "fcvc = {}").replace("150 kB", "10 MB")

# Priority-based flow control of all flows.
CREDITED_LINKS = BUSY.replace(
    "switch.queues = [[7], [0]]", "switch.queues = [[7], [0]]\ncbfc = { credits = 100 }"
)
# Bits are errored, and links send damaged frames again.
RETRIED = BUSY.replace("[[flow]]", "llr = {}\nlink_errors.bit_error_ratio = 1e-5\n[[flow]]", 1)
BURSTS = 'link_errors.bursts={{every="{}", length="{}", bit_error_ratio={}}}'
PAUSED = BUSY.replace("switch.queues = [[7], [0]]", "switch.queues = [[7], [0]]\npfc = {}")


# Four sources over RoCE, whose packets a port marks; its buffer loses some of them.
SLOW_DCQCN = 'algorithm = "dcqcn", tau = "1 ms", tau_alpha = "2 ms", t = "2 ms"'
MARKING = 'algorithm = "red", ecn = true, weight = 1, max_p = 0.1, hard_drop = false'
DCQCN = BUSY.replace(
    'name = "tcp"', f'name = "tcp"\nroce = {{ timeout = "200 ms", control = {{ {SLOW_DCQCN} }} }}'
).replace("[[flow]]", f"switch.aqm = {{ {MARKING} }}\n[[flow]]", 1)
WEIGHTED = 'switch.schedule={discipline="scfq", weights='
OF_CONTROL = "flow.tcp.roce.control."
# The same sources under HPCC, whose packets have telemetry.
HPCC = BUSY.replace('name = "tcp"', 'name = "tcp"\nroce.control = { algorithm = "hpcc" }')
# The same sources under TIMELY, with thresholds and segments that fit their rates, and a buffer
# that loses nothing.
SLOW_TIMELY = (
    'algorithm = "timely", t_low = "12 ms", t_high = "60 ms", min_rtt = "10 ms", '
    'segment = "3 kB", start = "30 Mbit/s"'
)
TIMELY = BUSY.replace(
    'name = "tcp"',
    f'name = "tcp"\nroce = {{ timeout = "2 s", control = {{ {SLOW_TIMELY} }} }}',
).replace("150 kB", "10 MB")
# The same sources under Swift, with delays that fit.
SLOW_SWIFT = 'algorithm = "swift", base = "12 ms", h = "1 ms", fs_range = "30 ms"'
SWIFT = BUSY.replace(
    'name = "tcp"', f'name = "tcp"\nroce = {{ timeout = "2 s", control = {{ {SLOW_SWIFT} }} }}'
).replace("150 kB", "10 MB")
# A target far below the delay of the way.
SHORT = 'flow.tcp.roce.control.base="1 ms"; flow.tcp.roce.control.fs_range="1 ms"'
# The same sources under ExpressPass; a port limits credits of three of them.
EXPRESSPASS = BUSY.replace(
    'name = "tcp"',
    'name = "tcp"\nroce = { timeout = "2 s", control = { algorithm = "expresspass" } }',
)
# The same sources under receiver credits, and over a switch that trims their packets.
RCCC = BUSY.replace(
    'name = "tcp"',
    'name = "tcp"\nroce = { timeout = "2 s", control = { algorithm = "rccc" } }',
)
TRIMMING = "switch.queues=[[7],[0]]; switch.trim_priority=7"
# The same sources under NSCC, over a switch that marks and trims.
NSCC = (
    DCQCN.replace(SLOW_DCQCN, 'algorithm = "nscc"')
    .replace("timeout", 'resend = "selective", timeout', 1)
    .replace("[[flow]]", "switch.trim_priority = 7\n[[flow]]", 1)
)
FEW = OF_CONTROL + 'window="3 kB"'
# Windows that leave the path empty.
EMPTY = f'{FEW}; flow.udp.source.rate="1 kbit/s"'
STEEP = 'flow.tcp.roce.control.min_rtt="1 ms"'
OFTEN_HAI = "flow.tcp.roce.control.hai_after=1"
# Timer and byte counter both leave fast recovery between two CNPs.
BOTH_INCREASE = "; ".join(
    f"{OF_CONTROL}{one}" for one in ('b="20 kB"', "f=1", 'r_ai="1 Mbit/s"', "g=0.0625")
)


def aqm(algorithm: str, settings: str) -> str:
    """Active queue management with some of its keys."""
    return f'switch.aqm={{algorithm="{algorithm}"{", " * bool(settings)}{settings}}}'


def in_bursts(mean_on: str, mean_off: str) -> str:
    """Datagrams of an exponential on-off source."""
    periods = f'mean_on="{mean_on}", mean_off="{mean_off}"'
    return f'flow.udp.source={{kind="exponential-on-off", peak="50 Mbit/s", {periods}}}'


def at_random(settings: str, sizes: str = "sizes") -> str:
    """Transfers with the pattern `random` and its keys."""
    file = Path(__file__).parent / "scenarios" / f"{sizes}.csv"
    return f'flow=[{{name="f", pattern={{kind="random", sizes="{file}", {settings}}}}}]'


def ring(settings: str, kind: str = "ring-all-reduce") -> str:
    """A collective operation with some of its keys."""
    return f'flow=[{{name="f", pattern={{kind="{kind}", {settings}}}}}]'


def steps(file: str) -> str:
    """The operation of a file."""
    path = Path(__file__).parent / "scenarios" / f"{file}.csv"
    return f'flow=[{{name="f", pattern={{kind="steps", file="{path}"}}}}]'


# Settings common to two runs of BUSY, and the key and value that only the second has, by algorithm.
OF_ALGORITHMS = {
    "threshold": [
        ("", "k", '"20 packets"'),
        ("", "at", '"dequeue"'),
    ],
    "red": [
        ("", "min", '"9 packets"'),
        ("", "max", '"40 packets"'),
        ("", "weight", "0.1"),
        ("", "max_p", "0.2"),
        ("weight=0.1", "gentle", "false"),
        ("", "spacing", '"uniform"'),
        ("", "by_size", "true"),
        ("by_size=true", "mean_packet", '"900 bytes"'),
        ("", "ecn", "true"),
        ("ecn=true, weight=0.5, gentle=false", "hard_drop", "false"),
        ("ecn=true, weight=0.5", "at", '"dequeue"'),
    ],
    "codel": [
        ("", "target", '"2 ms"'),
        ("", "interval", '"40 ms"'),
        ('target="100 us", interval="10 ms"', "max_packet", '"6000 bytes"'),
        ("", "ecn", "true"),
    ],
    "pie": [
        ("", "qdelay_ref", '"4 ms"'),
        ('qdelay_ref="2 ms"', "t_update", '"5 ms"'),
        ('qdelay_ref="2 ms"', "max_burst", '"10 ms"'),
        ('qdelay_ref="2 ms"', "alpha", "0.5"),
        ('qdelay_ref="2 ms"', "beta", "4"),
        ('qdelay_ref="100 us"', "mean_packet", '"9000 bytes"'),
        ('qdelay_ref="2 ms"', "ecn", "true"),
        ('qdelay_ref="1 ms", ecn=true', "mark_threshold", "0.001"),
        ('qdelay_ref="2 ms"', "derandomize", "true"),
        (
            'qdelay_ref="1 ms", max_burst="0 s", alpha=100, beta=1000',
            "cap_drop_adjustment",
            "false",
        ),
    ],
}
# Messages with pauses between them, from a low rate on.
PAUSES = (
    'flow.tcp.source={kind="messages", mean_length="100 kB", mean_rate="2 Mbit/s", '
    'peak_rate="50 Mbit/s"}; flow.tcp.rate_control.icr="1 Mbit/s"'
)
MARKS = 'switch.control={scheme="efci", threshold="5 packets"}'
OFTEN = "flow.tcp.rate_control.nrm=2"
WRITES = 'flow.tcp.source={kind="messages", mean_length="500 bytes", mean_rate="5 Mbit/s"}'
# Two settings each of which gives another run.
OTHERS = {
    "run.seed": (
        FABRIC,
        'flow=[{name="f", pattern={kind="permutation"}}]; run.seed=1',
        'flow=[{name="f", pattern={kind="permutation"}}]; run.seed=2',
    ),
    "run.start_jitter": (BUSY, "", 'run.start_jitter="3 ms"'),
    "ethernet.tagged": (BUSY, "", "ethernet.tagged=true"),
    "switch.buffer": (BUSY, "", 'switch.buffer="90 kB"'),
    "switch.queues": (BUSY, "", "switch.queues=[[]]"),
    "switch.schedule": (
        BUSY,
        "",
        'switch.schedule={discipline="deficit-round-robin", quanta=["300 bytes", "3000 bytes"]}',
    ),
    "weights": (BUSY, WEIGHTED + "[3, 1]}", WEIGHTED + "[1, 3]}"),
    "strict": (BUSY, WEIGHTED + "[1, 100]}", WEIGHTED + "[100], strict=1}"),
    "switch.memory": (BUSY, "", 'switch.memory={total="100 kB"}'),
    "switch.multipath": (FABRIC, "", "switch.multipath=random"),
    "switch.multipath: round-robin": (
        FABRIC,
        "switch.multipath=random",
        "switch.multipath=round-robin",
    ),
    "alpha": (
        BUSY,
        'switch.memory={total="100 kB"}',
        'switch.memory={total="100 kB", alpha=0.25}',
    ),
    "reserved": (
        BUSY,
        'switch.memory={total="100 kB"}',
        'switch.memory={total="100 kB", reserved="3 kB"}',
    ),
    "flow.count": (BUSY, "", "flow.tcp.count=3"),
    "flow.sends": (BUSY, "", "flow.tcp.sends=false"),
    "changes": (BUSY, "", 'changes=[{at="700 ms", set={"flow.udp.source.rate"="9 Mbit/s"}}]'),
    "flow.start": (BUSY, "", 'flow.tcp.start="1 ms"'),
    "flow.stagger": (BUSY, "", 'flow.tcp.stagger="1 ms"'),
    "flow.priority": (BUSY, "", "flow.udp.priority=0"),
    "flow.datagram": (BUSY, "", 'flow.udp.datagram="900 bytes"'),
    "flow.source": (BUSY, "", 'flow.tcp.source={kind="transfer", size="50 kB"}'),
    "flow.udp.source: poisson": (
        BUSY,
        "",
        'flow.udp.source={kind="poisson", rate="20 Mbit/s"}',
    ),
    "flow.udp.source: on-off": (
        BUSY,
        "",
        'flow.udp.source={kind="on-off", peak="100 Mbit/s", period="10 ms", duty_cycle=0.2}',
    ),
    "period": (
        BUSY,
        'flow.udp.source={kind="on-off", peak="100 Mbit/s", period="10 ms", duty_cycle=0.2}',
        'flow.udp.source={kind="on-off", peak="100 Mbit/s", period="20 ms", duty_cycle=0.2}',
    ),
    "duty_cycle": (
        BUSY,
        'flow.udp.source={kind="on-off", peak="100 Mbit/s", period="10 ms", duty_cycle=0.2}',
        'flow.udp.source={kind="on-off", peak="100 Mbit/s", period="10 ms", duty_cycle=0.4}',
    ),
    "mean_off": (BUSY, in_bursts("2 ms", "3 ms"), in_bursts("2 ms", "9 ms")),
    "mean_on": (BUSY, in_bursts("2 ms", "3 ms"), in_bursts("1 ms", "3 ms")),
    "flow.tcp": (BUSY, "", "flow.tcp.tcp.initial_window=2"),
    "tcp.connection_close": (
        BUSY,
        'flow.tcp.source={kind="transfer", size="50 kB"}',
        'flow.tcp.source={kind="transfer", size="50 kB"}; tcp.connection_close=true',
    ),
    "tcp.nagle": (
        BUSY,
        WRITES,
        f"{WRITES}; tcp.nagle=true",
    ),
    "tcp.frto": (
        BUSY,
        'tcp.min_rto="1 ms"; tcp.initial_rto="5 ms"',
        'tcp.min_rto="1 ms"; tcp.initial_rto="5 ms"; tcp.frto=true',
    ),
    "tcp.tso": (BUSY, "tcp.pacing=true", 'tcp.pacing=true; tcp.tso="16 KiB"'),
    "tcp.pacing": (BUSY, "", "tcp.pacing=true"),
    "tcp.timestamps": (BUSY, 'tcp.mss="1448 bytes"', "tcp.timestamps=true"),
    "flow.from": (FABRIC, "", "flow.f.from=h2"),
    "flow.to": (FABRIC, "", "flow.f.to=h2"),
    "flow.pattern": (
        FABRIC,
        'flow=[{name="f", pattern={kind="permutation"}}]',
        'flow=[{name="f", pattern={kind="all-to-all"}}]',
    ),
    "switch.control": (RATED, "", 'switch.control={scheme="phantom"}'),
    "flow.rate_control": (BUSY, "", "flow.tcp.rate_control={}"),
    "rate_control.pcr": (RATED, "", 'flow.tcp.rate_control.pcr="40 Mbit/s"'),
    "rate_control.mcr": (RATED, "", 'flow.tcp.rate_control.mcr="25 Mbit/s"'),
    "rate_control.icr": (RATED, "", 'flow.tcp.rate_control.icr="10 Mbit/s"'),
    "rate_control.rif": (RATED, MARKS, f"{MARKS}; flow.tcp.rate_control.rif=0.00390625"),
    "rate_control.rdf": (RATED, MARKS, f"{MARKS}; flow.tcp.rate_control.rdf=0.5"),
    "rate_control.nrm": (RATED, "", "flow.tcp.rate_control.nrm=8"),
    "rate_control.trm": (
        RATED,
        "flow.tcp.rate_control.nrm=256",
        'flow.tcp.rate_control.nrm=256; flow.tcp.rate_control.trm="3.125 ms"',
    ),
    "rate_control.crm": (RATED, OFTEN, f"{OFTEN}; flow.tcp.rate_control.crm=1"),
    "rate_control.cdf": (
        RATED,
        f"{OFTEN}; flow.tcp.rate_control.crm=1",
        f"{OFTEN}; flow.tcp.rate_control.crm=1; flow.tcp.rate_control.cdf=0.5",
    ),
    "rate_control.adtf": (
        RATED,
        PAUSES,
        f'{PAUSES}; flow.tcp.rate_control.adtf="10 ms"',
    ),
    "fcvc.n2": (CREDITED, "", 'fcvc.n2="3000 bytes"'),
    "fcvc.n3": (CREDITED, "", 'fcvc.n3="3 packets"'),
    "fcvc.vc_rate": (CREDITED, "", 'fcvc.vc_rate="10 Mbit/s"'),
    "flow.roce": (BUSY, "", "flow.tcp.roce={}"),
    "roce.payload": (DCQCN, "", 'flow.tcp.roce.payload="512 bytes"'),
    "roce.ack_every": (DCQCN, "", "flow.tcp.roce.ack_every=4"),
    "roce.timeout": (DCQCN, "", 'flow.tcp.roce.timeout="5 ms"'),
    "roce.control": (DCQCN, "", 'flow.tcp.roce.control={algorithm="none"}'),
    "dcqcn.tau": (DCQCN, "", OF_CONTROL + 'tau="0.5 ms"'),
    "dcqcn.tau_alpha": (DCQCN, "", OF_CONTROL + 'tau_alpha="1.5 ms"'),
    "dcqcn.t": (DCQCN, "", OF_CONTROL + 't="1 ms"'),
    "dcqcn.b": (DCQCN, "", OF_CONTROL + 'b="20 kB"'),
    "dcqcn.f": (DCQCN, "", OF_CONTROL + "f=1"),
    "dcqcn.r_ai": (DCQCN, "", OF_CONTROL + 'r_ai="5 Mbit/s"'),
    "dcqcn.r_hai": (DCQCN, BOTH_INCREASE, f'{BOTH_INCREASE}; {OF_CONTROL}r_hai="20 Mbit/s"'),
    "dcqcn.g": (DCQCN, "", OF_CONTROL + "g=0.0625"),
    "dcqcn.r_min": (DCQCN, "", OF_CONTROL + 'r_min="15 Mbit/s"'),
    "dcqcn.clamp_target": (DCQCN, "", OF_CONTROL + "clamp_target=false"),
    "dcqcn.cnp_priority": (DCQCN, "", OF_CONTROL + "cnp_priority=7"),
    "hpcc.eta": (HPCC, "", OF_CONTROL + "eta=0.8"),
    "hpcc.max_stage": (HPCC, "", OF_CONTROL + "max_stage=0"),
    "hpcc.w_ai": (HPCC, "", OF_CONTROL + 'w_ai="800 bytes"'),
    "hpcc.t": (HPCC, "", OF_CONTROL + 't="20 ms"'),
    "hpcc.window": (HPCC, "", OF_CONTROL + "window=false"),
    "timely.patched": (TIMELY, "", OF_CONTROL + "patched=true"),
    "timely.t_low": (TIMELY, "", OF_CONTROL + 't_low="10 ms"'),
    "timely.t_high": (TIMELY, "", OF_CONTROL + 't_high="20 ms"'),
    "timely.min_rtt": (TIMELY, "", OF_CONTROL + 'min_rtt="5 ms"'),
    "timely.alpha": (TIMELY, "", OF_CONTROL + "alpha=0.1"),
    "timely.beta": (TIMELY, "", OF_CONTROL + "beta=0.1"),
    "timely.delta": (TIMELY, "", OF_CONTROL + 'delta="2 Mbit/s"'),
    "timely.segment": (TIMELY, "", OF_CONTROL + 'segment="6 kB"'),
    "timely.hai_after": (TIMELY, "", OF_CONTROL + "hai_after=1"),
    "timely.hai_steps": (TIMELY, OFTEN_HAI, f"{OFTEN_HAI}; {OF_CONTROL}hai_steps=20"),
    "timely.most_decrease": (
        TIMELY,
        STEEP,
        f"{STEEP}; {OF_CONTROL}most_decrease=0.2",
    ),
    "timely.r_min": (TIMELY, "", OF_CONTROL + 'r_min="25 Mbit/s"'),
    "timely.start": (TIMELY, "", OF_CONTROL + 'start="20 Mbit/s"'),
    "swift.base": (SWIFT, "", OF_CONTROL + 'base="20 ms"'),
    "swift.h": (SWIFT, "", OF_CONTROL + 'h="3 ms"'),
    "swift.fs_range": (SWIFT, "", OF_CONTROL + 'fs_range="60 ms"'),
    "swift.fs_min_cwnd": (SWIFT, "", OF_CONTROL + "fs_min_cwnd=1.0"),
    "swift.fs_max_cwnd": (SWIFT, "", OF_CONTROL + "fs_max_cwnd=30.0"),
    "swift.ai": (SWIFT, "", OF_CONTROL + "ai=2.0"),
    "swift.beta": (SWIFT, "", OF_CONTROL + "beta=0.4"),
    "swift.max_mdf": (SWIFT, SHORT, f"{SHORT}; {OF_CONTROL}max_mdf=0.05"),
    "swift.cwnd": (SWIFT, "", OF_CONTROL + "cwnd=20.0"),
    "swift.min_cwnd": (SWIFT, SHORT, f"{SHORT}; {OF_CONTROL}min_cwnd=8.0"),
    "swift.max_cwnd": (SWIFT, "", OF_CONTROL + "max_cwnd=11.0"),
    "expresspass.alpha": (EXPRESSPASS, "", OF_CONTROL + "alpha=0.25"),
    "expresspass.w_init": (EXPRESSPASS, "", OF_CONTROL + "w_init=0.25"),
    "expresspass.w_min": (EXPRESSPASS, "", OF_CONTROL + "w_min=0.2"),
    "expresspass.w_max": (
        EXPRESSPASS,
        OF_CONTROL + "w_init=0.1",
        f"{OF_CONTROL}w_init=0.1; {OF_CONTROL}w_max=0.12",
    ),
    "expresspass.w_step": (EXPRESSPASS, "", OF_CONTROL + "w_step=0.01"),
    "expresspass.target_loss": (EXPRESSPASS, "", OF_CONTROL + "target_loss=0.3"),
    "expresspass.jitter": (EXPRESSPASS, "", OF_CONTROL + "jitter=0.01"),
    "expresspass.credit_queue": (EXPRESSPASS, "", OF_CONTROL + "credit_queue=3"),
    "expresspass.burst": (EXPRESSPASS, "", OF_CONTROL + "burst=6"),
    "rccc.window": (RCCC, "", OF_CONTROL + 'window="30 kB"'),
    "rccc.pull": (RCCC, "", OF_CONTROL + "pull=1"),
    "rccc.pull_rate": (RCCC, FEW, f"{FEW}; {OF_CONTROL}pull_rate=0.001"),
    "nscc.target": (NSCC, "", OF_CONTROL + 'target="1 ms"'),
    "nscc.window": (NSCC, "", OF_CONTROL + 'window="9 kB"'),
    "nscc.fair_increase": (NSCC, "", OF_CONTROL + "fair_increase=50"),
    "nscc.proportional_increase": (NSCC, "", OF_CONTROL + "proportional_increase=50"),
    "nscc.eta": (NSCC, "", OF_CONTROL + "eta=2"),
    "nscc.fast_increase": (NSCC, EMPTY, f"{EMPTY}; {OF_CONTROL}fast_increase=1"),
    "nscc.gamma": (NSCC, "", OF_CONTROL + "gamma=0.1"),
    "nscc.weight": (NSCC, "", OF_CONTROL + "weight=0.5"),
    "nscc.quick_adapt": (NSCC, "", OF_CONTROL + "quick_adapt=0"),
    "roce.resend": (RCCC, TRIMMING, f'{TRIMMING}; flow.tcp.roce.resend="selective"'),
    "switch.trim_priority": (RCCC, "switch.queues=[[7],[0]]", TRIMMING),
    "pfc.priorities": (PAUSED, "", "pfc.priorities=[7]"),
    "pfc.xoff": (PAUSED, "", 'pfc.xoff="40 packets"'),
    "pfc.xon": (PAUSED, "", 'pfc.xon="3 packets"'),
    "pfc.headroom": (PAUSED, "", 'pfc.headroom="1 packets"'),
    "pfc.pause_quanta": (PAUSED, 'pfc.xon="0 bytes"', "pfc.pause_quanta=60"),
    "pfc.response_time": (PAUSED, "", 'pfc.response_time="100 us"'),
    "cbfc.priorities": (CREDITED_LINKS, "", "cbfc.priorities=[7]"),
    "cbfc.credits": (CREDITED_LINKS, "", "cbfc.credits=60"),
    "cbfc.unit": (CREDITED_LINKS, "", 'cbfc.unit="256 bytes"'),
    "cbfc.batch": (CREDITED_LINKS, "", "cbfc.batch=30"),
    "cbfc.response_time": (CREDITED_LINKS, "", 'cbfc.response_time="100 us"'),
    "link_errors.bit_error_ratio": (BUSY, "", "link_errors.bit_error_ratio=1e-6"),
    "link_errors.bursts": (BUSY, "", BURSTS.format("100 ms", "1 ms", 1e-3)),
    "bursts.every": (
        BUSY,
        BURSTS.format("100 ms", "1 ms", 1e-3),
        BURSTS.format("50 ms", "1 ms", 1e-3),
    ),
    "bursts.length": (
        BUSY,
        BURSTS.format("100 ms", "1 ms", 1e-3),
        BURSTS.format("100 ms", "2 ms", 1e-3),
    ),
    "bursts.bit_error_ratio": (
        BUSY,
        BURSTS.format("100 ms", "1 ms", 1e-3),
        BURSTS.format("100 ms", "1 ms", 1e-4),
    ),
    "llr.buffer": (RETRIED, "", 'llr.buffer="2 kB"'),
    "llr.response": (RETRIED, "", 'llr.response="1 ms"'),
    "llr.tries": (RETRIED, "", "llr.tries=1"),
    "size": (FABRIC, ring('size="20 kB"'), ring('size="30 kB"')),
    "compute": (FABRIC, ring('size="20 kB"'), ring('size="20 kB", compute="9 us"')),
    "pieces": (
        FABRIC,
        ring('size="20 kB"', "tree-all-reduce"),
        ring('size="20 kB", pieces=2', "tree-all-reduce"),
    ),
    "file": (FABRIC, steps("steps"), steps("other-steps")),
    "load": (FABRIC, at_random("load=0.1"), at_random("load=0.2")),
    "sizes": (FABRIC, at_random("load=0.1"), at_random("load=0.1", "other-sizes")),
    "until": (FABRIC, at_random("load=0.1"), at_random('load=0.1, until="1 ms"')),
    "topology.spine_rate": (FABRIC, "", 'topology.spine_rate="1 Gbit/s"'),
}


@cache
def digest(scenario: str, settings: tuple[str, ...]) -> str:
    """Digest of a run with settings."""
    outcome = _core.Scenario(scenario, "test", list(settings)).run()
    return str(json.loads(outcome.summary())["digest"])


@pytest.mark.parametrize(
    ("algorithm", "common", "key", "value"),
    [(name, *row) for name, rows in OF_ALGORITHMS.items() for row in rows],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_a_key_of_an_algorithm_changes_a_run(
    algorithm: str, common: str, key: str, value: str
) -> None:
    both = ", ".join(filter(None, (common, f"{key}={value}")))
    with_it = digest(BUSY, (aqm(algorithm, both),))
    assert with_it != digest(BUSY, (aqm(algorithm, common),))
    assert with_it != digest(BUSY, ())


@pytest.mark.parametrize("key", OTHERS)
def test_a_key_changes_a_run(key: str) -> None:
    scenario, one, other = OTHERS[key]
    runs = [tuple(filter(None, settings.split("; "))) for settings in (one, other)]
    assert digest(scenario, runs[0]) != digest(scenario, runs[1])


def test_every_key_is_here() -> None:
    definitions = json.loads(_core.schema(ethernet=True))["$defs"]

    def variants(name: str, tag: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for variant in definitions[name]["oneOf"]:
            properties: dict[str, Any] = variant["properties"]
            found[properties[tag]["const"]] = set(properties) - {tag}
        return found

    keys = {name: {row[1] for row in rows} for name, rows in OF_ALGORITHMS.items()}
    assert variants("AqmConfig", "algorithm") == {"none": set(), **keys}
    controls = variants("RoceControlConfig", "algorithm")
    of_controls = {f"{name}.{key}" for name, keys in controls.items() for key in keys}
    assert sorted(of_controls - set(OTHERS)) == []
    # What has no digest, what names things, what only limits packets (the refusals of
    # test_ethernet.py), and what the tables above have as a whole.
    without = {"run.duration", "flow.name", "ethernet.mtu", "switch.aqm"}
    sections = {
        "rate_control": "RateControl",
        "fcvc": "Fcvc",
        "pfc": "Pfc",
        "cbfc": "Cbfc",
        "llr": "Llr",
        "link_errors": "BitErrorConfig",
        "bursts": "BurstConfig",
        "roce": "RoceConfig",
        "run": "Run",
        "ethernet": "Ethernet",
        "switch": "Switch",
        "flow": "Flow",
    }
    for section, name in sections.items():
        expected = {f"{section}.{key}" for key in definitions[name]["properties"]} - without
        assert expected <= set(OTHERS)


def test_four_runs_have_the_digests_that_they_always_had() -> None:
    known = {
        "leaf-spine": "d002271ecae8519b",
        "incast": "509d76a997a70974",
        "dctcp": "099ad01afecc2b49",
        "explicit-rate": "7b9db49b31103c89",
    }
    found = {name: cellrate.run(cellrate.template(name)).digest for name in known}
    assert found == known
