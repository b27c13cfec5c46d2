"""Task of a cluster's worker: makes some runs, one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.schemes.finding import Parcel, unpack
from cellrate.simulation.refusals import message_of
from cellrate.simulation.runner import Job, build_id


def other_build(worker: str, build: str, ours: str) -> str:
    """The error message on a worker whose build may give different results.

    Args:
        worker: Name of the worker.
        build: Build of the worker.
        ours: Build of this program.
    """
    return (
        f"worker {worker} runs cellrate {build}, this is {ours}: "
        "install the same wheel everywhere, or results would differ"
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """Result of a job as a worker returns it."""

    data: bytes | None
    error: str
    seconds: float


def run_batch(jobs: Sequence[Job], build: str, code: Sequence[Parcel] = ()) -> list[Sent]:
    """Runs some jobs, one after the other.

    Args:
        jobs: The jobs.
        build: The build that must run them.
        code: Files of the classes that their scenarios name.

    Raises:
        BadInput: This worker has another build.
    """
    if build != build_id():
        raise BadInput(other_build("that joined later", build_id(), build))
    for parcel in code:
        unpack(parcel)
    return [_run(job) for job in jobs]


def _run(job: Job) -> Sent:
    began = time.thread_time()
    try:
        outcome = job.scenario().run()
    except (_core.ScenarioError, RuntimeError, MemoryError) as problem:
        return Sent(None, message_of(problem), time.thread_time() - began)
    return Sent(outcome.to_bytes(), "", time.thread_time() - began)
