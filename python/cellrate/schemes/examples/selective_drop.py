"""Selective drop (Goyal et al. 1997) as a class; twin of `policy = "selective-drop"`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cellrate.schemes import Cells, Queue, Range


@dataclass
class SelectiveDrop:
    """Above a threshold, a channel with more than its share of the queue begins no PDU."""

    threshold: Cells | None = None
    """Queue up to which every PDU may begin (R); nine tenths of the buffer if absent."""
    z: Annotated[float, Range(0.1, 2)] = 0.8
    """Part of an equal share of the queue that a channel may hold and still begin a PDU (Z)."""

    def on_pdu(self, queue: Queue) -> bool:
        # Without a buffer limit, nine tenths of the buffer are NaN, which no queue length exceeds.
        given = self.threshold
        threshold = queue.buffer - queue.buffer // 10 if given is None else given
        is_unfair = queue.cells * queue.active > self.z * queue.length  # Y_i N_a / q > Z
        return not (queue.length > threshold and is_unfair)

    def on_change(self, queue: Queue) -> None:
        """Does nothing: `on_pdu` reads the parameters for each PDU."""
