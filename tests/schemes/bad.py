"""Schemes that go wrong, each in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cellrate.schemes import Cells, Connection, Port, Queue, Range, RmCell, Seconds, Source


@dataclass
class Fine:
    """Tells sources to decrease while the queue is long."""

    high: Cells = 100
    """Queue above which sources decrease."""
    pause: Seconds = 2e-3

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        rm.ci = port.queue > self.high


class NotANumber(Fine):
    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        rm.er = float("nan")


class Negative(Fine):
    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        rm.er = -1.0


class Raises(Fine):
    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        if port.now > 0.02:
            raise KeyError(rm.channel)


class NoChannel(Fine):
    def on_forward_rm(self, port: Port, rm: RmCell) -> None:
        port.rate_of(99)


class QueueUnknown(Fine):
    def on_start(self, port: Port) -> None:
        port.every(1.0, 1)

    def on_interval(self, port: Port) -> None:
        self.seen = port.queue


class NoInterval(Fine):
    def on_start(self, port: Port) -> None:
        port.every(1e-12)


class TwoIntervals(Fine):
    def on_start(self, port: Port) -> None:
        port.every(1.0, slots=3)


class StatisticsOfNoKind(Fine):
    STATISTICS = ("marks",)

    def statistics(self) -> list[float]:
        return [1.0]


class UnknownStatistic(Fine):
    STATISTICS = ("marks",)

    def statistics(self) -> dict[str, float]:
        return {"mark": 1.0}


@dataclass
class NoDefault:
    high: Cells

    def on_backward_rm(self, port: Port, rm: RmCell) -> None: ...


@dataclass
class ListParameter:
    high: tuple[int, ...] = (1, 2)

    def on_backward_rm(self, port: Port, rm: RmCell) -> None: ...


@dataclass
class WrongDefault:
    high: Cells = "many"  # type: ignore[assignment]

    def on_backward_rm(self, port: Port, rm: RmCell) -> None: ...


@dataclass
class NoHook:
    high: Cells = 3


@dataclass
class OneFile(Fine):
    FILES = "weights.json"


@dataclass
class NoFile(Fine):
    FILES = ("weights.json",)


@dataclass
class UnknownHook(Fine):
    def on_backwards(self, port: Port, rm: RmCell) -> None: ...


class NoDataclass:
    def on_backward_rm(self, port: Port, rm: RmCell) -> None: ...


@dataclass
class NoWindow:
    def on_new_ack(self, tcp: Connection) -> None:
        tcp.cwnd = 0


@dataclass
class WrongAnswer:
    def on_new_ack(self, tcp: Connection) -> None:
        tcp.grow()

    def on_third_duplicate(self, tcp: Connection) -> int:
        return 3


@dataclass
class NoAck:
    def on_timeout(self, tcp: Connection) -> None: ...


@dataclass
class NoRate:
    def on_backward_rm(self, source: Source, rm: RmCell) -> None:
        source.acr = -1.0


@dataclass
class NegativeDecrease:
    def on_start(self, source: Source) -> None:
        source.decrease = float("nan")

    def on_backward_rm(self, source: Source, rm: RmCell) -> None: ...


@dataclass
class NoTruth:
    def on_pdu(self, queue: Queue) -> bool:
        return None if queue.length > 3 else True  # type: ignore[return-value]


@dataclass
class QueueAtStart:
    def on_start(self, queue: Queue) -> None:
        self.half = queue.buffer / 2

    def on_pdu(self, queue: Queue) -> bool:
        return queue.length <= self.half


@dataclass
class NoWholeQueue:
    def on_pdus(self, queue: Queue) -> bool:
        return True

    def on_pdu(self, queue: Queue) -> bool:
        return True


@dataclass
class NoChange(Fine):
    def on_change(self, port: Port) -> None:
        raise ValueError(self.high)


@dataclass(frozen=True)
class Frozen:
    high: Cells = 100

    def on_backward_rm(self, port: Port, rm: RmCell) -> None: ...

    def on_change(self, port: Port) -> None: ...


class Counts(Fine):
    marks = 0

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        Counts.marks += 1


seen: list[int] = []


class Remembers(Fine):
    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        seen.append(rm.channel)


class MisspeltAttribute(Fine):
    def on_forward_rm(self, port: Port, rm: RmCell) -> None:
        port.queu  # type: ignore[attr-defined]  # noqa: B018


@dataclass
class Limited(Fine):
    gain: Annotated[float, Range(0.1, 2)] = 0.5
    wait: Annotated[Seconds, Range(1e-3, 0.1)] = 0.01
