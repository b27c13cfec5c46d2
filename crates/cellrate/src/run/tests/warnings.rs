use super::{LOSSY, MARKED, codes, outcome, summary};

/// What of `text` with `overrides` calls for a look, and that the same with `instead` does not.
fn warns(text: &str, overrides: &[&str], instead: &[&str], code: &str) {
    let [found, sound] = [overrides, instead].map(|overrides| codes(&outcome(text, overrides)));
    assert!(found.contains(&code.into()), "{overrides:?}: {found:?}");
    assert!(!sound.contains(&code.into()), "{instead:?}: {sound:?}");
}

#[test]
fn what_calls_for_a_look_is_said_and_nothing_else() {
    let sound = outcome(&LOSSY.replace("count = 3", "count = 1"), &[r#"topology.bottleneck_rate="20 Mbit/s""#]);
    assert_eq!(codes(&sound), Vec::<String>::new(), "{}", sound.summary);
    // A round trip is 1.2 ms and a few cell times; the window is 400 ms, after 200 ms.
    warns(LOSSY, &[r#"measure.to="115 ms""#], &[r#"measure.to="300 ms""#], "short-window");
    warns(LOSSY, &[r#"measure.from="20 ms""#], &[r#"measure.from="40 ms""#], "short-warm-up");
    warns(LOSSY, &[r#"switch.buffer="100000 cells""#], &[], "buffer-never-filled");
    warns(LOSSY, &[r#"switch.buffer="100000 cells""#], &[r#"switch.buffer="infinite""#], "buffer-never-filled");
    warns(LOSSY, &[r#"tcp.initial_window=1000"#], &[r#"tcp.initial_window=10"#], "parameter-clipped");
    warns(LOSSY, &[r#"tcp.min_rto="1 ms""#], &[r#"tcp.min_rto="10 ms""#], "parameter-clipped");
    warns(LOSSY, &[r#"tcp.initial_rto="10 ms""#], &[r#"tcp.initial_rto="20 ms""#], "parameter-clipped");
    let traced = ["measure.traces=[\"queue\"]", "measure.trace_points=2"];
    warns(LOSSY, &traced, &traced[..1], "parameter-clipped");
    warns(
        &LOSSY.replace("count = 3", r#"start = "550 ms""#),
        &[],
        &["run.duration=\"2 s\"", "measure.to=\"2 s\""],
        "window-empty",
    );
    warns(&LOSSY.replace("count = 3", r#"start = "700 ms""#), &[], &["run.duration=\"2 s\""], "never-starts");
    let capped = ["abr.tbe=\"100 cells\"", "abr.apply_tbe_icr_cap=true"];
    warns(MARKED, &capped, &capped[1..], "parameter-clipped");
    warns(
        MARKED,
        &["abr.tbe=\"20 cells\"", "abr.crm_rounding=\"down\""],
        &["abr.crm_rounding=\"down\""],
        "parameter-clipped",
    );
}

#[test]
fn a_loop_that_is_not_closed_within_the_run_is_said() {
    // One way is 300.4 ms, there and back 600.8 ms.
    let far = r#"topology.bottleneck="60000 km""#;
    warns(LOSSY, &[far], &[far, "run.duration=\"700 ms\""], "no-round-trip");
}

#[test]
fn a_link_to_which_too_much_is_promised_is_said() {
    let with = |rate: &str| MARKED.replace(r#"rate = "5 Mbit/s""#, &format!(r#"rate = "{rate}""#));
    warns(&with("51 Mbit/s"), &[], &["topology.link_rate=\"52 Mbit/s\""], "overbooked");
    warns(&with("60 Mbit/s"), &[], &["topology.link_rate=\"61 Mbit/s\""], "parameter-clipped");
    // 5 Mbit/s of random cells, and twice MCR.
    let mcr = |rate: &str| format!("abr.mcr=\"{rate}\"");
    warns(MARKED, &[&mcr("23 Mbit/s")], &[&mcr("22.5 Mbit/s")], "overbooked");
}

#[test]
fn events_that_were_not_kept_are_said() {
    let all = r#"measure.events=["loss"]"#;
    warns(LOSSY, &[all, "measure.event_limit=10"], &[all], "events-omitted");
}

#[test]
fn transfers_need_no_warm_up() {
    let text =
        LOSSY.replace(r#"service = "ubr" }"#, r#"service = "ubr", source = { kind = "transfer", size = "200 kB" } }"#);
    let outcome = outcome(&text, &[r#"measure.from="0 s""#]);
    assert!(!codes(&outcome).contains(&"short-warm-up".into()));
    let flow = &summary(&outcome)["flows"][0];
    assert!(flow["completion_seconds"].as_f64().unwrap() > 0.03);
}
