"""Effects of the keys of the discard policies."""

from __future__ import annotations

from key_effects import LOSSY, UBR, Effect, Measure, digest, queue, row

LONGEST = queue("queue_max_cells")
MEAN_QUEUE = queue("queue_mean_cells")


def effect(
    policy: str,
    key: str,
    first: str,
    second: str,
    relation: str,
    measure: Measure,
    *context: str,
) -> Effect:
    """An effect of a parameter of a policy."""
    chosen = f'switch.discard={{ policy = "{policy}" }}'
    return row(f"switch.discard.{key}", first, second, relation, measure, chosen, *context)


# Connections enough to fill more than a threshold.
CROWDED = (*UBR, "flow.tcp.count=5")
LOW = (*CROWDED, 'switch.discard.threshold="30 cells"')
# Room for no more than the end of a PDU that the threshold has let in.
FULL = (*CROWDED, 'switch.buffer="101 cells"', 'switch.discard.threshold="100 cells"')

# Two connections whose frames beyond 1 Mbit/s are tagged.
TAGGED = (
    *UBR,
    (
        'flow.tcp.gfr={ pcr = "20 Mbit/s", cdvt = "1 ms", mcr = "1 Mbit/s", mbs = "50 cells",'
        ' mfs = "12 cells" }'
    ),
)
LOW_DFBA = (*CROWDED, 'switch.discard.low="30 cells"')

DISCARD_KEYS = [
    effect("ppd", "forward_end", "true", "false", "differs", digest, *LOSSY),
    effect("epd", "forward_end", "true", "false", "differs", digest, *FULL),
    effect("epd", "threshold", "", '"30 cells"', "falls", LONGEST, *UBR),
    effect("epd", "threshold", '"150 cells"', '"30 cells"', "falls", LONGEST, *UBR),
    effect(
        "intelligent-tail-drop", "margin", '"20 cells"', '"100 cells"', "falls", MEAN_QUEUE, *UBR
    ),
    effect(
        "selective-drop",
        "threshold",
        '"30 cells"',
        '"120 cells"',
        "rises",
        MEAN_QUEUE,
        *CROWDED,
    ),
    effect("selective-drop", "z", "2.0", "0.2", "falls", MEAN_QUEUE, *LOW),
    effect(
        "fair-buffer-allocation",
        "threshold",
        '"30 cells"',
        '"120 cells"',
        "rises",
        MEAN_QUEUE,
        *CROWDED,
    ),
    effect("fair-buffer-allocation", "z", "2.0", "0.2", "falls", MEAN_QUEUE, *LOW),
    effect("double-epd", "forward_end", "true", "false", "differs", digest, *FULL),
    effect("double-epd", "threshold", "", '"30 cells"', "falls", LONGEST, *UBR),
    effect("double-epd", "threshold", '"150 cells"', '"30 cells"', "falls", LONGEST, *UBR),
    effect("double-epd", "tagged_threshold", '"90 cells"', '"10 cells"', "falls", LONGEST, *TAGGED),
    effect("dfba", "low", '"100 cells"', '"20 cells"', "falls", MEAN_QUEUE, *CROWDED),
    effect("dfba", "high", '"190 cells"', '"60 cells"', "falls", LONGEST, *LOW_DFBA),
    effect("dfba", "z", "0.0", "1.0", "falls", MEAN_QUEUE, *LOW_DFBA),
    effect("dfba", "alpha", "0.0", "1.0", "differs", digest, *LOW_DFBA),
]
