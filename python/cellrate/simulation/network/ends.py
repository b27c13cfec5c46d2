"""Ends of a flow: TCP, ABR end systems, sources that send at their own rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from cellrate.theory import segment_cells, window_cells
from cellrate.theory.cell_conversions import AAL5_TRAILER_BYTES, PAYLOAD_BYTES

Parameters: TypeAlias = Mapping[str, Any]
"""Parameters by the keys of the scenario file; keys of quantities end with the unit."""

TIME_STAMP_BYTES = 12
"""Bytes of time stamps and their padding in a TCP header (RFC 7323 appendix A)."""


@dataclass(frozen=True, slots=True)
class Tcp:
    """TCP at both ends of a flow.

    Attributes:
        mss_bytes: Payload of a full segment.
        header_bytes: TCP and IP header of each segment, time stamps included.
        window_bytes: Receive window, which bounds the outstanding bytes.
        encapsulation_bytes: Encapsulation (such as LLC/SNAP) before each packet in its AAL5 PDU.
        parameters: All parameters of TCP.
    """

    mss_bytes: int
    header_bytes: int
    window_bytes: int
    encapsulation_bytes: int
    parameters: Parameters

    @property
    def overhead_bytes(self) -> int:
        """Bytes of a PDU that are neither payload nor padding: headers, encapsulation, trailer."""
        return self.header_bytes + self.encapsulation_bytes + AAL5_TRAILER_BYTES

    @property
    def segment_cells(self) -> int:
        """Number of cells of a full segment."""
        return _segment_cells(self.mss_bytes, self.overhead_bytes)

    @property
    def recovery(self) -> str:
        """Name of TCP's recovery."""
        recovery = self.parameters["recovery"]
        return str(recovery["policy"] if isinstance(recovery, Mapping) else recovery)

    @property
    def acknowledgement_cells(self) -> int:
        """Number of cells of a segment without payload."""
        return -(-self.overhead_bytes // PAYLOAD_BYTES)

    @property
    def window_cells(self) -> int:
        """Number of cells of a full window of whole segments (RFC 1122 4.2.3.4)."""
        return _window_cells(self.window_bytes, self.mss_bytes, self.overhead_bytes)

    @property
    def first_window_cells(self) -> int:
        """Number of cells of the first window of slow start, `initial_window` segments."""
        return min(int(self.parameters["initial_window"]) * self.segment_cells, self.window_cells)


@dataclass(frozen=True, slots=True)
class Abr:
    """ABR end systems of a flow; parameters have TM 4.0's names.

    Attributes:
        pcr_cells_per_second: Peak cell rate; the rate of the access link unless set.
        mcr_cells_per_second: Minimum cell rate; 0 unless set.
        icr_cells_per_second: Initial cell rate.
        rif: Rate increase factor.
        rdf: Rate decrease factor.
        nrm: In-rate cells per forward RM cell, including the RM cell.
        parameters: All parameters of ABR.
    """

    pcr_cells_per_second: float
    mcr_cells_per_second: float
    icr_cells_per_second: float
    rif: float
    rdf: float
    nrm: int
    parameters: Parameters

    @property
    def greatest_cells_per_second(self) -> float:
        """Greatest rate of the source: PCR, times the factor by which it exceeds ACR."""
        return self.pcr_cells_per_second * float(self.parameters.get("excess_factor") or 1.0)


@dataclass(frozen=True, slots=True)
class OwnRate:
    """Rates of a source that sends at its own rate, whatever the network does.

    Attributes:
        mean_cells_per_second: Mean rate.
        peak_cells_per_second: Greatest rate; infinity if any number of cells may come at once.
    """

    mean_cells_per_second: float
    peak_cells_per_second: float


# Cached, because large networks have few kinds of segments and windows.
@cache
def _segment_cells(mss_bytes: int, overhead_bytes: int) -> int:
    return int(segment_cells(mss_bytes, overhead_bytes=overhead_bytes))


@cache
def _window_cells(window_bytes: int, mss_bytes: int, overhead_bytes: int) -> int:
    return int(window_cells(window_bytes, mss_bytes, overhead_bytes=overhead_bytes))
