//! Acknowledgements with another class than the RM cells beside them: times worked out by hand, and
//! the queue in which each waits.

use crate::support::outcome;
use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch, stop_and_wait};
use cellrate_engine::atm::cell::Kind;
use cellrate_engine::atm::cell::ServiceClass::{self, Abr, Cbr, Ubr, Vbr};
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan, SwitchPlan};
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::atm::{Reference, Report, Simulation};
use cellrate_engine::control::ControlConfig;
use cellrate_engine::control::efci::{EfciConfig, MarkAt};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::{Bytes, Cells};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use cellrate_engine::traffic::transfer::TransferConfig;

/// A transfer of one segment, two cells. All ABR cells are sent at 1,000 cells/s, every third one a
/// forward RM cell. From terminal to terminal a cell without waiting takes 40 us, in either
/// direction.
fn one_segment(ack_service: ServiceClass) -> Plan {
    let mut plan = stop_and_wait();
    let tcp = &mut plan.flows[0];
    (tcp.service, tcp.ack_service) = (Abr, ack_service);
    tcp.source = SourceConfig::Transfer(TransferConfig { size: Bytes(40) });
    (tcp.abr.icr, tcp.abr.pcr, tcp.abr.nrm) =
        (Some(cell_time_us(1000)), Some(cell_time_us(1000)), 3);
    plan
}

/// Cells that leave the destination up to 6 ms: kind, and time in us. Both engines agree.
fn leaves_the_destination(plan: Plan) -> Vec<(Kind, f64)> {
    let (first, end) = (plan.flows[0].backward[0] as u32, Ps::from_ms(6));
    let fast = Simulation::<LazyServer>::new(plan.clone())
        .unwrap()
        .measure(Ps::ZERO, end, end);
    assert_eq!(
        outcome(&fast),
        outcome(
            &Reference::new(plan.clone())
                .unwrap()
                .measure(Ps::ZERO, end, end)
        )
    );
    let found = Reference::new(plan)
        .unwrap()
        .passages(Ps::ZERO, end, usize::MAX, &mut |_| true);
    let there = found.kept.iter().filter(|one| one.link == first);
    let mut cells: Vec<_> = there
        .map(|one| (one.info.kind(), (one.left.0 as f64) / 1e6))
        .collect();
    cells.sort_by(|a, b| a.1.total_cmp(&b.1));
    cells
}

/// The source sends a forward RM cell at 0, at 1 ms the backward one for that of the destination,
/// the segment's first cell at 2 ms, a forward RM cell at 3 ms and the second cell at 4 ms. So the
/// destination sends its first forward RM cell at 40 us and the backward one 1 ms later, another at
/// 3.04 ms; then, at 4.04 ms, its next forward RM cell is due, and the acknowledgement comes.
#[test]
fn acknowledgements_wait_for_no_acr_and_rm_cells_of_the_instant_go_first() {
    use Kind::{Brm, Data, Frm};
    // A cell takes 20 us on the line.
    let rm_cells = [(Frm, 60.0), (Brm, 1_060.0), (Brm, 3_060.0), (Frm, 4_060.0)];
    let acknowledgement = [(Data, 4_080.0), (Data, 4_100.0)];
    for class in [Ubr, Cbr, Vbr] {
        assert_eq!(
            leaves_the_destination(one_segment(class)),
            [&rm_cells[..], &acknowledgement].concat()
        );
    }
    // Under ABR its first cell waits for 1/ACR, its second for another.
    assert_eq!(
        leaves_the_destination(one_segment(Abr)),
        [&rm_cells[..], &[(Data, 5_060.0)]].concat()
    );
}

/// A connection over two switches that serve the class `first` before the class `last`; on its way
/// back a rival of the class `first` uses the whole line between them.
fn beside_rival(first: ServiceClass, last: ServiceClass) -> Plan {
    let mut graph = Graph::default();
    let settings = SwitchPlan {
        priority: vec![vec![first], vec![last]],
        ..plain_switch()
    };
    let (source, destination, rivals) = (graph.host("a"), graph.host("b"), graph.host("c"));
    let (s, t) = (
        graph.switch("s", settings.clone()),
        graph.switch("t", settings),
    );
    let ends = [(source, s), (s, t), (t, destination), (rivals, t)];
    let [access, between, out, of_rival] =
        ends.map(|(from, to)| graph.duplex(from, to, cell_time_us(10), Ps::from_us(5)));
    let (there, way) = (
        vec![access, between, out],
        vec![of_rival, between ^ 1, access ^ 1],
    );
    let greedy = SourceConfig::Greedy(GreedyConfig {});
    let mut tcp = FlowPlan {
        backward: back(&there),
        ack_service: Ubr,
        ..flow("tcp", Abr, greedy, there)
    };
    (tcp.tcp.mss, tcp.tcp.window) = (Bytes(40), Bytes(40));
    (tcp.abr.icr, tcp.abr.pcr) = (Some(cell_time_us(40)), Some(cell_time_us(20)));
    let persistent = SourceConfig::Persistent(Default::default());
    let mut rival = FlowPlan {
        backward: back(&way),
        ..flow("rival", first, persistent, way)
    };
    rival.abr.icr = Some(cell_time_us(10));
    graph.plan(vec![tcp, rival])
}

/// Lossy links make ports prompt, and another function chooses the queues of prompt ports.
#[test]
fn each_waits_in_the_queue_of_its_class() {
    let end = Ps::from_ms(20);
    let never = LinkErrors {
        lose_every: Some(u64::MAX),
        ..LinkErrors::default()
    };
    for errors in [LinkErrors::default(), never] {
        // Acknowledgements must come back, so that there is more than one segment, and RM
        // cells, so that ACR rises.
        let come_back = |first, last| {
            let plan = Plan {
                errors: errors.clone(),
                ..beside_rival(first, last)
            };
            let report: Report = Simulation::<LazyServer>::new(plan.clone())
                .unwrap()
                .measure(Ps::ZERO, end, end);
            assert_eq!(
                outcome(&report),
                outcome(&Reference::new(plan).unwrap().measure(Ps::ZERO, end, end))
            );
            let acr = report.vcs[0].acr_final_cells_per_second.unwrap();
            (report.flows[0].segments_sent > 10, acr > 25_000.0)
        };
        assert_eq!(come_back(Ubr, Abr), (true, false));
        assert_eq!(come_back(Abr, Ubr), (false, true));
    }
}

/// EFCI of acknowledgements in a queue shared with ABR has no effect on ABR.
#[test]
fn marks_of_acknowledgements_do_not_slow_the_rm_cells_down() {
    let rate_back = |ack_service: ServiceClass| {
        let mut plan = stop_and_wait();
        let efci = EfciConfig {
            threshold: Some(Cells(0)),
            mark_at: MarkAt::Dequeue,
            ..EfciConfig::default()
        };
        for node in &mut plan.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                switch.control = ControlConfig::Efci(efci.clone());
            }
        }
        (plan.flows[0].service, plan.flows[0].ack_service) = (Abr, ack_service);
        plan.flows[0].abr.icr = Some(cell_time_us(40));
        let end = Ps::from_ms(100);
        let report = Simulation::<LazyServer>::new(plan)
            .unwrap()
            .measure(Ps::ZERO, end, end);
        report.vcs[1].acr_min_cells_per_second.unwrap()
    };
    assert!(rate_back(Abr) < 25_000.0);
    assert_eq!(rate_back(Ubr), 25_000.0);
}
