//! Invariants of every network at every moment.

use crate::support::random_network::{Network, networks};
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::{Info, ServiceClass};
use cellrate_engine::atm::event::What;
use cellrate_engine::atm::{Plan, Report, Simulation};
use cellrate_engine::discard::Cause;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;
use proptest::prelude::*;

const LOOKS: u64 = 300;

/// MCR and PCR of a channel, in cells/s.
fn rate_limits(plan: &Plan, channel: ChannelId) -> (f64, f64) {
    let abr = &plan.flows[channel.flow()].abr;
    let access = plan.links[plan.path(channel)[0]].rate;
    (abr.mcr_cells(), abr.pcr_cells(access))
}

fn channels(plan: &Plan) -> impl Iterator<Item = ChannelId> {
    plan.channels()
        .filter(|channel| !plan.path(*channel).is_empty())
}

/// Progress of each channel: data cells received, and the number of cells by which the cell numbers
/// have advanced.
struct Progress(Vec<(u64, u64)>);

impl Progress {
    /// Checks that cell numbers only rise, by one for each cell that arrives and for each that was
    /// lost before it.
    fn check(&mut self, run: &Simulation) {
        for channel in channels(run.plan()) {
            let (received, next) = run.data_cells_received(channel);
            let (received_before, sent_before) = self.0[channel.index()];
            let behind = (sent_before % Info::NUMBERS as u64) as u32;
            let advanced = (next.wrapping_sub(behind) % Info::NUMBERS) as u64;
            let arrived = received - received_before;
            assert!(
                advanced >= arrived,
                "{arrived} cells of {channel:?} took {advanced} numbers"
            );
            assert!(
                advanced < Info::NUMBERS as u64 / 2,
                "a cell of {channel:?} overtook another"
            );
            self.0[channel.index()] = (received, sent_before + advanced);
        }
    }
}

fn check_ports(run: &mut Simulation) {
    let ports = run.switch_ports();
    for (port, state) in ports.iter().zip(run.port_states()) {
        for ((classes, buffer), length) in port.queues.iter().zip(&state.lengths) {
            let in_front = if classes.contains(&ServiceClass::Abr) {
                state.in_front.unwrap_or(0)
            } else {
                0
            };
            assert!(
                length + in_front <= *buffer,
                "{length} and {in_front} cells in a buffer of {buffer}"
            );
        }
    }
}

fn check_rates(run: &Simulation) {
    for number in 0..run.plan().flows.len() {
        if let Some(acr) = run.acr(number) {
            let (mcr, pcr) = rate_limits(run.plan(), ChannelId::forward(number));
            assert!(
                (mcr..=pcr).contains(&acr),
                "ACR {acr} of flow {number} leaves {mcr}..{pcr}"
            );
        }
    }
}

/// A report over the run so far.
fn report(run: &mut Simulation) -> Report {
    run.end_window();
    run.report()
}

fn check_report(run: &mut Simulation) {
    let report = report(run);
    let in_flight: u64 = report.vcs.iter().map(|vc| vc.cells_in_flight).sum();
    let under_credit = run.plan().fcvc.is_some();
    assert!(run.cells_held() == in_flight || (under_credit && run.cells_held() > in_flight));
    assert!(run.peak_storage().units >= run.cells_held());
    for vc in &report.vcs {
        let lost = vc.cells_dropped + vc.cells_lost_on_links;
        let accounted = vc.cells_delivered + lost + vc.cells_in_flight + vc.rm_cells_absorbed;
        assert_eq!(
            vc.cells_sent + vc.rm_cells_inserted,
            accounted,
            "{}",
            vc.name
        );
        assert!(
            vc.data_cells_sent + vc.frm_cells_sent + vc.brm_cells_sent <= vc.cells_sent,
            "{}",
            vc.name
        );
    }
    for flow in &report.flows {
        assert!(
            flow.balance
                .is_none_or(|balance| balance.sent() == balance.accounted()),
            "{}",
            flow.name
        );
    }
    for port in &report.ports {
        for queue in &port.queues {
            assert!(queue.queue_max_cells <= queue.buffer_cells.unwrap_or(u64::MAX));
            assert!(queue.queue_mean_cells <= queue.queue_max_cells as f64);
        }
    }
    check_backward_rates(run, &report);
    check_ports_against(run, &report);
    check_log_against(run, &report);
}

/// Checks that counters agree with the single events of the log.
fn check_log_against(run: &Simulation, report: &Report) {
    let (events, omitted) = run.events(usize::MAX);
    assert_eq!(omitted, 0);
    let count = |channel: ChannelId, kind: fn(&What) -> bool| {
        events
            .iter()
            .filter(|event| event.channel == channel && kind(&event.what))
            .count() as u64
    };
    for (index, flow) in report.flows.iter().enumerate() {
        let forward = ChannelId::forward(index);
        let again = count(forward, |what| {
            matches!(what, What::Retransmission { seq: Some(_) })
        });
        let expired = count(forward, |what| matches!(what, What::Timeout { .. }));
        assert_eq!(
            (again, expired),
            (flow.segments_retransmitted, flow.timeouts),
            "{}",
            flow.name
        );
        let refused = count(forward, |what| matches!(what, What::Refusal { .. }));
        let over_tcp = flow.balance.is_some();
        let counted = if over_tcp {
            flow.source_queue_dropped_packets
        } else {
            flow.source_queue_dropped_cells
        };
        assert_eq!(refused, counted, "{}", flow.name);
    }
    for (vc, channel) in report.vcs.iter().zip(channels(run.plan())) {
        let lost = count(channel, |what| matches!(what, What::Loss { .. }));
        assert_eq!(
            count(channel, |what| matches!(
                what,
                What::Loss {
                    cause: Cause::LinkError,
                    ..
                }
            )),
            vc.cells_lost_on_links,
            "{}",
            vc.name
        );
        assert_eq!(
            lost,
            vc.cells_dropped + vc.cells_lost_on_links,
            "{}",
            vc.name
        );
        assert_eq!(
            run.data_cells_sent(channel),
            vc.data_cells_sent,
            "{}",
            vc.name
        );
    }
}

fn check_backward_rates(run: &Simulation, report: &Report) {
    for (vc, channel) in report.vcs.iter().zip(channels(run.plan())) {
        let flow = &run.plan().flows[channel.flow()];
        if let Some(acr) = vc.acr_final_cells_per_second {
            let (mcr, pcr) = rate_limits(run.plan(), channel);
            assert!(
                (mcr..=pcr).contains(&acr),
                "ACR {acr} of {} leaves {mcr}..{pcr}",
                vc.name
            );
        }
        // RM cells of either channel return on the other, whatever the class of its data.
        let has_loop = [flow.service, flow.ack_service].contains(&ServiceClass::Abr);
        assert_eq!(vc.acr_final_cells_per_second.is_some(), has_loop);
    }
}

/// Checks that each cell that arrived at a port has left it, was dropped or is still there.
fn check_ports_against(run: &mut Simulation, report: &Report) {
    for (port, state) in report.ports.iter().zip(run.port_states()) {
        let arrived: u64 = port.queues.iter().map(|queue| queue.cells_arrived).sum();
        let departed = state.departed - state.credit_cells;
        assert_eq!(
            arrived,
            departed + state.dropped + state.lengths.iter().sum::<u64>(),
            "{}",
            port.name
        );
    }
}

/// Number of cells that have left each switch port.
fn departed(run: &mut Simulation) -> Vec<u64> {
    let states = run.port_states();
    states.iter().map(|port| port.departed).collect()
}

proptest! {
    #![proptest_config(repeatable(48))]

    #[test]
    fn a_link_is_in_use_for_a_share_of_the_window(network in networks(), cuts: (u16, u16)) {
        let Network { plan, end } = network;
        let at = |cut: u16| Ps((end.0 >> 16) * cut as u64);
        let (from, to) = (at(cuts.0.min(cuts.1)), at(cuts.0.max(cuts.1)) + Ps(1));
        let mut run: Simulation = Simulation::new(plan).unwrap();
        run.run_until(from);
        let before = departed(&mut run);
        run.begin_window();
        run.run_until(to);
        let after = departed(&mut run);
        let report = report(&mut run);
        for ((port, before), after) in report.ports.iter().zip(before).zip(after) {
            let (name, used) = (&port.name, port.utilisation);
            prop_assert!((0.0..=1.0).contains(&used), "{name} is used to {used}");
            // Of the cell that is sent at an end of the window a part counts, and not all or none.
            let cells = (to - from).as_secs_f64() * port.rate_bits_per_second / 424.0;
            let whole = (after - before) as f64;
            prop_assert!((used * cells - whole).abs() < 1.0 + 1e-9 * cells, "{name} is used to {used}, and {whole} of {cells} cells left");
        }
    }

    #[test]
    fn cells_and_bytes_are_conserved_in_order_within_buffers_and_rates(network in networks()) {
        let Network { mut plan, end } = network;
        plan.measure.event_limit = usize::MAX;
        let mut run: Simulation = Simulation::new(plan).unwrap();
        let mut progress = Progress(vec![(0, 0); run.plan().channels().count()]);
        run.begin_window();
        for look in 1..=LOOKS {
            run.run_until(Ps(end.0 / LOOKS * look));
            progress.check(&run);
            check_ports(&mut run);
            check_rates(&run);
            if look % 20 == 0 {
                check_report(&mut run);
            }
        }
    }
}
