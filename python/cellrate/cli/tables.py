"""Text that commands show on standard output without --json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Column, Paragraph, Row, Table, columns
from cellrate.common.terminal import say, show_parts, width

if TYPE_CHECKING:
    from cellrate.simulation.component_bench import Cost
    from cellrate.simulation.profile import Division, Profile, Saving

# On a terminal, descriptions stand below names that are longer.
MOST_NAME = 30


def duration(seconds: float) -> str:
    """A span of time for people.

    >>> duration(0.25), duration(90), duration(7300)
    ('0.2 s', '1 min 30 s', '2 h 2 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count: float) -> str:
    """A number of bytes as text, in a unit that fits its size."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.0f} TB"


def show_names(entries: Sequence[dict[str, str]], indent: str = "") -> None:
    """Lists names with a description and, in brackets, its source."""
    longest = max((len(entry["name"]) for entry in entries), default=0)
    room = width()
    apart = room is not None and longest > MOST_NAME
    for entry in entries:
        source = f" [{entry['source']}]" if entry["source"] else ""
        about = f"{entry['about']}{source}".rstrip()
        if apart:
            say(f"{indent}{entry['name']}")
            say(f"{indent}    {about}", hanging=0)
        else:
            say(f"{indent}{entry['name']:<{longest}}  {about}".rstrip(), hanging=longest + 2)


def show_registry(registry: Mapping[str, Sequence[dict[str, str]]]) -> None:
    """Lists all components that a scenario can name, kind by kind."""
    for kind, entries in registry.items():
        say(f"{kind}:")
        show_names(entries, "  ")


def show_run(overview: Mapping[str, Any], name: str) -> None:
    """Shows a run: its size and digest, its flows, its ports, and totals.

    Args:
        overview: The run at a glance, see `cellrate.simulation.at_a_glance`.
        name: Name of the scenario.
    """
    hops, wall = overview["cell_hops"], overview["wall_seconds"]
    pace = f", {1e9 * wall / hops:.0f} ns each" if hops else ""
    say(
        f"{name}: {overview['simulated_seconds']:g} s simulated in {wall:.2f} s, "
        f"{hops:,} cell-hops{pace}, seed {overview['seed']}, digest {overview['digest']}"
    )
    totals = Paragraph(_totals(overview["totals"]))
    ports = _ports(overview["ports"], overview["other_queues"])
    show_parts((_flows(overview["flows"]), ports, totals))


def _flows(flows: Sequence[dict[str, Any]]) -> Table:
    titles = (
        "flow",
        Column("class"),
        "goodput\nMbit/s",
        "TCP\nMbit/s",
        "efficiency",
        "packets\nlost",
        "segments\nsent again",
        "timeouts",
        "rate-\nlimited",
        "window-\nlimited",
    )
    rows = (
        Row(
            (
                flow["name"] if members is None else f"{flow['name']} ({members}, mean)",
                flow["service"],
                _number(flow["goodput_bits_per_second"], 1e-6, 3),
                _number(flow["tcp_throughput_bits_per_second"], 1e-6, 3),
                _number(flow["efficiency"], 1.0, 3),
                f"{flow['packets_lost']:,}",
                f"{flow['segments_retransmitted']:,}",
                f"{flow['timeouts']:,}",
                _number(flow["rate_limited_share"], 1.0, 2),
                _number(flow["window_limited_share"], 1.0, 2),
            )
        )
        for flow in flows
        for members in [flow["members"]]
    )
    return Table(_columns(*titles), tuple(rows))


def _ports(ports: Sequence[dict[str, Any]], others: int) -> Table:
    titles = (
        "port",
        Column("classes"),
        "utilisation",
        "queue mean",
        "queue max",
        "max of run",
        "lost cells",
        Column("control"),
    )
    rows = (
        Row(
            (
                port["name"],
                " ".join(queue["classes"]),
                f"{port['utilisation']:.3f}",
                f"{queue['queue_mean_cells']:.1f}",
                f"{queue['queue_max_cells']:,}",
                f"{queue['queue_max_of_run_cells']:,}",
                f"{queue['cells_dropped']:,}",
                port["control"]["scheme"],
            )
        )
        for port in ports
        for queue in port["queues"]
    )
    more = "queues, none of them longer in the run"
    return Table(_columns(*titles), tuple(rows), more=more, others=others)


def _totals(totals: dict[str, Any]) -> str:
    fairness = totals["jain_index"]
    return (
        f"TCP throughput {totals['tcp_throughput_bits_per_second'] / 1e6:.3f} Mbit/s, "
        f"cell loss ratio {totals['cell_loss_ratio']:.3g}, "
        f"packets lost {totals['packets_lost']:,}, timeouts {totals['timeouts']:,}, "
        f"Jain's index {'-' if fairness is None else f'{fairness:.4f}'}"
    )


def _columns(name: str, *others: str | Column) -> tuple[Column, ...]:
    """A column of names and others behind it, of numbers where only the title is given."""
    return columns(name, *others, numbers=range(1, len(others) + 1))


def _number(value: float | None, factor: float, digits: int) -> str:
    return "-" if value is None else f"{value * factor:.{digits}f}"


def show_bench(report: dict[str, Any]) -> None:
    """Shows the bench: ns per cell-hop of each workload, and the ratio to its bare loop."""
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
    titles = "workload", "ns per cell-hop", "floor", "ratio", "bytes per cell"
    show_parts((Table(_columns(*titles), tuple(rows)),))


def show_components(costs: Sequence[Cost]) -> None:
    """Shows the cost of each component, and marks costs above their limits."""
    rows = []
    for cost in costs:
        limit = "-" if cost.limit is None else f"{cost.limit:g}"
        verdict = limit + ("" if cost.limit is None or cost.ratio <= cost.limit else ", exceeded")
        amounts = f"{cost.nanoseconds:.1f}", f"{cost.ratio:.2f}", verdict
        rows.append(Row((cost.name, cost.kind, *amounts)))
    titles = "component", Column("kind"), "ns per cell-hop", "of the plain one", "at most"
    show_parts((Table(_columns(*titles), tuple(rows)),))


def show_profile(profile: Profile, name: str) -> None:
    """Shows the profile of a run: its tasks, what would make it faster, counts of components."""
    whole = sum(one.seconds for one in profile.shares)
    say(
        f"{name}: {whole:.2f} s of processor time, {profile.cell_hops:,} cell-hops, "
        f"digest {profile.digest}"
    )
    shares = [
        Row((one.task, f"{one.seconds:.3f}", f"{100 * one.share:.1f} %", f"{one.times:,}"))
        for one in profile.shares
    ]
    savings = [
        Row((saving.name, f"{saving.seconds:.3f}", _verdict(saving), _as_options(saving)))
        for saving in profile.savings
    ]
    counts = [Row((one.component, one.what, f"{one.number:,}")) for one in profile.counts]
    parts: list[Table | Paragraph] = [
        Table(_columns("task", "s", "of all", "times"), tuple(shares)),
        Paragraph(
            "For nodes, times are turns, whose parts (TCP, AAL5, ports, control scheme, discard "
            "policy) are not told apart; `cellrate bench --components` compares components in a "
            f"network of its own. Reading the clock, {1e9 * profile.reading_seconds:.0f} ns each "
            f"time, is taken off; with it the run took {profile.slowdown:.2f} times as long."
        ),
        Table(
            _columns("run with", "s saved", Column("verdict"), Column("settings")), tuple(savings)
        ),
        Paragraph(
            f"Equal runs differ by {profile.spread_seconds:.3f} s here. All of these runs have the "
            "same digest: recording less changes no result of the network."
        ),
        Paragraph(on_threads(profile.division)),
        Table(_columns("components", Column("what they did"), "times"), tuple(counts)),
    ]
    show_parts(tuple(part for part in parts if not isinstance(part, Table) or part.rows))


def on_threads(division: Division) -> str:
    """A sentence on the threads that would make a run faster."""
    if division.threads == 1:
        return f"All of this is in one thread, and more would not pay: {division.reason}."
    gain = f"in {division.threads} threads it is {division.gain:.1f} times as fast, as estimated"
    if division.by_default:
        return (
            f"All of this is in one thread; {gain}, and so it is run unless --threads says other."
        )
    return f"All of this is in one thread; {gain}: --threads {division.threads}."


def _verdict(saving: Saving) -> str:
    if not saving.exceeds_spread:
        return "within the spread"
    return "faster" if saving.seconds > 0 else "slower"


def _as_options(saving: Saving) -> str:
    return " ".join(f"--set '{setting}'" for setting in saving.settings)
