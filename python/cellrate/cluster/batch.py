"""What a worker of a cluster does: some runs, one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate import _core
from cellrate.problems import BadInput
from cellrate.runner import Job, build_id


def other_build(worker: str, build: str, ours: str) -> str:
    """What is said of a worker that would give other results.

    Args:
        worker: Which one.
        build: What it runs.
        ours: What asks it to.
    """
    return (
        f"worker {worker} runs cellrate {build}, this is {ours}: "
        "install the same wheel everywhere, or results would differ"
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """What a worker sends back of a job."""

    data: bytes | None
    error: str
    seconds: float


def run_batch(jobs: Sequence[Job], build: str) -> list[Sent]:
    """What a task does: some jobs, one after the other.

    Args:
        jobs: What to run.
        build: The build that must run them.

    Raises:
        BadInput: This worker has another build.
    """
    if build != build_id():
        raise BadInput(other_build("that joined later", build_id(), build))
    return [_run(job) for job in jobs]


def _run(job: Job) -> Sent:
    began = time.thread_time()
    try:
        outcome = _core.run(job.text, job.path, list(job.overrides), job.seed, None)
    except (_core.ScenarioError, RuntimeError, MemoryError) as problem:
        return Sent(None, str(problem) or type(problem).__name__, time.thread_time() - began)
    return Sent(outcome.to_bytes(), "", time.thread_time() - began)
