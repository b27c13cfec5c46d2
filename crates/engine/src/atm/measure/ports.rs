//! Measures of switch ports.

use alloc::vec::Vec;

use crate::atm::aal5::cells_for;
use crate::atm::cell::ServiceClass;
use crate::atm::plan::{FlowPlan, LinkPlan};
use crate::atm::report::{FlowReport, PortReport, QueueReport};
use crate::atm::server::Server;
use crate::atm::simulation::Simulation;
use crate::control::ControlReport;
use crate::kernel::{CELL_BITS, Ps};
use crate::net::channel::ChannelId;

impl<S: Server> Simulation<S> {
    pub(super) fn port_reports(&self, window: Ps, flows: &[FlowReport]) -> Vec<PortReport> {
        let efficiencies = self.capacity_efficiencies(window, flows);
        let switches = (0..self.stations.len()).filter(|node| self.is_switch(*node));
        switches
            .flat_map(|node| {
                (0..self.stations[node].node.ports().len()).map(move |port| (node, port))
            })
            .map(|(node, port)| self.port_report(node, port, window, &efficiencies))
            .collect()
    }

    fn port_report(
        &self,
        node: usize,
        index: usize,
        window: Ps,
        efficiencies: &[Option<f64>],
    ) -> PortReport {
        let (port, link) = &self.stations[node].node.ports()[index];
        let (then, now) = (
            &self.network.window.begin.ports[node][index],
            &self.network.window.end.snapshot.ports[node][index],
        );
        let served = self.network.window.end.snapshot.served[node][index]
            - self.network.window.begin.served[node][index];
        let (arrived, dropped) =
            now.0
                .iter()
                .zip(&then.0)
                .fold((0, 0), |(arrived, dropped), (now, then)| {
                    (
                        arrived + now.arrived - then.arrived,
                        dropped + now.dropped - then.dropped,
                    )
                });
        let sampled = &self.network.window.end.samples;
        let quantile = |queue: usize, q: f64| {
            sampled
                .get(node)
                .and_then(|ports| ports[index].get(queue))
                .and_then(|s| s.quantile(q))
        };
        let began_later = self.network.window.begin.at > Ps::ZERO;
        let queues = port
            .queues()
            .enumerate()
            .map(|(queue, settings)| QueueReport {
                classes: settings.classes.clone(),
                cells_arrived: now.0[queue].arrived - then.0[queue].arrived,
                cells_dropped: now.0[queue].dropped - then.0[queue].dropped,
                queue_mean_cells: (now.0[queue].backlog - then.0[queue].backlog) / window.0 as f64,
                queue_max_cells: self.network.window.end.queue_max[node][index][queue],
                queue_max_before_window_cells: began_later
                    .then(|| self.network.window.queue_max_before[node][index][queue]),
                queue_p50_cells: quantile(queue, 0.5),
                queue_p95_cells: quantile(queue, 0.95),
                queue_p99_cells: quantile(queue, 0.99),
                buffer_cells: (settings.buffer != u64::MAX).then_some(settings.buffer),
            });
        let fronts = self.network.window.begin.fronts[node][index]
            .zip(self.network.window.end.snapshot.fronts[node][index]);
        let (scheme, statistics) = port.control_report();
        PortReport {
            name: self.network.plan.links[*link as usize].name.clone(),
            rate_bits_per_second: port.rate().bits_per_second(),
            utilisation: served as f64 / (window.0 as u128 * port.rate().0 as u128) as f64,
            capacity_efficiency: efficiencies[*link as usize],
            cell_loss_ratio: dropped as f64 / (arrived as f64).max(1.0),
            queues: queues.collect(),
            vc_queues_mean_cells: fronts.map(|(then, now)| (now - then) / window.0 as f64),
            vc_queues_max_cells: self.network.window.end.front_max[node][index],
            control: ControlReport::new(scheme, statistics),
        }
    }

    /// Capacity efficiency of each link, as [`PortReport::capacity_efficiency`] defines it; `None`
    /// where it is undefined.
    fn capacity_efficiencies(&self, window: Ps, flows: &[FlowReport]) -> Vec<Option<f64>> {
        let mut loads = alloc::vec![Load::default(); self.network.plan.links.len()];
        for (index, flow) in self.network.plan.flows.iter().enumerate() {
            let forward = ChannelId::forward(index).index();
            let closed_loop = matches!(flow.service, ServiceClass::Abr | ServiceClass::Ubr);
            let (then, now) = (
                &self.network.window.begin.sends[forward],
                &self.network.window.end.snapshot.sends[forward],
            );
            for hop in &self.network.channels[forward].hops {
                let load = &mut loads[hop.link];
                if !closed_loop {
                    load.taken += now.delivered - then.delivered;
                } else if flow.source.over_tcp() {
                    *load.needed.get_or_insert(0.0) +=
                        flows[index].tcp_throughput_bits_per_second / share_of_data(flow);
                }
            }
        }
        let efficiency = |(load, link): (&Load, &LinkPlan)| {
            let taken = load.taken as f64 * CELL_BITS as f64 / window.as_secs_f64();
            let left = link.rate.bits_per_second() - taken;
            load.needed
                .filter(|_| left > 0.0)
                .map(|needed| needed / left)
        };
        loads
            .iter()
            .zip(&self.network.plan.links)
            .map(efficiency)
            .collect()
    }
}

/// Load of a link by the forward channels that cross the link.
#[derive(Clone, Copy, Default)]
struct Load {
    /// Line rate that the TCP throughput of the ABR and UBR flows needs, in bit/s; `None` without
    /// such flows.
    needed: Option<f64>,
    /// Number of delivered cells of the classes other than ABR and UBR.
    taken: u64,
}

/// Greatest possible share of a channel's line rate for TCP payload: all segments are full, and one cell in Nrm
/// cells is an RM cell.
fn share_of_data(flow: &FlowPlan) -> f64 {
    let mss = flow.tcp.mss.0;
    let cells = cells_for(
        mss + u64::from(flow.tcp.data_header_bytes()) + u64::from(flow.encapsulation.bytes()),
    );
    let payload = mss as f64 * 8.0 / (f64::from(cells) * CELL_BITS as f64);
    let nrm = f64::from(flow.abr.nrm);
    if flow.service == ServiceClass::Abr {
        payload * (nrm - 1.0) / nrm
    } else {
        payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::Refuses;
    use crate::atm::aal5::Encapsulation;
    use crate::endsystem::AbrConfig;
    use crate::kernel::units::{Buffer, Bytes};
    use crate::tcp::TcpConfig;
    use crate::traffic::SourceConfig;
    use crate::traffic::greedy::GreedyConfig;

    #[test]
    fn the_factors_are_those_that_kalyanaraman_rounds_to_78_and_87_percent() {
        let share = |mss: u64, service: ServiceClass| {
            share_of_data(&FlowPlan {
                name: "tcp.1".into(),
                group: "tcp".into(),
                index: 1,
                service,
                ack_service: service,
                forward: Vec::new(),
                backward: Vec::new(),
                weight: 1,
                start: Ps::ZERO,
                policer: None,
                gfr: None,
                shaper: None,
                port_shaper: None,
                sends: true,
                source: SourceConfig::Greedy(GreedyConfig {}),
                tcp: TcpConfig {
                    mss: Bytes(mss),
                    ..TcpConfig::default()
                },
                abr: AbrConfig::default(),
                encapsulation: Encapsulation::LlcSnap,
                source_queue: Buffer::INFINITE,
                source_queue_refuses: Refuses::default(),
                branch: None,
            })
        };
        // 512 / (12 * 53) * 31/32 and 9,140 / (192 * 53) * 31/32.
        for (mss, expected) in [(512, 0.779_874), (9_140, 0.870_123)] {
            assert!(
                (share(mss, ServiceClass::Abr) - expected).abs() < 5e-7,
                "{mss}"
            );
        }
        assert!((share(512, ServiceClass::Ubr) - 0.805_031).abs() < 5e-7);
    }
}
