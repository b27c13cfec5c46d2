//! Every key that the schema allows to change: before the change, a run must equal the run without
//! the change to the last bit; after it, the two must differ.

use serde_json::Value;

use super::*;
use crate::scenario::schema;
use crate::scenario::schema::definition;

/// TCP over ABR, background traffic with ON and OFF times, and a short queue. The connections of
/// the flow group `far` begin after the change.
const BASE: &str = r#"
    run = { duration = "60 ms", strict = false }
    topology = { template = "n-source", link_rate = "50 Mbit/s", access = "1 km", bottleneck = "20 km", egress = "1 km" }
    switch.buffer = "80 cells"
    abr = { icr = "5 Mbit/s", nrm = 8, trm = "3.125 ms", adtf = "10 ms", crm = 8 }
    tcp = { granularity = "1 ms", min_rto = "5 ms", initial_rto = "10 ms", window = "32 KiB" }
    flow = [
        { name = "tcp", count = 3, service = "abr" },
        { name = "www", count = 2, service = "abr", source = { kind = "messages", mean_length = "3 KiB", mean_rate = "1 Mbit/s" } },
        { name = "cells", service = "random", source = { kind = "on-off", peak = "20 Mbit/s", period = "8 ms", duty_cycle = 0.4 } },
        { name = "steady", service = "cbr", source = { kind = "cbr", rate = "2 Mbit/s" } },
        { name = "random", service = "random", source = { kind = "poisson", rate = "2 Mbit/s" } },
    ]
"#;

/// Time of the change, in the middle of ON and OFF times and of intervals.
const AT: &str = "25.3 ms";

/// Reports at the change, just after it, and at the end, of a run with these settings.
fn reports(settings: &[String]) -> Result<[String; 2], String> {
    let checked =
        Scenario::parse(BASE, "test", settings, None).map_err(|refusal| refusal.rendered)?;
    let mut run = Driver::new(checked.scenario(), build::plan(&checked))
        .unwrap()
        .simulation;
    let at: Ps = serde_json::from_value(Value::from(AT)).unwrap();
    let end = checked.scenario().run.duration;
    run.begin_window();
    run.run_until(at);
    let mut early = run.clone();
    early.end_window();
    run.run_until(end);
    run.end_window();
    Ok([early.report(), run.report()].map(|report| format!("{report:?}")))
}

/// Values from the search range of a property, as they are written.
fn values(property: &Value) -> Vec<String> {
    let range = &property["x-search"];
    ["low", "high"]
        .iter()
        .map(|end| value(property, &range[*end]))
        .collect()
}

fn value(property: &Value, end: &Value) -> String {
    let (_, name) = definition(&schema()["$defs"], property);
    match (property["x-search"]["of"].as_str(), end) {
        (Some("buffer"), Value::Number(share)) => {
            format!("\"{} cells\"", (share.as_f64().unwrap() * 80.0) as u64)
        }
        (Some("pcr"), Value::Number(share)) => {
            format!("\"{} Mbit/s\"", share.as_f64().unwrap() * 50.0)
        }
        (_, Value::String(text)) => format!("\"{text}\""),
        (_, number) if name.contains("Cells") => format!("\"{number} cells\""),
        (_, number) => number.to_string(),
    }
}

/// Settings under which a property has an effect, from the conditions `when` of the property.
fn conditions(table: &str, property: &Value) -> Vec<String> {
    let when = property["x-search"]["when"].as_object();
    let condition = |(key, wanted): (&String, &Value)| match wanted {
        Value::Array(names) => Some(format!("{table}.{key}={}", names[0])),
        Value::Bool(true) if key == "average_sources" => Some(format!("{table}.{key}=true")),
        _ => None,
    };
    when.into_iter().flatten().filter_map(condition).collect()
}

/// Changes `key`, and adds it to `wrong` if the change has an effect before its time, or none at
/// all.
fn try_key(settings: &[String], key: &str, values: &[String], wrong: &mut Vec<String>) {
    let plain = reports(settings).unwrap_or_else(|refusal| panic!("{key}: {refusal}"));
    let mut acted = false;
    for value in values {
        let change = format!("changes=[{{at=\"{AT}\", set={{\"{key}\"={value}}}}}]");
        let changed = match reports(&[settings, &[change]].concat()) {
            Ok(changed) => changed,
            Err(refusal) => {
                // Each end of the range may contradict another key.
                assert!(!refusal.contains("cannot change"), "{key}: {refusal}");
                continue;
            }
        };
        assert_eq!(changed[0], plain[0], "{key} = {value} acts before its time");
        acted |= changed[1] != plain[1];
    }
    if !acted {
        wrong.push(key.into());
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// Settings of a scheme that place its thresholds within the queue lengths that [`BASE`] reaches.
fn within_reach(scheme: &str, key: &str) -> &'static [&'static str] {
    match scheme {
        "efci" if key == "low" => &["high=10 cells"],
        "becn" if key == "threshold" => &["brm_interval=1 ms"],
        "becn" => &["brm_interval=1 ms", "threshold=5 cells"],
        "fmmra" | "eprca" | "dmrca" => &["qt=2 cells", "dqt=6 cells"],
        "rrm-pid" => &[
            "sampling=5 cells",
            "low=5 cells",
            "high=12 cells",
            "epsilon=1 cell",
        ],
        rrm if rrm.starts_with("rrm") => &["sampling=5 cells", "low=5 cells", "high=12 cells"],
        _ => &[],
    }
}

/// Tries every key with a search range of the variants of a schema definition. Returns the keys
/// that are wrong.
fn try_variants(definition: &str, table: &str, tag: &str, more: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for variant in schema()["$defs"][definition]["oneOf"].as_array().unwrap() {
        let name = variant["properties"][tag]["const"].as_str().unwrap();
        for (key, property) in properties(variant) {
            if !property["x-search"].is_object() {
                continue;
            }
            let mut settings = vec![format!("{table}.{tag}={name}")];
            settings.extend(more.iter().map(|text| (*text).into()));
            let reached = within_reach(name, key).iter();
            settings.extend(reached.map(|one| format!("{table}.{one}")));
            settings.extend(conditions(table, property));
            let mut found = Vec::new();
            try_key(
                &settings,
                &format!("{table}.{key}"),
                &values(property),
                &mut found,
            );
            wrong.extend(found.iter().map(|_| format!("{name}: {key}")));
        }
    }
    wrong
}

#[test]
fn every_parameter_of_every_scheme_acts_from_its_instant_on() {
    let wrong = try_variants("ControlConfig", "switch.control", "scheme", &[]);
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_parameter_of_erica_plus_acts_from_its_instant_on() {
    let mut wrong = Vec::new();
    for (key, property) in properties(&schema()["$defs"]["QueueControl"]) {
        if property["x-search"].is_object() {
            let table = "switch.control.queue_control";
            let mut settings = vec!["switch.control={scheme=\"erica\", queue_control={}}".into()];
            settings.extend(conditions(table, property));
            try_key(
                &settings,
                &format!("{table}.{key}"),
                &values(property),
                &mut wrong,
            );
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_parameter_of_every_policy_acts_from_its_instant_on() {
    let wrong = try_variants(
        "DiscardConfig",
        "switch.discard",
        "policy",
        &[
            "switch.buffer=40 cells",
            // Only tagged cells meet the threshold of tagged PDUs.
            "flow.tcp.policer={ action=\"tag\", pcr=\"2 Mbit/s\", cdvt=\"10 us\" }",
        ],
    );
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_parameter_of_abr_sources_acts_from_its_instant_on() {
    let mut wrong = Vec::new();
    for (key, property) in properties(&schema()["$defs"]["AbrConfig"]) {
        if !property["x-search"].is_object() {
            continue;
        }
        let rules = &property["x-search"]["when"]["rules"][0];
        let mut settings: Vec<String> = match rules.as_str() {
            Some("prca") => vec!["abr.rules=prca".into(), "abr.air=0.1 Mbit/s".into()],
            Some("smith-predictor") => vec![
                "abr.rules=smith-predictor".into(),
                "abr.time_constant=1 ms".into(),
                "switch.control={scheme=\"smith-predictor\", set_point=\"30 cells\"}".into(),
            ],
            _ => Vec::new(),
        };
        if rules.as_str() != Some("smith-predictor") {
            settings.push("switch.control={scheme=\"efci\", threshold=\"10 cells\"}".into());
        }
        if key == "cdf" {
            settings.push("abr.crm=1".into());
        }
        try_key(
            &settings,
            &format!("abr.{key}"),
            &values(property),
            &mut wrong,
        );
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn buffers_sources_and_flows_act_from_their_instant_on() {
    let mut wrong = Vec::new();
    for (key, value) in [
        ("switch.buffer", "\"20 cells\""),
        ("switch.buffer", "\"infinite\""),
        ("flow.tcp.sends", "false"),
        ("flow.www.sends", "false"),
        ("flow.cells.sends", "false"),
        ("flow.cells.source.peak", "\"30 Mbit/s\""),
        ("flow.steady.source.rate", "\"3 Mbit/s\""),
        ("flow.random.source.rate", "\"3 Mbit/s\""),
        ("flow.tcp.abr.nrm", "32"),
    ] {
        try_key(&[], key, &[value.into()], &mut wrong);
    }
    assert_eq!(wrong, [""; 0]);
}
