"""Effects of the keys of TCP and of ABR end systems."""

from __future__ import annotations

from cellrate import Result
from key_effects import (
    ACR,
    CELLS,
    FAR,
    FRMS,
    IDLE,
    LOSSY,
    MESSAGES,
    ROOMY,
    THROUGHPUT,
    UBR,
    UNEASY,
    Measure,
    digest,
    per_flow,
    per_vc,
    row,
    total,
)


def cells_per_byte(result: Result) -> float:
    """Cells sent by the sources per byte that TCP sent."""
    sent = sum(
        flow["balance"]["sent_once_bytes"] + flow["balance"]["retransmitted_bytes"]
        for flow in result.summary["flows"]
        if flow["balance"]
    )
    return CELLS(result) / sent  # type: ignore[no-any-return]


def backward(name: str) -> Measure:
    """Sum of a measure over the backward channels; null counts as zero."""
    return lambda result: sum(
        vc[name] or 0.0 for vc in result.summary["vcs"] if vc["name"].endswith("/backward")
    )


def mean_window(result: Result) -> float:
    """Mean congestion window of the first flow."""
    return float(result.series("cwnd", "tcp.1").middle.mean())


def tick_places(result: Result) -> float:
    """Places within a tick of 1 ms at which timers ran out."""
    timeouts = result.events.filter(result.events["kind"] == "timeout")
    return len({round(seconds * 1e12) % 10**9 for seconds in timeouts["time_seconds"]})


FAST = per_flow("fast_retransmits")
TIMEOUTS = total("timeouts")
CUTS = per_vc("missing_brm_cuts")
IDLE_RESETS = per_vc("idle_resets")
OUT_OF_RATE = per_vc("out_of_rate_cells_sent")
ACKNOWLEDGEMENTS = backward("data_cells_sent")
DELAYED = "tcp.delayed_ack=true"
# A source of raw cells over ABR that has little to send.
SLOW_SOURCE = 'flow.tcp.source={ kind = "cbr", rate = "200 kbit/s" }'
# ABR sources whose rates fall to almost nothing.
STARVED = ("abr.rdf=1.0", "abr.rif=0.000030517578125", 'switch.control.threshold="5 cells"')

TCP_KEYS = [
    row("tcp.recovery", '"tahoe"', '"timeout-only"', "falls", FAST, *UBR),
    row(
        "tcp.connection_setup",
        "false",
        "true",
        "falls",
        THROUGHPUT,
        *ROOMY,
        FAR,
        'run.duration="100 ms"',
    ),
    row(
        "tcp.mss",
        '"512 bytes"',
        '"1024 bytes"',
        "falls",
        per_flow("segments_sent"),
        *IDLE,
        'tcp.window="1 KiB"',
    ),
    row("tcp.window", '"512 bytes"', '"1 KiB"', "rises", THROUGHPUT, *IDLE),
    row("tcp.initial_window", "1", "8", "rises", THROUGHPUT, *UBR, 'run.duration="8 ms"'),
    row("tcp.initial_ssthresh", '"1 KiB"', '"64 KiB"', "rises", THROUGHPUT, *ROOMY, FAR),
    row("tcp.granularity", '"1 ms"', '"100 ms"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.clock", '"shared"', '"per-host"', "rises", tick_places, *LOSSY),
    row("tcp.initial_rto", '"10 ms"', '"200 ms"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.min_rto", '"10 ms"', '"150 ms"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.max_rto", '"20 ms"', '"64 s"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.max_backoff", "0", "6", "falls", TIMEOUTS, *LOSSY),
    row(
        "tcp.backoff_of",
        '"estimate"',
        '"timeout"',
        "falls",
        TIMEOUTS,
        *LOSSY,
        'tcp.min_rto="30 ms"',
    ),
    row("tcp.delayed_ack", "false", "true", "falls", ACKNOWLEDGEMENTS, *UBR),
    row("tcp.delayed_ack_interval", '"20 ms"', '"100 ms"', "falls", THROUGHPUT, *IDLE, DELAYED),
    row("tcp.processing_time", '"0 s"', '"5 ms"', "falls", THROUGHPUT, *IDLE),
    row("tcp.processing_variation", '"0 s"', '"5 ms"', "falls", THROUGHPUT, *IDLE),
    row("tcp.restore_snd_nxt", "true", "false", "differs", digest, *UBR, 'tcp.recovery="tahoe"'),
    row("tcp.header_bytes", "40", "100", "rises", cells_per_byte, *UBR),
    row(
        "tcp.net3_increment",
        "false",
        "true",
        "rises",
        THROUGHPUT,
        *ROOMY,
        'tcp.initial_ssthresh="1 KiB"',
        FAR,
    ),
    row("tcp.rtt_excludes_transmission", "false", "true", "differs", digest, *LOSSY),
    row("tcp.limited_transmit", "false", "true", "differs", digest, *UBR, 'tcp.recovery="reno"'),
    row(
        "tcp.connection_close",
        "false",
        "true",
        "differs",
        digest,
        *UBR,
        'flow.tcp.source={kind="transfer", size="20 kB"}',
    ),
    row("tcp.nagle", "false", "true", "differs", digest, *MESSAGES),
    row("tcp.frto", "false", "true", "differs", digest, *LOSSY),
    row("tcp.tso", "", '"8 KiB"', "differs", digest, *UBR, "tcp.pacing=true"),
    row("tcp.pacing", "false", "true", "differs", digest, *UBR),
    row("tcp.timestamps", "false", "true", "rises", cells_per_byte, *UBR),
    row("tcp.idle_restart", "false", "true", "falls", mean_window, *MESSAGES),
]

ABR_KEYS = [
    row("abr.pcr", '"20 Mbit/s"', '"1 Mbit/s"', "falls", THROUGHPUT),
    row("abr.mcr", '"1 bit/s"', '"2 Mbit/s"', "rises", ACR, *STARVED),
    row("abr.icr", '"2 Mbit/s"', '"0.1 Mbit/s"', "falls", THROUGHPUT),
    row("abr.rif", "0.0625", "0.001953125", "falls", ACR),
    row("abr.rdf", "0.0625", "0.5", "falls", ACR),
    row("abr.nrm", "32", "8", "rises", FRMS),
    row("abr.mrm", "2", "30", "falls", FRMS, SLOW_SOURCE, "run.strict=false", 'abr.trm="12.5 ms"'),
    row("abr.trm", '"100 ms"', '"12.5 ms"', "rises", FRMS, SLOW_SOURCE),
    row("abr.crm", "32", "1", "rises", CUTS),
    row("abr.crm_rounding", '"up"', '"down"', "rises", CUTS, 'abr.tbe="63 cells"'),
    row("abr.tbe", '"1000000 cells"', '"32 cells"', "rises", CUTS),
    row("abr.cdf", "0.0625", "0.5", "falls", ACR, "abr.crm=1"),
    row("abr.adtf", '"0.5 s"', '"0.01 s"', "rises", IDLE_RESETS, SLOW_SOURCE, 'abr.icr="1 Mbit/s"'),
    row("abr.tcr", '"4240 bit/s"', '"42400 bit/s"', "rises", OUT_OF_RATE, *STARVED),
    row("abr.apply_tbe_icr_cap", "false", "true", "falls", ACR, 'abr.tbe="10 cells"'),
    row("abr.out_of_rate", '"below-tcr"', '"never"', "falls", OUT_OF_RATE, *STARVED),
    row("abr.frm_needs_data", "false", "true", "falls", FRMS, *UNEASY),
    row("abr.quantise_rates", "false", "true", "differs", digest),
    row("abr.use_it_or_lose_it", '"19 Mbit/s"', '"0.1 Mbit/s"', "falls", ACR),
    row("abr.excess_factor", "", "3.0", "rises", CELLS, 'abr.icr="1 Mbit/s"', 'abr.pcr="1 Mbit/s"'),
    row("abr.reset_saved_efci", "true", "false", "differs", digest, *STARVED),
]
