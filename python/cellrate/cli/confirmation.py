"""Asks before a study that takes very long or much disk space."""

from __future__ import annotations

import sys

from cellrate import _core
from cellrate.cli import tables
from cellrate.common.problems import BadInput
from cellrate.studies import study as studies

LONG_SECONDS, LARGE_BYTES = 3600.0, 10e9
"""A study that takes longer, or more disk space, is confirmed."""


def confirmed(study: studies.Study, store: _core.Store | None, workers: int | None) -> bool:
    """False if somebody at the terminal does not want a study that is long or large.

    Args:
        study: The study.
        store: Store of results.
        workers: Number of runs at a time; one per core by default.

    Raises:
        BadInput: The study is long or large, and nobody can be asked.
    """
    if not studies.may_exceed(study, LONG_SECONDS, LARGE_BYTES, workers):
        return True
    cost = studies.plan(study, store, workers)
    disk = cost.disk_bytes or 0.0
    if cost.seconds <= LONG_SECONDS and disk <= LARGE_BYTES:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(
            f"study {study.name}: it takes more than an hour, or more than 10 GB; --plan says how "
            "much, --yes runs it"
        )
    sys.stderr.write(
        f"study {study.name} takes about {tables.duration(cost.seconds)} and "
        f"{tables.size(round(disk))} of results. Run it? [y/N] "
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
