//! Sources of PRCA and EPRCA, with numbers worked out by hand: the rate after every cell and every
//! RM cell.

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::endsystem::{AbrConfig, AbrSource, Emission};
use cellrate_engine::kernel::{Ps, Rate};
use serde_json::{Value, json};

/// ICR 3,200 cells/s and MDF 5, so that a cell reduces the rate by 100 cells/s at first; AIR 64
/// cells/s.
fn source(changes: Value) -> AbrSource {
    let mut parameters = json!({
        "rules": "prca", "pcr": "10000 cells/s", "icr": "3200 cells/s", "mcr": "500 cells/s", "air": "64 cells/s",
    });
    parameters
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    let config: AbrConfig = serde_json::from_value(parameters).expect("valid parameters");
    assert_eq!(config.check(Rate::from_bps(155_520_000)), []);
    AbrSource::new(&config, Rate::from_bps(155_520_000), Ps::ZERO)
}

fn brm(ci: bool) -> RmCell {
    RmCell {
        er: 1e6,
        ccr: 0.0,
        mcr: 0.0,
        ci,
        ni: false,
        bn: false,
    }
}

/// Sends `cells` cells as early as allowed; returns the time of the last.
fn send(source: &mut AbrSource, cells: usize) -> Ps {
    let mut at = Ps::ZERO;
    for _ in 0..cells {
        at = source.next_wake(true);
        assert!(source.opportunity(at, true).is_some());
    }
    at
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn every_cell_takes_as_much_down_to_mcr() {
    let mut source = source(json!({}));
    send(&mut source, 1);
    near(source.acr(), 3_100.0);
    send(&mut source, 9);
    near(source.acr(), 2_200.0);
    // 3,200 - 27 * 100 is MCR, below which it does not fall.
    send(&mut source, 17);
    near(source.acr(), 500.0);
    send(&mut source, 10);
    near(source.acr(), 500.0);
}

#[test]
fn a_cell_goes_out_at_the_rate_that_the_cell_before_it_left() {
    let mut source = source(json!({}));
    let first = send(&mut source, 1);
    // 1 / 3,100 s, rounded down to a picosecond.
    assert_eq!(source.next_wake(true), Ps(first.0 + 322_580_645));
}

#[test]
fn an_rm_cell_without_ci_gives_back_a_cycle_and_adds_air() {
    let mut source = source(json!({}));
    send(&mut source, 10);
    source.on_brm(Ps::from_ms(10), &brm(false));
    // 2,200 + 32 * 100 + 64, of which a cell then subtracts 1/32.
    near(source.acr(), 5_464.0);
    send(&mut source, 1);
    near(source.acr(), 5_464.0 - 170.75);
}

#[test]
fn what_a_cycle_took_may_be_counted() {
    let mut source = source(json!({ "compensation": "counted" }));
    send(&mut source, 10);
    // 2,200 + 10 * 100 + 64, of which a cell then subtracts 102.
    source.on_brm(Ps::from_ms(10), &brm(false));
    near(source.acr(), 3_264.0);
    // At MCR cells reduce nothing: 2,764 are restored, not 40 * 102. Reductions before an RM cell
    // with CI are not restored.
    send(&mut source, 40);
    near(source.acr(), 500.0);
    let mut congested = source.clone();
    source.on_brm(Ps::from_ms(20), &brm(false));
    near(source.acr(), 3_328.0);
    congested.on_brm(Ps::from_ms(20), &brm(true));
    congested.on_brm(Ps::from_ms(21), &brm(false));
    near(congested.acr(), 564.0);
}

#[test]
fn an_rm_cell_with_ci_leaves_the_rate_falling_as_it_did() {
    let mut source = source(json!({}));
    send(&mut source, 10);
    source.on_brm(Ps::from_ms(10), &brm(true));
    near(source.acr(), 2_200.0);
    send(&mut source, 1);
    near(source.acr(), 2_100.0);
}

#[test]
fn the_rate_rises_to_pcr_and_prca_ignores_er_and_ni() {
    let mut source = source(json!({ "air": "8000 cells/s" }));
    source.on_brm(
        Ps::from_ms(1),
        &RmCell {
            er: 1.0,
            ni: true,
            ..brm(false)
        },
    );
    near(source.acr(), 10_000.0);
}

#[test]
fn mdf_says_how_fast_it_falls() {
    // 3,200 / 2^4.
    let mut source = source(json!({ "mdf": 4 }));
    send(&mut source, 1);
    near(source.acr(), 3_000.0);
}

#[test]
fn eprca_adds_air_per_cell_and_obeys_the_explicit_rate() {
    let mut source = source(json!({ "rules": "eprca" }));
    send(&mut source, 10);
    // 2,200 + 32 * 100 + 32 * 64.
    source.on_brm(Ps::from_ms(10), &brm(false));
    near(source.acr(), 7_448.0);
    source.on_brm(
        Ps::from_ms(11),
        &RmCell {
            er: 1_600.0,
            ..brm(true)
        },
    );
    near(source.acr(), 1_600.0);
    // A cell now subtracts 1,600 / 32.
    send(&mut source, 1);
    near(source.acr(), 1_550.0);
    source.on_brm(
        Ps::from_ms(12),
        &RmCell {
            er: 0.0,
            ..brm(true)
        },
    );
    near(source.acr(), 500.0);
}

#[test]
fn neither_idle_time_nor_missing_rm_cells_matter() {
    let mut source =
        source(json!({ "crm": 1, "cdf": 0.5, "adtf": "10 ms", "icr": "2000 cells/s" }));
    source.on_brm(Ps::ZERO, &brm(false));
    // 2,000 + 32 * 62.5 + 64 = 4,064 and 127 per cell: 4,064 - 40 * 127 is below MCR.
    near(source.acr(), 4_064.0);
    let mut frms = 0;
    for number in 0..20u64 {
        let at = Ps::from_ms(100 * (number + 1));
        frms += matches!(source.opportunity(at, true), Some(Emission::Rm(..))) as u32;
    }
    assert!(frms > 1);
    near(source.acr(), 4_064.0 - 20.0 * 127.0);
    assert_eq!((source.counters().rule_5, source.counters().rule_6), (0, 0));
}
