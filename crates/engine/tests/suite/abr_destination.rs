//! Every destination rule of TM 4.0 section 5.10.5 by its number.

use cellrate_engine::atm::cell::{Kind, RmCell};
use cellrate_engine::endsystem::{AbrConfig, AbrDestination, AbrSource, Emission};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};

const FRM: RmCell = RmCell {
    er: 900.0,
    ccr: 500.0,
    mcr: 10.0,
    ci: false,
    ni: true,
    bn: false,
};

fn link() -> Rate {
    Rate::from_cells_per_second(1_000.0)
}

fn destination() -> AbrDestination {
    AbrDestination::new(&AbrConfig::default(), ServiceRate::of_cells(link()))
}

#[test]
fn des_rule_1_remembers_the_efci_of_the_last_data_cell_only() {
    let mut destination = destination();
    destination.on_data(true);
    assert!(destination.saved_efci());
    destination.on_data(false);
    assert!(!destination.saved_efci());
}

#[test]
fn des_rule_2_turns_an_frm_round_and_reports_efci_once() {
    let mut destination = destination();
    assert_eq!(destination.on_frm(RmCell { bn: true, ..FRM }), FRM);
    destination.on_data(true);
    assert_eq!(destination.on_frm(FRM), RmCell { ci: true, ..FRM });
    assert_eq!(destination.on_frm(FRM), FRM);
    // CI that was set on the way here stays set.
    assert!(destination.on_frm(RmCell { ci: true, ..FRM }).ci);
}

#[test]
fn des_rule_2_reports_efci_until_the_next_data_cell_if_it_is_not_reset() {
    let mut destination = AbrDestination::new(
        &AbrConfig {
            reset_saved_efci: false,
            ..AbrConfig::default()
        },
        ServiceRate::of_cells(link()),
    );
    destination.on_data(true);
    assert!(destination.on_frm(FRM).ci && destination.on_frm(FRM).ci);
}

#[test]
fn des_rule_3_a_newer_rm_cell_overwrites_the_one_that_waits() {
    let mut reverse = AbrSource::new(&AbrConfig::default(), link(), Ps::ZERO);
    reverse.offer_brm(FRM);
    reverse.offer_brm(RmCell { er: 1.0, ..FRM });
    assert_eq!(reverse.counters().overwritten, 1);
    reverse.opportunity(Ps::ZERO, false); // the first in-rate cell is an FRM
    let Some(Emission::Rm(info, rm)) = reverse.opportunity(reverse.next_wake(false), false) else {
        panic!("a BRM")
    };
    assert_eq!((info.kind(), rm.er), (Kind::Brm, 1.0));
}

#[test]
fn des_rule_4_nothing_older_follows_a_newer_rm_cell() {
    let mut reverse = AbrSource::new(&AbrConfig::default(), link(), Ps::ZERO);
    reverse.offer_brm(FRM);
    reverse.offer_brm(RmCell { er: 1.0, ..FRM });
    for _ in 0..2 {
        reverse.opportunity(reverse.next_wake(false), false);
    }
    assert!(!reverse.brm_waits());
    assert_eq!(
        (reverse.next_wake(false), reverse.counters().brms),
        (Ps::NEVER, 1)
    );
}

#[test]
fn des_rule_5_generates_at_most_ten_brms_per_second() {
    let mut destination = destination();
    let expected = RmCell {
        er: 1_000.0,
        ccr: 0.0,
        mcr: 0.0,
        ci: true,
        ni: false,
        bn: true,
    };
    assert_eq!(destination.generate(Ps::ZERO), Some(expected));
    assert_eq!(destination.generate(Ps::from_ms(99)), None);
    destination.on_frm(FRM);
    assert_eq!(
        destination.generate(Ps::from_ms(100)),
        Some(RmCell {
            er: 900.0,
            ..expected
        })
    );
}

#[test]
fn des_rule_6_a_probe_is_answered_out_of_rate_where_nothing_goes_in_rate() {
    let config = AbrConfig {
        icr: Some(link()),
        ..AbrConfig::default()
    };
    let mut reverse = AbrSource::new(&config, link(), Ps::ZERO);
    reverse.opportunity(Ps::ZERO, true);
    reverse.on_brm(Ps::ZERO, &RmCell { er: 0.0, ..FRM });
    reverse.offer_brm(destination().on_frm(FRM));
    let Some(Emission::Rm(info, _)) = reverse.opportunity(Ps::from_ms(1), false) else {
        panic!("a BRM")
    };
    assert!(info.kind() == Kind::Brm && info.clp());
    // The next one waits for TCR: 10 cells/s.
    reverse.offer_brm(FRM);
    let next = reverse.opportunity(Ps::from_ms(2), false);
    assert!(matches!(next, Some(Emission::Rm(info, _)) if info.kind() == Kind::Frm && info.clp()));
    assert_eq!(reverse.next_wake(false), Ps::from_ms(101));
}
