"""Sizes the buffer of a port over Ethernet: runs without and with a buffer limit, and formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from cellrate import _core
from cellrate.advice.formulas.frame_bounds import FrameBounds, outstanding_packets
from cellrate.advice.formulas.frame_delay import buffer_for_delay, least_service_bits_per_second
from cellrate.advice.formulas.frame_growth import certain_growth
from cellrate.advice.formulas.growth import LONGER
from cellrate.advice.sizing.confidence import CONFIDENCE, covered, upper_mean
from cellrate.advice.sizing.endless import EndlessGrowth, watched
from cellrate.advice.sizing.lossless import LosslessAnswer, size_lossless
from cellrate.advice.sizing.question import (
    Measured,
    Question,
    SizingError,
    measure,
    whole_run,
)
from cellrate.advice.sizing.search import least
from cellrate.common.document import Column, Document, Paragraph, Row, Section, Shown, Table
from cellrate.common.numbers import counted, number, seconds
from cellrate.common.to_json import to_json
from cellrate.simulation.network.ethernet_view import (
    GAP_BYTES,
    PREAMBLE_BYTES,
    FrameNetwork,
    Line,
)
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job

NO_LIMIT_BYTES = 10**15
AROUND_BYTES = PREAMBLE_BYTES + GAP_BYTES
# Greatest ratio of round trips that count as equal.
SAME = 1.1
# Least number of flows whose windows count as independent.
MANY = 100


@dataclass(frozen=True)
class PacketRun:
    """Results of one run at one port.

    Attributes:
        seed: Seed of the run.
        longest_queue_bytes: Greatest length of the longest queue of the port.
        loss_ratio: Packets dropped per packet that arrived.
        packets_dropped: Packets dropped.
        packets_dropped_elsewhere: Packets dropped at other ports.
        tcp_bits_per_second: TCP throughput of the whole run.
        packets_trimmed: Packets trimmed to their headers.
        packets_trimmed_elsewhere: Packets trimmed at other ports.
    """

    seed: int
    longest_queue_bytes: int
    loss_ratio: float
    packets_dropped: int
    packets_dropped_elsewhere: int
    tcp_bits_per_second: float
    packets_trimmed: int = 0
    packets_trimmed_elsewhere: int = 0

    @classmethod
    def of(cls, run: Measured, port: str) -> PacketRun:
        """The results of a run at one port."""
        dropped, trimmed = (
            {
                one["name"]: sum(queue[key] or 0 for queue in one["queues"])
                for one in run.summary["ports"]
            }
            for key in ("packets_dropped", "packets_trimmed")
        )
        [found] = (one for one in run.summary["ports"] if one["name"] == port)
        return cls(
            run.seed,
            run.longest_queues()[port],
            float(found["packet_loss_ratio"]),
            dropped[port],
            sum(dropped.values()) - dropped[port],
            float(run.summary["totals"]["tcp_throughput_bits_per_second"]),
            trimmed[port],
            sum(trimmed.values()) - trimmed[port],
        )


@dataclass(frozen=True)
class PacketFormula:
    """Result of a formula for a buffer, with the assumptions that fail.

    Attributes:
        name: Name of the formula.
        computes: What the buffer achieves, such as no loss or a full link.
        source: Publication of the formula.
        buffer_bytes: Result of the formula.
        fails: Assumptions of the formula that do not hold.
        seed: Seed whose flows give this result, the greatest of all seeds; None if all seeds give
            the same.
    """

    name: str
    computes: str
    source: str
    buffer_bytes: float
    fails: tuple[str, ...]
    seed: int | None = None

    @property
    def label(self) -> str:
        """Name of the formula, and the seed of its flows."""
        return self.name if self.seed is None else f"{self.name} (flows of seed {self.seed})"


@dataclass(frozen=True)
class PacketAnswer(Shown):
    """Result of sizing the buffer of a port over Ethernet.

    Attributes:
        question: The question that was asked.
        port: Name of the port.
        bits_per_second: Rate of the port's line.
        frame_bytes: The longest data frame that crosses the port.
        own_bytes: The scenario's own buffer; infinity without one.
        formulas: Results of the formulas.
        unlimited: The runs without a limit.
        buffer_bytes: The buffer; None if none meets the target.
        each_bytes: Least lossless buffer of each seed; empty for a loss or delay target.
        runs: The runs with the buffer.
        remarks: Further remarks.
        trims: True if the port trims packets for which its buffer has no room. Then the least
            lossless buffer is the one that trims no packet.
        own_runs: The runs with the scenario's own buffers; empty unless the port trims packets.
        endless: Growth of the queue, if it grows without end; else None.
    """

    question: Question
    port: str
    bits_per_second: float
    frame_bytes: int
    own_bytes: float
    formulas: tuple[PacketFormula, ...]
    unlimited: tuple[PacketRun, ...]
    buffer_bytes: int | None = None
    each_bytes: tuple[int, ...] = ()
    runs: tuple[PacketRun, ...] = ()
    remarks: tuple[str, ...] = ()
    trims: bool = False
    own_runs: tuple[PacketRun, ...] = ()
    endless: EndlessGrowth | None = None

    def __repr__(self) -> str:
        found = "no buffer" if self.buffer_bytes is None else f"{self.buffer_bytes:,} bytes"
        return f"<buffer of {self.port} in {self.question.path}: {found}>"

    def document(self) -> Document:
        """The buffer and the formulas beside it as a document."""
        question = self.question
        target = "no packet trimmed" if self.trims else "no loss"
        if question.delay_seconds is not None:
            target = f"a queueing delay of at most {seconds(question.delay_seconds)}"
        elif question.loss_ratio > 0:
            target = f"a mean packet loss ratio of at most {question.loss_ratio:.3g}"
        formulas = [
            Row((one.label, f"{one.buffer_bytes:,.0f}", self._share(one), one.computes, one.source))
            for one in self.formulas
            if not one.fails
        ]
        heads = (
            *(Column("formula"), Column("bytes", "right"), Column("ratio to\nmeasured", "right")),
            *(Column("computes", optional=True), Column("source", optional=True)),
        )
        others = (
            Paragraph(
                f"{one.label} does not apply: it assumes that {'; that '.join(one.fails)}. Applied "
                f"all the same, it gives {one.buffer_bytes:,.0f} bytes.",
                "faint",
            )
            for one in self.formulas
            if one.fails
        )
        section = Section(
            "Formulas beside the measurement", (Table(heads, tuple(formulas)), *others)
        )
        title = f"Buffer of {self.port} for {target}"
        return Document(title, (*map(Paragraph, self.words()), section))

    def _share(self, formula: PacketFormula) -> str:
        return f"{formula.buffer_bytes / self.buffer_bytes:.2f}" if self.buffer_bytes else "-"

    @property
    def upper_loss_ratio(self) -> float | None:
        """One-sided 95 % bound of the mean packet loss ratio; None if all runs lose alike."""
        return upper_mean([run.loss_ratio for run in self.runs])

    def words(self) -> Iterator[str]:
        """The result in sentences."""
        if self.endless is not None:
            yield from self.endless.words(self.port, "bytes", "packets")
        runs = counted(len(self.runs), "run")
        if self.buffer_bytes is not None:
            drain = self.buffer_bytes * (1 + AROUND_BYTES / self.frame_bytes)
            yield (
                f"Buffer: {self.buffer_bytes:,} bytes in each queue; in frames of "
                f"{self.frame_bytes:,} bytes, with preambles and gaps, the line sends them in "
                f"{seconds(8 * drain / self.bits_per_second)}."
            )
            loss = fmean(run.loss_ratio for run in self.runs)
            cut = fmean(run.packets_trimmed for run in self.runs)
            none = "no packet is trimmed or lost" if self.trims and not cut else "no packet is lost"
            lost = f"the mean packet loss ratio is {loss:.3g}" if loss else none
            lost += f", and {number(cut)} packets are trimmed in a run," if cut else ""
            bound = self.upper_loss_ratio
            most = (
                "" if bound is None else f", at most {bound:.3g} with {CONFIDENCE:.0%} confidence"
            )
            yield f"With this buffer {lost} at the port in {runs}{most}."
        if len(set(self.each_bytes)) > 1:
            yield covered(len(self.each_bytes))
        elif len(self.each_bytes) > 1:
            yield f"All {len(self.each_bytes)} seeds need this buffer."
        if self.buffer_bytes is not None and math.isfinite(self.own_bytes):
            more = self.own_bytes - self.buffer_bytes
            few = "fewer than without trimming" if self.trims else "too few"
            told = f"{more:,.0f} more than needed" if more >= 0 else f"{-more:,.0f} {few}"
            yield f"The buffer in the scenario has {self.own_bytes:,.0f} bytes, {told}."
        yield from self._trimming()
        yield from self.remarks

    def _trimming(self) -> Iterator[str]:
        """Sentences on packets that the scenario's own buffers trim and drop."""
        if not self.own_runs:
            return
        runs = counted(len(self.own_runs), "run")
        cut = max(run.packets_trimmed + run.packets_trimmed_elsewhere for run in self.own_runs)
        lost = max(run.packets_dropped + run.packets_dropped_elsewhere for run in self.own_runs)
        dropped = f"drop up to {counted(lost, 'packet')} in a run" if lost else "drop no packet"
        yield (
            "Switches trim a packet of RoCE to its header where the buffer has no room, and the "
            "receiver asks for it again, so a trimmed packet is not lost. The scenario's own "
            f"buffers {dropped}, and trim up to {counted(cut, 'packet')} in a run ({runs})."
        )

    def as_json(self) -> dict[str, Any]:
        """The output of `cellrate size-buffer --json`."""
        question = self.question
        return {
            "scenario": question.path,
            "settings": list(question.overrides),
            "target": {"loss_ratio": question.loss_ratio, "delay_seconds": question.delay_seconds},
            **to_json(self, without=("question", "endless")),
            "grows_without_end": self.endless and self.endless.as_json("bytes"),
            "confidence": CONFIDENCE,
            "upper_mean_loss_ratio": self.upper_loss_ratio,
            "words": list(self.words()),
        }


def size_port(question: Question, runner: Runner) -> PacketAnswer | LosslessAnswer:
    """Finds the buffer of each queue of a port over Ethernet; under PFC or CBFC, of each link.

    Until a queue first exceeds a buffer, runs with and without this limit are the same. So the
    least lossless buffer is the longest queue, and runs with the buffer confirm it.

    Raises:
        SizingError: The question has no answer.
    """
    scenario = question.scenario
    network = FrameNetwork.of_scenario(scenario)
    if question.credit_cells is not None:
        raise SizingError("--credit-cells has no meaning over Ethernet, where credits count bytes")
    if network.lossless is not None:
        return size_lossless(question, _networks(question, network), runner)
    _require_one_limit(network)
    networks = _networks(question, network)
    crossed = _crossed(question, networks)
    buffers = _Buffers(question, network, scenario)
    certain = _certainly_endless(question, networks, crossed)
    if certain is not None:
        return certain
    unlimited = buffers.unlimited(question.seeds, 1, runner)
    each = [run.longest_queues() for run in unlimited]
    # Patterns draw flows by the seed, so that ports have data in some runs alone.
    lengths = {name: max(longest.get(name, 0) for longest in each) for name in crossed}
    port = crossed[question.port or max(lengths, key=lengths.__getitem__)]
    at_port = tuple(PacketRun.of(run, port.name) for run in unlimited)
    answer = replace(_blank(question, networks, port), unlimited=at_port)
    if answer.trims and question.loss_ratio == 0.0 and question.delay_seconds is None:
        own = tuple(PacketRun.of(run, port.name) for run in buffers.runs(None, runner))
        answer = replace(answer, own_runs=own)
    longer = [name for name, octets in lengths.items() if octets > lengths[port.name]]
    if longer:
        answer = _remarked(answer, f"queues are longer at {', '.join(longer)}")
    worst = max(unlimited, key=lambda run: run.longest_queues().get(port.name, 0))
    answer = _watched_longer(answer, worst, buffers, runner)
    if answer.endless is not None:
        if question.loss_ratio == 0.0 and question.delay_seconds is None:
            return answer
        answer = _remarked(replace(answer, endless=None), answer.endless.remark("bytes"))

    def runs_with(octets: int) -> tuple[PacketRun, ...]:
        return tuple(PacketRun.of(run, port.name) for run in buffers.runs(octets, runner))

    return _with_elsewhere(_sized(answer, networks, port, runs_with))


def _crossed(question: Question, networks: Sequence[FrameNetwork]) -> dict[str, Line]:
    """The ports that data cross, by name.

    Raises:
        SizingError: No data cross a port, or none the port of the question.
    """
    flows = (flow for network in networks for flow in network.flows)
    crossed = {line.name: line for flow in flows for line in flow.lines if line.switch}
    if not crossed:
        raise SizingError("no flow crosses a switch: there is no output port with a buffer")
    if question.port is not None and question.port not in crossed:
        raise SizingError(
            f"no data cross a port {question.port!r}; they cross {', '.join(crossed)}"
        )
    return crossed


def _blank(question: Question, networks: Sequence[FrameNetwork], port: Line) -> PacketAnswer:
    """The answer for a port without any run."""
    return PacketAnswer(
        question,
        port.name,
        port.bits_per_second,
        max(flow.frame_bytes for one, line in _at(networks, port.name) for flow in one.over[line]),
        port.buffer_bytes,
        tuple(_formulas(networks, port.name)),
        (),
        trims=port.switch is not None and port.switch["trim_priority"] is not None,
    )


def _remarked(answer: PacketAnswer, *remarks: str) -> PacketAnswer:
    """The answer with more remarks, which become sentences."""
    told = (f"{remark[0].upper()}{remark[1:]}." for remark in remarks)
    return replace(answer, remarks=(*answer.remarks, *told))


def _certainly_endless(
    question: Question, networks: Sequence[FrameNetwork], crossed: Mapping[str, Line]
) -> PacketAnswer | None:
    """The answer without a run, if data that nothing slows down exceed a line by the target's loss.

    None if such an excess is not certain, or the target allows so much loss.
    """
    if question.delay_seconds is not None or len(networks) > 1 or networks[0].changes:
        return None
    ports = [line for name, line in crossed.items() if question.port in (None, name)]
    growths = [(growth, port) for port in ports if (growth := certain_growth(networks[0], port))]
    if not growths:
        return None
    growth, port = max(growths, key=lambda one: one[0].bytes_per_second)
    if question.loss_ratio > (growth.loss_ratio or 0.0):
        return None
    endless = EndlessGrowth(growth.bytes_per_second, None, least_loss_ratio=growth.loss_ratio)
    return replace(_blank(question, networks, port), endless=endless)


def _watched_longer(
    answer: PacketAnswer, worst: Measured, buffers: _Buffers, runner: Runner
) -> PacketAnswer:
    """Adds the growth of the queue if it is without end, or a remark on a run that is too short."""

    def longer() -> Measured:
        [run] = buffers.unlimited([worst.seed], LONGER, runner)
        return run

    found = watched(worst, answer.port, longer, "bytes")
    answer = _remarked(answer, *found.remarks)
    if found.growth is None:
        return answer
    windows = (one.buffer_bytes for one in answer.formulas if one.name == "window-sum")
    return replace(answer, endless=EndlessGrowth.of(found.growth, next(windows, None)))


def _networks(question: Question, network: FrameNetwork) -> tuple[FrameNetwork, ...]:
    """The network of each seed if patterns draw flows; otherwise the scenario's network alone."""
    if "pattern" not in question.scenario.resolved():
        return (network,)
    drawn = (Job(question.text, question.path, question.overrides, one) for one in question.seeds)
    return tuple(FrameNetwork.of_scenario(job.scenario()) for job in drawn)


def _at(networks: Sequence[FrameNetwork], port: str) -> Iterator[tuple[FrameNetwork, Line]]:
    """The networks in which data cross a port, each with the line of the port."""
    for network in networks:
        [line] = (one for one in network.lines if one.name == port)
        if network.over[line]:
            yield network, line


def _require_one_limit(network: FrameNetwork) -> None:
    """Checks that nothing but one buffer limits queues.

    Raises:
        SizingError: `fcvc`, `switch.memory` or a change during the run affects queues.
    """
    if network.credit is not None:
        raise SizingError("`fcvc` determines every buffer; leave `fcvc` out to size a buffer")
    for line in network.ports:
        if line.switch is not None and line.switch["memory"] is not None:
            raise SizingError(
                "`switch.memory` limits queues, too; leave `switch.memory` out to size a buffer"
            )
    nodes = (f"topology.node.{name}.buffer" for name in network.nodes)
    changes = network.change_of("switch.buffer", *nodes)
    if changes is not None:
        raise SizingError(f"{changes} during the run: size-buffer finds one buffer for all of it")


def _sized(
    answer: PacketAnswer,
    networks: Sequence[FrameNetwork],
    port: Line,
    runs_with: Callable[[int], tuple[PacketRun, ...]],
) -> PacketAnswer:
    question = answer.question
    if question.delay_seconds is not None:
        there = [*_at(networks, port.name)]
        delay = question.delay_seconds
        octets = min(_for_delay(network, line, delay) for network, line in there)
        remarks = dict.fromkeys(text for one in there for text in _of_delay(*one))
        answer = replace(answer, remarks=(*answer.remarks, *remarks))
        return replace(answer, buffer_bytes=octets, runs=runs_with(octets))
    lost = [run.loss_ratio for run in answer.unlimited]
    if not _keeps(question.loss_ratio, lost):
        remark = (
            "no buffer meets the target: active queue management drops packets even with an "
            "unlimited buffer"
        )
        return _remarked(answer, remark)
    # Every port has to hold the longest frame.
    frame = max(flow.frame_bytes for one in networks for flow in one.flows)
    each = tuple(max(frame, run.longest_queue_bytes) for run in answer.unlimited)
    if question.loss_ratio == 0.0:
        runs = runs_with(max(each))
        return replace(answer, buffer_bytes=max(each), each_bytes=each, runs=runs)

    def holds(octets: int) -> bool:
        return _keeps(question.loss_ratio, [run.loss_ratio for run in runs_with(octets)])

    found = least(holds, frame, max(each)).cells
    return replace(answer, buffer_bytes=found, runs=runs_with(found))


def _for_delay(network: FrameNetwork, port: Line, delay_seconds: float) -> int:
    """The greatest buffer from which each frame leaves within a delay.

    Raises:
        SizingError: A single frame already takes longer than the delay, or no delay is certain
            beside other queues.
    """
    rate = least_service_bits_per_second(network, port)
    if rate is None:
        raise SizingError(
            f"queues take turns at {port.name}, and no formula here bounds their delay"
        )
    if rate <= 0:
        raise SizingError(
            f"frames of higher priority can use the whole line {port.name}: the delay of other "
            "frames has no bound"
        )
    octets = buffer_for_delay(network, port, delay_seconds, rate)
    longest = max(flow.frame_bytes for flow in network.over[port])
    if octets < longest:
        alone = port.seconds(PREAMBLE_BYTES + longest)
        raise SizingError(
            f"a delay of {delay_seconds:g} s is too short for a buffer of {longest:,} bytes, which "
            f"a full frame needs; a frame alone takes {alone:.3g} s at {port.name}"
        )
    return octets


def _of_delay(network: FrameNetwork, port: Line) -> Iterator[str]:
    """Sentences on what the delay includes, and on frames that wait longer."""
    yield (
        f"The delay spans the time from a frame's last bit at {port.name} until this bit leaves, "
        "with preambles and gaps of the frames that fill the queue in the greatest number. The "
        "lines and other ports of its path are not part of it."
    )
    if len({network.queue(flow.priority) for flow in network.over[port]}) > 1:
        yield (
            "The delay is that of the queue served last. Its frames wait longer while queues of "
            "higher priority send above their mean rate."
        )


def _keeps(loss_ratio: float, losses: Sequence[float]) -> bool:
    """True if the loss stays within the target.

    With several seeds the upper confidence bound of the loss must stay within the target.
    """
    bound = upper_mean(losses)
    return (losses[0] if bound is None else bound) <= loss_ratio


def _with_elsewhere(answer: PacketAnswer) -> PacketAnswer:
    lost = max((run.packets_dropped_elsewhere for run in answer.runs), default=0)
    if not lost:
        return answer
    lose = f"lose up to {counted(lost, 'packet')} in a run"
    return _remarked(answer, f"other ports have the same buffer, and {lose}")


@dataclass(frozen=True)
class _Buffers:
    """Runs with the same buffer at all ports, measured from their start."""

    question: Question
    network: FrameNetwork
    scenario: _core.Scenario

    def unlimited(self, seeds: Iterable[int], times: int, runner: Runner) -> list[Measured]:
        """Results of runs without limits, with traces, `times` as long as the scenario's."""
        return measure([self._job(seed, NO_LIMIT_BYTES, times) for seed in seeds], runner)

    def runs(self, octets: int | None, runner: Runner) -> list[Measured]:
        """Results of a run for each seed, with a buffer of `octets`; None for the own buffers."""
        jobs = (self._job(seed, octets, traced=False) for seed in self.question.seeds)
        return measure(list(jobs), runner)

    def _job(self, seed: int, octets: int | None, times: int = 1, *, traced: bool = True) -> Job:
        """A run that is measured from its start, `times` as long as the scenario's."""
        nodes = (line.sender for line in self.network.ports)
        topology = self.scenario.resolved().partition("[topology]")[2]
        graph = 'template = "graph"' in topology.partition("\n[")[0]
        own = (f'topology.node."{name}".buffer' for name in dict.fromkeys(nodes)) if graph else ()
        duration = round(self.network.duration_seconds * 1e12) * times
        settings = (
            *(f'{path}="{octets} bytes"' for path in ("switch.buffer", *own) if octets is not None),
            *whole_run(duration),
            *(() if traced else ("measure.traces=[]",)),
        )
        question = self.question
        return Job(question.text, question.path, (*question.overrides, *settings), seed)


def _formulas(networks: Sequence[FrameNetwork], port: str) -> Iterator[PacketFormula]:
    """The formulas for the buffer of a port, each for the seed whose flows give the largest."""
    found: dict[str, list[PacketFormula]] = {}
    for network, line in _at(networks, port):
        for one in _formulas_of(network, line):
            found.setdefault(one.name, []).append(replace(one, seed=network.seed))
    for results in found.values():
        is_same = len({(one.buffer_bytes, one.fails) for one in results}) == 1
        most = max(results, key=lambda one: one.buffer_bytes)
        yield replace(most, seed=None) if is_same else most


def _formulas_of(network: FrameNetwork, port: Line) -> Iterator[PacketFormula]:
    """The formulas for the buffer of a port, each with the assumptions that fail."""
    flows = network.over[port]
    bounds, count = FrameBounds(network), len(flows)
    trips = [flow.least_round_trip_seconds for flow in flows if flow.tcp is not None]
    held = sum(outstanding_packets(flow) * flow.frame_bytes for flow in flows)
    if math.isfinite(held):
        early = (
            ()
            if bounds.sends_once
            else ("no retransmission timer expires while an acknowledgement is still on its way",)
        )
        yield PacketFormula(
            "window-sum", "no loss", "the windows of all flows wait at the port", held, early
        )
    if not trips:
        return
    path = port.bits_per_second * max(trips) / 8
    greedy = all(flow.kind == "greedy" for flow in flows)
    equal = max(trips) <= SAME * min(trips)
    endless = {
        "all flows run over TCP and have data without end": greedy,
        "all flows have the same round trip": equal,
        "each flow takes one path": not any(flow.is_sprayed for flow in flows),
        "losses halve the windows, without marks": all(
            flow.recovery in {"tahoe", "reno", "newreno", "sack"} for flow in flows
        ),
    }
    yield PacketFormula(
        "bandwidth-delay",
        "a line that is never idle",
        "Villamizar and Song 1994",
        path,
        _failing(endless | {"all windows are halved at once, or there is one flow": count < MANY}),
    )
    yield PacketFormula(
        "bandwidth-delay / sqrt(n)",
        "a line that is hardly ever idle",
        "Appenzeller, Keslassy and McKeown 2004",
        path / math.sqrt(count),
        _failing(
            endless | {f"there are {MANY} flows or more, at independent times": count >= MANY}
        ),
    )


def _failing(assumed: Mapping[str, bool]) -> tuple[str, ...]:
    return tuple(text for text, holds in assumed.items() if not holds)
