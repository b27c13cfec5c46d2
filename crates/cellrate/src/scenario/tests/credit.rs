//! Scenarios that contradict credit control.

use super::*;

/// A scenario under credit control without any fault.
const CREDIT: &str = r#"[run]
duration = "2 s"

[topology]
template = "n-source"
link_rate = "150 Mbit/s"
access = "70 us"
bottleneck = "70 us"
egress = "70 us"

[switch]
buffer = "200 cells"
priority = [["cbr", "vbr"], ["ubr", "random", "abr"]]

[fcvc]
n2 = "10 cells"
vc_rate = "2.5 Mbit/s"

[[flow]]
name = "tcp"
count = 15
service = "ubr"
"#;

#[test]
fn credit_control_is_refused_with_the_reason() {
    let cases: &[Case] = &[
        ("rates", &[("service = \"ubr\"", "service = «\"abr\"")]),
        (
            "rates one way",
            &[(
                "service = \"ubr\"",
                "service = «\"abr\"\nack_service = \"ubr\"",
            )],
        ),
        (
            "a scheme",
            &[(
                "buffer = \"200 cells\"",
                "buffer = \"200 cells\"\n«control = { scheme = \"efci\" }",
            )],
        ),
        (
            "a policy",
            &[(
                "buffer = \"200 cells\"",
                "buffer = \"200 cells\"\n«discard = { policy = \"ppd\" }",
            )],
        ),
        (
            "a buffer below what is promised",
            &[("buffer = \"200 cells\"", "buffer = «\"164 cells\"")],
        ),
        (
            "one queue for all",
            &[(
                "[[\"cbr\", \"vbr\"], [\"ubr\", \"random\", \"abr\"]]",
                "[«[\"cbr\", \"vbr\", \"ubr\", \"random\", \"abr\"]]",
            )],
        ),
        ("no N2", &[("n2 = \"10 cells\"", "n2 = «\"0 cells\"")]),
        (
            "too many records",
            &[("n2 = \"10 cells\"", "records_per_cell = «7")],
        ),
        (
            "memory for half the channels",
            &[(
                "vc_rate = \"2.5 Mbit/s\"",
                "allocation = \"adaptive\"\nmemory = «\"16 cells\"",
            )],
        ),
        (
            "marks all the time",
            &[("n2 = \"10 cells\"", "mark_interval = «\"1 ps\"")],
        ),
        (
            "more than all cells",
            &[("[fcvc]", "[link_errors]\ncell_loss_ratio = «1.5\n[fcvc]")],
        ),
    ];
    insta::assert_snapshot!(gallery(CREDIT, cases));
}

/// Over a loop of 60 ms at 622 Mbit/s a channel needs credit for 88,018 cells. A counter can hold
/// 52 times this number; a loop 1,500 times as long needs more.
#[test]
fn counters_are_those_of_a_channel() {
    let many = with(CREDIT, "count = 15", "count = 1500").replace("150 Mbit/s", "622 Mbit/s");
    let many = with(
        &with(&many, "vc_rate = \"2.5 Mbit/s\"", ""),
        "buffer = \"200 cells\"",
        "buffer = \"infinite\"",
    );
    let many = with(&many, "bottleneck = \"70 us\"", "bottleneck = \"30 ms\"");
    assert!(parse(&many).is_ok_and(|checked| checked.warnings().is_empty()));
    let text = with(&many, "bottleneck = \"30 ms\"", "bottleneck = \"30 s\"");
    let refusal = the_error(&with(&text, "[fcvc]", "[«fcvc]"));
    assert!(
        refusal.diagnostics[0]
            .message
            .contains("the credit of one channel at"),
        "{refusal}"
    );
}

/// The buffer of the port is set at its own node.
#[test]
fn a_small_buffer_is_told_where_it_is_written() {
    let text = with(
        GRAPH,
        "service = \"abr\"",
        "service = \"ubr\"\nsource = { kind = \"persistent\" }",
    );
    let text = with(&text, "[run]", "fcvc = {}\n[run]");
    let text = with(&text, "buffer = \"100 cells\"", "buffer = «\"10 cells\"");
    assert!(
        the_error(&text).diagnostics[0]
            .message
            .contains("the buffer is 10 cells")
    );
}

#[test]
fn credit_needs_a_way_back() {
    let text = with(
        GRAPH,
        "service = \"abr\"",
        "service = \"ubr\"\nsource = { kind = \"persistent\" }",
    );
    let text = with(&text, "[topology]", "fcvc = {}\n[«topology]");
    let text = with(&text, "buffer = \"100 cells\"", "buffer = \"10000 cells\"");
    let text = with(
        &text,
        "delay = \"10 km\" },\n]",
        "delay = \"10 km\", duplex = false },\n]",
    );
    let text = text
        .replace("fcvc = {}\n", "")
        .replace("[run]", "fcvc = {}\n[run]");
    assert!(
        the_error(&text).diagnostics[0]
            .message
            .contains("cannot return over X->Y")
    );
}

#[test]
fn credit_control_warns() {
    let cases: &[Case] = &[
        (
            "two targets",
            &[
                ("n2 = \"10 cells\"", "n3 = \"1 cell\""),
                ("vc_rate = ", "vc_rate = «"),
            ],
        ),
        (
            "losses without repair",
            &[("[fcvc]", "[link_errors]\nlose_every = 1000\n[«fcvc]")],
        ),
    ];
    insta::assert_snapshot!(warnings(CREDIT, cases));
    let idle = with(
        &with(
            CREDIT,
            "service = \"ubr\"",
            "service = \"cbr\"\nsource = { kind = \"cbr\", rate = \"1 Mbit/s\" }",
        ),
        "[fcvc]",
        "[«fcvc]",
    );
    assert!(the_warning(&idle).message.contains("nothing to control"));
}
