//! From counters to the report: snapshots at the ends of the measuring window.

use alloc::format;
use alloc::vec::Vec;

use super::build::Node;
use super::plan::NodeKind;
use super::report::{
    Balance, ControlReport, FlowReport, PortReport, QueueReport, Report, Totals, VcReport, jain_index,
};
use super::simulation::Simulation;
use super::terminal::{App, Terminal, TerminalCounts};
use crate::atm::aal5::cells_for;
use crate::atm::cell::ServiceClass;
use crate::atm::port::{Losses, QueueCounts};
use crate::atm::server::Server;
use crate::control::SwitchControl;
use crate::endsystem::Counters;
use crate::kernel::{Digest, Ps, Summary};
use crate::tcp::SenderStats;

/// Everything that is counted from the start of the run, at one instant.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    at: Ps,
    /// Per channel: its sending end, and what was lost of it.
    sends: Vec<Sends>,
    /// Per flow.
    flows: Vec<Bytes>,
    /// Per node and switch port.
    ports: Vec<Vec<(Vec<QueueCounts>, u64)>>,
}

#[derive(Clone, Copy, Default)]
struct Sends {
    counts: TerminalCounts,
    abr: Counters,
    losses: Losses,
    delivered: u64,
    queue_integral: f64,
    queue_drops: u64,
}

#[derive(Clone, Copy, Default)]
struct Bytes {
    delivered: u64,
    acked: u64,
    sender: SenderStats,
}

/// Measures that cannot be had by subtraction, taken at the end of the window.
#[derive(Clone, Default)]
pub(super) struct WindowEnd {
    snapshot: Snapshot,
    shares: Vec<(f64, f64, f64)>,
    delays: Vec<(Summary, Summary)>,
    source_queue_max: Vec<u64>,
    queue_max: Vec<Vec<Vec<u64>>>,
    /// Sampled queue lengths per node, port and queue.
    samples: Vec<Vec<Vec<Summary>>>,
}

/// The measuring window so far, and sampled queue lengths.
#[derive(Clone, Default)]
pub(super) struct Window {
    begin: Snapshot,
    end: WindowEnd,
    /// Per node, port and queue.
    samples: Vec<Vec<Vec<Summary>>>,
    queued_max: Option<u64>,
}

impl<S: Server> Simulation<S> {
    /// The end of a flow: 0 its source, 1 its destination.
    pub(super) fn terminal(&self, flow: usize, end: usize) -> &Terminal {
        let (node, index) = self.ends[flow][end];
        match &self.stations[node].node {
            Node::Host(host) => &host.terminals[index],
            Node::Switch(_) => unreachable!("flows end at hosts"),
        }
    }
    fn terminal_mut(&mut self, flow: usize, end: usize) -> &mut Terminal {
        let (node, index) = self.ends[flow][end];
        match &mut self.stations[node].node {
            Node::Host(host) => &mut host.terminals[index],
            Node::Switch(_) => unreachable!("flows end at hosts"),
        }
    }
    fn is_switch(&self, node: usize) -> bool {
        matches!(self.plan.nodes[node].kind, NodeKind::Switch(_))
    }

    /// Runs to `end`, measuring from `from` to `to`, and reports.
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> Report {
        self.run_until(from);
        self.begin_window();
        self.run_until(to);
        self.end_window();
        self.run_until(end);
        self.report()
    }

    /// The measuring window begins now.
    pub fn begin_window(&mut self) {
        let now = self.now;
        self.window.begin = self.snapshot();
        self.window.samples = Vec::new();
        for flow in 0..self.plan.flows.len() {
            for end in 0..2 {
                self.terminal_mut(flow, end).begin_window(now);
            }
        }
        for node in 0..self.stations.len() {
            if self.is_switch(node) {
                for (port, link) in self.stations[node].node.ports_mut() {
                    port.forget_longest(now, &mut self.links[*link as usize]);
                }
            }
        }
    }

    /// The measuring window ends now.
    pub fn end_window(&mut self) {
        let (now, window) = (self.now, self.now - self.window.begin.at);
        let snapshot = self.snapshot();
        let terminals = || (0..self.plan.flows.len()).flat_map(|flow| [self.terminal(flow, 0), self.terminal(flow, 1)]);
        self.window.end = WindowEnd {
            snapshot,
            shares: terminals().map(|terminal| terminal.shares(now, window)).collect(),
            delays: terminals().map(|t| (t.delays().0.clone(), t.delays().1.clone())).collect(),
            source_queue_max: terminals().map(|terminal| terminal.queue().longest()).collect(),
            queue_max: self.queue_maxima(),
            samples: core::mem::take(&mut self.window.samples),
        };
    }

    fn queue_maxima(&self) -> Vec<Vec<Vec<u64>>> {
        let ports = |node: &Node<S>| {
            node.ports().iter().map(|(port, _)| (0..port.queue_count()).map(|q| port.longest(q)).collect()).collect()
        };
        self.nodes().map(ports).collect()
    }

    fn snapshot(&mut self) -> Snapshot {
        let at = self.now;
        let sends = (0..self.channels.len()).map(|channel| self.sends(channel)).collect();
        let flows = (0..self.plan.flows.len()).map(|flow| self.bytes(flow)).collect();
        let mut ports = Vec::new();
        for node in 0..self.stations.len() {
            let counted = self.is_switch(node);
            let counts = self.stations[node].node.ports_mut().iter_mut().filter(|_| counted);
            ports.push(counts.map(|(port, link)| port.counts(at, &mut self.links[*link as usize])).collect());
        }
        Snapshot { at, sends, flows, ports }
    }

    fn sends(&mut self, channel: usize) -> Sends {
        let now = self.now;
        let losses = self.losses(channel);
        let delivered = self.terminal(channel / 2, 1 - channel % 2).counts().cells_received;
        let terminal = self.terminal_mut(channel / 2, channel % 2);
        Sends {
            counts: terminal.counts(),
            abr: terminal.abr().map_or(Counters::default(), |source| *source.counters()),
            losses,
            delivered,
            queue_integral: terminal.queue_mut().integral(now),
            queue_drops: terminal.queue().dropped().1,
        }
    }

    fn losses(&self, channel: usize) -> Losses {
        let mut sum = Losses::default();
        for hop in &self.channels[channel].hops {
            let node = self.plan.links[hop.link].from;
            let lost = self.stations[node].node.ports()[hop.port as usize].0.losses(hop.slot);
            sum.cells += lost.cells;
            sum.bytes += lost.bytes;
            sum.packets += lost.packets;
        }
        sum
    }

    fn bytes(&self, flow: usize) -> Bytes {
        let (source, destination) = (self.terminal(flow, 0), self.terminal(flow, 1));
        let delivered = match destination.app() {
            App::Receiver(receiver) => receiver.stats().delivered_bytes,
            _ => 48 * destination.counts().data_received,
        };
        let (acked, sender) = match source.app() {
            App::Sender(sender) => (sender.snd_una(), *sender.stats()),
            _ => (0, SenderStats::default()),
        };
        Bytes { delivered, acked, sender }
    }

    /// Samples every switch queue now, and the sum of all queues.
    pub fn sample(&mut self) {
        let now = self.now;
        let mut queued = 0;
        if self.window.samples.is_empty() {
            let ports = |node: &Node<S>| {
                node.ports().iter().map(|(port, _)| alloc::vec![Summary::default(); port.queue_count()]).collect()
            };
            self.window.samples = self.nodes().map(ports).collect();
        }
        for node in (0..self.stations.len()).filter(|node| self.is_switch(*node)).collect::<Vec<_>>() {
            for (index, (port, link)) in self.stations[node].node.ports_mut().iter_mut().enumerate() {
                for queue in 0..port.queue_count() {
                    let length = port.queue_length(now, queue, &mut self.links[*link as usize], &mut false);
                    self.window.samples[node][index][queue].add(length);
                    queued += length;
                }
            }
        }
        for flow in 0..self.plan.flows.len() {
            queued += self.terminal(flow, 0).queue().cells() + self.terminal(flow, 1).queue().cells();
        }
        self.window.queued_max = self.window.queued_max.max(Some(queued));
    }

    /// The report of a run that ends now.
    ///
    /// # Panics
    /// If a cell or a byte is not accounted for: a defect of the simulator, never of its input.
    pub fn report(&mut self) -> Report {
        let last = self.snapshot();
        let in_flight = self.in_flight();
        for (channel, send) in last.sends.iter().enumerate() {
            let accounted = send.delivered + send.losses.cells + in_flight[channel].0;
            assert_eq!(send.counts.cells_sent, accounted, "cells of channel {channel} sent and accounted for");
        }
        let flows: Vec<FlowReport> =
            (0..self.plan.flows.len()).map(|flow| self.flow_report(flow, &in_flight)).collect();
        let vcs = (0..self.channels.len()).filter(|channel| !self.channels[*channel].hops.is_empty());
        let vcs: Vec<VcReport> = vcs.map(|channel| self.vc_report(channel, in_flight[channel].0)).collect();
        let window = self.window.end.snapshot.at - self.window.begin.at;
        Report {
            digest: format!("{:016x}", self.digest(&last).value()),
            simulated_seconds: self.now.as_secs_f64(),
            window_seconds: window.as_secs_f64(),
            cell_hops: self.crossings(&last, &in_flight),
            totals: self.totals(&flows, &vcs),
            ports: self.port_reports(window),
            flows,
            vcs,
        }
    }

    /// Per channel: cells on links and in queues, application bytes in them, and link crossings
    /// that these cells have not completed.
    fn in_flight(&self) -> Vec<(u64, u64, u64)> {
        let mut found = alloc::vec![(0, 0, 0); self.channels.len()];
        let channel_at = |link: usize, label: u32| match &self.stations[self.plan.links[link].to].node {
            Node::Host(host) => host.terminals[label as usize].channel as usize ^ 1,
            Node::Switch(switch) => switch.table[label as usize].channel as usize,
        };
        let mut add = |link: usize, label: u32, payload: u32| {
            let channel = channel_at(link, label);
            let hops = &self.channels[channel].hops;
            let crossed = hops.iter().position(|hop| hop.link == link).unwrap_or(0);
            let entry = &mut found[channel];
            *entry = (entry.0 + 1, entry.1 + payload as u64, entry.2 + (hops.len() - crossed) as u64);
        };
        for (index, link) in self.links.iter().enumerate() {
            link.cells().for_each(|cell| add(index, cell.label, cell.info.payload()));
        }
        for (port, link) in self.nodes().flat_map(Node::ports) {
            port.held().iter().for_each(|cell| add(*link as usize, cell.label, cell.info.payload()));
        }
        found
    }

    /// Cells that have crossed a link so far.
    pub fn cell_hops(&mut self) -> u64 {
        let last = self.snapshot();
        self.crossings(&last, &self.in_flight())
    }

    fn crossings(&self, last: &Snapshot, in_flight: &[(u64, u64, u64)]) -> u64 {
        let mut crossings = 0;
        for (channel, send) in last.sends.iter().enumerate() {
            let hops = &self.channels[channel].hops;
            crossings += send.counts.cells_sent * hops.len() as u64 - in_flight[channel].2;
            for (crossed, hop) in hops.iter().enumerate() {
                let node = self.plan.links[hop.link].from;
                let lost = self.stations[node].node.ports()[hop.port as usize].0.losses(hop.slot).cells;
                crossings -= lost * (hops.len() - crossed) as u64;
            }
        }
        crossings
    }

    fn digest(&self, last: &Snapshot) -> Digest {
        let mut digest = Digest::default();
        for send in &last.sends {
            digest.add(send.counts.cells_sent);
            digest.add(send.losses.cells);
        }
        for (node, ports) in self.nodes().zip(&last.ports) {
            if let Node::Host(host) = node {
                host.terminals.iter().for_each(|terminal| digest.add(terminal.digest().value()));
            }
            for ((port, _), (queues, departed)) in node.ports().iter().zip(ports) {
                digest.add(port.digest().value());
                digest.add(*departed);
                queues.iter().for_each(|queue| digest.add(queue.arrived));
            }
        }
        digest
    }

    fn flow_report(&self, index: usize, in_flight: &[(u64, u64, u64)]) -> FlowReport {
        let flow = &self.plan.flows[index];
        let (begin, end) = (&self.window.begin, &self.window.end.snapshot);
        let (then, now) = (&begin.flows[index], &end.flows[index]);
        let (sent, sends) = (&begin.sends[2 * index], &end.sends[2 * index]);
        let window = (end.at - begin.at).as_secs_f64();
        let source = self.terminal(index, 0);
        let delivered = now.delivered - then.delivered;
        let acked = now.acked - then.acked;
        let acked_cells = self.cells_of(index, acked);
        let slowest = flow.forward.iter().map(|link| self.plan.links[*link].rate).min();
        let sent_bytes = (now.sender.bytes_sent_once + now.sender.bytes_retransmitted)
            - (then.sender.bytes_sent_once + then.sender.bytes_retransmitted);
        let (rate_limited, window_limited, _) = self.window.end.shares[2 * index];
        let (packets, cells) = &self.window.end.delays[2 * index + 1];
        let seconds = |ps: Option<f64>| ps.map(|ps| ps * 1e-12);
        let over_tcp = flow.source.over_tcp();
        FlowReport {
            name: flow.name.clone(),
            group: flow.group.clone(),
            index: flow.index,
            service: flow.service,
            source: flow.source.name(),
            start_seconds: flow.start.as_secs_f64(),
            delivered_bytes: delivered,
            tcp_throughput_bits_per_second: delivered as f64 * 8.0 / window,
            goodput_bits_per_second: acked as f64 * 8.0 / window,
            acked_bytes: acked,
            acked_cells,
            effective_throughput_ratio: slowest.map_or(0.0, |rate| acked_cells / (rate.cells_per_second() * window)),
            efficiency: (sent_bytes > 0).then(|| delivered as f64 / sent_bytes as f64),
            segments_sent: now.sender.segments_sent - then.sender.segments_sent,
            segments_retransmitted: now.sender.segments_retransmitted - then.sender.segments_retransmitted,
            bytes_retransmitted: now.sender.bytes_retransmitted - then.sender.bytes_retransmitted,
            timeouts: now.sender.timeouts - then.sender.timeouts,
            fast_retransmits: now.sender.fast_retransmits - then.sender.fast_retransmits,
            packets_lost: if over_tcp { sends.losses.packets - sent.losses.packets } else { 0 },
            packets_merged: self.terminal(index, 1).merges(),
            completion_seconds: source.completed().map(|at| (at - flow.start).as_secs_f64()),
            rate_limited_share: rate_limited,
            window_limited_share: window_limited,
            packet_delay_mean_seconds: seconds(packets.mean()),
            packet_delay_std_seconds: seconds(packets.standard_deviation()),
            packet_delay_p50_seconds: seconds(packets.quantile(0.5)),
            packet_delay_p99_seconds: seconds(packets.quantile(0.99)),
            cell_delay_mean_seconds: seconds(cells.mean()),
            cell_delay_std_seconds: seconds(cells.standard_deviation()),
            cell_delay_p50_seconds: seconds(cells.quantile(0.5)),
            cell_delay_p99_seconds: seconds(cells.quantile(0.99)),
            source_queue_max_cells: self.window.end.source_queue_max[2 * index],
            source_queue_mean_cells: (sends.queue_integral - sent.queue_integral) / (window * 1e12),
            source_queue_dropped_packets: sends.queue_drops - sent.queue_drops,
            balance: over_tcp.then(|| self.balance(index, in_flight)),
        }
    }

    /// Cells of the segments that `bytes` fill.
    fn cells_of(&self, flow: usize, bytes: u64) -> f64 {
        let flow = &self.plan.flows[flow];
        let mss = flow.tcp.mss.0;
        let packet = mss + flow.tcp.header_bytes as u64 + flow.encapsulation.bytes() as u64;
        bytes as f64 / mss as f64 * cells_for(packet) as f64
    }

    fn balance(&self, flow: usize, in_flight: &[(u64, u64, u64)]) -> Balance {
        let (source, destination) = (self.terminal(flow, 0), self.terminal(flow, 1));
        let (App::Sender(sender), App::Receiver(receiver)) = (source.app(), destination.app()) else {
            return Balance::default();
        };
        let balance = Balance {
            sent_once_bytes: sender.stats().bytes_sent_once,
            retransmitted_bytes: sender.stats().bytes_retransmitted,
            delivered_bytes: receiver.stats().delivered_bytes,
            dropped_at_switch_bytes: self.losses(2 * flow).bytes,
            dropped_at_source_queue_bytes: source.queue().dropped().0,
            in_source_queue_bytes: source.queue().bytes(),
            in_path_bytes: in_flight[2 * flow].1 + destination.unfinished_bytes(),
            dropped_by_aal5_bytes: destination.counts().aal5_bytes,
            duplicate_bytes: receiver.stats().duplicate_bytes,
            held_out_of_order_bytes: receiver.held_bytes(),
        };
        assert_eq!(balance.sent(), balance.accounted(), "bytes of flow {flow} sent and accounted for");
        balance
    }

    fn vc_report(&self, channel: usize, in_flight: u64) -> VcReport {
        let flow = &self.plan.flows[channel / 2];
        let (direction, service) =
            if channel.is_multiple_of(2) { ("forward", flow.service) } else { ("backward", flow.ack_service) };
        let (then, now) = (&self.window.begin.sends[channel], &self.window.end.snapshot.sends[channel]);
        let abr = self.terminal(channel / 2, channel % 2).abr();
        let out_of_rate = |c: &Counters| c.out_of_rate_frms + c.out_of_rate_brms;
        VcReport {
            name: format!("{}/{direction}", flow.name),
            service,
            cells_sent: now.counts.cells_sent - then.counts.cells_sent,
            cells_delivered: now.delivered - then.delivered,
            cells_dropped: now.losses.cells - then.losses.cells,
            cells_in_flight: in_flight,
            data_cells_sent: now.counts.data_sent - then.counts.data_sent,
            frm_cells_sent: now.abr.frms - then.abr.frms,
            brm_cells_sent: now.abr.brms - then.abr.brms,
            out_of_rate_cells_sent: out_of_rate(&now.abr) - out_of_rate(&then.abr),
            idle_resets: abr.map_or(0, |source| source.counters().rule_5),
            missing_brm_cuts: abr.map_or(0, |source| source.counters().rule_6),
            acr_mean_cells_per_second: abr.map(|_| self.window.end.shares[channel].2),
            acr_final_cells_per_second: abr.map(|source| source.acr()),
        }
    }

    fn totals(&self, flows: &[FlowReport], vcs: &[VcReport]) -> Totals {
        let over_tcp: Vec<f64> =
            flows.iter().filter(|f| f.balance.is_some()).map(|f| f.tcp_throughput_bits_per_second).collect();
        let cells_sent: u64 = vcs.iter().map(|vc| vc.cells_sent).sum();
        let cells_dropped: u64 = vcs.iter().map(|vc| vc.cells_dropped).sum();
        let data = || vcs.iter().filter(|vc| matches!(vc.service, ServiceClass::Abr | ServiceClass::Ubr));
        let data_sent: u64 = data().map(|vc| vc.cells_sent).sum();
        let data_dropped: u64 = data().map(|vc| vc.cells_dropped).sum();
        Totals {
            // The sum of no floats is -0, and there may be no flow over TCP.
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
            queued_max_cells: self.window.queued_max,
        }
    }

    fn port_reports(&self, window: Ps) -> Vec<PortReport> {
        let switches = (0..self.stations.len()).filter(|node| self.is_switch(*node));
        switches
            .flat_map(|node| (0..self.stations[node].node.ports().len()).map(move |port| (node, port)))
            .map(|(node, port)| self.port_report(node, port, window))
            .collect()
    }

    fn port_report(&self, node: usize, index: usize, window: Ps) -> PortReport {
        let (port, link) = &self.stations[node].node.ports()[index];
        let (then, now) = (&self.window.begin.ports[node][index], &self.window.end.snapshot.ports[node][index]);
        let (arrived, dropped) = now.0.iter().zip(&then.0).fold((0, 0), |(arrived, dropped), (now, then)| {
            (arrived + now.arrived - then.arrived, dropped + now.dropped - then.dropped)
        });
        let sampled = &self.window.end.samples;
        let quantile = |queue: usize, q: f64| {
            sampled.get(node).and_then(|ports| ports[index].get(queue)).and_then(|s| s.quantile(q))
        };
        let queues = port.queues().enumerate().map(|(queue, settings)| QueueReport {
            classes: settings.classes.clone(),
            cells_arrived: now.0[queue].arrived - then.0[queue].arrived,
            cells_dropped: now.0[queue].dropped - then.0[queue].dropped,
            queue_mean_cells: (now.0[queue].backlog - then.0[queue].backlog) / window.0 as f64,
            queue_max_cells: self.window.end.queue_max[node][index][queue],
            queue_p50_cells: quantile(queue, 0.5),
            queue_p95_cells: quantile(queue, 0.95),
            queue_p99_cells: quantile(queue, 0.99),
            buffer_cells: (settings.buffer != u64::MAX).then_some(settings.buffer),
        });
        PortReport {
            name: self.plan.links[*link as usize].name.clone(),
            rate_bits_per_second: port.rate().bits_per_second(),
            utilisation: (now.1 - then.1) as f64 / (port.rate().cells_per_second() * window.as_secs_f64()),
            cell_loss_ratio: dropped as f64 / (arrived as f64).max(1.0),
            queues: queues.collect(),
            control: ControlReport::new(port.control().name(), port.control().statistics()),
        }
    }
}
