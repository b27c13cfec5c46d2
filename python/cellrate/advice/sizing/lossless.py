"""Sizes buffers of switches under PFC or CBFC, link by link: by formula, and as runs use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cellrate.advice.sizing.question import Measured, Question, SizingError, measure
from cellrate.common.document import Column, Document, Paragraph, Row, Section, Shown, Table
from cellrate.common.numbers import counted
from cellrate.common.to_json import to_json
from cellrate.simulation.network.ethernet_view import FrameNetwork, Line
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job

MOST_ROWS = 12
"""Largest number of links that the table shows."""
PARTS = {
    "pfc": "XOFF and the headroom, by default what it can fill until its pause acts",
    "cbfc": "its credits, by default those that keep it busy while they return",
}


@dataclass(frozen=True)
class LinkRoom:
    """Buffer space of a switch for one priority of a link that leads to the switch.

    Attributes:
        link: Name of the link.
        switch: Name of the switch.
        priorities: Number of priorities of the link that flows use.
        room_bytes: Space for each priority, by the formula or as the scenario sets it.
        held_bytes: Most bytes of a priority from this link that the switch held in any run; None if
            reports leave the link out, since no flow uses the link's opposite direction.
        seed: Seed of that run.
    """

    link: str
    switch: str
    priorities: int
    room_bytes: int
    held_bytes: int | None
    seed: int | None

    @property
    def share(self) -> float | None:
        """Share of the space that was used; None if it is not known."""
        return None if self.held_bytes is None else self.held_bytes / self.room_bytes


@dataclass(frozen=True)
class Covered:
    """The flows whose priorities PFC or CBFC covers, and the others, whose queues have a buffer.

    Attributes:
        priorities: Priorities under flow control.
        groups: Flow groups of these priorities.
        others: Flow groups of other priorities.
        others_dropped: Data packets of `others` that the runs lost.
    """

    priorities: tuple[int, ...]
    groups: tuple[str, ...]
    others: tuple[str, ...]
    others_dropped: int = 0

    @classmethod
    def of(cls, network: FrameNetwork) -> Covered:
        """The flow groups of a network under PFC or CBFC, before any run."""
        assert network.lossless is not None  # noqa: S101  callers know it
        priorities = tuple(sorted(network.lossless["priorities"]))
        found: dict[bool, dict[str, None]] = {True: {}, False: {}}
        for flow in network.flows:
            found[flow.priority in priorities][flow.group] = None
        return cls(priorities, (*found[True],), (*found[False],))

    @property
    def named(self) -> str:
        """The priorities as text."""
        several = "priorities" if len(self.priorities) > 1 else "priority"
        return f"{several} {', '.join(map(str, self.priorities))}"

    def words(self, by: str) -> Iterator[str]:
        """Sentences on the flows of other priorities, if there are some; `by` names the table."""
        if self.others:
            yield (
                f"This space is for {self.named} alone. `switch.buffer` limits the queues of other "
                f"priorities, for {', '.join(self.others)}. {self.way(by)}."
            )

    def way(self, by: str) -> str:
        """Advice on sizing the queues of other priorities."""
        covered = ", ".join(self.groups)
        left = (
            f" and without {covered}; datagrams at the rates of {covered} can take the same share "
            "of the line"
        )
        return (
            f"To size the queues of {', '.join(self.others)}, run size-buffer on a scenario "
            f"without `{by}`{left if covered else ''}"
        )


@dataclass(frozen=True)
class LosslessAnswer(Shown):
    """Buffer space that switches need under PFC or CBFC, and the part of it that runs used.

    Attributes:
        question: The question that was asked.
        by: ``pfc`` or ``cbfc``.
        loses: A reason for which frames may be lost; None if the space suffices by the formula.
        links: The links that lead to switches and carry flows, the fullest first.
        memory_bytes: Space in each switch for all links into it and their priorities, together.
        packets_dropped: Packets that the runs lost.
        covered: The flows whose priorities PFC or CBFC covers, and the others.
    """

    question: Question
    by: str
    loses: str | None
    links: tuple[LinkRoom, ...]
    memory_bytes: dict[str, int]
    packets_dropped: int
    covered: Covered

    def __repr__(self) -> str:
        largest = max(self.memory_bytes.values())
        return (
            f"<buffers under {self.by} in {self.question.path}: at most {largest:,} bytes a switch>"
        )

    def words(self) -> Iterator[str]:
        """The result in sentences."""
        name, most = max(self.memory_bytes.items(), key=lambda one: one[1])
        others = len(self.memory_bytes)
        of = "" if others == 1 else f", the most of {others} switches"
        yield f"Memory under {self.by.upper()}: {most:,} bytes at {name}{of}."
        yield (
            f"For each priority of a link this is {PARTS[self.by]}. No frame is lost by overflow "
            "with this space, whatever the flows send."
            if self.loses is None
            else f"Frames may be lost: {self.loses}."
        )
        yield from self.covered.words(self.by)
        several = [one for one in self.links if one.priorities > 1]
        if several:
            more = len(several) - 1
            links = (
                f"{several[0].link} and of {counted(more, 'link')} more"
                if more
                else several[0].link
            )
            yield f"Flows use several priorities of {links}; each priority has a space of its own."
        full = self.links[0]
        if full.share is not None:
            yield (
                f"Runs took at most {full.share:.0%} of it: {full.held_bytes:,} of "
                f"{full.room_bytes:,} bytes of {full.link} (seed {full.seed})."
            )
        runs = counted(len(self.question.seeds), "run")
        lost = counted(self.packets_dropped, "packet") if self.packets_dropped else "no packet"
        data = counted(self.covered.others_dropped, "data packet")
        of = f", of them {data} of {', '.join(self.covered.others)}" if self.covered.others else ""
        yield f"Switches dropped {lost} in {runs}{of if self.packets_dropped else ''}."

    def document(self) -> Document:
        """The buffer space of each link as a document."""
        heads = (
            *(
                Column("link"),
                Column("space\n(bytes)", "right"),
                Column("most held\n(bytes)", "right"),
            ),
            *(Column("share", "right"), Column("seed", "right", optional=True)),
        )
        shown = tuple(map(_row, self.links[:MOST_ROWS]))
        left = len(self.links) - len(shown)
        rest = f"{counted(left, 'link')} more took no larger share."
        more = (Paragraph(rest, "faint"),) if left else ()
        section = Section("Buffer space for a priority of each link", (Table(heads, shown), *more))
        title = f"Memory under {self.by.upper()} for no loss"
        return Document(title, (*map(Paragraph, self.words()), section))

    def as_json(self) -> dict[str, Any]:
        """The output of `cellrate size-buffer --json`."""
        return {
            "scenario": self.question.path,
            "settings": list(self.question.overrides),
            **to_json(self, without=("question",)),
            "words": list(self.words()),
        }


def _row(link: LinkRoom) -> Row:
    measured = ("-", "-", "-")
    if link.share is not None:
        measured = (f"{link.held_bytes:,}", f"{link.share:.2f}", str(link.seed))
    return Row((link.link, f"{link.room_bytes:,}", *measured))


def size_lossless(
    question: Question, networks: Sequence[FrameNetwork], runner: Runner
) -> LosslessAnswer:
    """Computes the buffer space that each link to a switch needs, and measures what runs use of it.

    Args:
        question: The question.
        networks: The network of each seed, or one network for all seeds.
        runner: Runs jobs.

    Raises:
        SizingError: The question has a port or a target, which have no meaning where no frame is
            lost, or no flow crosses a switch.
    """
    network = networks[0]
    assert network.lossless is not None  # noqa: S101  callers know it
    by = str(network.lossless["by"])
    targets = {
        "--port": question.port is not None,
        "--delay": question.delay_seconds is not None,
        "--loss": question.loss_ratio > 0,
    }
    covered = Covered.of(network)
    for option, is_given in targets.items():
        if is_given and covered.others:
            raise SizingError(
                f"{option} has no meaning under `{by}`: the answer is the buffer space that each "
                f"link into a switch needs to lose no frame of {covered.named}. {covered.way(by)}"
            )
        if is_given:
            raise SizingError(
                f"{option} has no meaning under `{by}`: the answer is the buffer space that each "
                f"link into a switch needs to lose no frame; leave {option} out, or `{by}`"
            )
    used: dict[int, set[int]] = {}
    for one in networks:
        for number, priorities in _used(one).items():
            used.setdefault(number, set()).update(priorities)
    if not used:
        raise SizingError(f"no flow of a priority under `{by}` crosses a switch")
    # Drops and what links held count from the start of a run.
    duration = round(network.duration_seconds * 1e12)
    settings = ('measure.from="0 s"', f'measure.to="{duration} ps"', "measure.traces=[]")
    jobs = [
        Job(question.text, question.path, (*question.overrides, *settings), seed)
        for seed in question.seeds
    ]
    runs = measure(jobs, runner)
    rooms = network.lossless["room_bytes"]
    unit = int(network.lossless.get("unit_bytes", 1))
    flows = [flow for run in runs for flow in run.summary["flows"]]
    lost = sum(int(one["packets_dropped"]) for one in flows if one["group"] in covered.others)
    links = []
    for number, priorities in used.items():
        line, room = network.lines[number], int(rooms[number])
        # Links come in pairs, one for each direction.
        opposite = network.lines[number ^ 1].name
        held = [(most * unit, -run.seed) for run in runs for most in _held(run, opposite)]
        octets, seed = max(held, default=(None, None))
        first = None if seed is None else -seed
        links.append(LinkRoom(line.name, line.receiver, len(priorities), room, octets, first))
    memory: Counter[str] = Counter()
    for link in links:
        memory[link.switch] += link.priorities * link.room_bytes
    return LosslessAnswer(
        question,
        by,
        network.lossless["loses"],
        tuple(sorted(links, key=lambda one: -(one.share or 0.0))),
        dict(memory),
        sum(int(run.summary["totals"]["packets_dropped"]) for run in runs),
        replace(covered, others_dropped=lost),
    )


def _used(network: FrameNetwork) -> dict[int, set[int]]:
    """Priorities under flow control that cross each link to a switch, by the link's number."""
    assert network.lossless is not None  # noqa: S101  callers know it
    rooms, covered = network.lossless["room_bytes"], set(network.lossless["priorities"])
    numbers = {line: number for number, line in enumerate(network.lines)}
    crossing: dict[int, set[int]] = {}

    def cross(lines: Iterator[Line], priorities: Sequence[int]) -> None:
        for line in lines:
            if network.nodes[line.receiver] and rooms[numbers[line]] is not None:
                crossing.setdefault(numbers[line], set()).update(covered.intersection(priorities))

    for flow in network.flows:
        cross(flow.lines, [flow.priority])
        cross(flow.lines_back, [flow.priority, flow.notification_priority])
    return {number: found for number, found in crossing.items() if found}


def _held(run: Measured, opposite: str) -> Iterator[int]:
    """Most bytes or credits of a priority that a switch held from a link.

    `opposite` names the link of the other direction, whose port reports the number.
    """
    for port in run.summary["ports"]:
        if port["name"] == opposite:
            control = port["control"]
            yield int(control.get("ingress_max_bytes", control.get("ingress_max_credits", 0)))
