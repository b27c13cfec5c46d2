//! Links with bit errors in whole networks of cells: lost cells, damaged PDUs and RM cells against closed forms.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::hec::Hec;
use cellrate_engine::atm::plan::Plan;
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::bit_errors::{BitErrorConfig, BurstConfig};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;

use crate::support::plans::{Graph, plain_switch};
use crate::support::plans::{back, cell_time_us, flow, stop_and_wait};

/// One segment of two cells at a time; the link from the source errs. The timer expires soon.
fn segments(errors: BitErrorConfig, hec: Hec) -> Plan {
    let mut plan = stop_and_wait();
    plan.links[0].errors = Some(errors);
    plan.errors.hec = hec;
    let tcp = &mut plan.flows[0].tcp;
    (tcp.min_rto, tcp.initial_rto) = (Ps::from_us(400), Ps::from_us(400));
    tcp.granularity = Ps::from_us(50);
    plan
}

fn run(plan: Plan, end: Ps) -> Report {
    let mut run: Simulation = Simulation::new(plan).unwrap();
    run.measure(Ps::ZERO, end, end)
}

/// Share of the PDUs that AAL5 does not deliver, and the number of PDUs sent. All have 40 bytes.
fn lost_pdus(report: &Report) -> (f64, f64) {
    let balance = report.flows[0].balance.as_ref().unwrap();
    let arrived = balance.delivered_bytes + balance.duplicate_bytes;
    let sent = (balance.sent() - balance.in_path_bytes - balance.in_source_queue_bytes) as f64;
    (1.0 - arrived as f64 / sent, sent / 40.0)
}

/// In detection mode a PDU of two cells arrives if none of its 848 bits is errored, and none of the 40 bits of the header that
/// ended the PDU before, since AAL5 would join both: lost is 1 - (1 - p)^888 = 0.16274 at p = 2e-4.
///
/// In correction mode a header with one error is corrected if the header before, of an idle cell or of the other cell, is
/// whole. A cell is lost with (1 - h) m + h h, for h = 1 - (1 - p)^40 = 0.0079688 and m = h - 40 p (1 - p)^39 = 3.104e-5, so with
/// 9.430e-5. Lost is 1 - (1 - p)^768 (1 - 9.430e-5)^3 = 0.14264. With 40,000 PDUs the standard deviation is 0.0018.
#[test]
fn pdus_are_lost_by_the_closed_forms_of_both_modes() {
    for (hec, expected) in [(Hec::Detection, 0.162_74), (Hec::Correction, 0.142_64)] {
        let plan = segments(BitErrorConfig::independent(2e-4), hec);
        let report = run(plan, Ps::from_ms(12_000));
        let (share, pdus) = lost_pdus(&report);
        assert!(pdus > 40_000.0, "{pdus}");
        assert!((share - expected).abs() < 0.007_3, "{hec:?}: {share}");
        let flow = &report.flows[0];
        // In both modes most losses are errored payloads: 1 - (1 - p)^768 = 0.14240, of PDUs whose headers arrive.
        let errored = flow.packets_errored as f64 / pdus;
        let headers = 1.0 - (expected - 0.142_40);
        assert!(
            (errored - 0.142_40 * headers).abs() < 0.007_3,
            "{hec:?}: {errored}"
        );
        assert_eq!(report.totals.packets_errored, flow.packets_errored);
        // TCP has sent each lost segment again.
        let again = flow.segments_retransmitted as f64 / pdus;
        assert!((again - share).abs() < 0.01, "{again} {share}");
    }
}

/// A source of ABR that always has cells: data cells are lost by their headers alone, 1 - (1 - p)^40 = 0.0039922 at p = 1e-4
/// in detection mode. RM cells are lost by errored payloads, too: 1 - (1 - p)^424 = 0.041517.
#[test]
fn rm_cells_are_lost_by_any_errored_bit() {
    let mut graph = Graph::default();
    let (from, switch, to) = (
        graph.host("a"),
        graph.switch("s", plain_switch()),
        graph.host("b"),
    );
    let rate = cell_time_us(10);
    let path = vec![
        graph.duplex(from, switch, rate, Ps::from_us(5)),
        graph.duplex(switch, to, rate, Ps::from_us(5)),
    ];
    let source = SourceConfig::Persistent(PersistentConfig {});
    let mut abr = flow("abr", ServiceClass::Abr, source, path);
    abr.backward = back(&abr.forward);
    (abr.abr.pcr, abr.abr.icr, abr.abr.nrm) = (Some(rate), Some(rate), 4);
    let mut plan = graph.plan(vec![abr]);
    plan.links[0].errors = Some(BitErrorConfig::independent(1e-4));
    plan.errors.hec = Hec::Detection;
    let report = run(plan, Ps::from_ms(4_000));
    let forward = &report.vcs[0];
    let data = forward.data_cells_sent as f64;
    let rm = forward.cells_sent as f64 - data;
    assert!(data > 150_000.0 && rm > 40_000.0, "{forward:?}");
    let expected = data * 0.003_992_2 + rm * 0.041_517;
    let lost = forward.cells_lost_on_links as f64;
    assert!(
        (lost - expected).abs() < 4.0 * expected.sqrt(),
        "{lost} {expected}"
    );
}

/// Bursts hit fewer PDUs than independent errors of the same mean ratio.
#[test]
fn bursts_damage_fewer_pdus_than_independent_errors() {
    let bursts = BitErrorConfig {
        bit_error_ratio: 0.0,
        bursts: Some(BurstConfig {
            every: Ps::from_ms(9),
            length: Ps::from_ms(1),
            bit_error_ratio: 2e-3,
        }),
    };
    assert!((bursts.mean() - 2e-4).abs() < 1e-12);
    let report = run(segments(bursts, Hec::Correction), Ps::from_ms(4_000));
    let (share, _) = lost_pdus(&report);
    assert!(
        share < 0.1 && report.flows[0].packets_errored > 100,
        "{share}"
    );
}
