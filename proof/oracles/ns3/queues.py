"""Runs of `queues.cc`, in an interpreter that has ns-3.

Reads one job per line from standard input and writes its rows in a line: time in ns, event, number
of the packet, and the state of the queue.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MODEL = Path(__file__).with_suffix(".cc")


def run(ns: Any, job: dict[str, Any]) -> list[tuple[int, str, int, float]]:  # noqa: ANN401
    """The rows of a job: a queue discipline with its attributes, and arrivals."""
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


def main() -> None:
    """Runs the jobs."""
    ns = import_module("ns").ns
    ns.cppyy.cppdef(MODEL.read_text())
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(ns, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
