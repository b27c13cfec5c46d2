"""Runs of `one_way.cc`, in an interpreter that has ns-3.

Reads one job per line from standard input and writes its events in a line: time in us since the
first packet, whether it is an acknowledgement, the number of the packet, and cwnd in packets.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MODEL = Path(__file__).with_suffix(".cc")


def run(ns: Any, job: dict[str, Any]) -> list[tuple[int, bool, int, float]]:  # noqa: ANN401
    """The events of a job, a pattern and an ns-3 TCP, from the first packet on."""
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


def main() -> None:
    """Runs the jobs."""
    ns = import_module("ns").ns
    ns.cppyy.cppdef(MODEL.read_text())
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(ns, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
