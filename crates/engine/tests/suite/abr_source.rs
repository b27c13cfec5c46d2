//! Every source rule of TM 4.0 section 5.10.4 by its number, and the interpretations that are
//! options. PCR is 1000 cells/s unless noted, so that cells are 1 ms apart.

use cellrate_engine::atm::cell::{Info, Kind, RmCell};
use cellrate_engine::endsystem::{
    AbrConfig, AbrSource, Emission, ErBelowMcr, OutOfRate, UnshapedSource,
};
use cellrate_engine::kernel::units::Cells;
use cellrate_engine::kernel::{Ps, Rate};

const BRM: RmCell = RmCell {
    er: 1e9,
    ccr: 0.0,
    mcr: 0.0,
    ci: false,
    ni: false,
    bn: false,
};

fn rate(cells_per_second: f64) -> Rate {
    Rate::from_cells_per_second(cells_per_second)
}

fn config() -> AbrConfig {
    AbrConfig {
        pcr: Some(rate(1_000.0)),
        ..AbrConfig::default()
    }
}

fn source(config: &AbrConfig) -> AbrSource {
    AbrSource::new(config, rate(1e6), Ps::ZERO)
}

fn ms(ms: u64) -> Ps {
    Ps::from_ms(ms)
}

/// All emissions of the source from `from` to `until`.
fn run(source: &mut AbrSource, from: Ps, until: Ps, data: bool) -> Vec<(Ps, Emission)> {
    let (mut sent, mut now) = (Vec::new(), from);
    loop {
        now = now.max(source.next_wake(data));
        if now > until {
            return sent;
        }
        sent.push((
            now,
            source
                .opportunity(now, data)
                .expect("a wake finds something to send"),
        ));
    }
}

fn letters(sent: &[(Ps, Emission)]) -> String {
    sent.iter().map(|(_, emission)| letter(emission)).collect()
}

fn letter(emission: &Emission) -> char {
    match emission {
        Emission::Data => 'd',
        Emission::Rm(info, _) => match (info.kind(), info.clp()) {
            (Kind::Frm, false) => 'F',
            (Kind::Frm, true) => 'p',
            (_, false) => 'B',
            (_, true) => 'b',
        },
    }
}

fn contents(emission: &Emission) -> RmCell {
    match emission {
        Emission::Rm(_, rm) => *rm,
        Emission::Data => panic!("not an RM cell"),
    }
}

#[test]
fn ses_rule_1_cells_are_one_period_of_acr_apart() {
    let sent = run(&mut source(&config()), Ps::ZERO, ms(9), true);
    assert_eq!(
        sent.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
        (0..10).map(ms).collect::<Vec<_>>()
    );
}

#[test]
fn ses_rule_1_no_cell_goes_a_picosecond_early() {
    let mut source = source(&config());
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    assert_eq!(source.opportunity(Ps(ms(1).0 - 1), true), None);
    assert_eq!(source.opportunity(ms(1), true), Some(Emission::Data));
}

#[test]
fn ses_rule_1_the_fraction_of_a_picosecond_is_kept() {
    // 3 cells/s: 1200 intervals of 333,333,333,333.33 ps last 400 s.
    let mut source = source(&AbrConfig {
        pcr: Some(rate(3.0)),
        ..config()
    });
    let sent = run(&mut source, Ps::ZERO, Ps::from_s(400), true);
    let in_rate: Vec<_> = sent
        .iter()
        .filter(|(_, emission)| letter(emission) != 'p')
        .collect();
    assert_eq!(in_rate.len(), 1_201);
    assert!(in_rate[1_200].0.0 + 1 >= Ps::from_s(400).0);
}

#[test]
fn ses_rule_2_begins_at_icr_with_an_frm() {
    let mut source = source(&AbrConfig {
        icr: Some(rate(250.0)),
        ..config()
    });
    assert_eq!((source.acr(), source.next_wake(false)), (250.0, Ps::NEVER));
    let sent = run(&mut source, Ps::ZERO, ms(4), true);
    assert_eq!(letters(&sent), "Fd");
    assert_eq!(contents(&sent[0].1).ccr, 250.0);
    assert_eq!(sent[1].0, ms(4));
}

#[test]
fn ses_rule_3a_sends_every_nrm_th_cell_as_frm() {
    let sent = letters(&run(&mut source(&config()), Ps::ZERO, ms(95), true));
    assert_eq!(sent, format!("F{0}F{0}F{0}", "d".repeat(31)));
}

#[test]
fn ses_rule_3a_sends_an_frm_trm_after_the_last_one_if_mrm_cells_lie_between() {
    let mut source = source(&config());
    // FRM at 0 ms, the two cells of Mrm at 1 and 2 ms; after that only the time clause applies.
    assert_eq!(letters(&run(&mut source, Ps::ZERO, ms(2), true)), "Fdd");
    assert_eq!(source.next_wake(false), ms(100));
    assert_eq!(letters(&run(&mut source, ms(2), ms(1_000), false)), "F");
    assert_eq!(source.next_wake(false), Ps::NEVER);
}

#[test]
fn ses_rule_3a_needs_mrm_cells_for_the_time_clause() {
    let mut source = source(&config());
    assert_eq!(letters(&run(&mut source, Ps::ZERO, ms(1), true)), "Fd");
    assert_eq!(source.next_wake(false), Ps::NEVER);
}

#[test]
fn ses_rule_3b_sends_one_brm_per_frm_before_data() {
    let mut source = source(&AbrConfig { nrm: 4, ..config() });
    source.offer_brm(BRM);
    assert_eq!(letters(&run(&mut source, Ps::ZERO, ms(1), true)), "FB");
    source.offer_brm(BRM);
    assert_eq!(letters(&run(&mut source, ms(1), ms(6), true)), "ddFBd");
}

#[test]
fn ses_rule_3b_sends_any_number_of_brms_without_data() {
    let mut source = source(&config());
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    for at in 1..5 {
        source.offer_brm(BRM);
        assert_eq!(letters(&run(&mut source, ms(at), ms(at), false)), "B");
    }
}

#[test]
fn ses_rule_4_in_rate_cells_have_clp_0() {
    let mut source = source(&config());
    source.offer_brm(BRM);
    let sent = run(&mut source, Ps::ZERO, ms(100), true);
    assert!(
        sent.iter()
            .all(|(_, emission)| matches!(emission, Emission::Data)
                || "FB".contains(letter(emission)))
    );
    assert!(!Info::data(0).clp());
}

#[test]
fn ses_rule_5_returns_to_icr_at_the_first_frm_after_adtf() {
    let mut source = source(&AbrConfig {
        icr: Some(rate(100.0)),
        rif: 1.0,
        ..config()
    });
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    source.on_brm(Ps::ZERO, &BRM);
    assert_eq!(source.acr(), 1_000.0);
    // Data at 600 and 601 ms still have the old rate; with them Mrm and Trm make an FRM due, 602 ms
    // after the last one. The next cell obeys 100 cells/s.
    let sent = run(&mut source, ms(600), ms(612), true);
    assert_eq!(letters(&sent), "ddFd");
    assert_eq!(
        sent.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
        [ms(600), ms(601), ms(602), ms(612)]
    );
    assert_eq!(
        (contents(&sent[2].1).ccr, source.counters().rule_5),
        (100.0, 1)
    );
}

#[test]
fn ses_rule_5_leaves_an_acr_below_icr_and_a_shorter_pause_alone() {
    let mut below = source(&config());
    run(&mut below, Ps::ZERO, Ps::ZERO, true);
    below.on_brm(Ps::ZERO, &RmCell { er: 500.0, ..BRM });
    run(&mut below, ms(600), ms(700), true);
    assert_eq!((below.acr(), below.counters().rule_5), (500.0, 0));

    let mut short = source(&AbrConfig {
        icr: Some(rate(100.0)),
        rif: 1.0,
        ..config()
    });
    run(&mut short, Ps::ZERO, Ps::ZERO, true);
    short.on_brm(Ps::ZERO, &BRM);
    // The FRM at 500 ms comes exactly ADTF after the last one, which is not later.
    run(&mut short, ms(498), ms(500), true);
    assert_eq!(
        (short.acr(), short.counters().frms, short.counters().rule_5),
        (1_000.0, 2, 0)
    );
}

fn impatient() -> AbrConfig {
    AbrConfig {
        nrm: 2,
        crm: Some(3),
        cdf: 0.5,
        ..config()
    }
}

#[test]
fn ses_rule_6_cuts_acr_after_crm_frms_without_brm() {
    let mut source = source(&impatient());
    // FRMs at 0, 2 and 4 ms are sent at full rate; the fourth at 6 ms finds three unanswered.
    let sent = run(&mut source, Ps::ZERO, ms(6), true);
    let ccr: Vec<f64> = sent
        .iter()
        .filter(|(_, e)| letter(e) == 'F')
        .map(|(_, e)| contents(e).ccr)
        .collect();
    assert_eq!(ccr, [1_000.0, 1_000.0, 1_000.0, 500.0]);
    // Every further FRM cuts again: two cells at 2 ms, FRM with 250 cells/s at 10 ms.
    let next = run(&mut source, ms(6), ms(10), true);
    assert_eq!(
        (letters(&next), source.acr(), source.counters().rule_6),
        ("dF".into(), 250.0, 2)
    );
}

#[test]
fn ses_rule_6_is_reset_by_a_brm_with_bn_0_only() {
    for (bn, expected) in [(false, 1_000.0), (true, 500.0)] {
        let mut source = source(&impatient());
        run(&mut source, Ps::ZERO, ms(4), true);
        source.on_brm(ms(4), &RmCell { bn, ..BRM });
        run(&mut source, ms(5), ms(6), true);
        assert_eq!(source.acr(), expected, "bn {bn}");
    }
}

#[test]
fn ses_rule_6_crm_is_tbe_per_nrm_rounded_up() {
    // 100 / 32 = 3.125
    let tbe = AbrConfig {
        tbe: Cells(100),
        ..config()
    };
    assert_eq!(tbe.crm_frms(), 4);
    assert_eq!(
        AbrConfig {
            crm: Some(20),
            ..tbe
        }
        .crm_frms(),
        20
    );
    // 2^24 - 1 cells in FRMs of 32
    assert_eq!(config().crm_frms(), 524_288);
}

#[test]
fn ses_rule_7_ccr_is_the_rate_of_the_cells_behind_the_frm() {
    let mut source = source(&impatient());
    let sent = run(&mut source, Ps::ZERO, ms(8), true);
    let (cut, behind) = (&sent[6], &sent[7]);
    assert_eq!(
        (cut.0, contents(&cut.1).ccr, behind.0),
        (ms(6), 500.0, ms(8))
    );
}

#[test]
fn ses_rule_8_decreases_by_rdf_increases_by_rif_of_pcr() {
    let mut source = source(&AbrConfig {
        icr: Some(rate(800.0)),
        ..config()
    });
    source.on_brm(
        Ps::ZERO,
        &RmCell {
            ci: true,
            ni: true,
            ..BRM
        },
    );
    assert_eq!(source.acr(), 750.0); // 800 - 800 / 16
    source.on_brm(Ps::ZERO, &RmCell { ni: true, ..BRM });
    assert_eq!(source.acr(), 750.0);
    source.on_brm(Ps::ZERO, &BRM);
    assert_eq!(source.acr(), 812.5); // 750 + 1000 / 16
    assert_eq!(source.counters().acr_changes, 2);
}

#[test]
fn ses_rule_8_stops_at_pcr_and_mcr() {
    let mut source = source(&AbrConfig {
        mcr: Some(rate(990.0)),
        ..config()
    });
    source.on_brm(Ps::ZERO, &BRM);
    assert_eq!(source.acr(), 1_000.0);
    source.on_brm(Ps::ZERO, &RmCell { ci: true, ..BRM });
    assert_eq!(source.acr(), 990.0);
}

#[test]
fn ses_rule_9_takes_the_explicit_rate_but_no_less_than_mcr() {
    let mcr = AbrConfig {
        mcr: Some(rate(100.0)),
        ..config()
    };
    for (er, policy, expected) in [
        (300.0, ErBelowMcr::Clamp, 300.0),
        (50.0, ErBelowMcr::Clamp, 100.0),
        (300.0, ErBelowMcr::Ignore, 300.0),
        (50.0, ErBelowMcr::Ignore, 1_000.0),
    ] {
        let mut source = source(&AbrConfig {
            er_below_mcr: policy,
            ..mcr.clone()
        });
        source.on_brm(Ps::ZERO, &RmCell { er, ..BRM });
        assert_eq!(source.acr(), expected, "{er} {policy:?}");
    }
}

#[test]
fn ses_rule_10_an_frm_asks_for_pcr() {
    let config = AbrConfig {
        mcr: Some(rate(10.0)),
        icr: Some(rate(100.0)),
        ..config()
    };
    let sent = run(&mut source(&config), Ps::ZERO, Ps::ZERO, true);
    let expected = RmCell {
        er: 1_000.0,
        ccr: 100.0,
        mcr: 10.0,
        ci: false,
        ni: false,
        bn: false,
    };
    assert_eq!(contents(&sent[0].1), expected);
}

#[test]
fn ses_rule_11_probes_out_of_rate_at_tcr_while_acr_is_zero() {
    let mut source = source(&config());
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    source.on_brm(ms(1), &RmCell { er: 0.0, ..BRM });
    let sent = run(&mut source, ms(1), ms(250), true);
    assert_eq!(letters(&sent), "ppp");
    assert_eq!(
        sent.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
        [ms(1), ms(101), ms(201)]
    );
    // The BRM of a probe restarts the source: the FRM at 0 ms was long before, so the cell may be
    // sent at once.
    source.on_brm(ms(251), &RmCell { er: 500.0, ..BRM });
    assert_eq!((source.acr(), source.next_wake(true)), (62.5, ms(251)));
    assert_eq!(letters(&run(&mut source, ms(251), ms(251), true)), "d");
}

#[test]
fn ses_rule_11_options_decide_when_probes_are_sent() {
    // 5 cells/s is below TCR of 10 cells/s: in-rate cells continue every 200 ms.
    let letters_of = |out_of_rate, er| {
        let mut source = source(&AbrConfig {
            out_of_rate,
            ..config()
        });
        run(&mut source, Ps::ZERO, Ps::ZERO, true);
        source.on_brm(ms(1), &RmCell { er, ..BRM });
        letters(&run(&mut source, ms(1), ms(201), true))
    };
    assert_eq!(letters_of(OutOfRate::BelowTcr, 5.0), "ppdp");
    assert_eq!(letters_of(OutOfRate::OnlyAtZero, 5.0), "d");
    assert_eq!(letters_of(OutOfRate::OnlyAtZero, 0.0), "ppp");
    assert_eq!(letters_of(OutOfRate::Never, 0.0), "");
}

#[test]
fn ses_rule_11_probes_wait_for_data_where_frms_do() {
    let mut source = source(&AbrConfig {
        frm_needs_data: true,
        ..config()
    });
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    source.on_brm(ms(1), &RmCell { er: 0.0, ..BRM });
    assert_eq!(
        (source.next_wake(false), source.next_wake(true)),
        (Ps::NEVER, Ps::ZERO)
    );
    assert_eq!(source.opportunity(ms(1), false), None);
}

#[test]
fn ses_rule_1_holds_even_for_an_initial_rate_above_pcr() {
    assert_eq!(
        source(&AbrConfig {
            icr: Some(rate(5_000.0)),
            ..config()
        })
        .acr(),
        1_000.0
    );
}

#[test]
fn ses_rule_11_switched_off_leaves_a_brm_waiting_too() {
    let mut source = source(&AbrConfig {
        out_of_rate: OutOfRate::Never,
        ..config()
    });
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    source.on_brm(ms(1), &RmCell { er: 0.0, ..BRM });
    source.offer_brm(BRM);
    assert_eq!(
        (source.next_wake(true), source.opportunity(ms(500), true)),
        (Ps::NEVER, None)
    );
}

#[test]
fn ses_rule_12_data_cells_start_without_efci() {
    assert!(!Info::data(7).efci() && !Info::end_of_message(7).efci());
}

#[test]
fn ses_rule_13_an_unused_rate_loses_a_sixteenth_and_the_next_increase() {
    let config = AbrConfig {
        use_it_or_lose_it: Some(rate(500.0)),
        icr: Some(rate(960.0)),
        ..config()
    };
    let mut source = source(&config);
    run(&mut source, Ps::ZERO, ms(3), true);
    // Two cells and the FRM in 100 ms are 30 cells/s, more than 500 below 960.
    run(&mut source, ms(3), ms(200), false);
    assert_eq!((source.acr(), source.counters().rule_13), (900.0, 1));
    source.on_brm(ms(200), &BRM);
    assert_eq!(source.acr(), 900.0);
    source.on_brm(ms(200), &BRM);
    assert_eq!(source.acr(), 962.5);
}

#[test]
fn ses_rule_13_counts_the_frm_itself_as_used() {
    // 960 - 30 is not more than 935 below; 960 - 20 would be.
    let config = AbrConfig {
        use_it_or_lose_it: Some(rate(935.0)),
        icr: Some(rate(960.0)),
        ..config()
    };
    let mut source = source(&config);
    run(&mut source, Ps::ZERO, ms(3), true);
    run(&mut source, ms(3), ms(200), false);
    assert_eq!((source.counters().frms, source.counters().rule_13), (2, 0));
}

#[test]
fn a_higher_acr_brings_the_next_cell_forward_and_a_lower_one_puts_it_off() {
    let mut source = source(&AbrConfig {
        icr: Some(rate(100.0)),
        rif: 1.0,
        ..config()
    });
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    assert_eq!(source.next_wake(true), ms(10));
    source.on_brm(ms(4), &RmCell { er: 200.0, ..BRM });
    assert_eq!(source.next_wake(true), ms(5)); // 0 + 1/200 s
    source.on_brm(ms(4), &RmCell { er: 50.0, ..BRM });
    assert_eq!(source.next_wake(true), ms(20));
    source.on_brm(ms(4), &BRM);
    assert_eq!(source.next_wake(true), ms(4)); // 0 + 1 ms has passed
    assert_eq!(source.acr_changed_at(), ms(4));
}

#[test]
fn the_tbe_cap_lowers_icr_only_where_it_is_asked_for() {
    // 512 cells per 30 ms are 17,066.7 cells/s.
    let config = AbrConfig {
        tbe: Cells(512),
        ..AbrConfig::default()
    };
    let icr = |config: &AbrConfig| AbrSource::new(config, rate(1e5), ms(30)).acr();
    assert_eq!(icr(&config), 1e5);
    assert!(
        (icr(&AbrConfig {
            apply_tbe_icr_cap: true,
            ..config
        }) - 512.0 / 0.03)
            .abs()
            < 1e-6
    );
}

#[test]
fn an_frm_due_waits_for_data_only_where_it_is_asked_for() {
    for (frm_needs_data, expected) in [(false, "FBB"), (true, "BB")] {
        let mut source = source(&AbrConfig {
            frm_needs_data,
            ..config()
        });
        let mut sent = String::new();
        for at in [0, 10] {
            source.offer_brm(BRM);
            sent += &letters(&run(&mut source, ms(at), ms(at + 9), false));
        }
        assert_eq!(sent, expected);
    }
}

#[test]
fn a_source_that_has_sent_brms_alone_obeys_a_new_rate_too() {
    let mut source = source(&AbrConfig {
        frm_needs_data: true,
        ..config()
    });
    source.offer_brm(BRM);
    run(&mut source, Ps::ZERO, Ps::ZERO, false);
    source.offer_brm(BRM);
    source.on_brm(Ps::ZERO, &RmCell { er: 100.0, ..BRM });
    assert_eq!(source.next_wake(false), ms(10));
}

#[test]
fn a_source_is_rate_limited_while_data_wait_and_acr_is_below_pcr() {
    let mut source = source(&config());
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    assert!(!source.is_rate_limited(Ps::ZERO, true));
    source.on_brm(Ps::ZERO, &RmCell { er: 500.0, ..BRM });
    assert_eq!(source.rate_limited_until(true), Some(ms(2)));
    assert!(source.is_rate_limited(ms(1), true) && !source.is_rate_limited(ms(2), true));
    assert!(!source.is_rate_limited(ms(1), false));
}

#[test]
fn a_source_faster_than_its_access_link_is_not_rate_limited() {
    let mut source = AbrSource::new(
        &AbrConfig {
            pcr: Some(rate(2_000.0)),
            ..config()
        },
        rate(1_000.0),
        Ps::ZERO,
    );
    run(&mut source, Ps::ZERO, Ps::ZERO, true);
    source.on_brm(Ps::ZERO, &RmCell { er: 1_500.0, ..BRM });
    assert!(!source.is_rate_limited(Ps::ZERO, true));
    source.on_brm(Ps::ZERO, &RmCell { er: 999.0, ..BRM });
    assert!(source.is_rate_limited(Ps::ZERO, true));
}

#[test]
fn quantised_rates_are_read_and_written_as_the_line_has_them() {
    let mut source = source(&AbrConfig {
        quantise_rates: true,
        ..config()
    });
    // 1000 = 2^9 * 1.953125 is exact; 353.3 = 2^8 * (1 + 194.6/512) becomes 2^8 * (1 + 194/512).
    source.on_brm(Ps::ZERO, &RmCell { er: 353.3, ..BRM });
    assert_eq!(source.acr(), 353.0);
}

#[test]
fn an_unshaped_source_sends_at_its_peak_rate_and_loses_no_fraction() {
    let link = Rate::from_bps(155_520_000);
    let mut source = UnshapedSource::new(None, link);
    assert_eq!(source.next_wake(false), Ps::NEVER);
    let mut sent = 0;
    while source.next_wake(true) <= ms(424) {
        assert_eq!(
            source.opportunity(source.next_wake(true), true),
            Some(Emission::Data)
        );
        sent += 1;
    }
    // 424 ms hold exactly 155,520 cells, and one more begins.
    assert_eq!(sent, 155_521);
    assert_eq!(source.opportunity(ms(424), true), None);
    let mut slow = UnshapedSource::new(Some(rate(1_000.0)), link);
    slow.opportunity(ms(5), true);
    assert_eq!(slow.next_wake(true), ms(6));
}
