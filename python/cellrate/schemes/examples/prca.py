"""The source of PRCA (Gerla et al. 1995, II.A) as a class; twin of `abr.rules = "prca"`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cellrate.schemes import CellsPerSecond, Range, RmCell, Source


@dataclass
class Prca:
    """ACR falls with every cell, and rises with an RM cell without CI."""

    air: CellsPerSecond = 2_500.0
    """Additive increase rate AIR."""
    mdf: Annotated[int, Range(2, 10)] = 5
    """ACR falls by ACR / 2^MDF with each cell."""

    def on_start(self, source: Source) -> None:
        source.decrease = source.icr / 2**self.mdf  # ADR

    def on_backward_rm(self, source: Source, rm: RmCell) -> None:
        if not rm.ci:
            source.acr = min(source.acr + source.nrm * source.decrease + self.air, source.pcr)
            source.decrease = max(source.acr, source.mcr) / 2**self.mdf
