"""Random scenarios over Ethernet: topologies, switches, TCP and flows of many kinds."""

import random
from typing import Any, TypeAlias

Settings: TypeAlias = dict[str, Any]

RATES = ("100 Mbit/s", "1 Gbit/s", "2500 Mbit/s", "10 Gbit/s")
DELAYS = ("100 ns", "1 us", "10 us", "200 us")


def drawn(seed: int) -> Settings:
    """Settings of the random scenario of a seed."""
    draw = random.Random(seed)  # noqa: S311  not for cryptography
    tagged, jumbo = draw.random() < 0.3, draw.random() < 0.2
    topology = _topology(draw)
    named = topology["template"] in {"leaf-spine", "fat-tree"}
    names = ("a", "b", "c")[: draw.randint(1, 3)]
    jitter = draw.choice(("0 s", "30 us"))
    found: Settings = {
        "link_layer": "ethernet",
        "run": {"duration": "20 ms", "seed": seed + 1, "start_jitter": jitter},
        "measure": {"from": draw.choice(("0 s", "0 s", "2 ms", "11 ms"))},
        "ethernet": {"tagged": tagged, "mtu": "9000 bytes" if jumbo else "1500 bytes"},
        "topology": topology,
        "switch": _switch(draw),
        "tcp": _tcp(draw, jumbo=jumbo),
        "flow": [_flow(draw, name, named=named, tagged=tagged) for name in names],
    }
    found["switch"]["multipath"] = draw.choice(("ecmp", "ecmp", "random", "round-robin"))
    return found


def credited(seed: int) -> Settings:
    """The settings of `drawn` under credit control, without buffers and queue management."""
    draw = random.Random(-1 - seed)  # noqa: S311  not for cryptography
    n2, n3 = draw.choice(("1 bytes", "1 packets", "10 packets")), draw.randint(1, 12)
    fcvc = {"n2": n2, "n3": f"{n3} packets"} if draw.random() < 0.7 else {}
    return drawn(seed) | {"switch": {}, "fcvc": fcvc}


def paused(seed: int) -> Settings:
    """The settings of `drawn` under PFC of all priorities, without other limits of queues."""
    draw = random.Random(seed)  # noqa: S311  not for cryptography
    pfc = {"xoff": f"{draw.randint(1, 40)} packets"}
    if draw.random() < 0.5:
        pfc |= {"response_time": "2 us"}
    queues = {"queues": [[7, 6, 5], [0]]} if draw.random() < 0.5 else {}
    return drawn(seed) | {"switch": queues, "pfc": pfc}


def _topology(draw: random.Random) -> Settings:
    template = draw.choice(("n-source", "single-switch", "leaf-spine", "fat-tree"))
    found: Settings = {"template": template}
    if template == "leaf-spine":
        sizes = {"leaves": draw.randint(2, 4), "spines": draw.randint(1, 3)}
        rates = {name: draw.choice(RATES) for name in ("host_rate", "spine_rate")}
        delays = {name: draw.choice(DELAYS) for name in ("host_delay", "spine_delay")}
        return found | sizes | {"hosts_per_leaf": draw.randint(2, 4)} | rates | delays
    if template == "fat-tree":
        return found | {"k": 4, "rate": draw.choice(RATES), "delay": draw.choice(DELAYS)}
    names = ("access", "bottleneck", *(("egress",) if template == "n-source" else ()))
    rates = {name: draw.choice(RATES) for name in ("link_rate", "bottleneck_rate")}
    return found | rates | {name: draw.choice(DELAYS) for name in names}


def _switch(draw: random.Random) -> Settings:
    found: Settings = {"buffer": draw.choice(("20 kB", "150 kB", "2 MB", "60 MB"))}
    if draw.random() < 0.4:
        total, alpha = draw.choice(("400 kB", "4 MB", "80 MB")), draw.choice((0.25, 1, 4))
        reserved = draw.choice(("0 bytes", "3 kB"))
        found["memory"] = {"total": total, "alpha": alpha, "reserved": reserved}
    if draw.random() < 0.4:
        found["aqm"] = {"algorithm": draw.choice(("threshold", "red", "codel", "pie"))}
    if draw.random() < 0.3:
        found["queues"] = [[7, 6, 5], [0]]
    return found


def _tcp(draw: random.Random, *, jumbo: bool) -> Settings:
    window = draw.choice(("3000 bytes", "20 kB", "64 KiB", "256 KiB"))
    stamped = draw.random() < 0.3
    largest = (8960 if jumbo else draw.choice((536, 1000, 1460))) - 12 * stamped
    return {
        "timestamps": stamped,
        "pacing": draw.random() < 0.2,
        "window": "60 kB" if jumbo else window,
        "recovery": draw.choice(("reno", "newreno", "sack", "dctcp", "cubic")),
        "delayed_ack": draw.random() < 0.3,
        "min_rto": draw.choice(("5 ms", "200 ms", "2 s")),
        "granularity": "1 ms",
        "mss": f"{largest} bytes",
    }


def _flow(draw: random.Random, name: str, *, named: bool, tagged: bool) -> Settings:
    size = f"{draw.choice((1, 1460, 9_000, 100_000, 1_000_001))} bytes"
    source = draw.choice(({"kind": "greedy"}, {"kind": "transfer", "size": size}))
    found: Settings = {"name": name, "source": source}
    if name == "c" and draw.random() < 0.6:
        found |= {"source": {"kind": "cbr", "rate": "30 Mbit/s"}, "datagram": "700 bytes"}
    incast = {"kind": "incast", "senders": draw.randint(1, 3), "to": "h1"}
    if named:
        found["pattern"] = draw.choice(({"kind": "permutation"}, incast))
    else:
        found["count"] = draw.randint(1, 6)
    if tagged:
        found["priority"] = draw.randint(0, 7)
    start, stagger = draw.choice(("0 s", "100 us", "3 ms")), draw.choice(("0 s", "20 us"))
    return found | {"start": start, "stagger": stagger}
