"""Turns the operations of a GOAL file into steps: transfers, each after those that it awaits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from cellrate.common.problems import FEW
from cellrate.simulation.goal_file import Operation
from cellrate.simulation.goal_moments import (
    Moment,
    Order,
    acknowledged,
    arrived,
    later,
    latest,
)

MOST_AWAITED = 10_000_000
"""Greatest number of transfers that all operations of a file await together."""


@dataclass(frozen=True)
class Step:
    """A transfer: the operation that sends it, and its begin, whose events name steps by number."""

    send: Operation
    begin: Moment


def steps_of(operations: Sequence[Operation], eager_bytes: int = 0) -> list[Step]:
    """The messages of all ranks in an order in which each awaits earlier ones only.

    Args:
        operations: The operations in the order of the file.
        eager_bytes: A send of at most so many bytes ends for its rank when it begins; a longer
            one ends with the acknowledgement of its last byte.

    Raises:
        BadInput: Sends and receives do not fit, operations await one another in a circle, or two
            calcs of a processor have no order.
    """
    received = _received(operations)
    order = _in_order(operations, received)
    sends = _numbered(order, operations, received)
    timing = _Timing(sends, received, eager_bytes)
    for operation in order:
        timing.add(operation)
    return [Step(send, timing.order.begins[number]) for send, number in sends.items()]


class _Timing:
    """Begin and end of each operation."""

    def __init__(
        self, sends: dict[Operation, int], received: dict[Operation, Operation], eager_bytes: int
    ) -> None:
        self.sends, self.received, self.eager_bytes = sends, received, eager_bytes
        self.order = Order()
        self.begins: dict[Operation, Moment] = {}
        self.ends: dict[Operation, Moment] = {}
        self.calcs: dict[tuple[int, int], Operation] = {}
        self.sizes: dict[int, int] = defaultdict(lambda: FEW)
        self.awaited = 0

    def add(self, operation: Operation) -> None:
        """Finds begin and end of an operation, after those on which it depends."""
        begin = latest(
            *(self.ends[other] for other in operation.requires),
            *(self.begins[other] for other in operation.irequires),
        )
        # Such a search pays only for moments that have grown.
        if len(begin) > 2 * self.sizes[operation.rank]:
            begin = self.order.without_earlier(begin)
            self.sizes[operation.rank] = max(FEW, len(begin))
        self.awaited += len(begin)
        if self.awaited > MOST_AWAITED:
            operation.refuse(f"operations up to this one await more than {MOST_AWAITED} messages")
        self.begins[operation] = self.ends[operation] = begin
        if operation.kind == "recv":
            arrival = arrived(self.sends[self.received[operation]])
            self.ends[operation] = latest(begin, {arrival: 0})
        elif operation.kind == "send":
            self._send(operation, begin)
        elif operation.amount:
            self._calculate(operation, begin)

    def _send(self, operation: Operation, begin: Moment) -> None:
        number = self.sends[operation]
        if len(set(begin.values())) > 1:
            begin = self.order.without_earlier(begin)
        self.order.begins[number] = self.begins[operation] = begin
        is_eager = operation.amount <= self.eager_bytes
        self.ends[operation] = self.begins[operation] if is_eager else {acknowledged(number): 0}

    def _calculate(self, operation: Operation, begin: Moment) -> None:
        processor = (operation.rank, operation.cpu)
        before = self.calcs.get(processor)
        if before is not None and not self.order.is_no_later(self.ends[before], begin):
            operation.refuse(
                f"this calc and {before.name} may be due at once on cpu {operation.cpu}, and their "
                "order depends on the run; join them by `requires`, or give them different cpus"
            )
        self.calcs[processor] = operation
        self.ends[operation] = later(begin, operation.amount)


def _received(operations: Sequence[Operation]) -> dict[Operation, Operation]:
    """The send of each receive: with one sender, receiver and tag, in the order of the file."""
    sides: dict[tuple[int, int, int], tuple[list[Operation], list[Operation]]]
    sides = defaultdict(lambda: ([], []))
    for one in operations:
        if one.kind == "send":
            sides[one.rank, one.peer, one.tag][0].append(one)
        elif one.kind == "recv":
            sides[one.peer, one.rank, one.tag][1].append(one)
    found = {}
    for (sender, receiver, tag), (sends, receives) in sides.items():
        for send in sends[len(receives) :]:
            send.refuse(f"rank {receiver} has no recv from {sender} tag {tag} for this send")
        for receive in receives[len(sends) :]:
            receive.refuse(f"rank {sender} has no send to {receiver} tag {tag} for this recv")
        for send, receive in zip(sends, receives, strict=True):
            if receive.amount < send.amount:
                receive.refuse(f"{receive.amount} bytes do not hold {send.amount} bytes of {send}")
            found[receive] = send
    return found


def _in_order(
    operations: Sequence[Operation], received: dict[Operation, Operation]
) -> list[Operation]:
    """All operations, each after those on which it depends.

    Sends, and receives, of one sender, receiver and tag keep the order of the file.
    """
    before = {one: [*one.requires, *one.irequires] for one in operations}
    alike = defaultdict(list)
    for one in operations:
        if one.kind != "calc":
            alike[one.kind, one.rank, one.peer, one.tag].append(one)
    for messages in alike.values():
        for first, second in pairwise(messages):
            before[second].append(first)
    for receive, send in received.items():
        before[receive].append(send)
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError as error:
        circle: list[Operation] = error.args[1]
        circle[0].refuse(
            f"awaits itself in a circle: {'; '.join(map(str, circle[:FEW]))}; messages of one "
            "sender, receiver and tag keep the order of the file"
        )


def _numbered(
    order: Sequence[Operation],
    operations: Sequence[Operation],
    received: dict[Operation, Operation],
) -> dict[Operation, int]:
    """The number of each send: by the greatest number of messages before it, then by the file."""
    depth = dict.fromkeys(operations, 0)
    for one in order:
        messages = [received[one]] if one.kind == "recv" else []
        for other in (*one.requires, *one.irequires, *messages):
            depth[one] = max(depth[one], depth[other] + (other.kind == "send"))
    sends = sorted((one for one in operations if one.kind == "send"), key=depth.__getitem__)
    return {send: number for number, send in enumerate(sends)}
