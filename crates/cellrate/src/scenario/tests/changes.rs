//! Changes during a run: keys that may change, how changes are written out, and changes that are
//! refused.

use super::*;

/// The scenario `RIGHT` with a change at 1 s that sets these keys.
fn changed(set: &str) -> String {
    format!("{RIGHT}\n[[changes]]\nat = \"1 s\"\nset = {{ {set} }}\n")
}

fn right(text: &str) -> Checked {
    parse(text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"))
}

/// The keys of each change with their values, as the complete scenario has them.
fn keys(checked: &Checked) -> Vec<String> {
    let set = |change: &Change| {
        let one = |(key, value): (&String, &types::Setting)| format!("{key} = {}", value.0);
        change.set.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    checked.scenario().changes.iter().map(set).collect()
}

#[test]
fn a_change_holds_from_its_time_on() {
    let text = changed(r#""switch.buffer" = "53 kB", "flow.vbr.sends" = false"#);
    let checked = right(&text);
    let [stage] = checked.stages() else { panic!() };
    assert_eq!(stage.at.to_string(), "1 s");
    assert_eq!(stage.scenario.switch.buffer.0, 1_000);
    assert!(!stage.scenario.flows[1].sends && checked.scenario().flows[1].sends);
    let buffers = |graph: &Graph| -> Vec<u64> {
        let switches = graph.nodes.iter().filter_map(|node| node.switch.as_ref());
        switches.map(|switch| switch.buffer.0).collect()
    };
    assert_eq!(buffers(&stage.graph), buffers(checked.graph()));
    // 53 kB are 1,000 cells, the size that the buffer already has, so this key changes nothing.
    assert_eq!(keys(&checked), ["flow.vbr.sends = false"]);
}

#[test]
fn a_later_change_adds_to_the_earlier_ones() {
    let text = changed(r#""switch.buffer" = "500 cells""#)
        + "[[changes]]\nat = \"1.5 s\"\nset = { \"abr.rif\" = 0.25 }\n";
    let checked = right(&text);
    let last = &checked.stages()[1].scenario;
    assert_eq!((last.switch.buffer.0, last.abr.rif), (500, 0.25));
    // The flow takes those keys of `[abr]` that it does not set itself.
    assert_eq!(last.flows[0].abr.rif, 0.25);
    assert_eq!(
        keys(&checked),
        ["switch.buffer = \"500 cells\"", "abr.rif = 0.25"]
    );
}

#[test]
fn tables_and_dotted_keys_say_the_same() {
    let dotted = right(&changed(
        r#""switch.control.delta" = 0.2, "flow.tcp.abr.rif" = 0.125"#,
    ));
    for set in [
        r#"switch.control.delta = 0.2, flow.tcp.abr.rif = 0.125"#,
        r#"switch = { control = { delta = 0.2 } }, "flow.0" = { abr.rif = 0.125 }"#,
        r#""switch.control" = { scheme = "erica", delta = 0.2 }, "flow.tcp.abr" = { rif = 0.125 }"#,
    ] {
        assert_eq!(right(&changed(set)), dotted, "{set}");
    }
    assert_eq!(
        keys(&dotted),
        ["flow.tcp.abr.rif = 0.125; switch.control.delta = 0.2"]
    );
}

#[test]
fn resolved_changes_read_back_the_same() {
    let own = with(
        RIGHT,
        "kind = \"greedy\"",
        "kind = \"greedy\"\n[flow.abr]\nrif = 0.25",
    );
    for set in [
        r#""abr.rif" = 0.25, "abr.rdf" = 0.5"#,
        r#""abr.rif" = 0.125, "flow.tcp.abr.rif" = 0.125"#,
        r#""switch.discard.threshold" = "500 cells", "flow.vbr.source.peak" = "20 Mbit/s""#,
    ] {
        roundtrip::check_round_trip(&changed(set), &[]);
        roundtrip::check_round_trip(&changed(set).replace(RIGHT, &own), &[]);
    }
    let of_one = format!(
        "{GRAPH}\n[[changes]]\nat = \"1 s\"\nset = {{ \"topology.node.X.buffer\" = \"7 cells\" }}\n"
    );
    assert!(
        roundtrip::check_round_trip(&of_one, &[])
            .contains("\"topology.node.X.buffer\" = \"7 cells\"")
    );
}

#[test]
fn changes_that_change_nothing_leave_the_scenario_as_it_is() {
    let same = right(&changed(
        r#""switch.buffer" = "1000 cells", "tcp.mss" = "512 bytes""#,
    ));
    assert_eq!(resolve(same.scenario()), resolve(right(RIGHT).scenario()));
    assert_eq!(same.stages(), []);
}

#[test]
fn a_warning_of_a_change_tells_its_time_and_comes_once() {
    let text = changed(r#""switch.discard.threshold" = "2000 cells""#)
        + "[[changes]]\nat = \"1.5 s\"\nset = { \"abr.rif\" = 0.25 }\n";
    let checked = right(&text);
    let told: Vec<&str> = checked
        .warnings()
        .iter()
        .map(|found| found.message.as_str())
        .collect();
    assert_eq!(
        told,
        ["from 1 s on: `threshold`: 2000 cells are never exceeded in a buffer of 1000 cells"]
    );
}

#[test]
fn every_other_key_is_refused_with_its_reason() {
    let mut all = String::new();
    for set in [
        r#""run.seed" = «8"#,
        r#""run.duration" = «"3 s""#,
        r#""measure.from" = «"1 s""#,
        r#""topology.bottleneck" = «"10 km""#,
        r#""switch.priority" = «[["abr", "vbr"]]"#,
        r#""switch.rm_first" = «true"#,
        r#"«"switch.vsvd.limit_source" = true"#,
        r#""switch.control.scheme" = «"efci""#,
        r#""switch.control.mark_forward" = «true"#,
        r#""switch.discard.policy" = «"ppd""#,
        r#""switch.discard.forward_end" = «false"#,
        r#""link_errors.lose_every" = «100"#,
        r#""tcp.window" = «"32 KiB""#,
        r#"«"flow.tcp.tcp.mss" = "1 KiB""#,
        r#""aal5.encapsulation" = «"vc-mux""#,
        r#""abr.pcr" = «"10 Mbit/s""#,
        r#""abr.rules" = «"prca", "abr.air" = "1 Mbit/s""#,
        r#""flow.tcp.count" = «3"#,
        r#""flow.tcp.start" = «"1 s""#,
        r#""flow.vbr.source.kind" = «"cbr", "flow.vbr.source.rate" = "1 Mbit/s""#,
        r#""flow.vbr.source.period" = «"10 ms""#,
        r#"changes = «[{ at = "1.5 s", set = {} }]"#,
        r#"«"switch.bufer" = "5 cells""#,
        r#""switch.buffer" = «"5""#,
        r#"«"flow.x.sends" = true"#,
        r#"«"a b" = true"#,
        r#""switch.control.interval" = «"0 s""#,
    ] {
        let (text, _) = unmark(set);
        let refusal = if text.contains("abr.air") || text.contains("rate") {
            // Both keys are at fault.
            parse(&changed(&text)).expect_err("it is refused")
        } else {
            the_error(&changed(set))
        };
        let told = &refusal.diagnostics[0];
        all += &format!("{text}\n    {}\n    {}\n", told.message, told.help);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn times_come_in_order_within_the_run() {
    let times = |times: &[&str]| {
        let one =
            |at: &&str| format!("[[changes]]\nat = «\"{at}\"\nset = {{ \"abr.rif\" = 0.25 }}\n");
        let (mut text, count) = (RIGHT.to_owned(), times.len());
        for (number, at) in times.iter().enumerate() {
            let part = one(at);
            text += &if number + 1 == count {
                part
            } else {
                part.replace('«', "")
            };
        }
        the_error(&text).diagnostics[0].message.clone()
    };
    assert_eq!(times(&["0 s"]), "a change at 0 s is too early");
    assert_eq!(
        times(&["2 s"]),
        "a change at 2 s comes too late: the run ends at 2 s"
    );
    assert_eq!(
        times(&["1 s", "1 s"]),
        "the change at 1 s is listed after the change at 1 s"
    );
    assert_eq!(
        times(&["1 s", "0.5 s"]),
        "the change at 500 ms is listed after the change at 1 s"
    );
}

/// The rule allows exactly those keys that have a range and are in a table whose keys can change.
#[test]
fn the_schema_says_which_keys_can_change() {
    let properties = |name: &str| schema()["$defs"][name]["properties"].clone();
    for (group, changes) in [
        ("switch", true),
        ("abr", true),
        ("run", false),
        ("tcp", false),
    ] {
        assert_eq!(
            schema()["properties"][group]["x-change"] == true,
            changes,
            "{group}"
        );
    }
    assert_eq!(properties("Flow")["sends"]["x-change"], true);
    assert_eq!(properties("Switch")["buffer"]["x-change"], true);
}
