//! Measures of flows and their channels.

use super::accounts::InFlight;
use crate::atm::aal5::cells_for;
use crate::atm::report::{Balance, CellDelay, FlowReport, VcReport};
use crate::atm::server::Server;
use crate::atm::simulation::Simulation;
use crate::atm::terminal::App;
use crate::endsystem::Counters;
use crate::net::channel::ChannelId;
use crate::policing::PolicerCounts;

impl<S: Server> Simulation<S> {
    pub(super) fn flow_report(&self, index: usize, in_flight: &[InFlight]) -> FlowReport {
        let flow = &self.network.plan.flows[index];
        let (begin, end) = (
            &self.network.window.begin,
            &self.network.window.end.snapshot,
        );
        let (then, now) = (&begin.flows[index], &end.flows[index]);
        let forward = ChannelId::forward(index).index();
        let backward = ChannelId::backward(index).index();
        let (sent, sends) = (&begin.sends[forward], &end.sends[forward]);
        let window = (end.at - begin.at).as_secs_f64();
        let [source, destination] = self.terminals(index);
        let delivered = now.delivered - then.delivered;
        let acked = now.acked - then.acked;
        let acked_cells = self.cells_of(index, acked);
        let slowest = flow
            .forward
            .iter()
            .map(|link| self.network.plan.links[*link].rate)
            .min();
        let bytes_retransmitted = now.sender.bytes_retransmitted - then.sender.bytes_retransmitted;
        // Delivered plus repeated bytes, not all bytes sent: bytes on the way when the measurement
        // window begins or ends must not count as wasted.
        let useful_and_repeated = delivered + bytes_retransmitted;
        let (rate_limited, window_limited, _) = self.network.window.end.shares[forward];
        let (packets, cells) = &self.network.window.end.delays[ChannelId::backward(index).index()];
        let seconds = |ps: Option<f64>| ps.map(|ps| ps * 1e-12);
        let over_tcp = flow.source.over_tcp();
        // A PDU may have lost its first cell before the window. If a later port then refuses a cell of this PDU
        // within the window, that port counts the PDU as one that an earlier port has counted.
        let packets_lost = (sends.losses.packets - sent.losses.packets)
            .saturating_sub(sends.losses.repeated - sent.losses.repeated);
        FlowReport {
            name: flow.name.clone(),
            group: flow.group.clone(),
            index: flow.index,
            service: flow.service,
            source: flow.source.name(),
            start_seconds: flow.start.as_secs_f64(),
            delivered_bytes: delivered,
            tcp_throughput_bits_per_second: delivered as f64 * 8.0 / window,
            arrived_throughput_bits_per_second: (now.arrived - then.arrived) as f64 * 8.0 / window,
            goodput_bits_per_second: acked as f64 * 8.0 / window,
            acked_bytes: acked,
            acked_cells,
            effective_throughput_ratio: slowest
                .map_or(0.0, |rate| acked_cells / (rate.cells_per_second() * window)),
            efficiency: (over_tcp && useful_and_repeated > 0)
                .then(|| delivered as f64 / useful_and_repeated as f64),
            segments_sent: now.sender.segments_sent - then.sender.segments_sent,
            segments_retransmitted: now.sender.segments_retransmitted
                - then.sender.segments_retransmitted,
            bytes_retransmitted,
            timeouts: now.sender.timeouts - then.sender.timeouts,
            fast_retransmits: now.sender.fast_retransmits - then.sender.fast_retransmits,
            duplicate_acks: now.sender.dup_acks - then.sender.dup_acks,
            packets_lost: if over_tcp { packets_lost } else { 0 },
            packets_merged: destination.merges(),
            packets_errored: end.sends[backward].counts.errored_pdus
                - begin.sends[backward].counts.errored_pdus,
            completion_seconds: source.completed().map(|at| (at - flow.start).as_secs_f64()),
            rate_limited_share: rate_limited,
            window_limited_share: window_limited,
            packet_delay_mean_seconds: seconds(packets.mean()),
            packet_delay_std_seconds: seconds(packets.standard_deviation()),
            packet_delay_p50_seconds: seconds(packets.quantile(0.5)),
            packet_delay_p99_seconds: seconds(packets.quantile(0.99)),
            delays: CellDelay::new(cells),
            source_queue_max_cells: self.network.window.end.source_queue_max[forward],
            source_queue_mean_cells: (sends.queue_integral - sent.queue_integral) / (window * 1e12),
            source_queue_dropped_packets: sends.queue_drops.packets - sent.queue_drops.packets,
            source_queue_dropped_cells: sends.queue_drops.cells - sent.queue_drops.cells,
            balance: over_tcp.then(|| self.balance(index, in_flight)),
        }
    }

    /// Number of cells for segments with a total of `bytes` bytes of payload.
    fn cells_of(&self, flow: usize, bytes: u64) -> f64 {
        let flow = &self.network.plan.flows[flow];
        let mss = flow.tcp.mss.0;
        let packet =
            mss + u64::from(flow.tcp.data_header_bytes()) + flow.encapsulation.bytes() as u64;
        bytes as f64 / mss as f64 * cells_for(packet) as f64
    }

    fn balance(&self, flow: usize, in_flight: &[InFlight]) -> Balance {
        let [source, destination] = self.terminals(flow);
        let forward = ChannelId::forward(flow);
        let (App::Sender(sender), App::Receiver(receiver)) = (source.app(), destination.app())
        else {
            return Balance::default();
        };
        let balance = Balance {
            sent_once_bytes: sender.stats().bytes_sent_once,
            retransmitted_bytes: sender.stats().bytes_retransmitted,
            delivered_bytes: receiver.stats().delivered_bytes,
            dropped_at_switch_bytes: self.losses(forward).bytes,
            lost_on_links_bytes: self.losses(forward).bytes_on_link,
            dropped_at_source_queue_bytes: source.queue().dropped().bytes,
            in_source_queue_bytes: source.queue().bytes(),
            in_path_bytes: in_flight[forward.index()].bytes + destination.unfinished_bytes(),
            dropped_by_aal5_bytes: destination.counts().aal5_bytes,
            duplicate_bytes: receiver.stats().duplicate_bytes,
            held_out_of_order_bytes: receiver.held_bytes(),
        };
        assert_eq!(
            balance.sent(),
            balance.accounted(),
            "bytes of flow {flow} sent and accounted for"
        );
        balance
    }

    pub(super) fn vc_report(&self, channel: ChannelId, in_flight: u64) -> VcReport {
        let (then, now) = (
            &self.network.window.begin.sends[channel.index()],
            &self.network.window.end.snapshot.sends[channel.index()],
        );
        let abr = self.terminal(channel).abr();
        let counted = |count: fn(&PolicerCounts) -> u64| {
            let [then, now] = [then.policed.as_ref(), now.policed.as_ref()].map(|at| at.map(count));
            now.map(|now| now - then.unwrap_or(0))
        };
        let out_of_rate = |c: &Counters| c.out_of_rate_frms + c.out_of_rate_brms;
        VcReport {
            name: self.network.plan.channel_name(channel),
            service: self.network.plan.class(channel),
            cells_sent: now.counts.cells_sent - then.counts.cells_sent,
            cells_delivered: now.delivered - then.delivered,
            cells_dropped: now.losses.cells - then.losses.cells,
            cells_lost_on_links: now.losses.cells_on_link - then.losses.cells_on_link,
            cells_conforming: counted(|counts| counts.conforming),
            cells_nonconforming: counted(|counts| counts.nonconforming),
            cells_tagged: counted(|counts| counts.tagged),
            cells_policed: counted(|counts| counts.dropped),
            cells_in_flight: in_flight,
            rm_cells_inserted: now.relayed.inserted - then.relayed.inserted,
            rm_cells_absorbed: now.relayed.absorbed - then.relayed.absorbed,
            data_cells_sent: now.counts.data_sent - then.counts.data_sent,
            frm_cells_sent: now.abr.frms - then.abr.frms,
            brm_cells_sent: now.abr.brms - then.abr.brms,
            out_of_rate_cells_sent: out_of_rate(&now.abr) - out_of_rate(&then.abr),
            idle_resets: abr.map_or(0, |source| source.counters().rule_5),
            missing_brm_cuts: abr.map_or(0, |source| source.counters().rule_6),
            acr_mean_cells_per_second: abr
                .map(|_| self.network.window.end.shares[channel.index()].2),
            acr_min_cells_per_second: self.network.window.end.acr_ranges[channel.index()]
                .map(|(least, _)| least),
            acr_max_cells_per_second: self.network.window.end.acr_ranges[channel.index()]
                .map(|(_, greatest)| greatest),
            acr_final_cells_per_second: abr.map(|source| source.acr()),
        }
    }
}
