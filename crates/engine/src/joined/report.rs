//! The report of a joined run: each flow from end to end, and the report of the ATM part.

use alloc::format;
use alloc::vec::Vec;

use super::plan::{Layer, Leg};
use super::simulation::Joined;
use crate::atm::report::FlowReport as LegOverAtm;
use crate::atm::server::Server;
use crate::ether::report::{Balance, FlowReport, Report, Totals, loss_ratio};
use crate::kernel::{CELL_BITS, Digest, Ps};
use crate::net::channel::ChannelId;
use crate::{atm, ether};

/// The report of a whole joined run.
#[derive(Clone, Debug)]
pub struct JoinedReport {
    /// The flows from end to end, totals over them, and the ports of Ethernet.
    pub whole: Report,
    /// The report of the ATM part, whose flows are legs of the joined flows.
    pub atm: atm::Report,
}

impl<S: Server> Joined<S> {
    /// Runs to the time `end`, measures from `from` to `to`, and returns the report.
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> JoinedReport {
        self.run_until(from);
        self.begin_window();
        self.run_until(to);
        self.end_window();
        self.run_until(end);
        self.report()
    }
    /// Begins the measurement window now.
    pub fn begin_window(&mut self) {
        self.atm.begin_window();
        self.ethernet.begin_window();
    }
    /// Ends the measurement window now.
    pub fn end_window(&mut self) {
        self.atm.end_window();
        self.ethernet.end_window();
    }
    /// Records the present lengths of all queues as a sample.
    pub fn sample(&mut self) {
        self.atm.sample();
        self.ethernet.sample();
    }

    /// The report of a run that ends now, after the measurement window.
    ///
    /// # Panics
    /// If no window has begun and ended. If cells, frames or bytes are not conserved, which is a defect of
    /// the simulator, not of its input.
    pub fn report(&mut self) -> JoinedReport {
        let (cells, frames) = (self.atm.report(), self.ethernet.report());
        let lost_and_held = [self.atm.lost_and_held(), self.ethernet.lost_and_held()];
        let flows = (0..self.legs.len()).map(|flow| match self.legs[flow][..] {
            [leg] if leg.layer == Layer::Ethernet => frames.flows[leg.flow].clone(),
            _ => FlowReport {
                balance: self.balance(flow, &lost_and_held),
                ..self.flow_report(flow, &cells, &frames)
            },
        });
        let flows: Vec<FlowReport> = flows.collect();
        let mut digest = Digest::default();
        for part in [&cells.digest, &frames.digest] {
            digest.add(u64::from_str_radix(part, 16).expect("a report's digest is hexadecimal"));
        }
        let whole = Report {
            digest: format!("{:016x}", digest.value()),
            totals: self.totals(&flows, &frames.totals),
            flows,
            ..frames
        };
        JoinedReport { whole, atm: cells }
    }

    fn packets(&self, layer: Layer, channel: ChannelId) -> [u64; 3] {
        match layer {
            Layer::Atm => self.atm.packets(channel),
            Layer::Ethernet => self.ethernet.packets(channel),
        }
    }

    fn totals(&self, flows: &[FlowReport], over_ethernet: &Totals) -> Totals {
        let (mut sent, mut delivered, mut marked) = (0, 0, 0);
        let mut lost = over_ethernet.packets_dropped;
        for legs in &self.legs {
            let (first, last) = (legs[0], legs[legs.len() - 1]);
            let ends = [
                (first.layer, ChannelId::forward(first.flow)),
                (last.layer, ChannelId::backward(last.flow)),
            ];
            for (layer, end) in ends {
                let [of_end_sent, of_end_received, _] = self.packets(layer, end);
                sent += of_end_sent;
                delivered += of_end_received;
            }
            let over_atm = legs.iter().filter(|leg| leg.layer == Layer::Atm);
            let channels = over_atm.flat_map(|leg| ChannelId::both(leg.flow));
            lost += channels
                .map(|channel| self.atm.packets(channel)[2])
                .sum::<u64>();
            // Marked packets are counted at the last Ethernet node of the flow in each direction.
            let mut over_ethernet = legs.iter().filter(|leg| leg.layer == Layer::Ethernet);
            if let Some(first) = over_ethernet.next() {
                let last = over_ethernet.next_back().unwrap_or(first);
                marked += self.ethernet.packets(ChannelId::forward(first.flow))[2];
                marked += self.ethernet.packets(ChannelId::backward(last.flow))[2];
            }
        }
        Totals {
            packets_sent: sent,
            packets_delivered: delivered,
            packets_dropped: lost,
            packets_lost_on_links: over_ethernet.packets_lost_on_links,
            packet_loss_ratio: loss_ratio(lost, delivered),
            packets_marked: marked,
            ..Totals::over(flows)
        }
    }

    /// The report of a flow from end to end. Its source is the source of the first leg, and its destination
    /// is the destination of the last leg.
    fn flow_report(
        &self,
        number: usize,
        cells: &atm::Report,
        frames: &ether::Report,
    ) -> FlowReport {
        let legs = &self.legs[number];
        let (first, last) = (legs[0], legs[legs.len() - 1]);
        let of = |leg: Leg| match leg.layer {
            Layer::Ethernet => frames.flows[leg.flow].clone(),
            Layer::Atm => self.over_atm(leg.flow, &cells.flows[leg.flow]),
        };
        let (source, destination) = (of(first), of(last));
        let lost = legs.iter().map(|leg| match leg.layer {
            Layer::Ethernet => frames.flows[leg.flow].packets_dropped,
            Layer::Atm => self.atm.packets(ChannelId::forward(leg.flow))[2],
        });
        let frames_lost = legs.iter().filter(|leg| leg.layer == Layer::Ethernet);
        let frames_lost = frames_lost.map(|leg| frames.flows[leg.flow].packets_lost_on_links);
        let over_ethernet = legs.iter().rev().find(|leg| leg.layer == Layer::Ethernet);
        let marked = over_ethernet.map(|leg| frames.flows[leg.flow].packets_marked);
        let over_atm = legs.iter().find(|leg| leg.layer == Layer::Atm);
        let enters = over_atm
            .filter(|leg| **leg != first)
            .map(|leg| &cells.flows[leg.flow]);
        let over_tcp = source.tcp_throughput_bits_per_second.is_some();
        let all = destination.delivered_bytes + source.bytes_retransmitted;
        let acr =
            over_atm.and_then(|leg| self.atm.acr_mean_and_final(ChannelId::forward(leg.flow)));
        let acr = acr.map(|both| both.map(|cells| cells * CELL_BITS as f64));
        FlowReport {
            delivered_bytes: destination.delivered_bytes,
            throughput_bits_per_second: destination.throughput_bits_per_second,
            tcp_throughput_bits_per_second: destination.tcp_throughput_bits_per_second,
            efficiency: (over_tcp && all > 0)
                .then(|| destination.delivered_bytes as f64 / all as f64),
            packets_delivered: destination.packets_delivered,
            packets_dropped: lost.sum(),
            packets_lost_on_links: frames_lost.sum(),
            packets_marked: marked.unwrap_or(0),
            packet_delay_mean_seconds: destination.packet_delay_mean_seconds,
            packet_delay_std_seconds: destination.packet_delay_std_seconds,
            packet_delay_p50_seconds: destination.packet_delay_p50_seconds,
            packet_delay_p99_seconds: destination.packet_delay_p99_seconds,
            router_queue_mean_cells: enters.map(|leg| leg.source_queue_mean_cells),
            router_queue_max_cells: enters.map(|leg| leg.source_queue_max_cells),
            acr_mean_bits_per_second: acr.map(|[mean, _]| mean),
            acr_final_bits_per_second: acr.map(|[_, at_end]| at_end),
            priority: over_ethernet.map_or(source.priority, |leg| frames.flows[leg.flow].priority),
            ..source
        }
    }

    /// The report of a leg over ATM, in the form of the report of a flow over Ethernet.
    fn over_atm(&self, flow: usize, leg: &LegOverAtm) -> FlowReport {
        let ends = ChannelId::both(flow).map(|end| self.atm.packets(end));
        let over_tcp = self.atm.plan().flows[flow].source.over_tcp();
        FlowReport {
            name: leg.name.clone(),
            group: leg.group.clone(),
            index: leg.index,
            source: leg.source,
            priority: 0,
            start_seconds: Some(leg.start_seconds),
            delivered_bytes: leg.delivered_bytes,
            throughput_bits_per_second: leg.tcp_throughput_bits_per_second,
            tcp_throughput_bits_per_second: over_tcp.then_some(leg.tcp_throughput_bits_per_second),
            goodput_bits_per_second: over_tcp.then_some(leg.goodput_bits_per_second),
            acked_bytes: leg.acked_bytes,
            efficiency: leg.efficiency,
            segments_sent: leg.segments_sent,
            segments_retransmitted: leg.segments_retransmitted,
            bytes_retransmitted: leg.bytes_retransmitted,
            timeouts: leg.timeouts,
            fast_retransmits: leg.fast_retransmits,
            duplicate_acks: leg.duplicate_acks,
            packets_sent: ends[0][0],
            packets_delivered: ends[1][1],
            packets_dropped: ends[0][2],
            packets_lost_on_links: 0,
            packets_marked: 0,
            completion_seconds: leg.completion_seconds,
            router_queue_mean_cells: None,
            router_queue_max_cells: None,
            alone_seconds: None,
            slowdown: None,
            packet_delay_mean_seconds: leg.packet_delay_mean_seconds,
            packet_delay_std_seconds: leg.packet_delay_std_seconds,
            packet_delay_p50_seconds: leg.packet_delay_p50_seconds,
            packet_delay_p99_seconds: leg.packet_delay_p99_seconds,
            rate_mean_bits_per_second: None,
            rate_final_bits_per_second: None,
            cnps_sent: None,
            cnps_received: None,
            naks_received: None,
            credits_sent: None,
            credits_received: None,
            credits_unused: None,
            records_sent: None,
            acr_mean_bits_per_second: None,
            acr_final_bits_per_second: None,
            balance: None,
        }
    }

    /// Balance of the bytes of flow `number` over all its legs; `None` without TCP.
    fn balance(&self, number: usize, lost_and_held: &[Vec<[u64; 2]>; 2]) -> Option<Balance> {
        let [over_atm, over_ethernet] = lost_and_held;
        let legs = &self.legs[number];
        let (first, last) = (legs[0], legs[legs.len() - 1]);
        let [source, destination] = [
            ChannelId::forward(first.flow),
            ChannelId::backward(last.flow),
        ];
        let sender = match first.layer {
            Layer::Atm => self.atm.tcp_sender(first.flow)?,
            Layer::Ethernet => self.ethernet.endpoint(source).tcp_sender()?,
        };
        let receiver = match last.layer {
            Layer::Atm => self.atm.tcp_receiver(last.flow)?,
            Layer::Ethernet => self.ethernet.endpoint(destination).tcp_receiver()?,
        };
        let ways = legs.iter().map(|leg| {
            let way = ChannelId::forward(leg.flow).index();
            match leg.layer {
                Layer::Atm => over_atm[way],
                Layer::Ethernet => over_ethernet[way],
            }
        });
        let lost = self.ethernet.lost();
        let frames = legs.iter().filter(|leg| leg.layer == Layer::Ethernet);
        let lost = frames.map(|leg| lost[ChannelId::forward(leg.flow).index()].bytes);
        let [dropped_bytes, in_path_bytes] =
            ways.fold([0, 0], |[lost, held], way| [lost + way[0], held + way[1]]);
        let balance = Balance {
            sent_once_bytes: sender.stats().bytes_sent_once,
            retransmitted_bytes: sender.stats().bytes_retransmitted,
            delivered_bytes: receiver.stats().delivered_bytes,
            dropped_bytes,
            lost_on_links_bytes: lost.sum(),
            in_path_bytes,
            duplicate_bytes: receiver.stats().duplicate_bytes,
            held_out_of_order_bytes: receiver.held_bytes(),
        };
        let (sent, accounted) = (balance.sent(), balance.accounted());
        assert_eq!(
            sent, accounted,
            "bytes of flow {number} sent and accounted for"
        );
        Some(balance)
    }
}
