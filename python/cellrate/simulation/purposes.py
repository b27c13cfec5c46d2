"""Purposes of components: groups, and for each component a line that says why one would want it."""

from __future__ import annotations

PURPOSES: dict[str, dict[str, dict[str, str]]] = {
    "Sources and traffic": {
        "sources": {
            "greedy": "to keep a bottleneck full for the whole run",
            "transfer": "to time files, or short flows beside long ones",
            "messages": "to time an application that writes and waits",
            "www": "to load links with the short bursts of Web pages",
            "cbr": "to take a fixed part of a link",
            "on-off": "to take a part of a link in a regular cycle",
            "exponential-on-off": "to take a part of a link at random",
            "mmdp": "to load a link with many ON-OFF sources as one",
            "mpeg2": "to vary the rest of a link over all time scales",
            "transport-stream": "to play a recorded video",
            "rate-trace": "to play measured rates from a file",
            "poisson": "to compare a queue with its closed form",
            "persistent": "to see a rate control alone, without TCP",
        },
        "flow.pattern": {
            "incast": "to overload one port with many answers at once",
            "permutation": "to load all hosts alike, and find paths that collide",
            "all-to-all": "to load all paths of a fabric together",
            "random": "to measure the slowdown of flows under a given load",
            "ring-all-reduce": "to time the sum of a model over a ring",
            "tree-all-reduce": "to time the sum of a model over a tree",
            "expert-all-to-all": "to time the exchange of expert models",
            "steps": "to play the transfers of a training job from a file",
        },
    },
    "Source behaviour and TCP": {
        "recoveries": {
            "timeout-only": "to see what a coarse timer alone costs",
            "tahoe": "to see what slow start after each loss costs",
            "reno": "to recover a single loss without slow start",
            "newreno": "to recover several losses of a window without SACK",
            "sack": "to recover many losses in one round trip",
            "jacobson88": "to repeat experiments of Gerla et al. 1995",
            "cubic": "to fill long fast paths after a loss",
            "vegas": "to keep queues short without help from switches",
            "bbr": "to fill a link in spite of random losses",
            "dctcp": "to keep queues short by the share of marked data",
        },
        "abr.rules": {
            "tm4": "to send as the standard says",
            "prca": "to send by proportional control, older than TM 4.0",
            "eprca": "to send as EPRCA proposed in 1994",
            "smith-predictor": "to hold a set point over long paths",
        },
    },
    "Link layers, and links that err": {
        "link_layer": {
            "atm": "to simulate cells, AAL5 and service classes",
            "ethernet": "to simulate frames, RoCE and data centres",
        },
        "keys": {
            "link_errors.cell_loss_ratio": "to lose cells at random",
            "link_errors.lose_every": "to lose cells at known places",
            "link_errors.bit_error_ratio": "to damage cells and frames as a real line does",
            "link_errors.bursts": "to damage cells and frames in bursts",
            "link_errors.hec": "to correct headers of cells, or discard them",
            "llr": "to repair damaged frames on the link itself",
        },
    },
    "Rate control of switches": {
        "schemes": {
            "none": "to see a bottleneck that no switch controls",
            "efci": "to control sources by one bit of data cells",
            "becn": "to warn sources from the congested switch itself",
            "erica": "to give fair rates at a chosen load or delay",
            "fmmra": "to give max-min rates, by rates told in both directions",
            "charny": "to give max-min rates by the rates that sources tell",
            "ucsc": "to give max-min rates in constant time per RM cell",
            "eprca": "to give explicit rates without counting channels",
            "dmrca": "to slow the fastest sources first, more as the queue grows",
            "osu": "to compare ERICA with the scheme before it",
            "capc": "to give one rate to all from the load alone",
            "phantom": "to give equal rates that leave some room free",
            "smith-predictor": "to fill a link without loss over long paths",
            "rrm-p": "to hold a queue by two bits of RM cells",
            "rrm-pd": "to damp rrm-p by the change of the queue",
            "rrm-pd-plus": "to react at once to a large change of the queue",
            "rrm-pid": "to damp rrm-p by the mean of the queue",
        },
        "keys": {
            "switch.vsvd": "to divide a long control loop into short ones",
            "flow.multipoint": "to send one ABR channel to several hosts",
            "flow.rate_control": "to give hosts over Ethernet explicit rates",
        },
    },
    "Credit and pause": {
        "credit": {"fcvc": "to lose nothing, whatever the sources do"},
        "pauses": {
            "pfc": "to lose no frame of a priority, by pauses of the neighbour",
            "cbfc": "to lose no frame of a priority, by credits of the neighbour",
        },
    },
    "Discards of queues, active queue management": {
        "policies": {
            "tail-drop": "to see what a plain buffer does to packets",
            "ppd": "to carry no rest of a packet that lost a cell",
            "epd": "to carry whole packets or none",
            "intelligent-tail-drop": "to keep room for the ends of packets",
            "selective-drop": "to share a buffer fairly above a threshold",
            "fair-buffer-allocation": "to share a buffer more strictly as it fills",
            "double-epd": "to drop tagged packets first, as GFR needs",
            "dfba": "to keep the minimum rates of TCP over GFR",
        },
        "aqm": {
            "none": "to see the queue that the buffer alone limits",
            "threshold": "to keep a queue near a threshold, by marks for DCTCP",
            "red": "to drop or mark before the buffer is full",
            "codel": "to bound the delay whatever the rate of the line",
            "pie": "to hold a target delay by random drops or marks",
        },
        "keys": {
            "switch.clp_threshold": "to keep room for cells that are not tagged",
            "switch.memory": "to share one memory among all ports of a switch",
            "switch.trim_priority": "to tell receivers of a loss at once",
        },
    },
    "Orders of service": {
        "schedules": {
            "strict-priority": "to serve urgent frames before all others",
            "deficit-round-robin": "to share a line by octets at little work",
            "weighted-round-robin": "to share a line by numbers of frames or cells",
            "scfq": "to share a line by weight, with a simple clock",
            "wf2q-plus": "to share a line by weight with the least delay",
        },
        "keys": {
            "switch.priority": "to serve classes of cells before others",
            "switch.queues": "to divide priorities of frames among queues",
            "switch.rm_first": "to bring feedback past the queue of data",
        },
    },
    "Policing and shaping": {
        "keys": {
            "flow.policer": "to hold a source to its contract",
            "flow.policer.dynamic": "to hold an ABR source to the rates it was told",
            "flow.policer.frames": "to drop or tag whole packets, not cells",
            "flow.gfr": "to guarantee a minimum rate to whole packets",
            "flow.shaper": "to send no more than a policer lets pass",
            "flow.port_shaper": "to space cells again that came together on their way",
        },
    },
    "Transports of RoCE": {
        "roce": {
            "none": "to see what senders at line rate do to a port",
            "dcqcn": "to cut rates by marks of switches",
            "hpcc": "to fill a line with a short queue, by telemetry",
            "timely": "to cut rates by round trips, without switches",
            "swift": "to hold a target delay, with windows below a packet",
            "expresspass": "to send only data for which the path has room",
            "rccc": "to let the receiver pace all that answer it",
            "nscc": "to set windows by marks, delay and trimmed packets",
        },
        "flow.roce.resend": {
            "go-back-n": "to repeat all behind a loss, as plain RoCE does",
            "selective": "to repeat only what was lost",
        },
    },
    "Topologies and paths": {
        "templates": {
            "n-source": "to begin with ABR: one bottleneck",
            "n-source-vbr": "to see ABR beside traffic that comes and goes",
            "single-switch": "to begin with UBR and discard policies",
            "parking-lot": "to see who loses on a longer path",
            "unequal-lengths": "to see who loses at a greater distance",
            "two-way": "to see acknowledgements meet data",
            "www": "to see short bursts under ABR",
            "satellite": "to see control loops of half a second",
            "lan-messages": "to see messages beside guaranteed traffic",
            "gfc-1": "to test a scheme for max-min rates",
            "gfc-2": "to test a scheme where every link is a bottleneck",
            "graph": "to begin with a network of your own",
            "leaf-spine": "to begin with Ethernet: a data centre",
            "incast": "to see many answers overflow one port",
            "dctcp": "to see marks keep a queue short",
            "dcqcn": "to begin with RoCE: marks and pauses",
            "all-reduce": "to time the steps of a training cluster",
            "explicit-rate": "to see explicit rates over Ethernet",
            "router": "to join Ethernet and ATM",
        },
        "switch.multipath": {
            "ecmp": "to keep a flow on one of several equal paths",
            "random": "to spread the frames of a flow at random",
            "round-robin": "to spread the frames of a flow evenly",
        },
    },
    "Measures": {
        "measures": {
            "run": "to judge a run by totals: throughput, loss, fairness",
            "warnings": "to know why a result may mislead",
            "flows": "to see what each user gets, and why not more",
            "classes": "to compare service classes",
            "vcs": "to follow cells of one channel in one direction",
            "ports": "to find the bottleneck and what its control did",
            "queues": "to size a buffer and bound a delay",
            "links": "to count what links damage and repair",
            "atm_ports": "to see the ATM part behind routers",
            "collectives": "to time a collective operation and its straggler",
            "expressions": "to name a measure in a study or a comparison",
        },
    },
}
"""Purpose of each component, by group, kind and name.

A kind is a KIND of `cellrate list KIND`, which describes its names; a key of the scenario, whose
values are the names; `keys`, whose names are keys themselves; or `measures`, whose names are tables
of measures.
"""

KEYS = {
    "sources": "flow.source.kind",
    "recoveries": "tcp.recovery",
    "schemes": "switch.control.scheme",
    "credit": "",
    "pauses": "",
    "policies": "switch.discard.policy",
    "aqm": "switch.aqm.algorithm",
    "schedules": "switch.schedule.discipline",
    "roce": "flow.roce.control.algorithm",
    "templates": "",
}
"""Keys of a scenario that name a component, by kind; empty if each component is a table of its own
or, as a template, a whole scenario.
"""
