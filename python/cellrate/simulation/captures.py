"""Packet captures of a run, in formats of tcpdump, tshark and Wireshark."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from cellrate import _core
from cellrate.common.arguments import names_wrong_types
from cellrate.simulation import output, source
from cellrate.simulation.api import Result
from cellrate.simulation.picture_options import PictureOptions
from cellrate.simulation.progress_line import Watcher, watching
from cellrate.simulation.runner import Job, Progress, Threads, run_one
from cellrate.simulation.scenarios import Overrides, ScenarioLike, job_of
from cellrate.simulation.spans import PARAMETERS, refuse_outside

INDEX = "captures.json"
SETTING = "tcp.connection_setup=true"
DISSECTOR = Path(__file__).parent / "data" / "cellrate.lua"
"""Dissector of RM cells for tshark and Wireshark."""
STEPS = CAPTURING, SIMULATING = "capturing", "simulating"
"""Names of the two runs of a capture.

The plain engine handles one event at a time and writes the capture; the fast engine gives the
result.
"""

Shown: TypeAlias = Callable[[str], AbstractContextManager[Progress | None]]
"""A context manager that shows the progress of the named step."""


class NothingToCapture(ValueError):
    """A capture is not possible; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Captures:
    """A run that was captured.

    Attributes:
        result: Result of the run, as from `run`.
        directory: Directory of the result and the captures.
        index: Contents of ``captures/captures.json``. ``taps`` has each place with its files,
            records and number of damaged PDUs; ``flows`` has the addresses of the flows.
        alone: True if the scenario has the same digest without a capture. False if the capture
            added TCP's connection set-up to a scenario without it.
    """

    result: Result
    directory: Path
    index: dict[str, Any]
    alone: bool

    @property
    def files(self) -> list[Path]:
        """All capture files."""
        names = [file["name"] for tap in self.index["taps"] for file in tap["files"]]
        return [self.directory / output.CAPTURES / name for name in names]


@names_wrong_types
def capture(
    scenario: ScenarioLike,
    taps: Iterable[str],
    directory: str | Path,
    *,
    overrides: Overrides = (),
    seed: int | None = None,
    from_seconds: float = 0.0,
    to_seconds: float = math.inf,
    progress: Watcher | bool | None = None,
) -> Captures:
    """Runs a scenario and writes the traffic at some places into capture files.

    Connections are set up by SYNs unless ``tcp.connection_setup`` is set, because readers of
    captures need the options in SYNs. The run is made twice: as usual for the result, and for the
    captures one event at a time, which takes some twenty times as long. Both must end with the same
    digest, which is checked.

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, or a `Scenario`. A text of
            several lines is TOML, any other a path.
        taps: Places and formats, as ``POINT`` or ``POINT:FORMAT,FORMAT``. A point is ``A->B``
            (traffic from A to B), ``A<->B`` (both directions, seen at A) or ``A`` (all links of
            A). Formats are ``cells`` (ERF, a record for each cell), ``pdus`` (ERF, for each AAL5
            PDU), ``erf`` (both in one file), ``line`` (pcap, cells of 53 octets with HEC),
            ``sunatm`` (pcap, PDUs with VPI/VCI) and ``ip`` (pcap, IP packets); the default is
            cells, pdus, sunatm and ip. Over Ethernet each point has one file of frames (pcap). A
            router has such a file for its Ethernet links, and files of the formats for its ATM
            links.
        directory: Receives ``captures/`` and the files of `Result.save`. It is written as a whole
            or not at all; an earlier result in it is replaced.
        overrides: Settings by dotted path, as for `run`.
        seed: Replaces the scenario's seed.
        from_seconds: Start of the captures.
        to_seconds: End of the captures, by default the end of the run; traffic at this time is not
            included.
        progress: Called with the progress of both runs, from 0 to 2, and with 2; True writes it on
            standard error.

    Raises:
        BadInput: The captures would begin or end after the run.
        ScenarioError: The scenario is wrong.
        ValueError: A point or format is unknown, or headers of ``tcp.header_bytes`` cannot be
            written: allowed are 40 bytes and multiples of four above, as far as options fill them.
        OSError: A file cannot be read or written.
        KeyboardInterrupt: Ctrl-C was pressed; nothing has been written.
    """
    job = job_of(scenario, overrides, seed)
    span, asked = (from_seconds, to_seconds), job.scenario()
    refuse_outside(asked, span, PARAMETERS)
    with watching(progress, CAPTURING) as watch:

        def shown(step: str) -> AbstractContextManager[Progress | None]:
            before = STEPS.index(step)
            if watch is None:
                return nullcontext(None)
            return nullcontext(lambda done, _total: watch(before + done, len(STEPS)))

        return take(job, asked, list(taps), Path(directory), span, shown)


def take(
    job: Job,
    asked: _core.Scenario,
    taps: Sequence[str],
    directory: Path,
    span: tuple[float, float],
    shown: Shown,
    *,
    figures: bool | PictureOptions = False,
    threads: Threads = "auto",
) -> Captures:
    """Captures and simulates a job, and writes captures and result into a directory.

    `span` is in seconds; `shown` shows the progress of each of `STEPS`; the capture has one thread.

    Raises:
        ScenarioError: The scenario is wrong with connection set-up.
        NothingToCapture: A place or format is unknown, or the size of headers is not possible.
        OSError: A file cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed.
        RuntimeError: The captured and the measured run differ, which is a defect of the simulator.
    """
    scenario = set_up(job, asked)
    with output.replacing_result(directory) as place:
        with shown(CAPTURING) as progress:
            index = record(scenario, taps, place, span, progress)
        with shown(SIMULATING) as progress:
            outcome = run_one(scenario, progress=progress, threads=threads)
        result = Result(outcome, source.short_name(job.path), scenario)
        if index["digest"] != result.digest:
            raise RuntimeError(
                "a defect of cellrate, please report it: the captured run is not the measured one "
                f"(digests {index['digest']} and {result.digest})"
            )
        output.write(result, place, figures=figures)
    return Captures(result, directory, index, alone=asked.resolved() == scenario.resolved())


def set_up(job: Job, scenario: _core.Scenario) -> _core.Scenario:
    """The scenario of a job, with TCP's connection set-up added unless the scenario sets the key.

    Readers of a capture need the options in SYNs.

    Raises:
        ScenarioError: The scenario is wrong with connection set-up.
    """
    written = json.loads(_core.toml_as_json(job.text)).get("tcp", {})
    if not scenario.over_tcp or "connection_setup" in written:
        return scenario
    return replace(job, overrides=(SETTING, *job.overrides)).scenario()


def record(
    scenario: _core.Scenario,
    taps: Sequence[str],
    place: Path,
    span: tuple[float, float],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Writes captures of a scenario into a new directory ``captures`` in `place`.

    Returns:
        The contents of the index file ``captures.json``.

    Raises:
        NothingToCapture: A place or format is unknown, or the size of headers is not possible.
        OSError: A file cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    directory = place / output.CAPTURES
    directory.mkdir()

    def report(now_seconds: float, end_seconds: float) -> bool:
        if progress is not None:
            progress(now_seconds / end_seconds, 1)
        return True

    try:
        found = scenario.capture(taps, *span, directory, report)
    except ValueError as error:
        raise NothingToCapture(str(error)) from error
    index: dict[str, Any] = json.loads(found)
    text = json.dumps(index, indent=2) + "\n"
    (directory / INDEX).write_text(text, encoding="utf-8", newline="\n")
    return index
