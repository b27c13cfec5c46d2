"""Runs over Ethernet whose loss is that of the whole run, not of the measuring window alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cellrate.advice.tuning.laboratory import Laboratory
from cellrate.advice.tuning.measures import Measures
from cellrate.simulation.runner import Job
from cellrate.studies.compare.answer import LOST_OUTSIDE

WHOLE = 'measure.from="0 s"'


@dataclass
class WholeRuns(Laboratory):
    """Runs with the packet loss ratio of the whole run as their loss.

    A run that loses packets, in its measuring window or outside it, is repeated with a window that
    begins at 0.
    """

    @cached_property
    def _has_whole_window(self) -> bool:
        return self.base.key() == _whole(self.base).key()

    def measured(self, jobs: Sequence[Job]) -> list[Measures]:
        """The measures of runs, with the losses of the whole runs."""
        found = super().measured(jobs)
        if self._has_whole_window:
            return found
        lossy = [
            at for at, one in enumerate(found) if one.values["loss"] or LOST_OUTSIDE in one.warnings
        ]
        again = super().measured([_whole(jobs[at]) for at in lossy])
        for at, one in zip(lossy, again, strict=True):
            loss = one.values["loss"]
            found[at] = replace(found[at], values={**found[at].values, "loss": loss})
        return found


def _whole(job: Job) -> Job:
    return replace(job, overrides=(*job.overrides, WHOLE))
