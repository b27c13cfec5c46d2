use serde_json::json;

use super::{read, refusal};
use crate::scenario::problem::Step;

const WHOLE: &str = r#"
scenario = "my.toml"
[factors]
"switch.control.scheme" = ["efci", "erica"]
"flow.tcp.count" = { from = 2, to = 30 }
share = [0.5, 1]
[[paired]]
"abr.rif" = [0.0625, 0.5]
"abr.air" = ["1 Mbit/s", "2 Mbit/s"]
[derived]
"switch.buffer" = "share * 3"
[design]
kind = "sobol"
points = 16
[replications]
until = { measure = "z", half_width = "1 %" }
[measures]
z = "throughput_mbit"
a = "packets_lost"
"#;

#[test]
fn tables_of_names_are_lists_in_the_order_of_the_file_and_defaults_are_written_out() {
    let study = read(WHOLE, "study.toml").unwrap();
    let names: Vec<_> = study["factors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair[0].as_str().unwrap())
        .collect();
    assert_eq!(names, ["switch.control.scheme", "flow.tcp.count", "share"]);
    assert_eq!(
        study["factors"][1][1],
        json!({"from": 2, "to": 30, "count": null, "scale": "linear"})
    );
    assert_eq!(
        study["paired"][0],
        json!([
            ["abr.rif", [0.0625, 0.5]],
            ["abr.air", ["1 Mbit/s", "2 Mbit/s"]]
        ])
    );
    assert_eq!(
        study["measures"],
        json!([["z", "throughput_mbit"], ["a", "packets_lost"]])
    );
    assert_eq!(
        study["design"],
        json!({"kind": "sobol", "points": 16, "seed": 1})
    );
    assert_eq!(study["seed"], 1);
    assert_eq!(study["common_random_numbers"], true);
    assert_eq!(study["replications"]["level"], 0.95);
}

#[test]
fn what_has_not_the_shape_of_a_study_is_located() {
    for (text, line, message) in [
        ("scenaro = 'x'", 1, "unknown key `scenaro` in the study"),
        ("[factors]\nx = 3", 2, "a value of `x` is an integer"),
        ("[factors]\nx = []", 2, "`x` has no values"),
        ("[factors]\nx = [nan]", 2, "a value of `x` is a number"),
        ("[factors]\nx = [[1]]", 2, "a value of `x` is an array"),
        ("[factors]\nx = { from = 1 }", 2, "`x` has no `to`"),
        (
            "[factors]\nx = { from = 1, to = 2, step = 3 }",
            2,
            "unknown key `step` in `x`",
        ),
        (
            "[factors]\nx = { from = 1, to = 2, count = 1 }",
            2,
            "`count` cannot be 1",
        ),
        (
            "[factors]\nx = { from = 1, to = 2, scale = \"logg\" }",
            2,
            "`scale` cannot be \"logg\"",
        ),
        ("[[paired]]\nx = 3", 2, "a value of `x` is an integer"),
        ("[derived]\nx = 3", 2, "a value of `x` is an integer"),
        ("[design]\nkind = \"grd\"", 2, "`kind` cannot be \"grd\""),
        ("[design]\nkind = \"sobol\"", 1, "`design` has no `points`"),
        (
            "[warm_up]\nfrom = 3",
            2,
            "`from` is a number without a unit",
        ),
        ("[keep]\ntraces = [\"queu\"]", 2, "cannot be \"queu\""),
        (
            "[replications]\nlevel = \"high\"",
            2,
            "`level` is a string, not a number",
        ),
        ("x", 1, ""),
        ("seed = 1", 1, "neither `scenario` nor `template`"),
        ("scenario = 'x'\ntemplate = 'y'", 2, "both"),
        ("template = 'y'\nname = '../z'", 2, "cannot have this name"),
        (
            "template = 'y'\n[factors]\nx = [1]\n[derived]\nx = '1'",
            5,
            "`x` is set twice",
        ),
        (
            "template = 'y'\n[factors]\n\"run.seed\" = [1]",
            3,
            "`run.seed` cannot be a factor",
        ),
        (
            "template = 'y'\n[factors]\nx = { from = 1, to = 2 }",
            3,
            "`x` has no `count`",
        ),
        (
            "template = 'y'\n[factors]\nx = { from = 1, to = 2, count = 2 }\n[design]\nkind = 'sobol'\npoints = 2",
            3,
            "no effect",
        ),
        (
            "template = 'y'\n[[paired]]\nx = [1]\ny = [1, 2]",
            4,
            "`y` has 2 values",
        ),
        (
            "template = 'y'\n[[paired]]\nx = { from = 1, to = 2 }",
            3,
            "no `count`",
        ),
        (
            "template = 'y'\n[replications]\nlevel = 1.0",
            3,
            "`level` cannot be 1",
        ),
        (
            "template = 'y'\n[replications]\nleast = 3",
            3,
            "`least` has no effect",
        ),
        (
            "template = 'y'\n[replications]\nuntil = { measure = 'x', half_width = '1 %' }",
            3,
            "no measure is called `x`",
        ),
        (
            "template = 'y'\n[replications]\ncount = 2\nuntil = { measure = 'x', half_width = '1 %' }\n[measures]\nx = '1'",
            3,
            "cannot be combined",
        ),
        (
            "template = 'y'\n[replications]\nmost = 5\nuntil = { measure = 'x', half_width = '1 %' }\n[measures]\nx = '1'",
            3,
            "below",
        ),
        ("template = 'y'\n[warm_up]", 2, "neither"),
        (
            "template = 'y'\n[warm_up]\nfrom = '1 s'\nrule = 'mser-5'",
            2,
            "both",
        ),
        (
            "template = 'y'\n[warm_up]\nfrom = '1 s'\ntrace = 'queue'",
            2,
            "no effect",
        ),
    ] {
        let refusal = read(text, "study.toml").unwrap_err();
        let found = &refusal.diagnostics[0];
        assert_eq!(
            (found.path.as_str(), found.line),
            ("study.toml", line),
            "{text}: {refusal}"
        );
        assert!(found.message.contains(message), "{text}: {refusal}");
    }
}

#[test]
fn what_is_found_wrong_elsewhere_is_located_too() {
    let place = [Step::from("factors"), Step::from("flow.tcp.count")];
    let refusal = refusal(WHOLE, "study.toml", &place, "no such key", "try another");
    assert_eq!(refusal.diagnostics[0].line, 5);
    assert!(refusal.rendered.contains("try another"), "{refusal}");
}
