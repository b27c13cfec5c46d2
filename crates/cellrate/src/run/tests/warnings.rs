use super::{LOSSY, MARKED, codes, outcome, summary};

/// Checks that `text` with `overrides` causes the warning `code`, and that `text` with `instead`
/// does not.
fn warns(text: &str, overrides: &[&str], instead: &[&str], code: &str) {
    let [found, sound] = [overrides, instead].map(|overrides| codes(&outcome(text, overrides)));
    assert!(found.contains(&code.into()), "{overrides:?}: {found:?}");
    assert!(!sound.contains(&code.into()), "{instead:?}: {sound:?}");
}

#[test]
fn what_calls_for_a_look_is_said_and_nothing_else() {
    let sound = outcome(
        &LOSSY.replace("count = 3", "count = 1"),
        &[r#"topology.bottleneck_rate="20 Mbit/s""#],
    );
    assert_eq!(codes(&sound), Vec::<String>::new(), "{}", sound.summary);
    // The round trip is 1.2 ms and a few cell times. The window lasts 400 ms and begins at 200 ms.
    warns(
        LOSSY,
        &[r#"measure.to="115 ms""#],
        &[r#"measure.to="300 ms""#],
        "short-window",
    );
    // The window lasts 4 minimum timeouts of 100 ms, or 20 of 20 ms; at least one flow times out in it.
    warns(
        LOSSY,
        &[r#"tcp.min_rto="100 ms""#, r#"tcp.initial_rto="100 ms""#],
        &[],
        "short-window",
    );
    warns(
        LOSSY,
        &[r#"measure.from="20 ms""#],
        &[r#"measure.from="40 ms""#],
        "short-warm-up",
    );
    warns(
        LOSSY,
        &[r#"switch.buffer="100000 cells""#],
        &[],
        "buffer-never-filled",
    );
    warns(
        LOSSY,
        &[r#"switch.buffer="100000 cells""#],
        &[r#"switch.buffer="infinite""#],
        "buffer-never-filled",
    );
    warns(
        LOSSY,
        &[r#"tcp.initial_window=1000"#],
        &[r#"tcp.initial_window=10"#],
        "parameter-clipped",
    );
    warns(
        LOSSY,
        &[r#"tcp.min_rto="1 ms""#],
        &[r#"tcp.min_rto="10 ms""#],
        "parameter-clipped",
    );
    warns(
        LOSSY,
        &[r#"tcp.initial_rto="10 ms""#],
        &[r#"tcp.initial_rto="20 ms""#],
        "parameter-clipped",
    );
    let one_segment = [r#"tcp.window="900 bytes""#, "tcp.delayed_ack=true"];
    warns(LOSSY, &one_segment, &one_segment[..1], "delayed-ack-waits");
    let two = [r#"tcp.window="1024 bytes""#, "tcp.delayed_ack=true"];
    warns(LOSSY, &one_segment, &two, "delayed-ack-waits");
    let far = r#"topology.bottleneck="5 ms""#;
    warns(
        LOSSY,
        &[far, r#"tcp.window="10 KiB""#],
        &[far, r#"tcp.window="256 KiB""#],
        "window-below-path",
    );
    let traced = ["measure.traces=[\"queue\"]", "measure.trace_points=2"];
    warns(LOSSY, &traced, &traced[..1], "parameter-clipped");
    warns(
        &LOSSY.replace("count = 3", r#"start = "550 ms""#),
        &[],
        &["run.duration=\"2 s\"", "measure.to=\"2 s\""],
        "window-empty",
    );
    warns(
        &LOSSY.replace("count = 3", r#"start = "700 ms""#),
        &[],
        &["run.duration=\"2 s\""],
        "never-starts",
    );
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
    // The delay is 300.4 ms in one direction, 600.8 ms in both.
    let far = r#"topology.bottleneck="60000 km""#;
    warns(
        LOSSY,
        &[far],
        &[far, "run.duration=\"700 ms\""],
        "no-round-trip",
    );
}

/// A link of 60,000 km adds 600 ms to the round trip of the loop behind a virtual source. The 10 km
/// before the virtual source add 0.1 ms.
#[test]
fn loops_end_at_virtual_destinations() {
    let far = r#"topology.bottleneck="60000 km""#;
    let split = r#"switch.vsvd={at=["A"]}"#;
    warns(MARKED, &[far], &[far, split], "no-round-trip");
    // 100 cells in 0.1 ms and some cell times exceed the line rate of 117,925 cells/s; 100 cells
    // in 1.1 ms do not.
    let capped = ["abr.tbe=\"100 cells\"", "abr.apply_tbe_icr_cap=true"];
    let near = [capped[0], capped[1], split];
    let messages = |overrides: &[&str]| -> Vec<String> {
        let found = summary(&outcome(MARKED, overrides))["warnings"].clone();
        let clipped = found
            .as_array()
            .unwrap()
            .iter()
            .filter(|warning| warning["code"] == "parameter-clipped");
        clipped
            .map(|warning| warning["message"].as_str().unwrap().to_string())
            .collect()
    };
    let cut_at = |overrides: &[&str], node: &str| {
        messages(overrides)
            .iter()
            .any(|message| message.contains(&format!("cells/s at {node} exceeds TBE")))
    };
    assert!(cut_at(&capped, "src.abr.1") && !cut_at(&capped, "A"));
    assert!(!cut_at(&near, "src.abr.1") && cut_at(&near, "A"));
}

/// Under credit control cells wait at the source and not in front of the link, so no link gets more
/// load than its rate.
#[test]
fn credit_books_no_link() {
    let text = MARKED.replace(
        r#"switch.control = { scheme = "efci", threshold = "50 cells" }"#,
        "",
    );
    let text = text.replace(r#"service = "abr""#, r#"service = "ubr""#);
    let both = [
        "flow.random.source.rate=\"60 Mbit/s\"",
        "topology.link_rate=\"55 Mbit/s\"",
    ];
    warns(&text, &both, &[both[0], both[1], "fcvc={}"], "overbooked");
    let vbr = ["fcvc={}", both[0], both[1], "flow.random.service=\"vbr\""];
    warns(&text, &vbr, &[vbr[0]], "overbooked");
}

#[test]
fn a_link_to_which_too_much_is_promised_is_said() {
    let with = |rate: &str| MARKED.replace(r#"rate = "5 Mbit/s""#, &format!(r#"rate = "{rate}""#));
    warns(
        &with("51 Mbit/s"),
        &[],
        &["topology.link_rate=\"52 Mbit/s\""],
        "overbooked",
    );
    warns(
        &with("60 Mbit/s"),
        &[],
        &["topology.link_rate=\"61 Mbit/s\""],
        "parameter-clipped",
    );
    // A shaper, or a policer that drops, lets less pass.
    for contract in ["shaper={ pcr", "policer={ action=\"drop\", pcr"] {
        let limited = format!("flow.random.{contract}=\"9 Mbit/s\" }}");
        warns(&with("51 Mbit/s"), &[], &[&limited], "overbooked");
    }
    // Of cells at 40 Mbit/s, 10.6 us apart, a policer of 30 Mbit/s (14.1 us) lets every second one pass without CDVT,
    // two of three with 5 us, and three of four with 20 us. Tagged cells all pass.
    let policed = |link: u32, cdvt: &str, action: &str| {
        let policer = format!(r#"pcr="30 Mbit/s", cdvt="{cdvt}", action="{action}""#);
        [
            r#"flow.random.source={ kind="cbr", rate="40 Mbit/s" }"#.to_owned(),
            format!("flow.random.policer={{ {policer} }}"),
            format!(r#"topology.bottleneck_rate="{link} Mbit/s""#),
        ]
    };
    for (cdvt, action, least) in [
        ("0 s", "drop", 20),
        ("5 us", "drop", 27),
        ("20 us", "drop", 30),
        ("0 s", "tag", 40),
    ] {
        let [narrow, wide] = [least - 1, least].map(|link| policed(link, cdvt, action));
        let [narrow, wide] = [&narrow, &wide].map(|texts| texts.each_ref().map(String::as_str));
        warns(MARKED, &narrow, &wide, "overbooked");
    }
    let mcr = |rate: &str| format!("abr.mcr=\"{rate}\"");
    warns(
        MARKED,
        &[&mcr("23 Mbit/s")],
        &[&mcr("22.5 Mbit/s")],
        "overbooked",
    );
}

#[test]
fn guaranteed_frame_rates_above_the_link_are_said() {
    // Three flows with GFR on 50 Mbit/s.
    let gfr = |mcr: &str| {
        format!(
            r#"flow.tcp.gfr={{ pcr="50 Mbit/s", mcr="{mcr} Mbit/s", mbs="200 cells", mfs="200 cells" }}"#
        )
    };
    warns(LOSSY, &[&gfr("17")], &[&gfr("16.6")], "overbooked");
}

#[test]
fn blocks_too_short_for_the_run_or_for_the_dependence_are_said() {
    let video = MARKED.replace(
        r#"{ kind = "poisson", rate = "5 Mbit/s" }"#,
        r#"{ kind = "mpeg2", mean = "4 Mbit/s", standard_deviation = "1 Mbit/s", interval_low = "1 ms", interval_high = "3 ms" }"#,
    );
    let source = |text: &str| format!("flow.random.source.{text}");
    // 256 independent rates of 2 ms each last 0.5 s; of 0.2 ms each they last 0.05 s. The run
    // lasts 0.2 s.
    let independent = [source("block=256"), source("hurst=0.5")];
    let independent = independent.each_ref().map(String::as_str);
    let (low, high) = (
        source(r#"interval_low="100 us""#),
        source(r#"interval_high="300 us""#),
    );
    warns(
        &video,
        &[&independent[..], &[&low, &high]].concat(),
        &independent,
        "short-block",
    );
    let dependent = source("hurst=0.9");
    warns(&video, &[&dependent], &[], "short-block");
    let told = outcome(&video, &[&dependent]).summary;
    assert!(
        told.contains("has only some 86 % of the variance that the parameters set"),
        "{told}"
    );
}

/// The round trip of `far` is above 100 ms. The window of 400 ms has fewer than 20 of these.
#[test]
fn a_flow_that_never_starts_has_no_round_trip_in_the_run() {
    let far = r#"flow = [{ name = "far", service = "ubr", access = "50 ms", start = "1 s" }, "#;
    let text = LOSSY.replace("flow = [", far);
    for code in ["short-window", "short-warm-up"] {
        warns(&text, &[r#"flow.far.start="0 s""#], &[], code);
    }
}

#[test]
fn events_that_were_not_kept_are_said() {
    let all = r#"measure.events=["loss"]"#;
    warns(
        LOSSY,
        &[all, "measure.event_limit=10"],
        &[all],
        "events-omitted",
    );
}

#[test]
fn transfers_need_no_warm_up() {
    let text = LOSSY.replace(
        r#"service = "ubr" }"#,
        r#"service = "ubr", source = { kind = "transfer", size = "200 kB" } }"#,
    );
    let outcome = outcome(&text, &[r#"measure.from="0 s""#]);
    assert!(!codes(&outcome).contains(&"short-warm-up".into()));
    let flow = &summary(&outcome)["flows"][0];
    assert!(flow["completion_seconds"].as_f64().unwrap() > 0.03);
}

/// Two sources at `load` times half of the link bring load - 1 of what the link carries into its endless queue.
#[test]
fn a_queue_that_grows_or_shrinks_through_the_window_is_told() {
    let text = r#"
        run = { duration = "110 ms" }
        measure = { from = "10 ms" }
        topology = { template = "n-source", link_rate = "155.52 Mbit/s", bottleneck_rate = "100 Mbit/s", access = "0 s", bottleneck = "0 s", egress = "0 s" }
        flow = [
            { name = "a", service = "cbr", source = { kind = "cbr", rate = "50 Mbit/s" } },
            { name = "b", service = "cbr", source = { kind = "cbr", rate = "50 Mbit/s" } },
        ]
    "#;
    let load = |rate: &str| format!(r#"flow.b.source.rate="{rate}""#);
    warns(
        text,
        &[&load("56 Mbit/s")],
        &[&load("54 Mbit/s")],
        "queue-changes",
    );
    // 20 % of 100 ms at 100 Mbit/s are 4,717 cells.
    let grown = summary(&outcome(text, &[&load("70 Mbit/s")]));
    let told = grown["warnings"].to_string();
    assert!(
        told.contains("grows by 4717 cells") && told.contains(", 20 % of"),
        "{told}"
    );
    // In 10 ms `b` brings 50 Mbit/s too much, 1,179 cells. They are gone 29 ms after its rate has fallen.
    let falls = [
        &load("100 Mbit/s"),
        r#"changes=[{ at = "10 ms", set = { "flow.b.source.rate" = "10 Mbit/s" } }]"#,
    ];
    let told = summary(&outcome(text, &falls))["warnings"].to_string();
    assert!(told.contains("shrinks by 1179 cells"), "{told}");
}

/// A credit cell follows each cell that a link on the way back carries, and waits in no queue.
#[test]
fn credit_cells_are_not_taken_for_cells_that_waited() {
    let credit = [r#"switch={buffer="infinite"}"#, r#"fcvc={n2="1 cells"}"#];
    let found = codes(&outcome(LOSSY, &credit));
    assert!(!found.contains(&"queue-changes".into()), "{found:?}");
}

/// The sources are those of `tests/test_simultaneous_cells.py`: all access lines have the rate of
/// the bottleneck.
#[test]
fn locked_phases_are_told_where_they_decide() {
    let in_step = r#"
        run = { duration = "3 s" }
        measure = { from = "1 s" }
        topology = { template = "n-source", link_rate = "100 Mbit/s", access = "0.1 ms", bottleneck = "1 ms", egress = "0.1 ms" }
        switch = { buffer = "2000 cells" }
        tcp = { window = "256 KiB", granularity = "100 ms", min_rto = "200 ms" }
        flow = [{ name = "tcp", count = 5, service = "ubr" }]
    "#;
    for instead in [
        r#"run.simultaneous_cells="drawn""#,
        r#"topology.bottleneck_rate="99.6 Mbit/s""#,
        r#"switch.buffer="infinite""#,
        r#"switch.discard={policy="epd",threshold="1500 cells"}"#,
        "flow.tcp.count=1",
    ] {
        warns(in_step, &[], &[instead], "phases-locked");
    }
}
