"""Effects of the keys of the further control schemes."""

from __future__ import annotations

from key_effects import ACR, GRAPH, PAIR, THROUGHPUT, UNEASY, Effect, Measure, digest, queue

MEAN_QUEUE = queue("queue_mean_cells")
# Room for the thresholds, and sources that follow an explicit rate at once.
WIDE = ('switch.buffer="infinite"', "abr.rif=1.0", 'abr.icr="1 Mbit/s"')


def effect(
    scheme: str,
    key: str,
    first: str,
    second: str,
    relation: str,
    measure: Measure,
    *context: str,
    scenario: str = PAIR,
) -> Effect:
    """An effect of a parameter of a scheme."""
    chosen = (f'switch.control={{ scheme = "{scheme}" }}', *WIDE, *context)
    return Effect(f"switch.control.{key}", first, second, relation, measure, chosen, scenario)


RELATIVE = (
    'switch.control.sampling="10 cells"',
    'switch.control.low="20 cells"',
    'switch.control.high="60 cells"',
    "abr.rif=0.0625",
)
# Sources that obey CI, and answers of a congested switch beyond TM 4.0.
WARNED = ("run.strict=false", "abr.rdf=0.0625", "abr.rif=0.0625", "flow.tcp.count=5")
# Sources that obey CI, a target that leaves a queue, and one without rest.
BACK_OFF = "abr.rdf=0.0625"
FULL = "switch.control.target_utilisation=1.2"
EAGER = "switch.control.utilisation_factor=40.0"
DRAINING = ('switch.control.qt="2 cells"', 'switch.control.dqt="4 cells"')
CONGESTED = ('switch.control.qt="10 cells"', 'switch.control.dqt="30 cells"')
UNEQUAL = ("abr.nrm=4", 'abr.icr="2 Mbit/s"', "flow.tcp.count=5", "abr.rif=0.001953125")


# Sources of PRCA.
PROPORTIONAL = ('abr.air="0.1 Mbit/s"', 'abr.rules="prca"', 'abr.icr="1 Mbit/s"')
# Sources that take what is on the way off the room that they are told.
PREDICTING = ('abr.rules="smith-predictor"', 'abr.time_constant="1 ms"')
PREDICTED = ('switch.control={ scheme = "smith-predictor", set_point = "200 cells" }', *WIDE)

# Loops that end at switches and begin again.
SPLIT = ('switch.control={ scheme = "erica" }', *WIDE)
LOOPS = ("run.strict=false", "switch.vsvd={}", *SPLIT)

# Connections that come one after the other, beside traffic that comes and goes.
SHARED = (
    "flow.tcp.count=3",
    'flow.tcp.stagger="10 ms"',
    'flow.cbr.service="vbr"',
    'flow.cbr.source={ kind = "on-off", peak = "4 Mbit/s", period = "30 ms", duty_cycle = 0.5 }',
)

SCHEME_EFFECTS = [
    effect("becn", "threshold", '"20 cells"', '"100 cells"', "rises", MEAN_QUEUE, *WARNED),
    effect("becn", "brm_interval", '"100 ms"', '"10 ms"', "falls", MEAN_QUEUE, *WARNED),
    # Answers alone, and few of them, leave a longer queue.
    effect("becn", "efci", "true", "false", "rises", MEAN_QUEUE, *WARNED),
    effect("rrm-p", "high", '"60 cells"', '"300 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd", "low", '"1 cell"', '"50 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-p", "low", '"1 cell"', '"50 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd-plus", "low", '"1 cell"', '"50 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pid", "low", '"1 cell"', '"50 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd", "high", '"60 cells"', '"300 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd-plus", "high", '"60 cells"', '"300 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pid", "high", '"60 cells"', '"300 cells"', "rises", MEAN_QUEUE, *RELATIVE),
    effect("rrm-p", "sampling", '"10 cells"', '"500 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pd", "sampling", '"10 cells"', '"500 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pd-plus", "sampling", '"10 cells"', '"500 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pid", "sampling", '"10 cells"', '"500 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pd-plus", "beta", '"1 cell"', '"50 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pid", "alpha", "0.001", "0.5", "differs", digest, *RELATIVE),
    effect("rrm-pd", "epsilon", '"0 cells"', '"5 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pd-plus", "epsilon", '"0 cells"', '"5 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pid", "epsilon", '"1 cell"', '"5 cells"', "differs", digest, *RELATIVE),
    effect("rrm-p", "count_in_service", "false", "true", "differs", digest, *RELATIVE),
    effect("rrm-pd", "count_in_service", "false", "true", "differs", digest, *RELATIVE),
    effect("rrm-pd-plus", "count_in_service", "false", "true", "differs", digest, *RELATIVE),
    effect("rrm-pid", "count_in_service", "false", "true", "differs", digest, *RELATIVE),
    # More cells say no: a cell is told on its way there and back.
    effect("rrm-p", "mark_forward", "false", "true", "falls", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd", "mark_forward", "false", "true", "differs", digest, *RELATIVE),
    effect("rrm-pd-plus", "mark_forward", "false", "true", "differs", digest, *RELATIVE),
    effect("rrm-pid", "mark_forward", "false", "true", "falls", MEAN_QUEUE, *RELATIVE),
    # A queue that falls is taken for long for longer.
    effect("rrm-p", "hysteresis", '"0 cells"', '"19 cells"', "falls", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd", "hysteresis", '"0 cells"', '"19 cells"', "falls", MEAN_QUEUE, *RELATIVE),
    effect("rrm-pd-plus", "hysteresis", '"0 cells"', '"19 cells"', "differs", digest, *RELATIVE),
    effect("rrm-pid", "hysteresis", '"0 cells"', '"19 cells"', "falls", MEAN_QUEUE, *RELATIVE),
    effect("fmmra", "target_utilisation", "0.95", "0.7", "falls", THROUGHPUT),
    effect("charny", "target_utilisation", "0.95", "0.7", "falls", THROUGHPUT),
    effect("ucsc", "target_utilisation", "0.95", "0.7", "falls", THROUGHPUT),
    effect("osu", "target_utilisation", "0.95", "0.7", "falls", THROUGHPUT),
    effect("capc", "target_utilisation", "0.95", "0.7", "falls", THROUGHPUT),
    effect("fmmra", "interval", '"1 ms"', '"5 ms"', "differs", digest),
    effect("charny", "interval", '"1 ms"', '"5 ms"', "differs", digest, *SHARED, scenario=GRAPH),
    effect("ucsc", "interval", '"1 ms"', '"5 ms"', "differs", digest, *SHARED, scenario=GRAPH),
    effect("osu", "interval", '"1 ms"', '"5 ms"', "differs", digest),
    effect("capc", "interval", '"1 ms"', '"5 ms"', "differs", digest),
    effect("phantom", "interval", '"1 ms"', '"5 ms"', "differs", digest),
    effect("fmmra", "interval_cells", '"100 cells"', '"10 cells"', "differs", digest),
    effect("fmmra", "er_max_weight", "0.125", "0.9", "differs", digest),
    effect("fmmra", "er_max_floor", '"explicit-rate"', '"advertised-rate"', "falls", MEAN_QUEUE),
    effect("fmmra", "record_forward", "false", "true", "differs", digest, scenario=GRAPH),
    effect("charny", "record_forward", "false", "true", "differs", digest, *SHARED, scenario=GRAPH),
    effect("fmmra", "record_own_mark", "true", "false", "differs", digest, scenario=GRAPH),
    effect("fmmra", "ci_threshold", '"10 cells"', '"200 cells"', "rises", MEAN_QUEUE, BACK_OFF),
    effect(
        "charny", "ci_threshold", '"10 cells"', '"200 cells"', "rises", MEAN_QUEUE, BACK_OFF, FULL
    ),
    effect(
        "ucsc", "ci_threshold", '"10 cells"', '"200 cells"', "rises", MEAN_QUEUE, BACK_OFF, FULL
    ),
    effect("osu", "ci_threshold", '"10 cells"', '"200 cells"', "rises", MEAN_QUEUE, BACK_OFF, FULL),
    effect(
        "phantom", "ci_threshold", '"2 cells"', '"200 cells"', "rises", MEAN_QUEUE, BACK_OFF, EAGER
    ),
    effect("fmmra", "mark_forward", "true", "false", "differs", digest, scenario=GRAPH),
    effect("fmmra", "qt", '"1 cell"', '"50 cells"', "rises", MEAN_QUEUE),
    effect("fmmra", "dqt", '"60 cells"', '"5 cells"', "falls", MEAN_QUEUE, DRAINING[0]),
    effect("fmmra", "drain_factor", "1.0", "0.5", "falls", MEAN_QUEUE, *DRAINING),
    effect("eprca", "qt", '"10 cells"', '"29 cells"', "rises", MEAN_QUEUE, *CONGESTED),
    effect("eprca", "dqt", '"30 cells"', '"300 cells"', "rises", MEAN_QUEUE, *CONGESTED, *UNEASY),
    effect("eprca", "av", "0.0625", "0.5", "differs", digest, *CONGESTED),
    # Fewer slow channels in the mean: a higher one.
    effect("eprca", "vcs", "0.1", "1.0", "rises", MEAN_QUEUE, *CONGESTED, *UNEQUAL),
    effect("eprca", "dpf", "0.875", "0.3", "falls", MEAN_QUEUE, *CONGESTED, *UNEASY),
    effect("eprca", "erf", "0.9375", "0.5", "differs", digest, *CONGESTED),
    effect("eprca", "mrf", "0.25", "0.9", "differs", digest, *CONGESTED),
    effect("dmrca", "qt", '"10 cells"', '"29 cells"', "rises", MEAN_QUEUE, *CONGESTED, *UNEASY),
    effect("dmrca", "dqt", '"30 cells"', '"300 cells"', "rises", MEAN_QUEUE, *CONGESTED, *UNEASY),
    effect("dmrca", "f_qt", "1.0", "0.5", "falls", MEAN_QUEUE, *CONGESTED, *UNEASY),
    effect("dmrca", "f_dqt", "0.25", "0.9", "rises", MEAN_QUEUE, *CONGESTED, *UNEASY),
    effect("dmrca", "alpha", "0.0625", "0.5", "differs", digest, *CONGESTED),
    # Flows that come one after the other: the rate of one that is silent is forgotten.
    effect(
        "dmrca",
        "time_out",
        '"100 ms"',
        '"1 ms"',
        "differs",
        digest,
        *CONGESTED,
        *SHARED,
        scenario=GRAPH,
    ),
    effect("osu", "delta", "0.1", "0.5", "differs", digest),
    effect("capc", "threshold", '"5 cells"', '"200 cells"', "rises", MEAN_QUEUE, BACK_OFF, FULL),
    effect("capc", "rup", "0.1", "0.9", "differs", digest),
    effect("capc", "eru", "1.5", "1.01", "differs", digest, "switch.control.rup=1.0"),
    effect("capc", "rdn", "0.8", "0.1", "rises", MEAN_QUEUE),
    effect("capc", "erf", "0.9", "0.1", "differs", digest),
    effect("phantom", "utilisation_factor", "1.0", "8.0", "rises", THROUGHPUT),
    effect("phantom", "alpha_inc", "0.0625", "0.5", "differs", digest),
    effect("phantom", "alpha_dec", "0.25", "0.9", "differs", digest),
    effect("phantom", "decrease_floor", "0.1", "0.99", "differs", digest),
    effect(
        "smith-predictor",
        "set_point",
        '"20 cells"',
        '"400 cells"',
        "rises",
        MEAN_QUEUE,
        *PREDICTING,
    ),
    effect("smith-predictor", "time_constant", '"1 ms"', '"3 ms"', "differs", digest, *PREDICTING),
    Effect("abr.rules", '"prca"', '"eprca"', "rises", ACR, PROPORTIONAL),
    Effect("abr.air", '"0.1 Mbit/s"', '"1 Mbit/s"', "rises", ACR, PROPORTIONAL),
    Effect("abr.mdf", "5", "3", "falls", ACR, PROPORTIONAL),
    Effect("abr.compensation", '"reckoned"', '"counted"', "falls", ACR, PROPORTIONAL),
    # Of the switch's time constant, a longer one takes less off for each cell on the way.
    Effect(
        "abr.time_constant", '"1 ms"', '"3 ms"', "rises", MEAN_QUEUE, (*PREDICTED, PREDICTING[0])
    ),
    Effect("abr.rtd", '"20 ms"', '"0 s"', "rises", MEAN_QUEUE, (*PREDICTED, *PREDICTING)),
    Effect("switch.vsvd", "", "{}", "differs", digest, SPLIT),
    Effect("topology.node.X.vsvd", "", "{}", "differs", digest, SPLIT, GRAPH),
    Effect("switch.vsvd.at", "[]", '["A"]', "differs", digest, SPLIT),
    Effect(
        "topology.node.X.vsvd", "{}", "{ limit_source = true }", "differs", digest, SPLIT, GRAPH
    ),
    Effect("switch.vsvd.limit_source", "false", "true", "differs", digest, LOOPS),
]
