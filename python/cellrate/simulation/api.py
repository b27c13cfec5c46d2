"""Runs a scenario from Python; offers its result as data frames, arrays and figures.

Packages that only frames and figures need (polars, matplotlib) are imported on use, because running
a scenario needs neither.
"""

from __future__ import annotations

import json
import math
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate import _core
from cellrate.common import garbage_collection
from cellrate.common.arguments import names_wrong_types
from cellrate.common.document import Shown
from cellrate.common.extras import needing
from cellrate.simulation import source
from cellrate.simulation.progress_line import Watcher, watching
from cellrate.simulation.runner import Threads, run_one

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

    from cellrate.common.document import Document
    from cellrate.simulation.network import Network
    from cellrate.simulation.picture_options import PictureOptions
    from cellrate.simulation.scenarios import Overrides, ScenarioLike
    from cellrate.simulation.series import Series

TABLES = ("flows", "classes", "vcs", "ports", "queues", "trace_frame", "events")
"""Names of the data frames of a `Result`."""


@names_wrong_types
def run(
    scenario: ScenarioLike,
    *,
    overrides: Overrides = (),
    seed: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
    threads: Threads = "auto",
) -> Result:
    """Runs one scenario.

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, or a `Scenario`. A text of
            several lines is TOML, any other a path.
        overrides: Settings by dotted path, as in ``{"flow.tcp.count": 5}``, or nested, as in
            ``{"flow": {"tcp": {"count": 5}}}``; arrays of tables are addressed by name or index.
        seed: Replaces the scenario's seed; a whole number from 0 to 2^63 - 1.
        store: Store in which the result is looked up and kept.
        progress: Called with the fraction of the run that is done, from 0 to 1, and with 1; True
            writes the progress on standard error, which notebooks show.
        threads: Greatest number of threads of the run, each with a part of the network; "auto"
            takes as many as make the run faster on this machine. The result does not depend on the
            number. Scenarios with classes in Python run in one thread.

    Raises:
        ScenarioError: The scenario is wrong; its text shows the place and what is allowed.
        TypeError: The seed is not an integer, or an argument is of another wrong type.
        ValueError: The seed is out of range, or the number of threads is below 1.
        OSError: The file cannot be read.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from cellrate.simulation.scenarios import job_of  # not needed by the command line

    job = job_of(scenario, overrides, seed)
    asked = job.scenario()
    with watching(progress, "simulating") as watch:
        return Result(run_one(asked, store, watch, threads), source.short_name(job.path), asked)


class Result(Shown):
    """The result of a run; a notebook shows its flows, ports, warnings and traces."""

    def __init__(
        self, outcome: _core.Outcome, name: str = "", scenario: _core.Scenario | None = None
    ) -> None:
        self.outcome = outcome
        self.name = name
        self._scenario = scenario

    def __repr__(self) -> str:
        return f"<Result {self.digest}: {self.summary['simulated_seconds']} s simulated>"

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All measures, as ``cellrate run --json`` prints them; units are in the keys."""
        with garbage_collection.paused():
            summary: dict[str, Any] = json.loads(self.outcome.summary())
        return summary

    @property
    def digest(self) -> str:
        """Hash of all events of the run; equal runs have equal digests."""
        return str(self.summary["digest"])

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return int(self.summary["seed"])

    @property
    def warnings(self) -> list[dict[str, str]]:
        """Warnings of the run, each with code and message; read them before using the result."""
        warnings: list[dict[str, str]] = self.summary["warnings"]
        return warnings

    @property
    def resolved(self) -> str:
        """The scenario as it was run, as TOML: settings applied, every default written out."""
        return self.outcome.resolved()

    @property
    def logs_events(self) -> bool:
        """True if `measure.events` asks for events."""
        import tomllib  # only needed for files

        return bool(tomllib.loads(self.resolved)["measure"].get("events"))

    def _frame(self, name: str) -> pl.DataFrame:
        with needing("a data frame"):
            from cellrate.simulation import frames

        return frames.frame(name, self)

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""
        return self._frame("flows")

    @cached_property
    def classes(self) -> pl.DataFrame:
        """One row per service class of the forward channels."""
        return self._frame("classes")

    @cached_property
    def vcs(self) -> pl.DataFrame:
        """One row per directed virtual channel."""
        return self._frame("vcs")

    @cached_property
    def ports(self) -> pl.DataFrame:
        """One row per output port of a switch."""
        return self._frame("ports")

    @cached_property
    def queues(self) -> pl.DataFrame:
        """One row per queue of an output port."""
        return self._frame("queues")

    @cached_property
    def traces(self) -> list[Series]:
        """All series that ``measure.traces`` asked for."""
        from cellrate.simulation.series import series_of

        return series_of(self.outcome)

    def series(self, kind: str, entity: str) -> Series:
        """Returns the trace of one quantity (`kind`) of one port queue, channel or flow (`entity`).

        Raises:
            KeyError: The series was not traced; the message lists those that were.
        """
        for series in self.traces:
            if (series.kind, series.entity) == (kind, entity):
                return series
        traced = [f"{series.kind} of {series.entity}" for series in self.traces]
        raise KeyError(f"no trace `{kind}` of `{entity}`; traced: {', '.join(traced) or 'nothing'}")

    @cached_property
    def trace_frame(self) -> pl.DataFrame:
        """All series, one row per point."""
        return self._frame("trace_frame")

    @cached_property
    def events(self) -> pl.DataFrame:
        """All events that ``measure.events`` asked for, in order of time."""
        return self._frame("events")

    @cached_property
    def network(self) -> Network:
        """The network of the scenario: nodes, links, flows."""
        from cellrate.simulation.network import Network

        if self._scenario is None:
            return Network.of(self.resolved)
        return Network.of_scenario(self._scenario)

    def plot(self, *kinds: str, from_seconds: float = 0.0, to_seconds: float = math.inf) -> Figure:
        """Plots the traces over time, one panel per kind.

        The figure shows fair shares, buffer limits, thresholds and targets of the scenario, and
        shades the warm-up.

        Args:
            kinds: Kinds of traces, from top to bottom; by default all that were traced.
                `throughput` is made from the trace `sequence`.
            from_seconds: Start of the time shown.
            to_seconds: End of the time shown.

        Returns:
            The figure, which a notebook shows.

        Raises:
            MissingExtra: matplotlib is not installed; the extra `cli` installs it.
            ValueError: A kind was not traced, or the run has no traces in the time shown.
        """
        with needing("a figure"):
            from cellrate.simulation import run_pictures

        return run_pictures.over_time(self, kinds, from_seconds, to_seconds)

    def plot_phase(
        self, flow: str | None = None, *, from_seconds: float = 0.0, to_seconds: float = math.inf
    ) -> Figure:
        """Plots the queue of the most loaded port against the ACR of a flow.

        Args:
            flow: The flow; the first with a trace of ACR by default.
            from_seconds: Start of the time shown.
            to_seconds: End of the time shown.

        Returns:
            The figure, which a notebook shows.

        Raises:
            MissingExtra: matplotlib is not installed; the extra `cli` installs it.
            ValueError: Queue or ACR was not traced, or neither has points in the time shown.
        """
        with needing("a figure"):
            from cellrate.simulation import run_pictures

        return run_pictures.phase(self, from_seconds, to_seconds, flow)

    def to_pandas(self, table: str = "flows") -> pd.DataFrame:
        """A table as a data frame of pandas; the extra `pandas` installs it.

        Args:
            table: ``flows``, ``classes``, ``vcs``, ``ports``, ``queues``, ``trace_frame`` or
                ``events``.

        Raises:
            MissingExtra: pandas or polars is not installed.
            ValueError: There is no such table.
        """
        from cellrate.common.extras import as_pandas

        if table not in TABLES:
            raise ValueError(f"there is no table {table!r}; there are {', '.join(TABLES)}")
        return as_pandas(getattr(self, table))

    def document(self) -> Document:
        """The run as a document: what was simulated, warnings, flows, ports, traces."""
        from cellrate.simulation.at_a_glance import result_document

        return result_document(self)

    def save(self, directory: str | Path, *, figures: bool | PictureOptions = False) -> Path:
        """Writes summary, resolved scenario, traces and events into a directory.

        Args:
            directory: Directory to create. An earlier result in it is replaced, but pictures and
                captures of the same run are kept.
            figures: True to draw the traces as well, or options of the pictures.

        Raises:
            FileExistsError: The directory holds files that are not part of a result.
        """
        from cellrate.simulation import output

        with output.replacing_result(Path(directory)) as place:
            output.write(self, place, figures=figures)
        return Path(directory)
