//! Tests of unknown keys, wrong types and wrong units.

use super::*;

#[test]
fn the_examples_are_right() {
    for text in [RIGHT, GRAPH] {
        let checked = parse(text).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(checked.warnings(), []);
        let named = parse(&format!("link_layer = \"atm\"\n{text}")).unwrap();
        assert_eq!(named.scenario(), checked.scenario());
    }
}

#[test]
fn unknown_and_missing_keys() {
    let cases: &[Case] = &[
        (
            "unknown key",
            &[("duration = \"2 s\"", "«durration = \"2 s\"")],
        ),
        ("unknown table", &[("[measure]", "[«mesure]")]),
        (
            "unknown key without a near one",
            &[("seed = 7", "«colour = \"red\"")],
        ),
        (
            "unknown key of a scheme",
            &[(
                "scheme = \"erica\"",
                "scheme = \"erica\"\n«intervall = \"1 ms\"",
            )],
        ),
        (
            "key of another scheme",
            &[(
                "scheme = \"erica\"",
                "scheme = \"none\"\n«interval = \"1 ms\"",
            )],
        ),
        (
            "unknown key in TCP of a flow",
            &[(
                "service = \"abr\"",
                "service = \"abr\"\ntcp = { «windows = \"64 KiB\" }",
            )],
        ),
        (
            "unknown key of a source",
            &[("duty_cycle = 0.5", "duty_cycle = 0.5\n«sice = \"1 MB\"")],
        ),
        (
            "missing key",
            &[("duration = \"2 s\"\n", ""), ("[run]", "[«run]")],
        ),
        (
            "missing key of a source",
            &[
                ("duty_cycle = 0.5\n", ""),
                (
                    "[flow.source]\nkind = \"on-off\"",
                    "[flow.«source]\nkind = \"on-off\"",
                ),
            ],
        ),
        (
            "the nearest key, though the table has it",
            &[("count = 2", "count = 2\n«cout = 3")],
        ),
        (
            "key of a table of the flow",
            &[("count = 2", "count = 2\n«mss = \"1 kB\"")],
        ),
        (
            "missing tag",
            &[
                ("scheme = \"erica\"\n", ""),
                ("[switch.control]", "[switch.«control]"),
            ],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
}

#[test]
fn wrong_kinds_and_choices() {
    let cases: &[Case] = &[
        (
            "string for an integer",
            &[("count = 2", "count = «\"two\"")],
        ),
        ("number for an integer", &[("count = 2", "count = «2.5")]),
        ("negative integer", &[("seed = 7", "seed = «-7")]),
        ("zero flows", &[("count = 2", "count = «0")]),
        (
            "huge integer",
            &[("seed = 7", "seed = «99999999999999999999")],
        ),
        ("string for a boolean", &[("seed = 7", "strict = «\"no\"")]),
        (
            "string for a table",
            &[(
                "[measure]\nfrom = \"500 ms\"\ntraces = [\"queue\"]",
                "[measure]\n[aal5]\nencapsulation = «3",
            )],
        ),
        (
            "a table for an array",
            &[("traces = [\"queue\"]", "«[measure.traces]")],
        ),
        ("infinity", &[("duty_cycle = 0.5", "duty_cycle = «inf")]),
        (
            "a date",
            &[("duty_cycle = 0.5", "duty_cycle = «2026-01-01")],
        ),
        (
            "unknown link layer",
            &[("[run]", "link_layer = «\"ethernot\"\n[run]")],
        ),
        (
            "unknown service",
            &[("service = \"vbr\"", "service = «\"vbrr\"")],
        ),
        (
            "unknown scheme",
            &[("scheme = \"erica\"", "scheme = «\"erika\"")],
        ),
        (
            "unknown policy",
            &[("policy = \"epd\"", "policy = «\"drop\"")],
        ),
        (
            "unknown template",
            &[("template = \"n-source\"", "template = «\"n-sources\"")],
        ),
        (
            "scheme of another kind",
            &[("scheme = \"erica\"", "scheme = «1")],
        ),
        (
            "unknown trace",
            &[("traces = [\"queue\"]", "traces = [\"queue\", «\"cwind\"]")],
        ),
        (
            "unknown recovery",
            &[("mss = \"512 bytes\"", "recovery = «\"tahoo\"")],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
}

#[test]
fn wrong_units() {
    let cases: &[Case] = &[
        ("no unit", &[("duration = \"2 s\"", "duration = «\"2\"")]),
        ("a bare number", &[("duration = \"2 s\"", "duration = «2")]),
        (
            "a length for a time",
            &[("duration = \"2 s\"", "duration = «\"2 km\"")],
        ),
        (
            "another spelling",
            &[(
                "link_rate = \"155.52 Mbit/s\"",
                "link_rate = «\"155.52 Mbps\"",
            )],
        ),
        (
            "a physical layer without its c",
            &[("link_rate = \"155.52 Mbit/s\"", "link_rate = «\"OC-3\"")],
        ),
        (
            "zero rate",
            &[("link_rate = \"155.52 Mbit/s\"", "link_rate = «\"0 Mbit/s\"")],
        ),
        (
            "negative rate",
            &[(
                "link_rate = \"155.52 Mbit/s\"",
                "link_rate = «\"-155.52 Mbit/s\"",
            )],
        ),
        (
            "no number",
            &[("link_rate = \"155.52 Mbit/s\"", "link_rate = «\"fast\"")],
        ),
        (
            "empty text",
            &[("link_rate = \"155.52 Mbit/s\"", "link_rate = «\"\"")],
        ),
        (
            "half a cell",
            &[("buffer = \"1000 cells\"", "buffer = «\"0.5 cells\"")],
        ),
        (
            "nothing for a buffer",
            &[("buffer = \"1000 cells\"", "buffer = «\"0 cells\"")],
        ),
        (
            "a boolean for a size",
            &[("mss = \"512 bytes\"", "mss = «true")],
        ),
        (
            "wrong unit in TCP of a flow",
            &[(
                "service = \"abr\"",
                "service = \"abr\"\ntcp.mss = «\"512 cells\"",
            )],
        ),
        (
            "too long for integer time",
            &[("duration = \"2 s\"", "duration = «\"2e6 s\"")],
        ),
        (
            "too fast for integer time",
            &[(
                "link_rate = \"155.52 Mbit/s\"",
                "link_rate = «\"155520 Gbit/s\"",
            )],
        ),
        (
            "too far for integer time",
            &[("access = \"1 km\"", "access = «\"1e18 km\"")],
        ),
    ];
    insta::assert_snapshot!(gallery(RIGHT, cases));
}

#[test]
fn several_mistakes_are_told_together_in_order() {
    let text = with(RIGHT, "seed = 7", "sed = 7");
    let text = with(&text, "kind = \"greedy\"", "kind = \"gredy\"");
    let refusal = parse(&with(&text, "mss = \"512 bytes\"", "mss = 512")).unwrap_err();
    let lines: Vec<usize> = refusal.diagnostics.iter().map(|found| found.line).collect();
    assert_eq!(lines, [3, 24, 35]);
    assert_eq!(refusal.rendered.matches("error:").count(), 3);
}

#[test]
fn the_first_fault_is_told_with_its_table_even_if_it_is_found_late() {
    let wrong: String = (0..25).map(|i| format!("strange_{i} = 1\n")).collect();
    // The flows begin before the unknown table, and so are checked before it.
    let flow = "[[flow]]\nname = \"early\"\nservice = \"ubr\"\n";
    let late = flow.replace("early", "late");
    let text = format!("{flow}[control]\n{RIGHT}\n{late}{wrong}");
    let refusal = parse(&text).unwrap_err();
    assert_eq!(refusal.diagnostics[0].line, 4, "{}", refusal.rendered);
    let meant = "did you mean `switch.control`?";
    assert!(refusal.rendered.contains(meant), "{}", refusal.rendered);
}

#[test]
fn of_more_than_a_screenful_the_first_is_told() {
    let keys: String = (0..50).map(|i| format!("strange_{i} = 1\n")).collect();
    let refusal = parse(&with(RIGHT, "seed = 7\n", &keys)).unwrap_err();
    assert_eq!(
        (refusal.diagnostics.len(), refusal.diagnostics[0].line),
        (1, 3)
    );
    assert!(
        refusal.rendered.ends_with("49 more faults are not shown\n"),
        "{}",
        refusal.rendered
    );
}
