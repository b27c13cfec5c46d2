"""Runs over Ethernet whose loss is that of the whole run, not of the measuring window alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cellrate.advice.tuning.laboratory import Laboratory, Setting
from cellrate.advice.tuning.measures import Criterion, Measures
from cellrate.simulation.runner import Job
from cellrate.studies.compare.answer import LOST_OUTSIDE

WHOLE = 'measure.from="0 s"'


@dataclass
class WholeRuns(Laboratory):
    """Runs with the packet loss ratio of the whole run as their loss.

    A run that loses packets, in its measuring window or outside it, is also made with a window that
    begins at 0.

    Attributes:
        shared: Flow groups that share the parameters of their control over RoCE; settings name
            those of the first group.
    """

    shared: tuple[str, ...] = ()

    def overrides(self, setting: Setting) -> tuple[str, ...]:
        """The overrides of a setting, for all groups that share it."""
        first = f"flow.{next(iter(self.shared), '')}.roce."
        return tuple(
            one.replace(first, f"flow.{group}.roce.", 1)
            for one in setting.overrides
            for group in (self.shared if one.startswith(first) else ("",))
        )

    def job(self, setting: Setting, seed: int) -> Job:
        """The run of a setting with a seed."""
        overrides = (*self.base.overrides, *self.overrides(setting))
        return replace(self.base, overrides=overrides, seed=seed)

    def _more(self, job: Job) -> tuple[Criterion, ...]:
        """The criteria of a run, by its seed: no setting changes paths or lines."""
        return super()._more(replace(job, overrides=self.base.overrides))

    @cached_property
    def _has_whole_window(self) -> bool:
        return self.base.key() == _whole(self.base).key()

    def measured(self, jobs: Sequence[Job]) -> list[Measures]:
        """The measures of runs, with the losses of the whole runs.

        A single run leaves cores idle, so the scenario's window and the whole run are simulated at
        the same time.
        """
        if self._has_whole_window:
            return super().measured(jobs)
        if len(jobs) == 1:
            one, whole = super().measured([*jobs, _whole(jobs[0])])
            return [_with_loss(one, whole)]
        found = super().measured(jobs)
        lossy = [
            at for at, one in enumerate(found) if one.values["loss"] or LOST_OUTSIDE in one.warnings
        ]
        again = super().measured([_whole(jobs[at]) for at in lossy])
        for at, whole in zip(lossy, again, strict=True):
            found[at] = _with_loss(found[at], whole)
        return found


def _with_loss(one: Measures, whole: Measures) -> Measures:
    """The measures of a measuring window, but the loss of the whole run."""
    return replace(one, values={**one.values, "loss": whole.values["loss"]})


def _whole(job: Job) -> Job:
    return replace(job, overrides=(*job.overrides, WHOLE))
