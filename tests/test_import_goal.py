"""A GOAL file becomes steps that begin when its operations say, or the import refuses it."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate.common.problems import BadInput
from cellrate.simulation import goal_file, goal_steps
from cellrate.simulation.goal_file import Operation, read
from cellrate.simulation.goal_moments import START
from cellrate.simulation.goal_steps import Step, steps_of
from conftest import Command

# Four hosts around a switch, lines of 10 Gbit/s and 1 us.
STAR = """
link_layer = "ethernet"
run.duration = "20 ms"
topology.template = "leaf-spine"
topology.leaves = 1
topology.spines = 1
topology.hosts_per_leaf = 4
topology.host_rate = "10 Gbit/s"
topology.host_delay = "1 us"
topology.spine_delay = "1 us"
tcp.initial_window = 100

[[flow]]
name = "ring"
pattern = { kind = "ring-all-reduce", size = "1000002 bytes", compute = "5 us" }
"""
# Rank 0 sends to rank 1, rank 1 to rank 2, rank 2 back to rank 0: a frame each.
CHAIN = """num_ranks 3
/* Each rank computes
   before it sends. */
rank 0 {
first: calc 1000
there: send 1460b to 1 tag 7
there requires first
recv 1460b from 2 tag 7
}
rank 1 {
got: recv 1460b from 0 tag 7
work: calc 2000 cpu 1
work requires got  // sums
on: send 1460b to 2
on requires work
}
rank 2 {
got: recv 1460b from 1
work: calc 500
work requires got
back: send 1460b to 0 tag 7
back requires work
}
"""


def program(*ranks: str) -> bytes:
    """A file with these lines of each rank, which `;` separates."""
    blocks = [f"num_ranks {len(ranks)}"]
    for rank, lines in enumerate(ranks):
        blocks += [f"rank {rank} {{", *lines.split(";"), "}"]
    return "\n".join(blocks).encode()


def steps(*ranks: str, eager_bytes: int = 0) -> list[tuple[str, dict[str, int]]]:
    """Of each step its name, and by the names of what it awaits the least waits in ns."""
    found = steps_of(read(program(*ranks), "x.goal")[1], eager_bytes)
    names = [f"{step.send.rank}.{step.send.name}" for step in found]
    return [
        (name, {"start" if at == START else names[at // 2]: step.begin[at] for at in step.begin})
        for name, step in zip(names, found, strict=True)
    ]


def ring(parts: list[int], compute: int) -> bytes:
    """An all-reduce over a ring: rank r sends part r first, then each part that it receives."""
    n = len(parts)
    ranks = []
    for rank in range(n):
        lines = []
        for step in range(2 * (n - 1)):
            here, left = (parts[(rank - back - step) % n] for back in (0, 1))
            lines += [
                f"s{step}: send {here}b to {(rank + 1) % n}",
                f"r{step}: recv {left}b from {(rank - 1) % n}",
            ]
            if step:
                lines += [
                    # Sums are computed in the first half of the steps.
                    f"c{step}: calc {compute if step < n else 0}",
                    f"c{step} requires r{step - 1}",
                    f"c{step} requires s{step - 1}",
                    f"s{step} requires c{step}",
                ]
        ranks.append(";".join(lines))
    return program(*ranks)


def imported(tmp_path: Path, data: bytes, **options: Any) -> cellrate.Scenario:  # noqa: ANN401
    """The scenario of a trace over `STAR`."""
    (tmp_path / "x.goal").write_bytes(data)
    (tmp_path / "star.toml").write_text(STAR, encoding="utf-8")
    asked = {"steps": str(tmp_path / "x.csv"), "network": str(tmp_path / "star.toml")} | options
    return cellrate.import_goal(tmp_path / "x.goal", **asked)


def test_the_ring_of_a_trace_is_the_ring_of_the_engine(tmp_path: Path) -> None:
    """1,000,002 bytes are two parts of 250,001 and two of 250,000."""
    data = ring([250_001, 250_001, 250_000, 250_000], 5_000)
    found = cellrate.run(imported(tmp_path, data)).summary
    own = cellrate.run(STAR).summary
    assert found["digest"] == own["digest"]
    assert found["totals"] == own["totals"]
    assert (len(found["flows"]), found["totals"]["flows_completed"]) == (24, 24)
    slower = ring([250_001, 250_001, 250_000, 250_000], 6_000)
    assert cellrate.run(imported(tmp_path, slower)).summary["digest"] != own["digest"]


def test_a_chain_takes_the_time_of_its_frames_and_calcs(tmp_path: Path) -> None:
    """Each of three messages is a frame of 1,518 bytes with its preamble over two lines.

    The first message begins after 1 us, and the others 2 us and 0.5 us after an arrival. The last
    message ends with its acknowledgement of 72 octets.
    """
    summary = cellrate.run(imported(tmp_path, CHAIN.encode())).summary
    frame, acknowledgement = (2 * (octets * 0.8e-9 + 1e-6) for octets in (1526, 72))
    [whole] = summary["collectives"]
    expected = 3 * frame + 2e-6 + 0.5e-6 + acknowledgement
    assert whole["completion_seconds"] == pytest.approx(expected, abs=1e-15)
    starts = [flow["start_seconds"] for flow in summary["flows"]]
    assert starts[0] == pytest.approx(1e-6, abs=1e-15)


def test_a_send_awaits_what_its_rank_requires() -> None:
    sends = "a: send 9b to 1; b: send 9b to 1 tag 1; c: calc 5; c requires a; c requires b"
    more = f"{sends}; d: send 9b to 1; d requires c"
    receives = "recv 9b from 0; recv 9b from 0 tag 1; recv 9b from 0"
    at_once = {"start": 0}
    assert steps(more, receives) == [
        ("0.a", at_once),
        ("0.b", at_once),
        ("0.d", {"0.a": 5, "0.b": 5}),
    ]


def test_irequires_awaits_a_begin() -> None:
    later = "c: calc 3; a: send 9b to 1; a requires c; d: calc 4 cpu 1; d {} a; b: send 9b to 1"
    later += "; b requires d"
    receives = "recv 9b from 0; recv 9b from 0"
    assert steps(later.format("irequires"), receives)[1] == ("0.b", {"start": 7})
    assert steps(later.format("requires"), receives)[1] == ("0.b", {"0.a": 4})


def test_an_eager_send_ends_when_it_begins() -> None:
    two = ("a: send 9b to 1; b: send 9b to 1; b requires a", "recv 9b from 0; recv 9b from 0")
    assert steps(*two)[1] == ("0.b", {"0.a": 0})
    assert steps(*two, eager_bytes=8)[1] == ("0.b", {"0.a": 0})
    assert steps(*two, eager_bytes=9)[1] == ("0.b", {"start": 0})


def test_a_receive_is_over_when_it_has_begun_and_the_message_is_there() -> None:
    late = "a: send 9b to 1; r: recv 9b from 1; r requires a; b: send 9b to 1 tag 1; b requires r"
    other = "recv 9b from 0; send 9b to 0; recv 9b from 0 tag 1"
    assert steps(late, other)[2] == ("0.b", {"0.a": 0, "1.@11": 0})


def test_a_time_that_is_never_the_latest_drops_out() -> None:
    """Rank 1 sends b 100 ns after a, and d 30 ns after b: a with 130 ns is never the latest.

    With 131 ns it may be.
    """
    text = (
        "a: recv 9b from 0; c: calc 100; c requires a; b: send 9b to 0; b requires c;"
        "e: calc 30; e requires b; f: calc {} cpu 1; f requires a; d: send 9b to 0;"
        "d requires e; d requires f"
    )
    other = "s: send 9b to 1; recv 9b from 1; recv 9b from 1"
    assert steps(other, text.format(130))[2] == ("1.d", {"1.b": 30})
    assert steps(other, text.format(131))[2] == ("1.d", {"1.b": 30, "0.s": 131})


def test_messages_of_one_tag_keep_the_order_of_the_file() -> None:
    first, second = "a: send 9b to 1", "b: send 8b to 1"
    receives = "r: recv 9b from 0; recv 8b from 0; c: send 1b to 0; c requires r"
    rest = "; recv 1b from 1"
    assert steps(f"{first};{second}{rest}", receives)[2] == ("1.c", {"0.a": 0})
    with pytest.raises(BadInput, match="rank 1, @9: 8 bytes do not hold 9 bytes of rank 0, a"):
        steps(f"{second};{first}{rest}", receives)
    with pytest.raises(BadInput, match="awaits itself in a circle"):
        steps(f"{first};{second}; a requires b{rest}", receives)


def test_calcs_of_one_processor_need_an_order() -> None:
    """The second calc follows the first over another rank; nothing else orders the two."""
    asks = "a: calc 5; s: send 9b to 1; s {} a; r: recv 9b from 1; b: calc 5; b requires r"
    answers = "r: recv 9b from 0; s: send 9b to 0; s requires r"
    assert len(steps(asks.format("requires"), answers)) == 2
    with pytest.raises(BadInput, match="rank 0, b: this calc and a may be due at once on cpu 0"):
        steps(asks.format("irequires"), answers)
    other = asks.format("irequires").replace("b: calc 5", "b: calc 5 cpu 1")
    assert len(steps(other, answers)) == 2


def test_each_awaited_message_has_a_time_of_its_own(tmp_path: Path) -> None:
    """Rank 1 sends 5 us after the first message, 1 us after the second, and 9 us after the start.

    Each message is a frame of 1,526 octets over two lines of 10 Gbit/s and 1 us. The second one
    follows the first at once, so it arrives a frame later, and 5 us after the first are the latest.
    """
    text = program(
        "send 1460b to 1; send 1460b to 1 tag 1; recv 1460b from 1",
        "a: recv 1460b from 0; b: recv 1460b from 0 tag 1; late: calc {} cpu 2; s: send 1460b to 0;"
        "c: calc 5000; c requires a; d: calc 1000 cpu 1; d requires b; s requires c; s requires d;"
        "s requires late",
    ).decode()
    frame, gap = 2 * (1526 * 0.8e-9 + 1e-6), 12 * 0.8e-9
    for late, begin in ((9_000, frame + 5e-6), (9_500, 9.5e-6)):
        summary = cellrate.run(imported(tmp_path, text.replace("{}", str(late)).encode())).summary
        last = (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()[-1]
        assert last == f"r1.s,h2,h1,1460,r0.@3 r0.@4 start,5000e-9 1000e-9 {late}e-9"
        assert summary["flows"][2]["start_seconds"] == pytest.approx(begin, abs=gap)


def test_ranks_are_on_the_hosts_that_are_asked_for(tmp_path: Path) -> None:
    imported(tmp_path, CHAIN.encode(), hosts=("h4", "h1", "h2"))
    rows = (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1:] == [
        "r0.there,h4,h1,1460,,1000e-9",
        "r1.on,h1,h2,1460,r0.there,2000e-9",
        "r2.back,h2,h4,1460,r1.on,500e-9",
    ]


def test_the_transport_is_that_of_the_network(tmp_path: Path) -> None:
    scenario = imported(tmp_path, CHAIN.encode(), network="all-reduce", duration="1 ms")
    assert scenario["flow.trace.roce.control.algorithm"] == "dcqcn"
    assert scenario["run.duration"] == "1 ms"
    assert scenario["flow.trace.pattern.kind"] == "steps"


def test_the_command_prints_a_scenario_that_runs(command: Command, tmp_path: Path) -> None:
    (tmp_path / "chain.goal").write_text(CHAIN, encoding="utf-8")
    done = command("import-goal", "chain.goal", "--steps", "chain.csv", "--duration", "1 ms")
    assert done.returncode == 0, done.stderr
    (tmp_path / "chain.toml").write_text(done.stdout, encoding="utf-8")
    assert command("validate", "chain.toml").returncode == 0
    ran = json.loads(command("run", "chain.toml", "--json").stdout)
    assert (ran["totals"]["flows_completed"], ran["collectives"][0]["last_flow"]) == (3, "trace.3")
    again = command("import-goal", "chain.goal", "--steps", "chain.goal")
    assert "the file exists and has no steps" in again.stderr
    assert (tmp_path / "chain.goal").read_text(encoding="utf-8") == CHAIN


def test_too_many_operations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ";".join(f"c{at}: calc 1" for at in range(6))
    monkeypatch.setattr(goal_file, "MOST_OPERATIONS", 5)
    with pytest.raises(BadInput, match=r"the file has more than 5 operations\n --> x\.goal:8"):
        steps(lines, "")
    monkeypatch.undo()
    monkeypatch.setattr(goal_steps, "MOST_AWAITED", 2)
    with pytest.raises(BadInput, match="await more than 2 messages"):
        steps("a: send 9b to 1; b: send 9b to 1; b requires a", "recv 9b from 0; recv 9b from 0")


# Random programs, in which each transfer takes random times.


def random_program(draw: random.Random) -> bytes:
    """Messages in a global order, calcs between them, and dependencies on what stands above."""
    ranks: list[list[str]] = [[], [], []]
    labels: list[list[str]] = [[], [], []]

    def add(rank: int, text: str) -> None:
        label = f"l{len(labels[rank])}"
        ranks[rank].append(f"{label}: {text}")
        for other in draw.sample(labels[rank], min(len(labels[rank]), draw.choice((0, 1, 1, 2)))):
            ranks[rank].append(
                f"{label} {draw.choice(('requires', 'requires', 'irequires'))} {other}"
            )
        labels[rank].append(label)

    for tag in range(draw.randint(2, 7)):
        sender, receiver = draw.sample(range(3), 2)
        add(receiver, f"recv 9b from {sender} tag {tag}")
        if draw.random() < 0.5:
            add(sender, f"calc {draw.choice((0, 10, 10, 20))} cpu {draw.randrange(3)}")
        add(sender, f"send {draw.choice((5, 9))}b to {receiver} tag {tag}")
    return program(*(";".join(lines) for lines in ranks))


class Played:
    """Begins of the operations of a program, straight from what GOAL says."""

    def __init__(self, operations: list[Operation], draw: random.Random, eager: int) -> None:
        self.operations, self.eager = operations, eager
        self.took = {one: (draw.randint(1, 60), draw.randint(1, 60)) for one in operations}
        self.begin, self.end = cache(self._begin), cache(self._end)

    def _begin(self, one: Operation) -> int:
        ends = (self.end(other) for other in one.requires)
        begins = (self.begin(other) for other in one.irequires)
        return max((*ends, *begins), default=0)

    def _end(self, one: Operation) -> int:
        begin = self.begin(one)
        if one.kind == "calc":
            return begin + one.amount
        if one.kind == "recv":
            return max(begin, self.arrival(self.send_of(one)))
        return begin if one.amount <= self.eager else self.arrival(one) + self.took[one][1]

    def arrival(self, send: Operation) -> int:
        """The time at which the last byte is there."""
        return self.begin(send) + self.took[send][0]

    def send_of(self, receive: Operation) -> Operation:
        """The one send with the tag of a receive."""
        return next(x for x in self.operations if (x.kind, x.tag) == ("send", receive.tag))


def begins_of(found: list[Step], played: Played) -> list[int]:
    """The begins of steps if each transfer takes the times that it took."""
    begins: list[int] = []
    for step in found:
        ends = []
        for event, wait in step.begin.items():
            if event == START:
                ends.append(wait)
                continue
            send = found[event // 2].send
            arrival = begins[event // 2] + played.took[send][0]
            is_sender = send.rank == step.send.rank
            assert is_sender or send.peer == step.send.rank
            ends.append(arrival + (played.took[send][1] if is_sender else 0) + wait)
        begins.append(max(ends))
    return begins


def steps_if_in_order(operations: list[Operation], eager: int) -> list[Step] | None:
    """The steps; None if calcs of a processor may be due at once."""
    try:
        return steps_of(operations, eager)
    except BadInput as error:
        if "may be due at once" not in str(error):
            raise
        return None


def test_steps_of_random_programs_begin_when_their_sends_do() -> None:
    draw = random.Random(11)  # noqa: S311  no secret
    seen = dict.fromkeys(("several", "calc", "several waits", "start", "refused"), 0)
    for _ in range(1_000):
        operations = read(random_program(draw), "x.goal")[1]
        eager = draw.choice((0, 0, 5))
        found = steps_if_in_order(operations, eager)
        if found is None:
            seen["refused"] += 1
            continue
        for _ in range(4):
            played = Played(operations, draw, eager)
            assert begins_of(found, played) == [played.begin(step.send) for step in found]
            calcs = [one for one in operations if one.kind == "calc" and one.amount]
            spans = sorted((one.rank, one.cpu, played.begin(one), played.end(one)) for one in calcs)
            for (*place, _, end), (*other, begin, _) in pairwise(spans):
                assert place != other or end <= begin
        waits = [set(step.begin.values()) for step in found]
        seen["several"] += any(len(step.begin) > 1 for step in found)
        seen["calc"] += any(max(one) > 0 for one in waits)
        seen["several waits"] += any(len(one) > 1 for one in waits)
        seen["start"] += any(START in step.begin and len(step.begin) > 1 for step in found)
    assert min(seen.values()) > 30, seen
