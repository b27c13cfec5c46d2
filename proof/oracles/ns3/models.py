"""Runs of the models `one_way.cc` and `queues.cc`, in an interpreter that has ns-3.

Usage: models.py MODEL. Reads one job per line from standard input and writes its rows in a line.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def one_way(ns: Any, job: dict[str, Any]) -> list[tuple[int, bool, int, float]]:  # noqa: ANN401
    """The events of a job (a pattern and a variant of ns-3's TCP), from the first packet on.

    A row has the time in us since the first packet, True for an acknowledgement, the number of the
    packet, and cwnd in packets.
    """
    model, pair = ns.cppyy.gbl.one_way, ns.cppyy.gbl.std.make_pair["uint32_t", "uint32_t"]
    channel = ns.CreateObject[model.Channel]()
    for packet, copy in job["lost"]:
        channel.lost.insert(pair(packet, copy))
    for packet in job["delayed"]:
        channel.delayed.insert(packet)
    for packet in job["lost_acks"]:
        channel.lostAcks.insert(packet)
    for packet in job["marked"]:
        channel.marked.insert(packet)
    channel.SetDelay(job["delay_ms"])
    tcp = (job["type"], "TcpClassicRecovery", job["sack"], job["ecn"], job["ssthresh"])
    model.Run(*tcp, job["end_ms"], channel)
    rows = [(row.time, row.ack, row.packet, row.cwnd) for row in model.rows]
    start = next(time for time, ack, _, _ in rows if not ack)
    end = start + 1_000 * job["end_ms"]
    return [(time - start, *rest) for time, *rest in rows if start <= time <= end]


def queues(ns: Any, job: dict[str, Any]) -> list[tuple[int, str, int, float]]:  # noqa: ANN401
    """The rows of a job: a queue discipline with its attributes, and arrivals.

    A row has the time in ns, the event, the number of the packet, and the state of the queue.
    """
    model, std = ns.cppyy.gbl.queues, ns.cppyy.gbl.std
    factory = ns.ObjectFactory(f"ns3::{job['disc']}")
    for name, value in job["attributes"].items():
        factory.Set(name, ns.StringValue(value))
    times, octets = std.vector["int64_t"](), std.vector["uint32_t"]()
    for time, size in job["arrivals"]:
        times.push_back(time)
        octets.push_back(size)
    disc = factory.Create["ns3::QueueDisc"]()
    model.Run(disc, job["at_end"], job["every_us"], times, octets)
    return [(row.time, str(row.event), row.packet, row.value) for row in model.rows]


MODELS = {model.__name__: model for model in (one_way, queues)}


def main() -> None:
    """Runs the jobs of the model that the command line names."""
    [name] = sys.argv[1:]
    ns = import_module("ns").ns
    ns.cppyy.cppdef(Path(__file__).with_name(f"{name}.cc").read_text())
    for line in sys.stdin:
        sys.stdout.write(json.dumps(MODELS[name](ns, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
