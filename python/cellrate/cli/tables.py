"""Tables and sentences of `run --plan`, `run --profile` and `bench` on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Column, Document, Paragraph, Remark, Row, Table, columns, rows
from cellrate.common.numbers import counted, seconds
from cellrate.common.terminal import say, show_parts

if TYPE_CHECKING:
    from cellrate import _core
    from cellrate.simulation.component_bench import Cost
    from cellrate.simulation.profile import Division, Profile, Saving

ESTIMATE = (
    "The gain is an estimate. It assumes max-min fair shares of all flows, and the costs of hosts "
    "and switches in `cellrate bench`. The result does not depend on the number of threads."
)


def partition_document(name: str, partition: _core.Partition) -> Document:
    """The part of a network that each thread gets."""
    parts = partition["parts"]
    if len(parts) == 1:
        why = f": {partition['reason']}" if partition["reason"] else ""
        return Document("", (Paragraph(f"{name} runs in one thread{why}."),))
    numbered = (
        (str(number), f"{part['nodes']:,}", f"{part['work_share']:.0%}")
        for number, part in enumerate(parts, 1)
    )
    ahead = partition["lookahead_seconds"]
    between = (
        "No links lead from one part to another."
        if ahead is None
        else f"{counted(partition['cut_links'], 'link')} between the parts carry "
        f"{partition['crossing_share']:.0%} of all link crossings. An event in one part reaches "
        f"another part after {seconds(ahead)} at the earliest, so each part runs ahead so far."
    )
    more = f"; {partition['reason']}" if partition["reason"] else ""
    return Document(
        "",
        (
            Paragraph(f"{name} runs in {len(parts)} threads{more}:"),
            Table(columns("thread", "nodes", "work"), rows(list(numbered))),
            Paragraph(f"{between} Expected gain: {partition['speedup']:.2f}."),
            Remark(ESTIMATE),
        ),
    )


def show_bench(report: dict[str, Any]) -> None:
    """Shows the benchmark: ns per cell-hop of each workload, and its ratio to a bare loop."""
    floors, per_cell = report["floor"], report["bytes_per_cell"]
    w2, w2_lan = report["w2"], report["w2_lan"]

    def row(name: str, key: str, nanoseconds: float, floor: float) -> Row:
        size = per_cell.get(key)
        cost = f"{nanoseconds:.1f}", f"{floor:.1f}", f"{nanoseconds / floor:.2f}"
        return Row((name, *cost, "-" if size is None else f"{size:.0f}"))

    rows = [
        row(f"W1, {count} CBR sources, 5 ms links", f"w1_{count}", nanoseconds, floors[count])
        for count, nanoseconds in report["w1"].items()
    ]
    rows += [
        row("W1, 15 CBR sources, 5 µs links", "w1_lan", report["w1_lan"], report["floor_lan"]),
        row("W2, 15 TCP over ERICA, 5 ms links", "w2", w2, report["floor_w2"]),
        row("W2, 15 TCP over ERICA, 5 µs links", "w2_lan", w2_lan, report["floor_w2_lan"]),
    ]
    packets = {
        "e1": "E1, 15 paced sources of mixed sizes, 100 Gbit/s",
        "e2": "E2, 15 DCTCP into one port, 10 Gbit/s",
        "e3": "E3, DCTCP permutation of 128 hosts, fat tree",
        "e4": "E4, the same with DCQCN and PFC",
    }
    rows += [
        row(f"{name} (packet-hop)", key, report["packets"][key], report["floor_packets"])
        for key, name in packets.items()
    ]
    titles = "workload", "ns per hop", "floor", "ratio", "bytes per cell"
    show_parts((Table(_columns(*titles), tuple(rows)),))


def show_components(costs: Sequence[Cost]) -> None:
    """Shows the cost of each component, and marks costs above their limits."""
    rows = []
    for cost in costs:
        limit = "-" if cost.limit is None else f"{cost.limit:g}"
        verdict = limit + ("" if cost.limit is None or cost.ratio <= cost.limit else ", exceeded")
        amounts = f"{cost.nanoseconds:.1f}", f"{cost.ratio:.2f}", verdict
        rows.append(Row((cost.name, cost.kind, *amounts)))
    titles = "component", Column("kind"), "ns per cell-hop", "ratio to plain", "limit"
    show_parts((Table(_columns(*titles), tuple(rows)),))


def show_profile(profile: Profile, name: str) -> None:
    """Shows the profile of a run: tasks, settings that save time, counts of what components did."""
    whole = sum(share.seconds for share in profile.shares)
    say(
        f"{name}: {whole:.2f} s of processor time, {profile.hops[0]:,} {profile.hops[1]}, "
        f"digest {profile.digest}"
    )
    shares = [
        Row((share.task, f"{share.seconds:.3f}", f"{100 * share.share:.1f} %", f"{share.times:,}"))
        for share in profile.shares
    ]
    savings = [
        Row((saving.name, f"{saving.seconds:.3f}", _verdict(saving), _as_options(saving)))
        for saving in profile.savings
    ]
    counts = [Row((count.component, count.what, f"{count.number:,}")) for count in profile.counts]
    parts: list[Table | Paragraph] = [
        Table(_columns("task", "s", "of all", "times"), tuple(shares)),
        Paragraph(
            "The times of nodes include TCP, AAL5, ports, control scheme and discard policy; "
            "`cellrate bench --components` measures these components one by one. The time to read "
            f"the clock, {1e9 * profile.reading_seconds:.0f} ns each, is subtracted; with it the "
            f"run took {profile.slowdown:.2f} times as long."
        ),
        Table(
            _columns("run with", "s saved", Column("verdict"), Column("settings")), tuple(savings)
        ),
        Paragraph(
            f"Equal runs differ by {profile.spread_seconds:.3f} s here. All these runs have the "
            "same digest: a run that records less has the same events."
        ),
        Paragraph(on_threads(profile.division)),
        Table(_columns("components", Column("counted"), "times"), tuple(counts)),
    ]
    show_parts(tuple(part for part in parts if not isinstance(part, Table) or part.rows))


def on_threads(division: Division) -> str:
    """A sentence on the number of threads that would make a run faster."""
    if division.threads == 1:
        return f"The run had one thread. More threads would not make it faster: {division.reason}."
    gain = f"With {division.threads} threads the run should be {division.gain:.1f} times as fast"
    if division.by_default:
        return f"This run had one thread. {gain}, and `cellrate run` uses so many by default."
    return f"This run had one thread. {gain}: --threads {division.threads}."


def _verdict(saving: Saving) -> str:
    if not saving.exceeds_spread:
        return "within the spread"
    return "faster" if saving.seconds > 0 else "slower"


def _as_options(saving: Saving) -> str:
    return " ".join(f"--set '{setting}'" for setting in saving.settings)


def _columns(name: str, *others: str | Column) -> tuple[Column, ...]:
    """A column of names, and further columns, which hold numbers if only their title is given."""
    return columns(name, *others, numbers=range(1, len(others) + 1))
