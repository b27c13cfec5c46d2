//! Changes during a run over Ethernet: the keys that changes may set, the effect of a change from its
//! instant on and not before, and refusals.

use cellrate_engine::ether::Simulation;
use cellrate_engine::kernel::Ps;
use serde_json::Value;

use crate::ethernet::{Job, schema};
use crate::scenario::types::Setting;

/// TCP that reacts to marks, sources under rate control, and datagrams, over a line of 100 Mbit/s.
const BASE: &str = r#"
    link_layer = "ethernet"
    run.duration = "60 ms"
    topology = { template = "n-source", link_rate = "1 Gbit/s", bottleneck_rate = "100 Mbit/s", access = "10 us", bottleneck = "50 us", egress = "10 us" }
    switch = { buffer = "60 kB" }
    tcp = { ecn = true, granularity = "1 ms", min_rto = "5 ms", initial_rto = "10 ms" }
    flow = [
        { name = "tcp", count = 3 },
        { name = "late", count = 2, start = "30 ms" },
        { name = "rated", count = 2, rate_control = { icr = "10 Mbit/s", nrm = 8, trm = "3.125 ms", adtf = "10 ms" } },
        { name = "bursts", rate_control = { icr = "1 Mbit/s", trm = "1.5625 ms", adtf = "10 ms" }, source = { kind = "messages", mean_length = "3 KiB", mean_rate = "2 Mbit/s" } },
        { name = "steady", source = { kind = "cbr", rate = "10 Mbit/s" } },
        { name = "random", source = { kind = "poisson", rate = "5 Mbit/s" } },
        { name = "periods", source = { kind = "on-off", peak = "20 Mbit/s", period = "8 ms", duty_cycle = 0.4 } },
    ]
"#;

/// Time of the change, which lies within ON and OFF parts and within intervals of control schemes.
const AT: &str = "25.3 ms";

fn job(text: &str, settings: &[String]) -> Result<Job, String> {
    Job::new(text, "test", settings, None).map_err(|refusal| refusal.to_string())
}

/// Reports at the change and at the end of a run with these settings.
fn reports(settings: &[String]) -> Result<[String; 2], String> {
    let job = job(BASE, settings)?;
    let mut run = Simulation::new(job.plan()).unwrap();
    let at: Ps = serde_json::from_value(Value::from(AT)).unwrap();
    run.begin_window();
    run.run_until(at);
    let mut early = run.clone();
    early.end_window();
    run.run_until(job.scenario().run.duration);
    run.end_window();
    Ok([early.report(), run.report()].map(|report| format!("{report:?}")))
}

/// Tries to change `key` to each value. Returns a description of the key if no value has an effect.
fn without_effect(settings: &[String], key: &str, values: &[String]) -> Option<String> {
    let plain = reports(settings).unwrap_or_else(|refusal| panic!("{key}: {refusal}"));
    let mut acted = false;
    for value in values {
        let change = format!("changes=[{{at=\"{AT}\", set={{\"{key}\"={value}}}}}]");
        let changed = match reports(&[settings, &[change]].concat()) {
            Ok(changed) => changed,
            Err(refusal) => {
                // A value at an end of a range may contradict another key.
                assert!(!refusal.contains("cannot change"), "{key}: {refusal}");
                continue;
            }
        };
        assert_eq!(changed[0], plain[0], "{key} = {value} acts before its time");
        acted |= changed[1] != plain[1];
    }
    (!acted).then(|| format!("{key} with {settings:?}"))
}

/// Both ends of the search range of a property of the schema, in TOML.
fn values(property: &Value) -> Vec<String> {
    let range = &property["x-search"];
    let value = |end: &str| match (range["of"].as_str(), &range[end]) {
        (Some("buffer"), Value::Number(share)) => {
            format!("\"{} bytes\"", (share.as_f64().unwrap() * 60_000.0) as u64)
        }
        (Some("pcr"), Value::Number(share)) => {
            format!("\"{} Mbit/s\"", share.as_f64().unwrap() * 1_000.0)
        }
        (_, Value::String(text)) => format!("\"{text}\""),
        (_, number) => number.to_string(),
    };
    ["low", "high"].map(value).into()
}

fn ranged(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.filter(|(_, property)| property["x-search"].is_object())
}

/// Settings with which the parameters of an algorithm or a scheme act on the queue of [`BASE`].
fn within_reach(name: &str, key: &str) -> &'static [&'static str] {
    match name {
        "pie" if key == "mark_threshold" => &[
            "switch.aqm.ecn=true",
            "switch.aqm.qdelay_ref=1 ms",
            "switch.aqm.t_update=1 ms",
            "switch.aqm.max_burst=0 s",
            "switch.aqm.alpha=50",
            "switch.aqm.beta=500",
        ],
        "pie" => &[
            "switch.aqm.qdelay_ref=2 ms",
            "switch.aqm.t_update=1 ms",
            "switch.aqm.max_burst=40 ms",
            "switch.aqm.alpha=10",
            "switch.aqm.beta=100",
        ],
        "red" => &["switch.aqm.weight=0.1", "switch.aqm.max_p=0.2"],
        "codel" => &["switch.aqm.target=1 ms", "switch.aqm.interval=5 ms"],
        "efci" if key != "threshold" => &["switch.control.high=10 packets"],
        "fmmra" | "eprca" | "dmrca" => &[
            "switch.control.qt=2 packets",
            "switch.control.dqt=6 packets",
        ],
        "rrm-pid" => &[
            "switch.control.sampling=5 packets",
            "switch.control.low=5 packets",
            "switch.control.high=12 packets",
            "switch.control.epsilon=1 packets",
        ],
        rrm if rrm.starts_with("rrm") => &[
            "switch.control.sampling=5 packets",
            "switch.control.low=5 packets",
            "switch.control.high=12 packets",
        ],
        _ => &[],
    }
}

/// For each variant of a definition of the schema: its name, the number of its parameters with a range, and
/// the parameters without effect.
fn of_variants(
    definition: &str,
    table: &str,
    tag: &str,
    more: &[&str],
) -> Vec<(String, usize, Vec<String>)> {
    let variants = schema()["$defs"][definition]["oneOf"].as_array().unwrap();
    // Ethernet refuses `becn`.
    let variants = variants
        .iter()
        .filter(|variant| variant["properties"][tag]["const"] != "becn");
    let of_variant = |variant: &Value| {
        let name = variant["properties"][tag]["const"].as_str().unwrap();
        let (mut tried, mut wrong) = (0, Vec::new());
        for (key, property) in ranged(variant) {
            let mut settings = vec![format!("{table}.{tag}={name}")];
            let reached = within_reach(name, key).iter().chain(more);
            settings.extend(reached.map(|setting| String::from(*setting)));
            let path = format!("{table}.{key}");
            tried += 1;
            wrong.extend(without_effect(&settings, &path, &values(property)));
        }
        (name.into(), tried, wrong)
    };
    variants.map(of_variant).collect()
}

#[test]
fn every_parameter_of_queue_management_acts_from_its_instant_on() {
    for (_, _, wrong) in of_variants("AqmConfig", "switch.aqm", "algorithm", &[]) {
        assert_eq!(wrong, [""; 0]);
    }
}

/// Tests over ATM check that each parameter of the same control schemes acts. This test requires that most
/// parameters of each scheme act.
#[test]
fn parameters_of_every_scheme_act_from_their_instant_on() {
    // Sources under rate control use the line one after another.
    let obeying = [
        "flow.tcp.sends=false",
        "flow.late.sends=false",
        "flow.rated.count=6",
        "flow.rated.stagger=6 ms",
    ];
    let found = of_variants("ControlConfig", "switch.control", "scheme", &obeying);
    assert!(found.len() > 10);
    for (name, tried, wrong) in found {
        assert!(2 * wrong.len() <= tried, "{name}: {wrong:?}");
    }
}

#[test]
fn every_parameter_of_rate_control_acts_from_its_instant_on() {
    let marks = [r#"switch.control={scheme="efci", threshold="3 packets"}"#];
    // Without marks a source keeps its ICR or exceeds it.
    let fast = [
        r#"switch.control={scheme="efci", threshold="39 packets"}"#,
        "flow.tcp.sends=false",
        "flow.late.sends=false",
        "flow.rated.rate_control.nrm=2",
        "flow.rated.rate_control.rif=0.0078125",
    ];
    let answers = [
        &fast[..],
        &["flow.rated.rate_control.icr=90 Mbit/s"],
        &["flow.rated.rate_control.rif=3.0517578125e-05"],
    ]
    .concat();
    let cut = [&answers[..], &["flow.rated.rate_control.crm=1"]].concat();
    let mut wrong = Vec::new();
    for (key, property) in ranged(&schema()["$defs"]["RateControl"]) {
        let settings = match key.as_str() {
            "rif" => &fast[..],
            "crm" => &answers,
            "cdf" => &cut,
            _ => &marks,
        };
        let settings: Vec<String> = settings.iter().map(|one| String::from(*one)).collect();
        // Only a source that pauses returns to its ICR.
        let group = if ["icr", "adtf", "trm"].contains(&key.as_str()) {
            "bursts"
        } else {
            "rated"
        };
        let path = format!("flow.{group}.rate_control.{key}");
        wrong.extend(without_effect(&settings, &path, &values(property)));
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn memory_buffers_sources_and_flows_act_from_their_instant_on() {
    let memory = [String::from(r#"switch.memory={total="80 kB"}"#)];
    let mut wrong = Vec::new();
    for (key, value) in [
        ("switch.memory.total", "\"30 kB\""),
        ("switch.memory.alpha", "0.25"),
        ("switch.memory.reserved", "\"3 kB\""),
    ] {
        wrong.extend(without_effect(&memory, key, &[value.into()]));
    }
    for (key, value) in [
        ("switch.buffer", "\"20 kB\""),
        ("flow.tcp.sends", "false"),
        ("flow.rated.sends", "false"),
        ("flow.bursts.sends", "false"),
        ("flow.steady.sends", "false"),
        ("flow.periods.sends", "false"),
        ("flow.steady.source.rate", "\"30 Mbit/s\""),
        ("flow.random.source.rate", "\"9 Mbit/s\""),
        ("flow.periods.source.peak", "\"30 Mbit/s\""),
    ] {
        wrong.extend(without_effect(&[], key, &[value.into()]));
    }
    assert_eq!(wrong, [""; 0]);
}

/// The resolved text of [`BASE`] with a change of the keys `set`, and the keys and values of its changes.
fn changed(set: &str, more: &[&str]) -> (String, Vec<String>) {
    let mut settings: Vec<String> = more.iter().map(|text| String::from(*text)).collect();
    settings.push(format!("changes=[{{at=\"{AT}\", set={{{set}}}}}]"));
    let job = job(BASE, &settings).unwrap_or_else(|refusal| panic!("{refusal}"));
    let changes = &job.scenario().changes;
    let keys = changes.iter().map(|change| {
        let one = |(key, value): (&String, &Setting)| format!("{key} = {}", value.0);
        change.set.iter().map(one).collect::<Vec<_>>().join("; ")
    });
    (job.resolved().into(), keys.collect())
}

/// Lengths of a control scheme are in bytes on the line: 1,538 for each packet.
#[test]
fn resolved_changes_read_back_the_same() {
    for (set, more, keys) in [
        (
            r#""switch.control.threshold" = "30 packets", "flow.tcp.sends" = false"#,
            &["switch.control={scheme=\"efci\", threshold=\"3 packets\"}"][..],
            "flow.tcp.sends = false; switch.control.threshold = \"46140 bytes\"",
        ),
        (
            r#"switch = { aqm = { k = "20 packets" } }, flow.rated.rate_control.nrm = 16"#,
            &["switch.aqm={algorithm=\"threshold\"}"],
            "flow.rated.rate_control.nrm = 16; switch.aqm.k = \"20 packets\"",
        ),
    ] {
        let (resolved, found) = changed(set, more);
        assert_eq!(found, [keys]);
        let again = job(&resolved, &[]).unwrap();
        assert_eq!(again.resolved(), resolved);
    }
    // A change to the present value of 60 kB is left out.
    let same = changed(r#""switch.buffer" = "60 kB""#, &[]);
    assert_eq!(same, (job(BASE, &[]).unwrap().resolved().into(), vec![]));
}

#[test]
fn every_other_key_is_refused_with_its_reason() {
    let more = [
        "switch.aqm={algorithm=\"threshold\"}",
        "switch.control={scheme=\"erica\"}",
    ];
    let mut all = String::new();
    for set in [
        "run.seed = 8",
        "measure.from = \"1 ms\"",
        "ethernet.tagged = true",
        "topology.bottleneck = \"1 ms\"",
        "switch.queues = [[1], [0]]",
        "switch.schedule = { discipline = \"deficit-round-robin\", quanta = [\"2 kB\"] }",
        "switch.aqm.at = \"dequeue\"",
        "switch.aqm = { algorithm = \"red\" }",
        "switch.memory = { total = \"1 MB\" }",
        "switch.control.scheme = \"efci\"",
        "switch.control.mark_forward = true",
        "pfc = {}",
        "tcp.window = \"32 KiB\"",
        "flow.tcp.tcp.mss = \"1 KiB\"",
        "flow.tcp.rate_control = {}",
        "flow.rated.rate_control.pcr = \"500 Mbit/s\"",
        "flow.rated.rate_control.mcr = \"1 Mbit/s\"",
        "flow.tcp.start = \"1 ms\"",
        "flow.steady.datagram = \"100 bytes\"",
        "flow.steady.priority = 3",
        "flow.steady.source.kind = \"poisson\"",
        "flow.periods.source.period = \"1 ms\"",
        "flow.steady.source.rate = \"10 cells/s\"",
        "changes = [{ at = \"9 ms\", set = {} }]",
        "switch.control.interval = \"0 s\"",
    ] {
        let mut settings = more.map(String::from).to_vec();
        settings.push(format!("changes=[{{at=\"{AT}\", set={{{set}}}}}]"));
        let refusal = Job::new(BASE, "test", &settings, None).expect_err(set);
        let told = &refusal.diagnostics[0];
        all += &format!("{set}\n    {}\n    {}\n", told.message, told.help);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn changes_contradict_slowdown_and_routers() {
    let one = |set: &str| format!("changes=[{{at=\"1 ms\", set={{{set}}}}}]");
    let change = one("\"switch.buffer\"=\"50 kB\"");
    let refused = job(BASE, &[change.clone(), "measure.slowdown=true".into()]).unwrap_err();
    assert!(
        refused.contains("runs each flow alone, without `changes`"),
        "{refused}"
    );
    let mut templates = crate::ethernet::templates::TEMPLATES.iter();
    let (_, _, joined) = templates.find(|(name, _, _)| *name == "router").unwrap();
    let refused = job(joined, &[change]).unwrap_err();
    assert!(
        refused.contains("not available in a network with routers"),
        "{refused}"
    );
    let refused = job(joined, &["flow.0.sends=false".into()]).unwrap_err();
    assert!(refused.contains("the flow never sends"), "{refused}");
}
