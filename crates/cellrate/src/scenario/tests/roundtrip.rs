//! Tests of resolved scenarios, the schema, the registry and templates.

use proptest::prelude::*;

use super::repeatable::repeatable;
use super::*;

pub(super) fn check_round_trip(text: &str, overrides: &[String]) -> String {
    let first =
        Scenario::parse(text, "f", overrides, None).unwrap_or_else(|refusal| panic!("{refusal}"));
    let resolved = resolve(first.scenario());
    let second = parse(&resolved).unwrap_or_else(|refusal| panic!("{refusal}\n{resolved}"));
    assert_eq!(second.scenario(), first.scenario());
    assert_eq!(second.graph(), first.graph());
    assert_eq!(second.warnings().len(), first.warnings().len());
    assert_eq!(resolve(second.scenario()), resolved);
    resolved
}

#[test]
fn a_resolved_scenario_is_complete_and_reads_back_the_same() {
    insta::assert_snapshot!(check_round_trip(
        RIGHT,
        &["flow.tcp.tcp.window=32 KiB".into()]
    ));
    insta::assert_snapshot!(
        "resolved_graph",
        check_round_trip(GRAPH, &["topology.node.Y.control={scheme=\"efci\"}".into()])
    );
}

#[test]
fn templates_are_right_without_a_warning_and_read_back_the_same() {
    for (name, ..) in templates::TEMPLATES {
        let text = template(name).unwrap();
        let checked = parse(text).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert_eq!(checked.warnings(), [], "{name}");
        check_round_trip(text, &[]);
    }
    assert_eq!(template("no-such-template"), None);
}

#[test]
fn defaults_in_comments_are_the_defaults() {
    for (name, ..) in templates::TEMPLATES {
        let text = template(name).unwrap();
        let uncommented: String = text
            .lines()
            .map(|line| format!("{}\n", uncomment(line)))
            .collect();
        assert_ne!(uncommented.as_str(), text.to_owned() + "\n");
        let written = parse(text).unwrap();
        let written = written.scenario();
        let explicit = parse(&uncommented).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let explicit = explicit.scenario();
        assert_eq!(explicit.run, written.run, "{name}");
        assert_eq!(explicit.measure, written.measure, "{name}");
        assert_eq!(explicit.topology, written.topology, "{name}");
        assert_eq!(explicit.switch, written.switch, "{name}");
        assert_eq!(explicit.tcp, written.tcp, "{name}");
    }
}

/// A line of the form `# key = value` without its comment mark.
fn uncomment(line: &str) -> &str {
    let Some(bare) = line.strip_prefix("# ") else {
        return line;
    };
    let is_key = bare
        .split_once(" = ")
        .is_some_and(|(key, _)| key.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    // Keys of `[abr]` without a value follow from others and have no default of their own.
    if is_key && !["pcr = ", "mcr = "].iter().any(|key| bare.starts_with(key)) {
        bare
    } else {
        line
    }
}

#[test]
fn the_schema_knows_what_is_registered_and_has_no_null() {
    let text = serde_json::to_string(schema()).unwrap();
    assert!(
        !text.contains("\"null\"") && !text.contains(":null"),
        "TOML has no null"
    );
    for named in registry()
        .schemes
        .iter()
        .chain(&registry().policies)
        .chain(&registry().sources)
    {
        assert!(
            text.contains(&format!("\"const\":\"{}\"", named.name)),
            "{}",
            named.name
        );
        assert!(
            text.contains(named.about) && text.contains(named.source),
            "{}",
            named.name
        );
    }
    assert_eq!(schema()["$defs"]["Time"]["type"], "string");
    assert_eq!(
        schema()["$defs"]["Run"]["required"],
        serde_json::json!(["duration"])
    );
    assert_eq!(
        schema()["$defs"]["AbrConfig"]["properties"]["icr"]["$ref"],
        "#/$defs/Rate"
    );
    assert_eq!(schema()["additionalProperties"], false);
}

#[test]
fn every_key_is_documented() {
    let mut undocumented = Vec::new();
    undocumented_keys(schema(), "", &mut undocumented);
    assert_eq!(undocumented, Vec::<String>::new());
}

fn undocumented_keys(schema: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        if property["description"].is_null() && property["const"].is_null() {
            found.push(format!("{path}.{key}"));
        }
    }
    match schema {
        serde_json::Value::Object(object) => {
            object
                .iter()
                .for_each(|(key, value)| undocumented_keys(value, &format!("{path}/{key}"), found));
        }
        serde_json::Value::Array(items) => items
            .iter()
            .for_each(|item| undocumented_keys(item, path, found)),
        _ => {}
    }
}

#[test]
fn the_registry_lists_every_kind() {
    let registry = registry();
    for list in [
        &registry.schemes,
        &registry.policies,
        &registry.sources,
        &registry.recoveries,
        &registry.templates,
    ] {
        assert!(list.len() > 2 && list.iter().all(|named| !named.about.is_empty()));
    }
}

proptest! {
    #![proptest_config(repeatable(64))]

    /// Every text is either read or refused, and a refusal has a position.
    #[test]
    fn no_text_brings_the_reader_down(text in "[a-z\\[\\]={}\".0-9 \n#'é«,-]{0,200}") {
        if let Err(refusal) = parse(&text) {
            prop_assert!(!refusal.diagnostics.is_empty());
            prop_assert!(refusal.diagnostics.iter().all(|found| found.line >= 1 && found.column >= 1));
        }
    }

    /// A scenario in which a piece of text is removed or inserted is either refused or survives the
    /// round trip.
    #[test]
    fn no_damage_brings_the_reader_down(at in 0usize..700, cut in 0usize..40, put in "[a-z\\[\\]={}\".0-9 \n]{0,8}") {
        let end = (at + cut).min(RIGHT.len());
        let text = format!("{}{put}{}", &RIGHT[..at.min(end)], &RIGHT[end..]);
        if let Err(refusal) = parse(&text) {
            prop_assert!(!refusal.diagnostics.is_empty() && !refusal.rendered.is_empty());
        }
    }

    /// Any accepted numbers are written out and read back the same.
    #[test]
    fn accepted_numbers_read_back_the_same(count in 1u32..50, us in 1u64..1_000_000, kbit in 10_000u64..155_520, rif in 0u32..16) {
        let overrides = [
            format!("flow.tcp.count={count}"),
            format!("flow.tcp.stagger={us} ns"),
            format!("run.start_jitter={us} us"),
            format!("flow.vbr.source.peak={kbit} kbit/s"),
            format!("flow.tcp.abr.rif={}", 1.0 / f64::from(1 << rif)),
            format!("abr.icr={kbit} kbit/s"),
        ];
        check_round_trip(RIGHT, &overrides);
    }
}
