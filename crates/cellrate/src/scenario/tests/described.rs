//! Tests of a scenario's network in plain numbers.

use serde_json::{Value, json};

use super::*;

fn described(text: &str, overrides: &[&str]) -> Value {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let checked =
        Scenario::parse(text, "f", &overrides, None).unwrap_or_else(|refusal| panic!("{refusal}"));
    serde_json::to_value(describe(&checked)).unwrap()
}

#[test]
fn quantities_are_numbers_under_their_units() {
    let text = template("n-source").unwrap();
    let network = described(text, &["abr.mcr=0.1497568 Mbit/s", "switch.buffer=300 KiB"]);
    let link = &network["links"][0];
    assert_eq!(link["name"], "A->B");
    assert_eq!(link["bits_per_second"], json!(155_520_000.0));
    assert_eq!(link["cells_per_second"], json!(155_520_000.0 / 424.0));
    assert_eq!(link["delay_seconds"], json!(0.005));
    let switch = &network["nodes"][0]["switch"];
    assert_eq!(switch["buffer_cells"], json!(5_796.0));
    assert_eq!(switch["control"]["scheme"], "erica");
    assert_eq!(switch["control"]["interval_seconds"], json!(0.001));
    assert_eq!(switch["control"]["interval_cells"], json!(100.0));
    assert_eq!(switch["control"]["queue_control"], Value::Null);
    let flow = &network["flows"][1];
    assert_eq!(
        (&flow["name"], &flow["start_seconds"]),
        (&json!("tcp.2"), &json!(0.01))
    );
    assert_eq!(flow["tcp"]["mss_bytes"], json!(512.0));
    assert_eq!(flow["abr"]["mcr_bits_per_second"], json!(149_756.8));
    assert_eq!(flow["source_queue_cells"], Value::Null);
    assert_eq!(flow["source"], json!({ "kind": "greedy" }));
}

/// The links of 1 km, 1000 km and 1 km take 5.01 ms in one direction. The feedback of switch A
/// crosses the access link twice.
#[test]
fn delays_are_those_of_the_way() {
    let network = described(template("n-source").unwrap(), &[]);
    let flow = &network["flows"][0];
    assert_eq!(flow["propagation_round_trip_seconds"], json!(0.010_02));
    assert_eq!(
        flow["feedback_delay_seconds"],
        json!([0.0, 0.000_01, 0.010_01])
    );
    let names = |links: &Value| -> Vec<Value> {
        let links = links.as_array().unwrap().iter();
        links
            .map(|link| network["links"][link.as_u64().unwrap() as usize]["name"].clone())
            .collect()
    };
    assert_eq!(
        names(&flow["forward"]),
        ["src.tcp.1->A", "A->B", "B->dst.tcp.1"]
    );
    assert_eq!(
        names(&flow["backward"]),
        ["dst.tcp.1->B", "B->A", "A->src.tcp.1"]
    );
}

/// Feedback of switch B goes only to the virtual source of A, over 1000 km.
#[test]
fn feedback_stays_in_its_loop() {
    let text = template("n-source").unwrap();
    let capped = "abr={tbe=\"1000 cells\", apply_tbe_icr_cap=true}";
    let [whole, split] = [&[capped][..], &[capped, "switch.vsvd={at=[\"A\"]}"]]
        .map(|all| described(text, all)["flows"][0].clone());
    assert_eq!(
        split["feedback_delay_seconds"],
        json!([0.0, 0.000_01, 0.01])
    );
    assert_eq!(
        split["propagation_round_trip_seconds"],
        whole["propagation_round_trip_seconds"]
    );
    // 1000 cells in 10 ms are less than the line carries, 1000 cells in 20 us are more.
    let icr = |flow: &Value| flow["abr"]["icr_bits_per_second"].as_f64().unwrap();
    assert!(
        icr(&whole) < 43e6 && icr(&split) == 155_520_000.0,
        "{whole} {split}"
    );
}

#[test]
fn what_is_left_out_has_its_value_in_force() {
    let text = template("n-source").unwrap();
    let efci = described(text, &["switch.control={scheme=\"efci\"}"]);
    assert_eq!(
        efci["nodes"][0]["switch"]["control"]["threshold_cells"],
        json!(100.0)
    );
    let erica = described(
        text,
        &["switch.control={scheme=\"erica\", queue_control={}}"],
    );
    assert_eq!(
        erica["nodes"][0]["switch"]["control"]["target_utilisation"],
        json!(1.0)
    );
    assert_eq!(
        erica["nodes"][0]["switch"]["control"]["queue_control"]["target_delay_seconds"],
        json!(0.0005)
    );
    assert_eq!(
        erica["flows"][0]["abr"]["pcr_bits_per_second"],
        json!(155_520_000.0)
    );
    let epd = described(
        template("single-switch").unwrap(),
        &["switch.discard={policy=\"epd\"}"],
    );
    assert_eq!(
        epd["nodes"][0]["switch"]["discard"]["threshold_cells"],
        json!(500.0)
    );
    assert_eq!(
        (
            &epd["flows"][0]["abr"],
            &epd["flows"][0]["feedback_delay_seconds"]
        ),
        (&Value::Null, &json!([]))
    );
}

#[test]
fn sources_say_what_they_ask_of_links() {
    let text = template("n-source-vbr").unwrap();
    let own = |source: &str| {
        described(text, &[&format!("flow.vbr.source={source}")])["flows"][15]["own_rate"].clone()
    };
    let rates = |mean: Value, peak: Value| json!({ "mean_cells_per_second": mean, "peak_cells_per_second": peak });
    let on_off = r#"{kind="on-off", peak="424 kbit/s", period="10 ms", duty_cycle=0.25}"#;
    assert_eq!(own(on_off), rates(json!(250.0), json!(1000.0)));
    assert_eq!(
        own(r#"{kind="cbr", rate="424 kbit/s"}"#),
        rates(json!(1000.0), json!(1000.0))
    );
    assert_eq!(
        own(r#"{kind="poisson", rate="424 kbit/s"}"#),
        rates(json!(1000.0), Value::Null)
    );
    assert_eq!(own(r#"{kind="persistent"}"#), Value::Null);
}

/// Every parameter of every registered component that has a unit must become a number.
#[test]
fn nothing_with_a_unit_is_left_as_text() {
    for (name, ..) in templates::TEMPLATES {
        no_quantity(&described(template(name).unwrap(), &[]), name);
    }
}

fn no_quantity(value: &Value, path: &str) {
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| no_quantity(value, &format!("{path}.{key}"))),
        Value::Array(items) => items.iter().for_each(|item| no_quantity(item, path)),
        Value::String(text) => assert!(
            !Quantity::ALL.iter().any(|one| one.reads(text)),
            "{path}: {text}"
        ),
        _ => {}
    }
}
