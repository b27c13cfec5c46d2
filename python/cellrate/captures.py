"""Packet captures of a run: files that tcpdump, tshark and Wireshark read."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from cellrate import _core, output, source
from cellrate.api import Result
from cellrate.runner import Job, Progress, run_many

INDEX = "captures.json"
SETTING = "tcp.connection_setup=true"
DISSECTOR = Path(__file__).parent / "data" / "cellrate.lua"
"""Teaches tshark and Wireshark RM cells."""
STEPS = CAPTURING, SIMULATING = "capturing", "simulating"
"""The plain engine's run, and the fast one's."""

Shown: TypeAlias = Callable[[str], AbstractContextManager[Progress | None]]
"""What shows how far a step is, which it is given the name of."""


class NothingToCapture(ValueError):
    """What was asked for cannot be captured; the text says why."""


@dataclass(frozen=True, slots=True)
class Captures:
    """A run that was captured.

    Attributes:
        result: What it measured, as `run` gives it.
        directory: Where result and captures are.
        index: What is in ``captures/captures.json``: under ``taps`` each place with its files,
            their records and the number of damaged PDUs, under ``flows`` what flows are called on
            the wire.
        alone: Whether `run` does this very run, with the same digest. It does not if connections
            are set up for the capture, and not without it.
    """

    result: Result
    directory: Path
    index: dict[str, Any]
    alone: bool

    @property
    def files(self) -> list[Path]:
        """Every capture file."""
        names = [file["name"] for tap in self.index["taps"] for file in tap["files"]]
        return [self.directory / output.CAPTURES / name for name in names]


def capture(
    scenario: str | Path,
    taps: Iterable[str],
    directory: str | Path,
    *,
    overrides: Mapping[str, object] | Iterable[str] = (),
    seed: int | None = None,
    from_seconds: float = 0.0,
    to_seconds: float = math.inf,
    progress: Progress | None = None,
) -> Captures:
    """Runs a scenario and writes what passes some places as capture files.

    Connections are set up by SYNs unless ``tcp.connection_setup`` is set, as readers need what SYNs
    tell. The run is done twice, by the fast engine for what it measures and by the plain one for
    what passes; that both end with the same digest is checked. The plain engine takes some twenty
    times as long.

    Args:
        scenario: A path, or the TOML itself. Text of several lines is TOML, any other a path.
        taps: Where, and what is written, as ``POINT`` or ``POINT:FORMAT,FORMAT``. A point is
            ``A->B`` (what leaves A to B), ``A<->B`` (both ways, seen at A) or ``A`` (all links of
            A). Formats are ``cells`` (ERF, a record for each cell), ``pdus`` (ERF, for each AAL5
            PDU), ``erf`` (both in one file), ``line`` (pcap, cells of 53 octets with HEC),
            ``sunatm`` (pcap, PDUs with VPI/VCI) and ``ip`` (pcap, IP packets); without any,
            cells, pdus, sunatm and ip.
        directory: Receives ``captures/`` and what `Result.save` writes. It is made anew, whole or
            not at all; an earlier result in it is replaced.
        overrides: Settings by dotted path, as for `run`.
        seed: Replaces the scenario's seed.
        from_seconds: What passes earlier is not written.
        to_seconds: Nor is what passes then or later.
        progress: Told how far both runs are, from 0 to 2 of 2.

    Raises:
        ScenarioError: The scenario is wrong.
        ValueError: A point or format is none, or no headers of the size that ``tcp.header_bytes``
            says can be written: 40 bytes and multiples of four above, as far as options fill them.
        OSError: A file cannot be read or written.
        KeyboardInterrupt: Ctrl-C was pressed; nothing has been written then.
    """
    text, name = source.given(scenario)
    job = Job(text, name, tuple(source.settings(overrides)), seed)

    def shown(step: str) -> AbstractContextManager[Progress | None]:
        return nullcontext(None if progress is None else _step_of(progress, STEPS.index(step)))

    return take(job, list(taps), Path(directory), (from_seconds, to_seconds), shown)


def take(
    job: Job,
    taps: Sequence[str],
    directory: Path,
    span: tuple[float, float],
    shown: Shown,
    *,
    figures: bool = False,
) -> Captures:
    """Captures a job and simulates it, and writes both into a directory, as `capture` does.

    Args:
        job: What is run.
        taps: Where, and what is written.
        directory: Made anew, whole or not at all.
        span: Begin and end of the captures in seconds.
        shown: Shows how far each of `STEPS` is.
        figures: Whether traces are drawn as well.

    Raises:
        ScenarioError: The scenario is wrong.
        NothingToCapture: There is no such place or format, or no headers of such a size.
        OSError: A file cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    asked, job = job, set_up(job)
    with output.replacing(directory) as place:
        with shown(CAPTURING) as progress:
            index = record(job, taps, place, span, progress)
        with shown(SIMULATING) as progress:
            [outcome] = run_many([job], workers=1, progress=progress)
        result = Result(outcome)
        check(result, index)
        output.write(result, place, figures=figures)
    return Captures(result, directory, index, alone=_resolved(asked) == _resolved(job))


def set_up(job: Job) -> Job:
    """The job with connections that are set up, unless the scenario says whether they are.

    Readers of a capture need the options of SYNs.

    Raises:
        ScenarioError: The scenario is wrong.
    """
    described = json.loads(_core.describe(job.text, job.path, list(job.overrides), job.seed))
    over_tcp = any(flow["tcp"] is not None for flow in described["flows"])
    if not over_tcp or "connection_setup" in tomllib.loads(job.text).get("tcp", {}):
        return job
    return Job(job.text, job.path, (SETTING, *job.overrides), job.seed)


def record(
    job: Job,
    taps: Sequence[str],
    place: Path,
    span: tuple[float, float],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Writes captures of a job into a new directory ``captures`` in `place`.

    Returns:
        What is in its index.

    Raises:
        ScenarioError: The scenario is wrong.
        NothingToCapture: There is no such place or format, or no headers of such a size.
        OSError: A file cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    directory = place / output.CAPTURES
    directory.mkdir()

    def report(now_seconds: float, end_seconds: float) -> bool:
        if progress is not None:
            progress(now_seconds / end_seconds, 1)
        return True

    settings = list(job.overrides)
    try:
        found = _core.capture(
            job.text, job.path, settings, job.seed, list(taps), *span, directory, report
        )
    except _core.ScenarioError:
        raise
    except ValueError as error:
        raise NothingToCapture(str(error)) from error
    index: dict[str, Any] = json.loads(found)
    text = json.dumps(index, indent=2) + "\n"
    (directory / INDEX).write_text(text, encoding="utf-8", newline="\n")
    return index


def check(result: Result, index: Mapping[str, Any]) -> None:
    """Makes sure that what was captured is the run that was measured.

    Raises:
        RuntimeError: It is not, which is a defect of the simulator.
    """
    if index["digest"] != result.digest:
        raise RuntimeError(
            "a defect of cellrate, please report it: the captured run is not the measured one "
            f"(digests {index['digest']} and {result.digest})"
        )


def _resolved(job: Job) -> str:
    return _core.resolve(job.text, job.path, list(job.overrides), job.seed)


def _step_of(progress: Progress, before: int) -> Progress:
    """Tells of a step, of one part, as of one part of all steps."""
    return lambda done, _total: progress(before + done, len(STEPS))
