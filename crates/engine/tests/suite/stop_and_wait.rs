//! One TCP segment at a time, so that every figure of a report can be worked out by hand.
//!
//! A segment of 40 bytes makes a PDU of 40 + 40 + 8 + 8 = 96 bytes, two cells, and so does its
//! acknowledgement. Hosts have lines of 5 us: a cell takes 10 us on that of the source, 20 us on
//! that of the destination. The segment's cells leave at 0 and 10 us, arrive at the switch at 15
//! and 25, leave it at 15 and 35, and arrive at 40 and 60. Those of the acknowledgement leave at 60
//! and 80, arrive at the switch at 85 and 105, and arrive at 100 and 120 us: the next segment.

use crate::support::plans::stop_and_wait;
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::kernel::Ps;

const CYCLE: u64 = 120;

/// The report over a hundred cycles, after ten.
fn run() -> Report {
    let mut plan = stop_and_wait();
    plan.measure.cell_delay = true;
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    let end = Ps::from_us(110 * CYCLE);
    simulation.measure(Ps::from_us(10 * CYCLE), end, end)
}

#[track_caller]
fn near(found: impl Into<Option<f64>>, expected: f64) {
    let found = found.into().expect("a number");
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found} is not {expected}"
    );
}

#[test]
fn every_measure_of_the_flow_is_as_worked_out() {
    let flow = &run().flows[0];
    assert_eq!(
        (flow.delivered_bytes, flow.acked_bytes, flow.segments_sent),
        (4_000, 4_000, 100)
    );
    assert_eq!(
        (
            flow.segments_retransmitted,
            flow.bytes_retransmitted,
            flow.timeouts,
            flow.packets_lost
        ),
        (0, 0, 0, 0)
    );
    assert_eq!(
        (
            flow.packets_merged,
            flow.completion_seconds,
            flow.start_seconds
        ),
        (0, None, 0.0)
    );
    // 40 bytes in 120 us.
    let rate = 40.0 * 8.0 / 120e-6;
    near(flow.tcp_throughput_bits_per_second, rate);
    near(flow.arrived_throughput_bits_per_second, rate);
    near(flow.goodput_bits_per_second, rate);
    near(flow.efficiency, 1.0);
    // Two cells of the six that the slower line carries in a cycle.
    near(flow.acked_cells, 200.0);
    near(flow.effective_throughput_ratio, 1.0 / 3.0);
    // The second cell waits 10 us for the first; then the window is the limit.
    near(flow.rate_limited_share, 10.0 / 120.0);
    near(flow.window_limited_share, 110.0 / 120.0);
    near(flow.source_queue_mean_cells, 10.0 / 120.0);
    assert_eq!(
        (
            flow.source_queue_dropped_packets,
            flow.source_queue_dropped_cells
        ),
        (0, 0)
    );
    near(flow.packet_delay_mean_seconds, 60e-6);
    assert!(flow.packet_delay_std_seconds.unwrap() < 1e-12);
    for quantile in [flow.packet_delay_p50_seconds, flow.packet_delay_p99_seconds] {
        assert!(
            (quantile.unwrap() / 60e-6 - 1.0).abs() <= 1.0 / 32.0,
            "{quantile:?}"
        );
    }
    near(flow.delays.cell_delay_mean_seconds, 45e-6);
    near(flow.delays.cell_delay_std_seconds, 5e-6);
    // Over the whole run every byte has been delivered; the last acknowledgement is on its way.
    let balance = flow.balance.unwrap();
    assert_eq!(
        (balance.sent_once_bytes, balance.delivered_bytes),
        (4_400, 4_400)
    );
    assert_eq!((balance.sent(), balance.accounted()), (4_400, 4_400));
}

#[test]
fn every_measure_of_channels_and_totals_is_as_worked_out() {
    let report = run();
    near(report.window_seconds, 12e-3);
    near(report.simulated_seconds, 13.2e-3);
    let [forward, backward] = &report.vcs[..] else {
        panic!("two channels")
    };
    for vc in [forward, backward] {
        let counts = (
            vc.cells_sent,
            vc.data_cells_sent,
            vc.cells_delivered,
            vc.cells_dropped,
            vc.cells_lost_on_links,
        );
        assert_eq!(counts, (200, 200, 200, 0, 0), "{}", vc.name);
        assert_eq!(
            (
                vc.frm_cells_sent,
                vc.brm_cells_sent,
                vc.out_of_rate_cells_sent
            ),
            (0, 0, 0)
        );
        assert_eq!(
            (vc.acr_mean_cells_per_second, vc.acr_final_cells_per_second),
            (None, None)
        );
        assert_eq!(
            (vc.acr_min_cells_per_second, vc.acr_max_cells_per_second),
            (None, None)
        );
    }
    // Events at the very end belong to the time after: the last cell arrives then.
    assert_eq!((forward.cells_in_flight, backward.cells_in_flight), (0, 1));
    let totals = &report.totals;
    near(totals.tcp_throughput_bits_per_second, 40.0 * 8.0 / 120e-6);
    near(totals.goodput_bits_per_second, 40.0 * 8.0 / 120e-6);
    near(totals.effective_throughput_ratio, 1.0 / 3.0);
    near(totals.jain_index, 1.0);
    assert_eq!(
        (
            totals.cells_sent,
            totals.cells_dropped,
            totals.packets_lost,
            totals.timeouts
        ),
        (400, 0, 0, 0)
    );
    assert_eq!(
        (totals.cell_loss_ratio, totals.data_cell_loss_ratio),
        (0.0, 0.0)
    );
}

#[test]
fn every_measure_of_the_ports_is_as_worked_out() {
    let report = run();
    let port = |name: &str| report.ports.iter().find(|port| port.name == name).unwrap();
    let (data, acks) = (port("s->b"), port("s->a"));
    near(data.rate_bits_per_second, 424.0 / 20e-6);
    near(data.utilisation, 40.0 / 120.0);
    near(acks.utilisation, 20.0 / 120.0);
    // From 15 to 35 and from 25 to 55 us; in the other direction no cell waits.
    near(data.queues[0].queue_mean_cells, 50.0 / 120.0);
    near(acks.queues[0].queue_mean_cells, 20.0 / 120.0);
    assert_eq!(
        (
            data.queues[0].queue_max_cells,
            acks.queues[0].queue_max_cells
        ),
        (2, 1)
    );
    let before = [data, acks].map(|port| port.queues[0].queue_max_before_window_cells);
    assert_eq!(before, [Some(2), Some(1)]);
    for port in [data, acks] {
        assert_eq!(
            (
                port.queues[0].cells_arrived,
                port.queues[0].cells_dropped,
                port.cell_loss_ratio
            ),
            (200, 0, 0.0)
        );
        assert_eq!(
            (port.queues[0].buffer_cells, port.queues[0].queue_p50_cells),
            (None, None)
        );
        assert_eq!(
            (port.vc_queues_mean_cells, port.vc_queues_max_cells),
            (None, None)
        );
    }
    // 40 bytes of the 106 of two cells, of a line that is used for a third of the time.
    near(data.capacity_efficiency, 1.0 / 3.0);
    assert_eq!(acks.capacity_efficiency, None);
}
