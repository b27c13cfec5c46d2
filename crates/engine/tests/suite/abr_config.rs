//! The parameters of an ABR connection: their text, their limits, and the effect of each.

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::endsystem::{AbrConfig, AbrDestination, AbrSource};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate, Severity};
use serde_json::{Value, json};

fn link() -> Rate {
    Rate::from_cells_per_second(1_000.0)
}

fn parse(text: Value) -> AbrConfig {
    serde_json::from_value(text).expect("valid parameters")
}

fn with(mut base: Value, key: &str, value: Value) -> AbrConfig {
    base[key] = value;
    parse(base)
}

#[test]
fn what_is_written_reads_back_the_same() {
    let config = parse(
        json!({ "icr": "10 Mbit/s", "rdf": 1.0 / 512.0, "tbe": "512 cells", "out_of_rate": "never" }),
    );
    assert_eq!(parse(serde_json::to_value(&config).unwrap()), config);
    assert_eq!(parse(json!({})), AbrConfig::default());
}

#[test]
fn an_unknown_key_is_refused() {
    assert!(serde_json::from_value::<AbrConfig>(json!({ "xrm": 4 })).is_err());
}

#[test]
fn the_defaults_are_standard() {
    assert_eq!(AbrConfig::default().check(link()), []);
}

#[test]
fn what_is_impossible_and_what_is_not_standard_is_told_apart() {
    use Severity::{Impossible, Standard};
    for (key, value, severity) in [
        ("icr", json!("1001 cells/s"), Impossible),
        ("mcr", json!("1001 cells/s"), Impossible),
        ("icr", json!("0.1 bit/s"), Impossible),
        ("nrm", json!(1), Impossible),
        ("crm", json!(0), Impossible),
        ("rif", json!(-0.5), Impossible),
        ("cdf", json!(2.0), Impossible),
        ("rif", json!(0.3), Standard),
        ("rdf", json!(1.0 / 65536.0), Standard),
        ("cdf", json!(1.0 / 128.0), Standard),
        ("nrm", json!(33), Standard),
        ("nrm", json!(512), Standard),
        ("mrm", json!(3), Standard),
        ("trm", json!("70 ms"), Standard),
        ("adtf", json!("5 ms"), Standard),
        ("adtf", json!("10.24 s"), Standard),
        ("tbe", json!("16777216 cells"), Standard),
    ] {
        let findings = with(json!({ "mcr": "1 cells/s" }), key, value.clone()).check(link());
        let found = findings
            .iter()
            .find(|finding| finding.field == key)
            .map(|finding| finding.severity);
        assert_eq!(found, Some(severity), "{key} = {value}");
    }
}

#[test]
fn the_ends_of_the_standard_ranges_are_standard() {
    for (key, value) in [
        ("rif", json!(1.0)),
        ("rdf", json!(1.0 / 32768.0)),
        ("cdf", json!(0.0)),
        ("cdf", json!(1.0 / 64.0)),
        ("nrm", json!(2)),
        ("nrm", json!(256)),
        ("trm", json!("781250 ns")),
        ("adtf", json!("10 ms")),
        ("adtf", json!("10.23 s")),
    ] {
        assert_eq!(
            with(json!({}), key, value.clone()).check(link()),
            [],
            "{key} = {value}"
        );
    }
}

/// Everything that a connection sends over 2 s of data, silence and feedback, as text.
fn behaviour(config: &AbrConfig) -> String {
    let mut source = AbrSource::new(config, link(), Ps::from_ms(10));
    let mut destination = AbrDestination::new(config, ServiceRate::of_cells(link()));
    let mut log = String::new();
    for tick in 0..4_000 {
        let now = Ps::from_us(500 * tick);
        let data = !matches!(tick, 1_000..=1_500 | 1_800..=3_200);
        if source.next_wake(data) <= now {
            log += &format!("{tick} {:?}\n", source.opportunity(now, data));
        }
        if tick % 90 == 10 && !matches!(tick, 600..=1_000) {
            feed(&mut source, &mut destination, now, tick);
        }
        if tick % 97 == 5 {
            source.offer_brm(RmCell {
                er: tick as f64,
                ..brm(1.0)
            });
        }
    }
    log
}

fn brm(er: f64) -> RmCell {
    RmCell {
        er,
        ccr: 0.0,
        mcr: 0.0,
        ci: false,
        ni: false,
        bn: false,
    }
}

fn feed(source: &mut AbrSource, destination: &mut AbrDestination, now: Ps, tick: u64) {
    let er = [1e9, 333.3, 1e9, 0.0, 5.0, 1e9, 1e9, 1e9][(tick / 90 % 8) as usize];
    if (tick / 90).is_multiple_of(4) {
        destination.on_data(true);
    } else if tick / 90 % 4 == 2 {
        destination.on_data(false);
    }
    let turned = destination.on_frm(brm(er));
    source.on_brm(now, &turned);
}

#[test]
fn every_parameter_changes_what_a_connection_does() {
    let cases = [
        (
            "rules",
            json!({ "air": "10 cells/s", "rules": "prca" }),
            json!("eprca"),
        ),
        (
            "air",
            json!({ "air": "10 cells/s", "rules": "prca", "icr": "100 cells/s" }),
            json!("50 cells/s"),
        ),
        (
            "mdf",
            json!({ "air": "10 cells/s", "rules": "prca", "icr": "100 cells/s" }),
            json!(6),
        ),
        (
            "compensation",
            json!({ "air": "10 cells/s", "rules": "prca", "icr": "100 cells/s" }),
            json!("counted"),
        ),
        (
            "time_constant",
            json!({ "rules": "smith-predictor", "time_constant": "10 ms" }),
            json!("20 ms"),
        ),
        (
            "rtd",
            json!({ "rules": "smith-predictor", "time_constant": "10 ms", "rtd": "1 s" }),
            json!("50 ms"),
        ),
        ("pcr", json!({}), json!("500 cells/s")),
        ("mcr", json!({}), json!("50 cells/s")),
        ("icr", json!({}), json!("100 cells/s")),
        ("rif", json!({}), json!(0.5)),
        ("rdf", json!({}), json!(0.5)),
        ("nrm", json!({}), json!(16)),
        ("mrm", json!({}), json!(1)),
        ("trm", json!({}), json!("12.5 ms")),
        ("crm", json!({ "rif": 1.0 }), json!(2)),
        (
            "crm_rounding",
            json!({ "rif": 1.0, "tbe": "100 cells" }),
            json!("down"),
        ),
        ("tbe", json!({ "rif": 1.0 }), json!("64 cells")),
        ("cdf", json!({ "rif": 1.0, "crm": 2 }), json!(0.5)),
        (
            "adtf",
            json!({ "icr": "100 cells/s", "rif": 1.0, "frm_needs_data": true }),
            json!("200 ms"),
        ),
        ("tcr", json!({}), json!("20 cells/s")),
        (
            "apply_tbe_icr_cap",
            json!({ "tbe": "1 cells" }),
            json!(true),
        ),
        ("out_of_rate", json!({}), json!("only-at-zero")),
        ("frm_needs_data", json!({}), json!(true)),
        ("quantise_rates", json!({}), json!(true)),
        ("use_it_or_lose_it", json!({}), json!("50 cells/s")),
        (
            "er_below_mcr",
            json!({ "mcr": "50 cells/s" }),
            json!("ignore"),
        ),
        ("reset_saved_efci", json!({}), json!(false)),
    ];
    let all = serde_json::to_value(AbrConfig::default()).unwrap();
    for key in all.as_object().unwrap().keys() {
        let (_, base, value) = cases
            .iter()
            .find(|case| case.0 == key)
            .unwrap_or_else(|| panic!("no case for {key}"));
        let changed = with(base.clone(), key, value.clone());
        assert!(
            behaviour(&parse(base.clone())) != behaviour(&changed),
            "{key} changes nothing"
        );
    }
}

#[test]
fn the_parameters_of_proportional_control_go_with_its_rules() {
    let fields = |parameters: Value| -> Vec<&str> {
        parse(parameters)
            .check(link())
            .iter()
            .filter(|finding| finding.is_fatal(false))
            .map(|f| f.field)
            .collect()
    };
    assert_eq!(
        fields(json!({ "air": "1 Mbit/s", "mdf": 4 })),
        ["air", "mdf"]
    );
    for rules in ["prca", "eprca"] {
        assert_eq!(fields(json!({ "rules": rules })), ["rules"]);
        assert_eq!(
            fields(json!({ "rules": rules, "air": "1 Mbit/s", "mdf": 0 })),
            ["mdf"]
        );
        assert_eq!(
            fields(json!({ "rules": rules, "air": "1 Mbit/s", "mdf": 17 })),
            ["mdf"]
        );
        assert!(fields(json!({ "rules": rules, "air": "1 Mbit/s" })).is_empty());
    }
}
