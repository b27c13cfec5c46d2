"""The marks that cells carry on links: EFCI, and CI and NI of RM cells, read from captures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cellrate import _core
from cellrate.common import scratch
from cellrate.common.problems import BadInput
from cellrate.simulation import captures, output
from cellrate.simulation.network import Network

# A record of the Extensible Record Format: header, header of a cell without HEC, payload.
HEADER, RECORD = 16, 16 + 4 + 48
FRACTION = 2.0**32
CREDIT_VCI = 31
RESOURCE_MANAGEMENT, CONGESTION = 0b110, 0b010
CONGESTED, NO_INCREASE = 0x20, 0x10


@dataclass(frozen=True, slots=True)
class MarkedCells:
    """The cells of one link in the order in which they left.

    Attributes:
        left_seconds: Time at which the last bit left, rounded down to 2^-32 s.
        marked: True for a data cell with EFCI and for an RM cell with CI or NI.
        credit: True for cells of credit control.
    """

    left_seconds: npt.NDArray[np.float64]
    marked: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.bool_]


def marked_cells(
    scenario: _core.Scenario, network: Network, span: tuple[float, float], beside: Path
) -> dict[str, MarkedCells]:
    """Simulates a scenario in the plain engine, and reads the marks of all cells on links.

    Args:
        scenario: The scenario.
        network: Its network.
        span: Start and end of the times of departure, in seconds.
        beside: A path beside which the captures are written for the moment.

    Returns:
        The cells of each link, by its name.

    Raises:
        BadInput: The cells of this scenario cannot be written as on the line.
    """
    taps = [f"{link.name}:cells" for link in network.links]
    with scratch.directory(beside) as place:
        try:
            index = captures.record(scenario, taps, place, span)
        except captures.NothingToCapture as error:
            raise BadInput(f"the marks of cells cannot be read: {error}") from error
        folder = place / output.CAPTURES
        return {tap["point"]: _read(folder / tap["files"][0]["name"]) for tap in index["taps"]}


def _read(file: Path) -> MarkedCells:
    records = np.frombuffer(file.read_bytes(), np.uint8).reshape(-1, RECORD)
    stamps = records[:, :8].copy().view("<u8")[:, 0]
    words = records[:, HEADER : HEADER + 4].copy().view(">u4")[:, 0]
    channel, kind = words >> 4 & 0xFFFF, words >> 1 & 0b111
    flags = records[:, HEADER + 5]
    is_rm = kind == RESOURCE_MANAGEMENT
    in_rm = (flags & (CONGESTED | NO_INCREASE)) != 0
    efci = (kind & CONGESTION) != 0
    return MarkedCells(stamps / FRACTION, np.where(is_rm, in_rm, efci), channel == CREDIT_VCI)
