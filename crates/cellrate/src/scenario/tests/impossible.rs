//! Scenarios of the right shape that cannot be run, or are probably not meant.

use super::*;

#[test]
fn runs_and_windows() {
    let cases: &[Case] = &[
        ("no time", &[("duration = \"2 s\"", "duration = «\"0 s\"")]),
        (
            "window behind the run",
            &[("from = \"500 ms\"", "from = \"500 ms\"\nto = «\"3 s\"")],
        ),
        (
            "empty window",
            &[("from = \"500 ms\"", "from = «\"1 s\"\nto = \"1 s\"")],
        ),
        (
            "window begins behind the run",
            &[("from = \"500 ms\"", "from = «\"2 s\"")],
        ),
        (
            "no sampling period",
            &[("from = \"500 ms\"", "from = \"500 ms\"\nsample = «\"0 s\"")],
        ),
        (
            "sampling period beyond the run",
            &[("from = \"500 ms\"", "from = \"500 ms\"\nsample = «\"3 s\"")],
        ),
        (
            "sampling every picosecond",
            &[("from = \"500 ms\"", "from = \"500 ms\"\nsample = «\"1 ps\"")],
        ),
        (
            "traced twice",
            &[("traces = [\"queue\"]", "traces = [\"queue\", «\"queue\"]")],
        ),
        (
            "one point",
            &[("from = \"500 ms\"", "from = \"500 ms\"\ntrace_points = «1")],
        ),
        (
            "no events kept",
            &[(
                "from = \"500 ms\"",
                "from = \"500 ms\"\nevents = [\"loss\"]\nevent_limit = «0",
            )],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
}

#[test]
fn flows_and_sources() {
    let cases: &[Case] = &[
        ("same name", &[("name = \"vbr\"", "name = «\"tcp\"")]),
        ("no name", &[("name = \"vbr\"", "name = «\"a/b\"")]),
        ("empty name", &[("name = \"vbr\"", "name = «\"\"")]),
        (
            "more flows than a scenario has",
            &[("count = 2", "count = «1000000")],
        ),
        ("duty cycle", &[("duty_cycle = 0.5", "duty_cycle = «1.5")]),
        ("period", &[("period = \"20 ms\"", "period = «\"0 s\"")]),
        (
            "period shorter than a cell",
            &[("period = \"20 ms\"", "period = «\"4 us\"")],
        ),
        (
            "empty transfer",
            &[(
                "kind = \"greedy\"",
                "kind = \"transfer\"\nsize = «\"0 bytes\"",
            )],
        ),
        (
            "half ABR",
            &[
                ("count = 2", "ack_service = «\"abr\""),
                ("service = \"abr\"", "service = \"ubr\""),
            ],
        ),
        (
            "source queue below a segment",
            &[("count = 2", "source_queue = «\"11 cells\"")],
        ),
        (
            "a key of the graph",
            &[("count = 2", "route = «[\"A\", \"B\"]")],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
    let other_template = RIGHT
        .replace("n-source", "single-switch")
        .replace("egress = \"1 km\"\n", "");
    insta::assert_snapshot!(
        "no_egress",
        gallery(
            &other_template,
            &[("no egress", &[("count = 2", "egress = «\"1 km\"")])]
        )
    );
}

#[test]
fn end_systems() {
    let cases: &[Case] = &[
        (
            "ICR above PCR",
            &[("icr = \"10 Mbit/s\"", "icr = «\"200 Mbit/s\"")],
        ),
        (
            "ICR above PCR of a flow",
            &[
                ("icr = \"10 Mbit/s\"", "icr = «\"10 Mbit/s\""),
                ("count = 2", "abr.pcr = \"5 Mbit/s\""),
            ],
        ),
        (
            "MCR above ICR",
            &[(
                "icr = \"10 Mbit/s\"",
                "mcr = \"20 Mbit/s\"\nicr = «\"10 Mbit/s\"",
            )],
        ),
        ("RIF", &[("icr = \"10 Mbit/s\"", "rif = «0.3")]),
        (
            "no time constant",
            &[(
                "icr = \"10 Mbit/s\"",
                "rules = \"smith-predictor\"\ntime_constant = «\"0 s\"",
            )],
        ),
        ("RDF of a flow", &[("count = 2", "abr = { rdf = «0.7 }")]),
        ("RIF above 1", &[("icr = \"10 Mbit/s\"", "rif = «2")]),
        ("Nrm", &[("icr = \"10 Mbit/s\"", "nrm = «33")]),
        (
            "window below a segment",
            &[("window = \"64 KiB\"", "window = «\"500 bytes\"")],
        ),
        (
            "window of a flow",
            &[("count = 2", "tcp.window = «\"500 bytes\"")],
        ),
        (
            "no granularity",
            &[("window = \"64 KiB\"", "granularity = «\"0 s\"")],
        ),
        (
            "largest RTO below smallest",
            &[(
                "window = \"64 KiB\"",
                "min_rto = «\"2 s\"\nmax_rto = \"1 s\"",
            )],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
}

#[test]
fn switches() {
    let cases: &[Case] = &[
        (
            "EPD without room for a PDU",
            &[
                ("buffer = \"1000 cells\"", "buffer = \"10 cells\""),
                ("policy = \"epd\"", "policy = «\"epd\""),
            ],
        ),
        (
            "nothing left by intelligent tail drop",
            &[(
                "policy = \"epd\"",
                "policy = \"intelligent-tail-drop\"\nmargin = «\"1000 cells\"",
            )],
        ),
        (
            "both kinds of thresholds",
            &[(
                "scheme = \"erica\"",
                "scheme = \"efci\"\nhigh = \"10 cells\"\nthreshold = «\"10 cells\"",
            )],
        ),
        (
            "low above high",
            &[(
                "scheme = \"erica\"",
                "scheme = \"efci\"\nhigh = \"10 cells\"\nlow = «\"11 cells\"",
            )],
        ),
        (
            "no interval",
            &[(
                "scheme = \"erica\"",
                "scheme = \"erica\"\ninterval = «\"0 s\"",
            )],
        ),
        (
            "interval shorter than a cell",
            &[(
                "scheme = \"erica\"",
                "scheme = \"erica\"\ninterval = «\"2 us\"",
            )],
        ),
        (
            "no utilisation",
            &[(
                "scheme = \"erica\"",
                "scheme = \"erica\"\ntarget_utilisation = «0",
            )],
        ),
        (
            "queue control",
            &[(
                "scheme = \"erica\"",
                "scheme = \"erica\"\nqueue_control = { a = «0.9 }",
            )],
        ),
        (
            "a class twice",
            &[(
                "buffer = \"1000 cells\"",
                "buffer = \"1000 cells\"\npriority = [[\"cbr\", \"vbr\", \"random\"], «[\"abr\", \"ubr\", \"cbr\"]]",
            )],
        ),
        (
            "a class nowhere",
            &[(
                "buffer = \"1000 cells\"",
                "buffer = \"1000 cells\"\npriority = «[[\"cbr\", \"vbr\"], [\"ubr\", \"random\"]]",
            )],
        ),
        (
            "a queue for nobody",
            &[(
                "buffer = \"1000 cells\"",
                "buffer = \"1000 cells\"\npriority = [«[], [\"cbr\", \"vbr\", \"abr\", \"ubr\", \"random\"]]",
            )],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
}

#[test]
fn graphs() {
    let cases: &[Case] = &[
        (
            "unreachable",
            &[
                (
                    "{ from = \"X\", to = \"Y\", rate = \"100 Mbit/s\", delay = \"10 km\" }",
                    "{ from = \"Y\", to = \"X\", rate = \"100 Mbit/s\", delay = \"10 km\", duplex = false }",
                ),
                ("to = \"h2\"\n", "to = «\"h2\"\n"),
            ],
        ),
        (
            "another way back",
            &[
                (
                    "{ from = \"X\", to = \"Y\", rate = \"100 Mbit/s\", delay = \"10 km\" }",
                    "{ from = \"X\", to = \"Y\", rate = \"100 Mbit/s\", delay = \"10 km\", duplex = false }",
                ),
                ("[[flow]]", "«[[flow]]"),
            ],
        ),
        (
            "loop",
            &[(
                "to = \"h2\"\n",
                "to = \"h2\"\nroute = [\"h1\", \"X\", \"Y\", «\"X\", \"Y\", \"h2\"]\n",
            )],
        ),
        (
            "no link",
            &[(
                "to = \"h2\"\n",
                "to = \"h2\"\nroute = [\"h1\", «\"Y\", \"h2\"]\n",
            )],
        ),
        (
            "route without its ends",
            &[("to = \"h2\"\n", "to = \"h2\"\nroute = «[\"X\", \"Y\"]\n")],
        ),
        (
            "unknown node on a route",
            &[(
                "to = \"h2\"\n",
                "to = \"h2\"\nroute = [\"h1\", \"X\", «\"Z\", \"h2\"]\n",
            )],
        ),
        (
            "across a host",
            &[
                (
                    "name = \"Y\", kind = \"switch\"",
                    "name = \"Y\", kind = \"host\"",
                ),
                (
                    "to = \"h2\"\n",
                    "to = \"h2\"\nroute = [\"h1\", \"X\", «\"Y\", \"h2\"]\n",
                ),
            ],
        ),
        ("unknown host", &[("to = \"h2\"\n", "to = «\"h22\"\n")]),
        ("to a switch", &[("to = \"h2\"\n", "to = «\"Y\"\n")]),
        ("to itself", &[("to = \"h2\"\n", "to = «\"h1\"\n")]),
        (
            "from nowhere",
            &[
                ("from = \"h1\"\nto = \"h2\"\n", "to = \"h2\"\n"),
                ("[[flow]]", "«[[flow]]"),
            ],
        ),
        (
            "same node",
            &[(
                "{ name = \"Y\", kind = \"switch\" }",
                "{ name = «\"X\", kind = \"switch\" }",
            )],
        ),
        (
            "a node without a name",
            &[(
                "{ name = \"Y\", kind = \"switch\" }",
                "{ name = «\"Y Y\", kind = \"switch\" }",
            )],
        ),
        (
            "link to nowhere",
            &[("{ from = \"X\", to = \"Y\"", "{ from = \"X\", to = «\"W\"")],
        ),
        (
            "link to itself",
            &[("{ from = \"X\", to = \"Y\"", "{ from = \"X\", to = «\"X\"")],
        ),
        (
            "two links",
            &[(
                "{ from = \"X\", to = \"Y\", rate = \"100 Mbit/s\", delay = \"10 km\" },\n",
                "{ from = \"X\", to = \"Y\", rate = \"100 Mbit/s\", delay = \"10 km\" },\n    «{ from = \"Y\", to = \"X\", rate = \"100 Mbit/s\", delay = \"20 km\" },\n",
            )],
        ),
        (
            "a buffer of a host",
            &[(
                "kind = \"host\" },\n    { name = \"h2\"",
                "kind = \"host\", «buffer = \"1 cells\" },\n    { name = \"h2\"",
            )],
        ),
        (
            "access",
            &[("to = \"h2\"\n", "to = \"h2\"\naccess = «\"1 km\"\n")],
        ),
        (
            "a length for a delay",
            &[(
                "to = \"Y\", rate = \"100 Mbit/s\", delay",
                "to = \"Y\", rate = \"100 Mbit/s\", «length",
            )],
        ),
        (
            "own priority",
            &[("buffer = \"100 cells\"", "priority = «[[\"ubr\"]]")],
        ),
    ];
    insta::assert_snapshot!(gallery(GRAPH, cases));
}

#[test]
fn a_way_that_takes_longer_than_the_run_is_warned_of() {
    let near = r#"{ from = "Y", to = "h2", rate = "100 Mbit/s", delay = "10 km" }"#;
    let text = with(GRAPH, near, &near.replace("10 km", "500000 km"));
    let message = the_warning(&with(&text, "[[flow]]", "«[[flow]]")).message;
    assert!(
        message.starts_with("a cell of `f.1` takes 2.5001 s to arrive")
            && message.ends_with("longer than the run"),
        "{message}"
    );
    // With a duration of three seconds the first cell arrives.
    assert_eq!(
        parse(&text.replace("duration = \"2 s\"", "duration = \"3 s\""))
            .unwrap()
            .warnings(),
        []
    );
}

#[test]
fn atm_has_no_ecn() {
    let mss = "mss = \"512 bytes\"";
    let refused = the_error(&with(RIGHT, mss, "mss = \"512 bytes\"\necn = «true"));
    assert!(
        refused.rendered.contains("ATM switches set EFCI in cells"),
        "{}",
        refused.rendered
    );
    let text = with(RIGHT, mss, "mss = \"512 bytes\"\nrecovery = «\"dctcp\"");
    let message = the_warning(&text).message;
    assert!(
        message.starts_with("`dctcp` gets no marks over ATM"),
        "{message}"
    );
    let text = with(
        RIGHT,
        mss,
        "mss = \"512 bytes\"\nrecovery = \"dctcp\"\necn = «false",
    );
    assert!(the_error(&text).rendered.contains("`ecn` is false"));
}

#[test]
fn an_abr_flow_returns_the_way_it_came() {
    let back = "to = \"h2\"\nreturn_route = «[\"h2\", \"Y\", \"Z\", \"X\", \"h1\"]\n";
    let text = with(GRAPH, "to = \"h2\"\n", back);
    let text = with(
        &text,
        "kind = \"switch\" },\n]",
        "kind = \"switch\" },\n    { name = \"Z\", kind = \"switch\" },\n]",
    );
    let links = "{ from = \"X\", to = \"Z\", rate = \"1 Mbit/s\", delay = \"1 km\" },\n    { from = \"Z\", to = \"Y\", rate = \"1 Mbit/s\", delay = \"1 km\" },\n]\n\n[[flow]]";
    let text = with(&text, "]\n\n[[flow]]", links);
    insta::assert_snapshot!(the_error(&text).rendered);
    // The same routes are allowed for UBR.
    let (ubr, _) = unmark(&with(&text, "service = \"abr\"", "service = \"ubr\""));
    assert_eq!(parse(&ubr).unwrap().graph().flows[0].backward.len(), 4);
}

#[test]
fn hardly_meant() {
    let cases: &[Case] = &[
        (
            "buffer below a PDU",
            &[
                ("buffer = \"1000 cells\"", "buffer = «\"10 cells\""),
                ("policy = \"epd\"", "policy = \"ppd\""),
            ],
        ),
        (
            "EPD never acts",
            &[(
                "policy = \"epd\"",
                "policy = \"epd\"\nthreshold = «\"1000 cells\"",
            )],
        ),
        (
            "EFCI never acts",
            &[(
                "scheme = \"erica\"",
                "scheme = \"efci\"\nthreshold = «\"1000 cells\"",
            )],
        ),
        (
            "policy without a limit",
            &[
                ("buffer = \"1000 cells\"\n", ""),
                ("[switch.discard]", "[switch.«discard]"),
            ],
        ),
        (
            "nothing to control",
            &[
                ("[switch.control]", "[switch.«control]"),
                ("service = \"abr\"", "service = \"ubr\""),
            ],
        ),
        (
            "RM cells first where there are none",
            &[
                (
                    "buffer = \"1000 cells\"",
                    "buffer = \"1000 cells\"\nrm_first = «true",
                ),
                ("scheme = \"erica\"", "scheme = \"none\""),
                ("service = \"abr\"", "service = \"ubr\""),
            ],
        ),
        (
            "PCR above the link",
            &[(
                "icr = \"10 Mbit/s\"",
                "icr = \"10 Mbit/s\"\npcr = «\"200 Mbit/s\"",
            )],
        ),
        (
            "TCP of a source of cells",
            &[(
                "service = \"vbr\"",
                "service = \"vbr\"\n«tcp.mss = \"1024 bytes\"",
            )],
        ),
        (
            "ABR of a VBR flow",
            &[("service = \"vbr\"", "service = \"vbr\"\n«abr.nrm = 16")],
        ),
        (
            "ack_service of a source of cells",
            &[(
                "service = \"vbr\"",
                "service = \"vbr\"\nack_service = «\"ubr\"",
            )],
        ),
        (
            "refusals of a source of cells",
            &[(
                "service = \"vbr\"",
                "service = \"vbr\"\nsource_queue_refuses = «\"cell\"",
            )],
        ),
        (
            "refusals without a limit",
            &[("count = 2", "count = 2\nsource_queue_refuses = «\"cell\"")],
        ),
        (
            "ack_service of a source without TCP",
            &[
                ("count = 2", "ack_service = «\"ubr\""),
                ("kind = \"greedy\"", "kind = \"persistent\""),
            ],
        ),
        (
            "stagger of one flow",
            &[(
                "service = \"vbr\"",
                "service = \"vbr\"\nstagger = «\"1 ms\"",
            )],
        ),
        (
            "traces what is not there",
            &[
                ("traces = [\"queue\"]", "traces = [«\"acr\"]"),
                ("scheme = \"erica\"", "scheme = \"none\""),
                ("service = \"abr\"", "service = \"ubr\""),
            ],
        ),
        ("PCR without CDVT", TIGHT),
    ];
    insta::assert_snapshot!(warnings(RIGHT, cases));
}

/// A policer that drops cells of each PDU: 12 cells at 155.52 Mbit/s need 11 (42.4 - 2.7263) us =
/// 436.41 us.
const TIGHT: &[(&str, &str)] = &[
    ("scheme = \"erica\"", "scheme = \"none\""),
    (
        "service = \"abr\"",
        "service = \"ubr\"\n«policer = { pcr = \"10 Mbit/s\" }",
    ),
];

#[test]
fn a_policer_with_the_cdvt_that_its_warning_names_is_not_warned_of() {
    let tight = changed(RIGHT, TIGHT);
    let contract = |more: &str| with(&tight, " }\n", &format!("{more} }}\n"));
    for (more, needed) in [
        ("", "437 us"),
        (", frames = \"partial\"", "437 us"),
        // 11 (84.8 - 2.7263) us, less 9 (84.8 - 42.4) us.
        (", scr = \"5 Mbit/s\", mbs = \"10 cells\"", "522 us"),
    ] {
        let message = the_warning(&contract(more)).message;
        let named = format!("cdvt = \"{needed}\"");
        assert!(message.contains(&named), "{message}");
        let enough = contract(&format!("{more}, {named}")).replace('«', "");
        assert_eq!(parse(&enough).unwrap().warnings(), []);
    }
    for passes in ["action = \"pass\"", "frames = \"whole\""] {
        let text = contract(&format!(", {passes}")).replace('«', "");
        assert_eq!(parse(&text).unwrap().warnings(), []);
    }
}

#[test]
fn virtual_sources() {
    let cases: &[Case] = &[
        (
            "no such switch",
            &[(
                "[switch.control]",
                "[switch.vsvd]\nat = [«\"C\"]\n[switch.control]",
            )],
        ),
        (
            "rate of the next loop",
            &[(
                "[switch.control]",
                "[switch.vsvd]\nvc_rate = «\"next-loop\"\n[switch.control]",
            )],
        ),
        (
            "measured behind",
            &[(
                "[switch.control]",
                "[switch.vsvd]\nvc_rate = «\"measured\"\n[switch.control]",
            )],
        ),
        (
            "input behind",
            &[(
                "[switch.control]",
                "[switch.«vsvd]\ninput = \"class-queue\"\n[switch.control]",
            )],
        ),
        (
            "policy by order",
            &[
                ("[switch.control]", "[switch.«vsvd]\n[switch.control]"),
                ("policy = \"epd\"", "policy = \"selective-drop\""),
            ],
        ),
        (
            "acknowledgements of another class",
            &[
                ("[switch.control]", "[switch.vsvd]\n[switch.control]"),
                ("count = 2", "ack_service = «\"ubr\""),
            ],
        ),
        (
            "no ABR",
            &[
                ("[switch.control]\nscheme = \"erica\"", "[switch.«vsvd]"),
                ("service = \"abr\"", "service = \"ubr\""),
            ],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
    let own = "kind = \"switch\", buffer = \"100 cells\", vsvd = { at = «[\"X\"] }";
    let of_its_own = the_error(&with(
        GRAPH,
        "kind = \"switch\", buffer = \"100 cells\"",
        own,
    ));
    assert!(
        of_its_own.diagnostics[0]
            .message
            .contains("has no meaning in the `vsvd` of one switch")
    );
}

#[test]
fn without_strict_the_standard_warns() {
    let strict = with(RIGHT, "icr = \"10 Mbit/s\"", "rif = «0.3");
    assert!(
        the_error(&strict).diagnostics[0]
            .help
            .contains("strict = false")
    );
    let lenient = with(&strict, "seed = 7", "strict = false");
    assert_eq!(
        the_warning(&lenient).message,
        "`rif`: must be 2^-n with n from 0 to 15, but is 0.3"
    );
    // A value that cannot be simulated remains an error.
    the_error(&with(&lenient, "rif = «0.3", "rif = «-0.3"));
}

/// A root, two switches and three leaves, with a point-to-multipoint flow.
const TREE: &str = r#"[run]
duration = "1 s"

[topology]
template = "graph"
node = [
    { name = "root", kind = "host" },
    { name = "a", kind = "host" },
    { name = "b", kind = "host" },
    { name = "X", kind = "switch" },
    { name = "Y", kind = "switch" },
]
link = [
    { from = "root", to = "X", rate = "100 Mbit/s", delay = "10 km" },
    { from = "X", to = "a", rate = "100 Mbit/s", delay = "10 km" },
    { from = "X", to = "Y", rate = "100 Mbit/s", delay = "10 km" },
    { from = "Y", to = "b", rate = "100 Mbit/s", delay = "10 km" },
]

[[flow]]
name = "m"
service = "abr"
source = { kind = "persistent" }
from = "root"
to = "a"
multipoint = { also_to = ["b"] }
"#;

const COPIES: &str = "multipoint = { also_to = [\"b\"] }\n";

#[test]
fn copies_to_several_hosts() {
    assert!(parse(TREE).is_ok());
    let cases: &[Case] = &[
        ("not ABR", &[("service = \"abr\"", "service = «\"ubr\"")]),
        (
            "over TCP",
            &[(
                "source = { kind = \"persistent\" }",
                "«source = { kind = \"greedy\" }",
            )],
        ),
        (
            "several flows",
            &[(COPIES, "multipoint = { also_to = [\"b\"] }\ncount = «2\n")],
        ),
        (
            "a listed route",
            &[(
                COPIES,
                "multipoint = { also_to = [\"b\"] }\nroute = «[\"root\", \"X\", \"a\"]\n",
            )],
        ),
        (
            "a listed way back",
            &[(
                COPIES,
                "multipoint = { also_to = [\"b\"] }\nreturn_route = «[\"a\", \"X\", \"root\"]\n",
            )],
        ),
        (
            "policed",
            &[(
                COPIES,
                "multipoint = { also_to = [\"b\"] }\n«policer = { pcr = \"20 Mbit/s\", cdvt = \"1 ms\" }\n",
            )],
        ),
        (
            "other rules",
            &[(
                COPIES,
                "multipoint = { also_to = [\"b\"] }\n«abr = { rules = \"prca\" }\n",
            )],
        ),
        (
            "unknown leaf",
            &[("also_to = [\"b\"]", "also_to = [«\"c\"]")],
        ),
        (
            "a switch as a leaf",
            &[("also_to = [\"b\"]", "also_to = [«\"Y\"]")],
        ),
        (
            "a leaf twice",
            &[("also_to = [\"b\"]", "also_to = [\"b\", «\"b\"]")],
        ),
        (
            "the root as a leaf",
            &[("also_to = [\"b\"]", "also_to = [«\"root\"]")],
        ),
        (
            "no way to a leaf",
            &[
                (
                    "from = \"Y\", to = \"b\"",
                    "from = \"b\", to = \"Y\", duplex = false",
                ),
                ("also_to = [\"b\"]", "also_to = [«\"b\"]"),
            ],
        ),
        (
            "no way back from a leaf",
            &[
                ("to = \"b\", rate", "to = \"b\", duplex = false, rate"),
                ("[[flow]]", "«[[flow]]"),
            ],
        ),
        (
            "a root that would copy",
            &[
                ("from = \"X\", to = \"Y\"", "from = \"root\", to = \"Y\""),
                ("from = \"root\"\nto", "from = «\"root\"\nto"),
            ],
        ),
        (
            "a virtual source on the way",
            &[
                (
                    "name = \"Y\", kind = \"switch\"",
                    "name = \"Y\", kind = \"switch\", vsvd = {}",
                ),
                ("multipoint = {", "«multipoint = {"),
            ],
        ),
        (
            "a switch that sends BRMs",
            &[
                (
                    "name = \"Y\", kind = \"switch\"",
                    "name = \"Y\", kind = \"switch\", control = { scheme = \"becn\" }",
                ),
                ("multipoint = {", "«multipoint = {"),
            ],
        ),
    ];
    insta::assert_snapshot!(gallery(TREE, cases));
}
