"""Early packet discard (Romanow and Floyd 1994) as a class; twin of `policy = "epd"`."""

from __future__ import annotations

from dataclasses import dataclass

from cellrate.schemes import Cells, Queue


@dataclass
class Epd:
    """Refuses PDUs that begin while the queue is longer than a threshold."""

    threshold: Cells | None = None
    """The threshold; half the buffer if absent."""
    forward_end: bool = True
    """Forwards the last cell of a PDU that lost a cell by overflow."""

    def on_pdu(self, queue: Queue) -> bool:
        limit = queue.buffer / 2 if self.threshold is None else self.threshold
        return queue.length <= limit

    def on_change(self, queue: Queue) -> None:
        """Does nothing: `on_pdu` reads the threshold for each PDU."""
