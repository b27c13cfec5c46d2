//! `--set path=value` and the seed.

use super::*;

fn set(overrides: &[&str]) -> Result<Checked, Refusal> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Scenario::parse(RIGHT, "my.toml", &overrides, None)
}

/// The single error of an override, which must begin at its mark.
fn the_override_error(text: &str) -> String {
    let (text, (_, column)) = unmark(text);
    let refusal = set(&["run.seed=9", &text]).unwrap_err();
    assert_eq!(refusal.diagnostics.len(), 1, "{}", refusal.rendered);
    let found = &refusal.diagnostics[0];
    assert_eq!(
        (found.path.as_str(), found.line, found.column),
        ("--set", 1, column),
        "{}",
        refusal.rendered
    );
    format!("# {text}\n{}", refusal.rendered)
}

#[test]
fn a_value_is_toml_or_else_a_string() {
    let set = |text| {
        set(&[text])
            .unwrap_or_else(|refusal| panic!("{refusal}"))
            .scenario()
            .clone()
    };
    assert_eq!(set("run.duration=3 s").run.duration.to_string(), "3 s");
    assert_eq!(
        set("run.duration = \"3 s\"").run.duration.to_string(),
        "3 s"
    );
    assert_eq!(set("flow.tcp.count=5").flows[0].count, 5);
    assert_eq!(set("flow.0.count=5").flows[0].count, 5);
    assert_eq!(set("flow.tcp.tcp.mss=1 KiB").flows[0].tcp.mss.0, 1024);
    assert!(set("measure.cell_delay=true").measure.cell_delay);
    assert_eq!(
        set("measure.traces=[\"acr\", \"cwnd\"]").measure.traces,
        [TraceKind::Acr, TraceKind::Cwnd]
    );
    assert_eq!(
        set("switch.control={scheme=\"none\"}")
            .switch
            .control
            .name(),
        "none"
    );
    assert_eq!(
        set("aal5.encapsulation=vc-mux").aal5.encapsulation.bytes(),
        0
    );
    assert_eq!(
        set("flow.vbr={name=\"far\", service=\"ubr\"}").flows[1].name,
        "far"
    );
}

#[test]
fn later_overrides_win_and_the_seed_has_the_last_word() {
    let run = |overrides: &[String], seed| {
        Scenario::parse(RIGHT, "f", overrides, seed)
            .unwrap()
            .scenario()
            .run
            .seed
    };
    assert_eq!(run(&[], None), 7);
    assert_eq!(run(&["run.seed=8".into(), "run.seed=9".into()], None), 9);
    assert_eq!(run(&["run.seed=8".into()], Some(11)), 11);
}

#[test]
fn shared_and_own_parameters_of_flows() {
    let checked = set(&["tcp.mss=1 KiB", "flow.tcp.tcp.window=32 KiB"]).unwrap();
    let scenario = checked.scenario();
    let tcp = &scenario.flows[0].tcp;
    assert_eq!((tcp.mss.0, tcp.window.0), (1024, 32 * 1024));
    assert_eq!(scenario.flows[0].abr.icr, scenario.abr.icr);
    assert!(scenario.abr.icr.is_some());
}

#[test]
fn wrong_overrides_are_shown_as_they_were_typed() {
    let cases = [
        "«run.duration",
        "«=5",
        "«run..duration=5 s",
        "«run.duration=",
        "run.«durration=5 s",
        "«rum.duration=5 s",
        "run.duration=«5",
        "run.duration = «5 km",
        "run.duration.«seconds=5",
        "flow.«tpc.count=5",
        "flow.«2.count=5",
        "flow.tcp.count=«many",
        "flow.tcp.source.kind=«gredy",
        "measure.traces=[«queue]",
        "measure.traces=«queue",
        "flow.vbr.source.duty_cycle=«2",
        "flow.tcp.abr.rif=«0.3",
        "abr.icr=«200 Mbit/s",
        "measure.to=«5 s",
        "«flow=5",
    ];
    let cases =
        cases.map(|text| the_override_error(if text == "«flow=5" { "flow=«5" } else { text }));
    insta::assert_snapshot!(cases.join("\n"));
}

#[test]
fn a_seed_beyond_63_bits_is_refused() {
    let refusal = Scenario::parse(RIGHT, "f", &[], Some(u64::MAX)).unwrap_err();
    insta::assert_snapshot!(refusal.rendered);
}
