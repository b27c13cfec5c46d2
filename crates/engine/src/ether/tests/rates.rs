//! Rate control: the times of a source's frames, and the steady states of control schemes.

use serde_json::{Value, json};

use super::*;
use crate::endsystem::AbrConfig;

/// Hosts `H0` to `Hn` at one switch. `H0` receives the flows of all other hosts. Every flow has rate control,
/// and the ports of the switch have the control scheme `control`.
pub(super) fn star(
    sources: usize,
    rate: Rate,
    delay: Ps,
    control: Value,
    rates: AbrConfig,
) -> Plan {
    let host = |node: usize| NodePlan {
        name: format!("H{node}"),
        switch: None,
    };
    let switch = NodePlan {
        name: "S".into(),
        switch: Some(SwitchPlan {
            control: serde_json::from_value(control).unwrap(),
            ..SwitchPlan::new(u64::MAX)
        }),
    };
    let middle = sources + 1;
    let link = |from: usize, to: usize| LinkPlan {
        name: format!("{from}->{to}"),
        from,
        to,
        rate,
        delay,
        errors: None,
    };
    let up = (0..middle).map(|node| link(node, middle));
    let down = (0..middle).map(|node| link(middle, node));
    let flow = |number: usize| FlowPlan {
        rates: Some(rates.clone()),
        ..FlowPlan::new(
            &format!("flow.{number}"),
            SourceConfig::Persistent(Default::default()),
            Vec::from([number, middle]),
            Vec::from([0, middle + number]),
        )
    };
    Plan {
        seed: 1,
        framing: Framing::default(),
        fcvc: None,
        pfc: None,
        cbfc: None,
        llr: None,
        changes: Vec::new(),
        port_controls: Vec::new(),
        nodes: (0..middle).map(host).chain([switch]).collect(),
        links: up.chain(down).collect(),
        flows: (1..=sources).map(flow).collect(),
    }
}

/// A single source sends at its ICR, with frames of 1,538 octets at distances of 1,538/ICR. A rate record of
/// 84 octets precedes every 31 frames. ICR is 125 million octets/s, so a frame takes 12.304 us and a rate
/// record 0.672 us. Together 32 frames take 382.096 us.
#[test]
fn a_source_paces_octets_and_sends_a_record_among_32_frames() {
    let rates = AbrConfig {
        icr: Some(Rate::from_bps(GBPS)),
        ..AbrConfig::default()
    };
    // No record returns within 40 ms.
    let plan = star(
        1,
        Rate::from_bps(10 * GBPS),
        Ps::from_ms(10),
        json!({ "scheme": "none" }),
        rates,
    );
    let mut simulation = Simulation::new(plan).unwrap();
    let report = simulation.measure(Ps::ZERO, Ps(382_096_000 * 10), Ps(382_096_000 * 10));
    let flow = &report.flows[0];
    assert_eq!((flow.packets_sent, flow.records_sent), (320, Some(10)));
    let acr = [
        flow.acr_mean_bits_per_second,
        flow.acr_final_bits_per_second,
    ];
    assert_eq!(acr, [Some(1e9); 2]);
}

/// The steady state of each control scheme over Ethernet, as the scheme's paper predicts it. Rates count
/// preambles, interframe gaps and rate records, as the scheme does.
#[test]
fn schemes_share_a_line_of_ethernet_as_their_papers_say() {
    let line = 10e9;
    for (control, share) in [
        // Kalyanaraman: the target rate divided by the number of sources.
        (
            json!({ "scheme": "erica", "target_utilisation": 0.9, "interval": "1 ms",
                "interval_cells": "1000000 cells", "delta": 0.0 }),
            0.9 / 4.0,
        ),
        // Afek, Mansour and Ostfeld: u C / (1 + n u), with the utilisation factor u.
        (
            json!({ "scheme": "phantom", "utilisation_factor": 5.0, "interval": "1 ms", "alpha_dec": 0.0625 }),
            5.0 / 21.0,
        ),
    ] {
        let rates = AbrConfig {
            icr: Some(Rate::from_bps(GBPS)),
            nrm: 8,
            rif: 1.0,
            ..AbrConfig::default()
        };
        let plan = star(
            4,
            Rate::from_bps(10 * GBPS),
            Ps::from_us(2),
            control.clone(),
            rates,
        );
        let mut simulation = Simulation::new(plan).unwrap();
        let report = simulation.measure(Ps::from_ms(100), Ps::from_ms(200), Ps::from_ms(200));
        for flow in &report.flows {
            let acr = flow.acr_mean_bits_per_second.unwrap();
            assert!(
                (acr / (share * line) - 1.0).abs() < 0.01,
                "{control}: {acr} is not {}",
                share * line
            );
        }
    }
}
