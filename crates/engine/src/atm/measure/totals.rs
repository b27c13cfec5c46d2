//! Sums of measures over all flows, and over the flows of one class.

use alloc::vec::Vec;

use crate::atm::cell::ServiceClass;
use crate::atm::report::{CellDelay, ClassReport, FlowReport, Totals, VcReport};
use crate::atm::server::Server;
use crate::atm::simulation::Simulation;
use crate::kernel::Summary;
use crate::kernel::statistics::jain_index;
use crate::net::channel::ChannelId;

impl<S: Server> Simulation<S> {
    pub(super) fn totals(&self, flows: &[FlowReport], vcs: &[VcReport]) -> Totals {
        let over_tcp: Vec<f64> = flows
            .iter()
            .filter(|f| f.balance.is_some())
            .map(|f| f.tcp_throughput_bits_per_second)
            .collect();
        let cells_sent: u64 = vcs.iter().map(|vc| vc.cells_sent).sum();
        let cells_dropped: u64 = vcs.iter().map(|vc| vc.cells_dropped).sum();
        let cells_lost_on_links: u64 = vcs.iter().map(|vc| vc.cells_lost_on_links).sum();
        let data = || {
            vcs.iter()
                .filter(|vc| matches!(vc.service, ServiceClass::Abr | ServiceClass::Ubr))
        };
        let data_sent: u64 = data().map(|vc| vc.cells_sent).sum();
        let data_dropped: u64 = data().map(|vc| vc.cells_dropped).sum();
        Totals {
            // The sum of an empty list of floats is -0; without flows over TCP it must be 0.
            tcp_throughput_bits_per_second: over_tcp.iter().sum::<f64>() + 0.0,
            goodput_bits_per_second: flows.iter().map(|f| f.goodput_bits_per_second).sum(),
            effective_throughput_ratio: flows.iter().map(|f| f.effective_throughput_ratio).sum(),
            cell_loss_ratio: cells_dropped as f64 / cells_sent.max(1) as f64,
            data_cell_loss_ratio: data_dropped as f64 / data_sent.max(1) as f64,
            packets_lost: flows.iter().map(|f| f.packets_lost).sum(),
            segments_retransmitted: flows.iter().map(|f| f.segments_retransmitted).sum(),
            timeouts: flows.iter().map(|f| f.timeouts).sum(),
            jain_index: jain_index(&over_tcp),
            cells_sent,
            cells_dropped,
            cells_lost_on_links,
            packets_errored: flows.iter().map(|f| f.packets_errored).sum(),
            queued_max_cells: self.network.window.queued_max,
        }
    }

    /// One report for each service class that forward channels have, in the order of the classes.
    pub(super) fn class_reports(&self) -> Vec<ClassReport> {
        let used = |class: &&ServiceClass| {
            self.network
                .plan
                .flows
                .iter()
                .any(|flow| flow.service == **class)
        };
        ServiceClass::ALL
            .iter()
            .filter(used)
            .map(|class| self.class_report(*class))
            .collect()
    }

    fn class_report(&self, service: ServiceClass) -> ClassReport {
        let members: Vec<usize> = (0..self.network.plan.flows.len())
            .filter(|flow| self.network.plan.flows[*flow].service == service)
            .collect();
        let (begin, end) = (
            &self.network.window.begin,
            &self.network.window.end.snapshot,
        );
        let ends = || {
            let forward = members.iter().map(|flow| ChannelId::forward(*flow).index());
            forward.map(|channel| (&begin.sends[channel], &end.sends[channel]))
        };
        let sent = ends()
            .map(|(then, now)| now.counts.cells_sent - then.counts.cells_sent)
            .sum();
        let dropped = ends()
            .map(|(then, now)| now.losses.cells - then.losses.cells)
            .sum();
        let mut delays = Summary::default();
        for flow in &members {
            // The delays of the forward channel are stored at the flow's destination, where the backward channel
            // begins.
            delays.merge(&self.network.window.end.delays[ChannelId::backward(*flow).index()].1);
        }
        ClassReport {
            service,
            flows: members.len() as u64,
            cells_sent: sent,
            cells_delivered: ends()
                .map(|(then, now)| now.delivered - then.delivered)
                .sum(),
            cells_dropped: dropped,
            cell_loss_ratio: dropped as f64 / (sent as f64).max(1.0),
            delays: CellDelay::new(&delays),
        }
    }
}
