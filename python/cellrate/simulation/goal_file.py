"""Reads a GOAL file, the text form of the traces of LogGOPSim: what each rank sends and computes.

Grammar: `txt2bin.re` of LogGOPSim; meaning: Hoefler, Siebert, Lumsdaine, ICPP 2009. A dependency
names operations that stand above it in the block of the same rank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from cellrate.common.problems import BadInput

MOST_OPERATIONS = 1_000_000
"""Greatest number of operations of a file; all of them are held in memory."""
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
RANKS = re.compile(r"num_ranks\s+(\d{1,9})\b")
BEGIN = re.compile(r"rank\s+(\d{1,9})\s*\{")
END = re.compile(r"\}")
LABEL = r"[A-Za-z][A-Za-z0-9_]*"
OPERATION = re.compile(
    rf"(?:(?P<label>{LABEL})\s*:\s*)?"
    r"(?:calc\s+(?P<time>\d{1,18})"
    r"|(?:send\s+(?P<sent>\d{1,18})\s*b\s+to|recv\s+(?P<received>\d{1,18})\s*b\s+from)"
    r"\s+(?P<peer>-1|\d{1,9})(?:\s+tag\s+(?P<tag>-1|\d{1,18}))?)"
    r"(?:\s+cpu\s+(?P<cpu>\d{1,9}))?(?:\s+nic\s+(?P<nic>\d{1,9}))?$"
)
DEPENDENCY = re.compile(rf"({LABEL})\s+(i?requires)\s+({LABEL})$")
ALLOWED = (
    "`num_ranks N`, `rank N {`, `}`, `LABEL: send BYTESb to RANK tag N`, "
    "`LABEL: recv BYTESb from RANK tag N`, `LABEL: calc NANOSECONDS`, `LABEL requires LABEL`, "
    "`LABEL irequires LABEL`; `LABEL:` and `tag N` may be absent, `cpu N` and `nic N` may follow"
)


@dataclass(slots=True, eq=False)
class Operation:
    """An operation of a rank.

    Attributes:
        rank: The rank.
        kind: send, recv or calc.
        amount: Bytes, or nanoseconds of a calc.
        peer: The other rank of a message; -1 for a calc.
        tag: Tag of the message.
        cpu: Processor of a calc.
        name: Label, or `@` and the line if there is no label.
        place: File and line.
        requires: Operations that end before this one begins.
        irequires: Operations that begin before this one begins.
    """

    rank: int
    kind: str
    amount: int
    peer: int
    tag: int
    cpu: int
    name: str
    place: str
    requires: list[Operation] = field(default_factory=list)
    irequires: list[Operation] = field(default_factory=list)

    def refuse(self, message: str) -> NoReturn:
        """Raises an error that begins with rank and label, and ends with the place.

        Raises:
            BadInput: Always.
        """
        raise BadInput(f"{self}: {message}\n --> {self.place}")

    def __str__(self) -> str:
        return f"rank {self.rank}, {self.name}"


@dataclass
class _Reading:
    """State between the lines of a file."""

    path: str
    place: str = ""
    ranks: int = 0
    rank: int | None = None
    labels: dict[str, Operation] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    operations: list[Operation] = field(default_factory=list)

    def refuse(self, message: str) -> NoReturn:
        """Raises an error that ends with the place of the current line.

        Raises:
            BadInput: Always.
        """
        raise BadInput(f"{message}\n --> {self.place}")

    def read_statement(self, text: str) -> str:
        """Reads the first statement of a line; returns the rest of the line."""
        if self.rank is None:
            if found := RANKS.match(text):
                self._set_ranks(int(found[1]))
            elif found := BEGIN.match(text):
                self._begin(int(found[1]))
        elif found := END.match(text):
            self.rank = None
        elif found := OPERATION.match(text):
            self._add(self.rank, found)
        elif found := DEPENDENCY.match(text):
            operation, other = self._labelled(found[1]), self._labelled(found[3])
            (operation.requires if found[2] == "requires" else operation.irequires).append(other)
        if found is None:
            where = "outside the block of a rank" if self.rank is None else f"in rank {self.rank}"
            self.refuse(f"cannot read `{text[:80]}` {where}; allowed: {ALLOWED}")
        return text[found.end() :].lstrip()

    def _set_ranks(self, ranks: int) -> None:
        if self.ranks:
            self.refuse("`num_ranks` stands twice in the file")
        if ranks < 2:
            self.refuse(f"num_ranks {ranks}: allowed are at least two ranks")
        self.ranks = ranks

    def _begin(self, rank: int) -> None:
        if rank >= self.ranks:
            self.refuse(
                f"rank {rank}: `num_ranks` stands before all ranks and is above each of them"
            )
        if rank in self.seen:
            self.refuse(f"rank {rank} has a second block")
        self.seen.add(rank)
        self.rank, self.labels = rank, {}

    def _add(self, rank: int, found: re.Match[str]) -> None:
        if len(self.operations) == MOST_OPERATIONS:
            self.refuse(f"the file has more than {MOST_OPERATIONS} operations")
        kind = "calc" if found["time"] else "send" if found["sent"] else "recv"
        operation = Operation(
            rank,
            kind,
            int(found["time"] or found["sent"] or found["received"]),
            int(found["peer"] or -1),
            int(found["tag"] or 0),
            int(found["cpu"] or 0),
            found["label"] or f"@{self.place.rpartition(':')[2]}",
            self.place,
        )
        if kind != "calc":
            self._check_message(operation)
        if int(found["nic"] or 0):
            operation.refuse(f"nic {found['nic']}: a host has one network card, nic 0")
        if operation.name in self.labels:
            operation.refuse("the rank has this label twice")
        if found["label"]:
            self.labels[operation.name] = operation
        self.operations.append(operation)

    def _check_message(self, operation: Operation) -> None:
        if -1 in {operation.peer, operation.tag}:
            operation.refuse(
                "-1 matches every source or tag, so the message depends on the run; name both"
            )
        if operation.peer >= self.ranks:
            operation.refuse(f"there is no rank {operation.peer}; num_ranks is {self.ranks}")
        if operation.peer == operation.rank:
            operation.refuse("a message from a rank to itself crosses no network; use calc")
        if operation.amount == 0:
            operation.refuse("a message of 0 bytes is no flow; allowed: at least `1b`")

    def _labelled(self, label: str) -> Operation:
        if label not in self.labels:
            self.refuse(f"rank {self.rank} has no operation `{label}` above this line")
        return self.labels[label]


def read(data: bytes, path: str) -> tuple[int, list[Operation]]:
    """The number of ranks in a GOAL file, and all operations in the order of the file.

    Raises:
        BadInput: The file is wrong; the message names the line and what is allowed.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not text in UTF-8: byte {error.start} is wrong") from error
    text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    reading = _Reading(path)
    for number, line in enumerate(text.split("\n"), start=1):
        reading.place = f"{path}:{number}"
        rest = line.strip()
        while rest:
            rest = reading.read_statement(rest)
    if reading.rank is not None:
        reading.refuse(f"the file ends in the block of rank {reading.rank}, without `}}`")
    missing = next((rank for rank in range(reading.ranks) if rank not in reading.seen), None)
    if missing is not None or not reading.ranks:
        what = "`num_ranks`" if missing is None else f"block of rank {missing}"
        reading.refuse(f"the file has no {what}; is it complete?")
    return reading.ranks, reading.operations
