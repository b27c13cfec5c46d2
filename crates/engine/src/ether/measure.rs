//! Computes the report from counters, by snapshots at the begin and the end of the measuring window.

use alloc::format;
use alloc::vec::Vec;

use super::collective::{self, CollectiveReport, Span};
use super::endpoint::{App, Endpoint};
use super::errors::{Erring, FcsErrors};
use super::frame::{Info, Packet};
use super::host::Host;
use super::lanes::Credited;
use super::llr::Retry;
use super::lossless::{Gate, Guard};
use super::node::Node;
use super::plan::FlowPlan;
use super::port::Port;
use super::rates::{RateSource, Rates};
use super::report::{
    Balance, FlowReport, LinkReport, PortReport, QueueReport, Report, Totals, loss_ratio,
};
use super::roce::pacer::Pacer;
use super::roce::sender::Sender;
use super::simulation::Simulation;
use super::statistics::{self, CBFC, CREDIT_LIMIT, OF_CREDITS, OF_FLOW_CREDITS, OF_PAUSES, PFC};
use super::switch::payload;
use super::window::{Dropped, FlowCounts, LinkCounts, PortCounts, RoceCounts, Snapshot, Window};
use crate::control::ControlReport;
use crate::kernel::{Digest, Ps, Summary};
use crate::net::channel::ChannelId;
use crate::tcp::SenderStats;

impl Simulation {
    /// The endpoint at which `channel` begins.
    pub fn endpoint(&self, channel: ChannelId) -> &Endpoint {
        let (node, number) = self.network.begin(channel);
        match &self.stations[node].node {
            Node::Host(host) => &host.endpoints[number],
            Node::Switch(_) => unreachable!("flows end at hosts"),
        }
    }

    /// The output ports of all switches.
    pub fn ports(&self) -> impl Iterator<Item = &Port> {
        self.nodes().flat_map(ports)
    }
    /// For each output port of a switch: the index of its link, the number of frames that its queues have dropped so far,
    /// and how many of these met a full queue.
    pub fn drops(&mut self) -> Vec<(usize, u64, u64)> {
        let now = self.now;
        let stations = self.stations.iter_mut();
        let ports = stations.flat_map(|station| match &mut station.node {
            Node::Host(_) => &mut [],
            Node::Switch(switch) => &mut switch.ports[..],
        });
        let dropped = |port: &mut Port| {
            let counts = port_counts(port, now).queues;
            let all: u64 = counts.iter().map(|one| one.dropped.packets).sum();
            let early: u64 = counts.iter().map(|one| one.dropped_early).sum();
            (port.link as usize, all, all - early)
        };
        ports.map(dropped).collect()
    }
    /// Links of switches and priorities whose packets PFC or CBFC holds back there now, each with the time since which none
    /// of these packets could begin.
    pub fn standing(&self) -> impl Iterator<Item = (usize, u8, Ps)> {
        self.ports().flat_map(|port| {
            let standing = port.standing(self.now);
            standing.map(|(priority, since)| (port.link as usize, priority, since))
        })
    }
    /// Congestion window and acknowledged bytes of a flow; `None` without TCP.
    pub fn tcp_window(&self, flow: usize) -> Option<(u64, u64)> {
        match self.endpoint(ChannelId::forward(flow)).app() {
            App::Sender(sender, _) => Some((sender.cwnd(), sender.snd_una())),
            _ => None,
        }
    }

    /// ACR of a flow in octets/s on the line; `None` without rate control.
    pub fn acr(&self, flow: usize) -> Option<f64> {
        source_of(self.endpoint(ChannelId::forward(flow))).map(|source| source.rules.acr())
    }
    /// Present rate of a flow over RoCE in octets/s on the line; `None` without RoCE.
    pub fn roce_rate(&self, flow: usize) -> Option<f64> {
        let [source, destination] = ChannelId::both(flow).map(|channel| self.endpoint(channel));
        let of_credits = pacer_of(destination).map(Pacer::rate);
        of_credits.or_else(|| roce_sender(source).map(Sender::rate))
    }
    /// Slow start threshold of a flow in bytes; `None` without TCP.
    pub fn slow_start_threshold(&self, flow: usize) -> Option<u64> {
        match self.endpoint(ChannelId::forward(flow)).app() {
            App::Sender(sender, _) => Some(sender.ssthresh()),
            _ => None,
        }
    }
    /// Bytes of payload that have arrived at a flow's destination so far, including bytes out of order and bytes that
    /// arrived twice.
    pub fn received(&self, flow: usize) -> u64 {
        let destination = self.endpoint(ChannelId::backward(flow));
        match destination.app() {
            App::Receiver(receiver) => {
                let stats = receiver.stats();
                stats.delivered_bytes + stats.duplicate_bytes + receiver.held_bytes()
            }
            App::Router(router) => router.bytes,
            App::RoceReceiver(receiver) => {
                receiver.delivered + receiver.discarded + receiver.held()
            }
            _ => {
                let counts = destination.counts();
                (counts.packets_received - counts.records_received)
                    * self.network.plan.flows[flow].datagram as u64
            }
        }
    }

    /// Runs to `end`, measures from `from` to `to`, and returns the report.
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> Report {
        self.run_until(from);
        self.begin_window();
        self.run_until(to);
        self.end_window();
        self.run_until(end);
        self.report()
    }

    /// Begins the measuring window now.
    pub fn begin_window(&mut self) {
        self.network.window = Window {
            begin: self.snapshot(),
            most_before: self.of_queues(|port, queue| port.most(queue)),
            ..Window::default()
        };
        for station in &mut self.stations {
            match &mut station.node {
                Node::Host(host) => host.endpoints.iter_mut().for_each(Endpoint::begin_window),
                Node::Switch(switch) => switch.ports.iter_mut().for_each(Port::forget_most),
            }
        }
    }

    /// Ends the measuring window now.
    pub fn end_window(&mut self) {
        self.network.window.end = self.snapshot();
        self.network.window.has_ended = true;
        self.network.window.most = self.of_queues(|port, queue| port.most(queue));
        let flows = 0..self.network.plan.flows.len();
        let delays = flows.map(|flow| {
            self.endpoint(ChannelId::backward(flow))
                .packet_delay()
                .clone()
        });
        self.network.window.delays = delays.collect();
    }

    /// Samples the lengths of all queues of switches now, for the quantiles of the measuring window. Does nothing after
    /// the window.
    pub fn sample(&mut self) {
        if self.network.window.has_ended {
            return;
        }
        if self.network.window.samples.is_empty() {
            self.network.window.samples = self.of_queues(|_, _| Summary::default());
        }
        let stations = self.stations.iter().map(|station| &station.node);
        for (of_node, node) in self.network.window.samples.iter_mut().zip(stations) {
            for (of_port, port) in of_node.iter_mut().zip(ports(node)) {
                for (queue, summary) in of_port.iter_mut().enumerate() {
                    summary.add(port.held(queue).octets);
                }
            }
        }
    }

    fn of_queues<T>(&self, value: impl Fn(&Port, usize) -> T) -> Vec<Vec<Vec<T>>> {
        let of_port = |port: &Port| (0..port.queue_count()).map(|q| value(port, q)).collect();
        self.nodes()
            .map(|node| ports(node).iter().map(of_port).collect())
            .collect()
    }

    /// Start of a flow; `None` if the flow still awaits other flows.
    fn begin(&self, flow: usize) -> Option<Ps> {
        let plan = &self.network.plan.flows[flow];
        if plan.after.is_empty() {
            return Some(plan.start);
        }
        self.endpoint(ChannelId::forward(flow)).begin()
    }
    /// Time from the start of a flow to the acknowledgement of its last byte; `None` before this acknowledgement.
    pub fn completion(&self, flow: usize) -> Option<Ps> {
        let end = self.endpoint(ChannelId::forward(flow)).completed()?;
        Some(end - self.begin(flow)?)
    }
    fn collectives(&self) -> Vec<CollectiveReport> {
        let plan = &self.network.plan;
        let spans: Vec<Span> = (0..plan.flows.len()).map(|flow| self.span(flow)).collect();
        collective::reports(plan, &spans)
    }
    pub(super) fn span(&self, flow: usize) -> Span {
        let (node, number) = self.network.begin(ChannelId::forward(flow));
        let released_by = match &self.stations[node].node {
            Node::Host(host) => host.steps().and_then(|steps| {
                let other = &host.endpoints[steps.released_by(number)?];
                Some(other.channel.flow())
            }),
            Node::Switch(_) => None,
        };
        Span {
            begin: self.begin(flow),
            end: self.endpoint(ChannelId::forward(flow)).completed(),
            released_by,
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        let at = self.now;
        let (dropped, lost) = (self.dropped(), self.lost());
        let flows = 0..self.network.plan.flows.len();
        let lost = |flow: usize| {
            let [there, back] = [2 * flow, 2 * flow + 1].map(|channel| lost[channel].packets);
            [there + back, there]
        };
        Snapshot {
            at,
            flows: flows
                .map(|flow| self.flow_counts(flow, dropped[2 * flow], lost(flow)))
                .collect(),
            links: self.link_counts(),
            ports: self
                .stations
                .iter_mut()
                .map(|station| match &mut station.node {
                    Node::Host(_) => Vec::new(),
                    Node::Switch(switch) => switch
                        .ports
                        .iter_mut()
                        .map(|port| port_counts(port, at))
                        .collect(),
                })
                .collect(),
        }
    }

    fn flow_counts(&self, flow: usize, dropped: Dropped, lost: [u64; 2]) -> FlowCounts {
        let [source, destination] = ChannelId::both(flow).map(|channel| self.endpoint(channel));
        let (acked, sender) = match source.app() {
            App::Sender(sender, _) => (sender.snd_una(), *sender.stats()),
            App::RoceSender(sender) => (sender.acked(), *sender.stats()),
            _ => (0, SenderStats::default()),
        };
        let delivered = match destination.app() {
            App::Receiver(receiver) => receiver.stats().delivered_bytes,
            App::RoceReceiver(receiver) => receiver.delivered,
            _ => self.received(flow),
        };
        FlowCounts {
            delivered,
            acked,
            sender,
            source: source.counts(),
            destination: destination.counts(),
            dropped,
            lost,
            roce: self.roce_counts(source, destination),
            acr_ps: source_of(source).map_or(0.0, |source| source.acr_ps(self.now)),
        }
    }

    fn roce_counts(&self, source: &Endpoint, destination: &Endpoint) -> RoceCounts {
        let (App::RoceSender(sender), App::RoceReceiver(receiver)) =
            (source.app(), destination.app())
        else {
            return RoceCounts::default();
        };
        RoceCounts {
            cnps_sent: receiver.cnps,
            cnps_received: sender.cnps,
            naks: sender.naks,
            rate_ps: match receiver.pacer() {
                Some(pacer) => pacer.rate_ps(self.now),
                None => sender.rate_ps(self.now),
            },
            credits_sent: receiver.pacer().map_or(0, Pacer::credits),
            credits_received: sender.demand().map_or(0, |demand| demand.received),
            credits_unused: sender.demand().map_or(0, |demand| demand.unused),
        }
    }

    /// By channel: frames that switches have dropped so far, and their payload bytes.
    pub(super) fn dropped(&self) -> Vec<Dropped> {
        let mut dropped = alloc::vec![Dropped::default(); 2 * self.network.plan.flows.len()];
        for route in self.nodes().flat_map(|node| match node {
            Node::Host(_) => &[],
            Node::Switch(switch) => &switch.routes[..],
        }) {
            dropped[route.channel.index()].packets += route.dropped_packets;
            dropped[route.channel.index()].bytes += route.dropped_bytes;
        }
        dropped
    }

    /// By channel: frames with errored bits that receivers have dropped so far, and their payload bytes.
    pub(crate) fn lost(&self) -> Vec<Dropped> {
        let mut lost = alloc::vec![Dropped::default(); 2 * self.network.plan.flows.len()];
        for (number, node) in self.nodes().enumerate() {
            for (label, packets, bytes) in errors(node).of_flows() {
                let channel = self.channel_at(number, label, Info::default());
                lost[channel.index()].packets += packets;
                lost[channel.index()].bytes += bytes;
            }
        }
        lost
    }
    /// Counters of the links with bit errors, each with the index of its link.
    fn link_counts(&self) -> Vec<(usize, LinkCounts)> {
        let links = self.network.plan.links.iter().enumerate();
        let erring = links.filter(|(_, link)| link.errors.as_ref().is_some_and(|one| one.occur()));
        let mut found: Vec<_> = erring
            .map(|(link, _)| (link, LinkCounts::default()))
            .collect();
        if found.is_empty() {
            return found;
        }
        let mut add = |link: u32, counted: LinkCounts| {
            if let Ok(place) = found.binary_search_by_key(&(link as usize), |(link, _)| *link) {
                found[place].1.arrived += counted.arrived;
                found[place].1.lost += counted.lost;
                found[place].1.retried += counted.retried;
            }
        };
        let on_link = |link: u32| self.links[link as usize].len() as u64;
        for node in self.nodes() {
            for (link, lost) in errors(node).by_link() {
                let counted = LinkCounts {
                    lost,
                    ..LinkCounts::default()
                };
                add(link, counted);
            }
            let mut add_sent = |link: u32, sent: u64, erring: Option<&Erring>| {
                let retry = erring.and_then(Erring::retry);
                let counted = LinkCounts {
                    arrived: sent - on_link(link),
                    lost: 0,
                    retried: retry.map_or(0, Retry::retries),
                };
                add(link, counted);
            };
            for port in ports(node) {
                let sent = port.sent() + port.waiting_on_link() as u64;
                add_sent(port.link, sent, port.erring.as_deref());
            }
            if let Node::Host(host) = node {
                for interface in &host.interfaces {
                    add_sent(
                        interface.link,
                        interface.sent(),
                        interface.erring.as_deref(),
                    );
                }
            }
        }
        found
    }
    fn link_reports(&self) -> Vec<LinkReport> {
        let Window { begin, end, .. } = &self.network.window;
        let has_retry = self.network.plan.llr.is_some();
        let pairs = begin.links.iter().zip(&end.links);
        let report = |((link, then), (_, now)): (&(usize, LinkCounts), &(usize, LinkCounts))| {
            let (arrived, lost) = (now.arrived - then.arrived, now.lost - then.lost);
            let link = &self.network.plan.links[*link];
            LinkReport {
                name: link.name.clone(),
                bit_error_ratio: link.errors.as_ref().map_or(0.0, |errors| errors.mean()),
                packets_arrived: arrived,
                packets_lost: lost,
                packets_retried: has_retry.then(|| now.retried - then.retried),
                packet_loss_ratio: loss_ratio(lost, arrived - lost),
            }
        };
        pairs.map(report).collect()
    }

    /// The channel of a frame that arrives at `node` with `label`. A credit frame (FCVC) travels against the data that
    /// the credit is for, so it belongs to the flow's channel in the other direction.
    pub(super) fn channel_at(&self, node: usize, label: u32, info: Info) -> ChannelId {
        match &self.stations[node].node {
            Node::Host(host) => host.endpoints[label as usize].channel.reverse(),
            Node::Switch(switch) => {
                let channel = switch.routes[label as usize].channel;
                if info.is_credit() {
                    channel.reverse()
                } else {
                    channel
                }
            }
        }
    }

    fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.nodes().filter_map(|node| match node {
            Node::Host(host) => Some(host),
            Node::Switch(_) => None,
        })
    }
    /// The packets that wait at hosts for credit of FCVC or CBFC, with their channels.
    fn heads(&self) -> impl Iterator<Item = (ChannelId, &Packet)> {
        self.hosts().flat_map(|host| {
            let ends = host.credited().into_iter();
            let of_ends = ends.flat_map(|ends| ends.heads());
            let gates = host.interfaces.iter().filter_map(|one| one.gated.as_ref());
            let of_gates = gates.flat_map(|gated| gated.heads());
            let of_gates = of_gates.map(|(number, packet)| (number as usize, packet));
            of_ends
                .chain(of_gates)
                .map(|(number, packet)| (host.endpoints[number].channel, packet))
        })
    }

    /// By channel: frames on links, in switches, and waiting for credit at hosts, and their payload bytes of TCP or RoCE.
    pub(super) fn in_path(&self) -> Vec<Dropped> {
        let mut found = alloc::vec![Dropped::default(); 2 * self.network.plan.flows.len()];
        let mut add = |node: usize, (label, info): (u32, Info), bytes: u64| {
            let channel = self.channel_at(node, label, info);
            found[channel.index()].packets += 1;
            found[channel.index()].bytes += bytes;
        };
        for (number, link) in self.links.iter().enumerate() {
            let to = self.network.plan.links[number].to;
            let flying = link.sent_last(link.len());
            for (frame, record) in
                flying.filter(|(frame, _)| !frame.info.is_credit() && !frame.info.is_of_link())
            {
                add(to, (frame.label, frame.info), record.map_or(0, payload));
            }
        }
        for port in self.nodes().flat_map(ports) {
            let to = self.network.plan.links[port.link as usize].to;
            for frame in port.waiting() {
                add(to, (frame.label, frame.info), payload(&frame.packet));
            }
        }
        for (channel, packet) in self.heads() {
            found[channel.index()].packets += 1;
            found[channel.index()].bytes += payload(packet);
        }
        for channel in self.network.plan.channels() {
            found[channel.index()].bytes += self.endpoint(channel).waiting_bytes();
        }
        found
    }

    /// The report of a run that ends now, after the measuring window has ended.
    ///
    /// # Panics
    /// If no window has begun and ended. Also if frames or bytes are not conserved, if a channel under credit control
    /// (FCVC) has held more than its reserve, or if PFC or CBFC counts wrongly; each of these is a defect of the
    /// simulator, never of its input.
    pub fn report(&mut self) -> Report {
        let last = self.snapshot();
        assert_eq!(
            self.network.window.end.flows.len(),
            last.flows.len(),
            "a report needs a measuring window that has begun and ended"
        );
        let (in_path, dropped, lost) = (self.in_path(), self.dropped(), self.lost());
        self.check_packets(&in_path, &dropped, &lost);
        let mut credited = self.nodes().flat_map(ports).filter_map(Port::credited);
        assert!(
            credited.all(Credited::keeps_reserves),
            "a channel under credit control has held more than its reserve"
        );
        assert!(
            self.nodes().all(counts_what_it_holds),
            "PFC or CBFC counts other octets than a switch holds"
        );
        let window = self.network.window.end.at - self.network.window.begin.at;
        let flows: Vec<FlowReport> = (0..last.flows.len())
            .map(|flow| self.flow_report(flow, [&in_path, &dropped, &lost]))
            .collect();
        let collectives = self.collectives();
        Report {
            digest: format!("{:016x}", self.digest(&last).value()),
            simulated_seconds: self.now.as_secs_f64(),
            window_seconds: window.as_secs_f64(),
            packet_hops: self.packet_hops(),
            totals: Totals {
                collective_completion_seconds: collective::longest(&collectives),
                ..self.totals(&flows)
            },
            flows,
            collectives,
            ports: self.port_reports(window),
            links: self.link_reports(),
        }
    }

    /// Checks that each frame of each channel has arrived, was dropped or is still on its path.
    fn check_packets(&self, in_path: &[Dropped], dropped: &[Dropped], lost: &[Dropped]) {
        for channel in self.network.plan.channels() {
            let sent = self.endpoint(channel).counts().packets_sent;
            let arrived = self.endpoint(channel.reverse()).counts().packets_received;
            let elsewhere = [in_path, dropped, lost].map(|place| place[channel.index()].packets);
            let accounted = arrived + elsewhere.iter().sum::<u64>();
            assert_eq!(
                sent, accounted,
                "packets of {channel:?} sent and accounted for"
            );
        }
    }

    fn digest(&self, last: &Snapshot) -> Digest {
        let mut digest = Digest::default();
        for node in self.nodes() {
            match node {
                Node::Host(host) => {
                    host.endpoints
                        .iter()
                        .for_each(|end| digest.add(end.digest().value()));
                }
                Node::Switch(switch) => digest.add(switch.digest().value()),
            }
        }
        let errored = self.nodes().filter_map(|node| errors(node).digest());
        errored.for_each(|errored| digest.add(errored.value()));
        for queue in last.ports.iter().flatten().flat_map(|port| &port.queues) {
            digest.add(queue.arrived.octets ^ queue.octet_ps as u64);
        }
        digest
    }

    /// Frames that have arrived at the ends of links so far.
    pub fn packet_hops(&self) -> u64 {
        let from_hosts = self.network.plan.channels();
        let from_hosts = from_hosts.map(|channel| self.endpoint(channel).counts().packets_sent);
        let on_line = |port: &Port| port.sent() + port.waiting_on_link() as u64;
        let from_switches = self.nodes().flat_map(ports).map(on_line);
        let credits = self.hosts().filter_map(|host| Some(host.credited()?.sent));
        let on_links: u64 = self.links.iter().map(|link| link.len() as u64).sum();
        from_hosts.sum::<u64>() + credits.sum::<u64>() + from_switches.sum::<u64>()
            - self.heads().count() as u64
            - on_links
    }

    fn totals(&self, flows: &[FlowReport]) -> Totals {
        let (begin, end) = (&self.network.window.begin, &self.network.window.end);
        let sum = |count: fn(&FlowCounts) -> u64| -> u64 {
            end.flows.iter().map(count).sum::<u64>() - begin.flows.iter().map(count).sum::<u64>()
        };
        let queues = |snapshot: &Snapshot| -> u64 {
            let queues = snapshot
                .ports
                .iter()
                .flatten()
                .flat_map(|port| &port.queues);
            queues.map(|queue| queue.dropped.packets).sum()
        };
        let packets_dropped = queues(end) - queues(begin);
        // Both sources and destinations send packets: data and acknowledgements.
        let packets_sent = sum(|flow| flow.source.packets_sent + flow.destination.packets_sent);
        let packets_delivered =
            sum(|flow| flow.source.packets_received + flow.destination.packets_received);
        Totals {
            packets_sent,
            packets_delivered,
            packets_dropped,
            packets_lost_on_links: sum(|flow| flow.lost[0]),
            packet_loss_ratio: loss_ratio(packets_dropped, packets_delivered),
            packets_marked: sum(|flow| flow.source.marked + flow.destination.marked),
            ..Totals::over(flows)
        }
    }

    /// The report of flow `number`. `places` has frames and bytes by channel: those still on the path, those dropped by
    /// switches, and errored ones.
    fn flow_report(&self, number: usize, places: [&[Dropped]; 3]) -> FlowReport {
        let flow = &self.network.plan.flows[number];
        let window = &self.network.window;
        let (then, now) = (&window.begin.flows[number], &window.end.flows[number]);
        let seconds = (window.end.at - window.begin.at).as_secs_f64();
        let delivered = now.delivered - then.delivered;
        let acked = now.acked - then.acked;
        let bytes_retransmitted = now.sender.bytes_retransmitted - then.sender.bytes_retransmitted;
        let all = delivered + bytes_retransmitted;
        let delay = &window.delays[number];
        let in_seconds = |ps: Option<f64>| ps.map(|ps| ps * 1e-12);
        let source = self.endpoint(ChannelId::forward(number));
        let begin = self.begin(number);
        let rates = source_of(source);
        let over_tcp = flow.over_tcp();
        let over_roce = roce_sender(source);
        let is_reliable = over_tcp || over_roce.is_some();
        let of_roce =
            |count: fn(&RoceCounts) -> u64| over_roce.map(|_| count(&now.roce) - count(&then.roce));
        let of_credits = |count: fn(&RoceCounts) -> u64| {
            let demand = over_roce.and_then(Sender::demand);
            demand.map(|_| count(&now.roce) - count(&then.roce))
        };
        let per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
        FlowReport {
            name: flow.name.clone(),
            group: flow.group.clone(),
            index: flow.index,
            source: flow.source.name(),
            priority: flow.priority,
            start_seconds: begin.map(Ps::as_secs_f64),
            delivered_bytes: delivered,
            throughput_bits_per_second: per_second(delivered),
            tcp_throughput_bits_per_second: over_tcp.then(|| per_second(delivered)),
            goodput_bits_per_second: is_reliable.then(|| per_second(acked)),
            acked_bytes: acked,
            efficiency: (is_reliable && all > 0).then(|| delivered as f64 / all as f64),
            segments_sent: now.sender.segments_sent - then.sender.segments_sent,
            segments_retransmitted: now.sender.segments_retransmitted
                - then.sender.segments_retransmitted,
            bytes_retransmitted,
            timeouts: now.sender.timeouts - then.sender.timeouts,
            fast_retransmits: now.sender.fast_retransmits - then.sender.fast_retransmits,
            duplicate_acks: now.sender.dup_acks - then.sender.dup_acks,
            packets_sent: now.source.packets_sent - then.source.packets_sent,
            packets_delivered: now.destination.packets_received - then.destination.packets_received,
            packets_dropped: now.dropped.packets - then.dropped.packets,
            packets_lost_on_links: now.lost[1] - then.lost[1],
            packets_marked: now.destination.marked - then.destination.marked,
            completion_seconds: self.completion(number).map(Ps::as_secs_f64),
            router_queue_mean_cells: None,
            router_queue_max_cells: None,
            alone_seconds: None,
            slowdown: None,
            packet_delay_mean_seconds: in_seconds(delay.mean()),
            packet_delay_std_seconds: in_seconds(delay.standard_deviation()),
            packet_delay_p50_seconds: in_seconds(delay.quantile(0.5)),
            packet_delay_p99_seconds: in_seconds(delay.quantile(0.99)),
            records_sent: rates.map(|_| now.source.records_sent - then.source.records_sent),
            acr_mean_bits_per_second: rates.map(|_| (now.acr_ps - then.acr_ps) * 8e-12 / seconds),
            acr_final_bits_per_second: rates.map(|source| source.rules.acr() * 8.0),
            rate_mean_bits_per_second: over_roce
                .map(|_| (now.roce.rate_ps - then.roce.rate_ps) * 8e-12 / seconds),
            rate_final_bits_per_second: self.roce_rate(number).map(|rate| rate * 8.0),
            cnps_sent: of_roce(|counts| counts.cnps_sent),
            cnps_received: of_roce(|counts| counts.cnps_received),
            naks_received: of_roce(|counts| counts.naks),
            credits_sent: of_credits(|counts| counts.credits_sent),
            credits_received: of_credits(|counts| counts.credits_received),
            credits_unused: of_credits(|counts| counts.credits_unused),
            balance: self.balance(number, flow, places),
        }
    }

    fn balance(
        &self,
        number: usize,
        flow: &FlowPlan,
        [in_path, dropped, lost]: [&[Dropped]; 3],
    ) -> Option<Balance> {
        let [source, destination] = ChannelId::both(number).map(|channel| self.endpoint(channel));
        let (stats, [delivered, duplicate, held]) = match (source.app(), destination.app()) {
            (App::Sender(sender, _), App::Receiver(receiver)) => {
                let (stats, held) = (receiver.stats(), receiver.held_bytes());
                let arrived = [stats.delivered_bytes, stats.duplicate_bytes, held];
                (sender.stats(), arrived)
            }
            (App::RoceSender(sender), App::RoceReceiver(receiver)) => {
                let arrived = [receiver.delivered, receiver.discarded, receiver.held()];
                (sender.stats(), arrived)
            }
            _ => return None,
        };
        let forward = ChannelId::forward(number).index();
        let cut = match destination.app() {
            App::RoceReceiver(receiver) => receiver.cut,
            _ => 0,
        };
        let head = source_of(source).and_then(|source| source.head);
        let head = head.map_or(0, |(_, packet)| payload(&packet));
        let balance = Balance {
            sent_once_bytes: stats.bytes_sent_once,
            retransmitted_bytes: stats.bytes_retransmitted,
            delivered_bytes: delivered,
            dropped_bytes: dropped[forward].bytes + cut,
            lost_on_links_bytes: lost[forward].bytes,
            in_path_bytes: in_path[forward].bytes + head,
            duplicate_bytes: duplicate,
            held_out_of_order_bytes: held,
        };
        let (sent, accounted) = (balance.sent(), balance.accounted());
        assert_eq!(
            sent, accounted,
            "bytes of {} sent and accounted for",
            flow.name
        );
        Some(balance)
    }

    fn port_reports(&self, window: Ps) -> Vec<PortReport> {
        let mut reports = Vec::new();
        for (node, plan) in self.network.plan.nodes.iter().enumerate() {
            let Some(settings) = &plan.switch else {
                continue;
            };
            let queue_of = settings.queue_of();
            for (number, port) in ports(&self.stations[node].node).iter().enumerate() {
                let [begin, end] = [&self.network.window.begin, &self.network.window.end]
                    .map(|snapshot| &snapshot.ports[node][number]);
                let queues: Vec<QueueReport> = (0..port.queue_count())
                    .map(|queue| {
                        let priorities = (0..8).filter(|p| queue_of[*p as usize] == queue as u8);
                        QueueReport {
                            priorities: priorities.collect(),
                            ..self.queue_report((node, number, queue), port, window)
                        }
                    })
                    .collect();
                let dropped: u64 = queues.iter().map(|queue| queue.packets_dropped).sum();
                let link = &self.network.plan.links[port.link as usize];
                reports.push(PortReport {
                    name: link.name.clone(),
                    rate_bits_per_second: link.rate.bits_per_second(),
                    utilisation: (end.busy_ps - begin.busy_ps) / window.0 as f64,
                    packet_loss_ratio: loss_ratio(dropped, end.sent - begin.sent),
                    queues,
                    control: self.control_of(node, number, port),
                });
            }
        }
        reports
    }

    /// Report of what controls a port (control scheme, credit control, PFC or CBFC), with counts since the start of the
    /// run; `None` if nothing does.
    fn control_of(&self, node: usize, number: usize, port: &Port) -> Option<ControlReport> {
        let scheme = port.control().map(statistics::report);
        let of_credit = || port.credited().map(Credited::report);
        let found = scheme.or_else(of_credit);
        let found = with_limiter(found, port);
        let (Some(gate), Node::Switch(switch)) = (port.gate(), &self.stations[node].node) else {
            return found;
        };
        let (component, names) = match gate.gate() {
            Gate::Pauses(_) => (PFC, OF_PAUSES),
            Gate::Credits(_) => (CBFC, OF_CREDITS),
        };
        let most = switch.guard().map_or(0, |guard| guard.most(number as u32));
        let values = [
            gate.notices_sent() as f64,
            gate.gate().held_ps(self.now()) as f64 * 1e-12,
            most as f64,
        ];
        let statistics = names.iter().map(|one| one.name.into()).zip(values);
        let mut report = found.unwrap_or_else(|| ControlReport::new(component.name, Vec::new()));
        report.statistics.extend(statistics);
        Some(report)
    }

    fn queue_report(
        &self,
        (node, number, queue): (usize, usize, usize),
        port: &Port,
        window: Ps,
    ) -> QueueReport {
        let of = |snapshot: &Snapshot| snapshot.ports[node][number].queues[queue];
        let (then, now) = (of(&self.network.window.begin), of(&self.network.window.end));
        let most = self.network.window.most[node][number][queue];
        let samples = &self.network.window.samples;
        let quantile = |q| {
            samples
                .get(node)
                .and_then(|ports| ports[number][queue].quantile(q))
        };
        let mean = |integral: u128| integral as f64 / window.0 as f64;
        let limit = port.limit(queue);
        QueueReport {
            priorities: Vec::new(),
            packets_arrived: now.arrived.packets - then.arrived.packets,
            packets_dropped: now.dropped.packets - then.dropped.packets,
            packets_dropped_early: now.dropped_early - then.dropped_early,
            packets_trimmed: port.trims().then(|| now.trimmed - then.trimmed),
            packets_marked: now.marked - then.marked,
            queue_mean_bytes: mean(now.octet_ps - then.octet_ps),
            queue_max_bytes: most.octets,
            queue_max_before_window_bytes: (self.network.window.begin.at > Ps::ZERO)
                .then(|| self.network.window.most_before[node][number][queue].octets),
            queue_mean_packets: mean(now.packet_ps - then.packet_ps),
            queue_max_packets: most.packets,
            queue_p50_bytes: quantile(0.5),
            queue_p95_bytes: quantile(0.95),
            queue_p99_bytes: quantile(0.99),
            buffer_bytes: (limit < u64::MAX).then_some(limit),
        }
    }
}

/// The report `found` of a port's control, with the counts of flow credits (ExpressPass) if flow credits leave by the
/// port.
fn with_limiter(found: Option<ControlReport>, port: &Port) -> Option<ControlReport> {
    let Some(limiter) = port.limiter() else {
        return found;
    };
    let counts = limiter.counts();
    let values = [counts.sent, counts.dropped, counts.most].map(|count| count as f64);
    let statistics = OF_FLOW_CREDITS
        .iter()
        .map(|one| one.name.into())
        .zip(values);
    let new = || ControlReport::new(CREDIT_LIMIT.name, Vec::new());
    let mut report = found.unwrap_or_else(new);
    report.statistics.extend(statistics);
    Some(report)
}

/// Rate control of a flow's source; `None` without rate control.
fn source_of(endpoint: &Endpoint) -> Option<&RateSource> {
    match endpoint.rates() {
        Rates::Source(source) => Some(source),
        Rates::Free | Rates::Destination(_) => None,
    }
}

/// The RoCE sender of a flow; `None` without RoCE.
fn roce_sender(endpoint: &Endpoint) -> Option<&Sender> {
    match endpoint.app() {
        App::RoceSender(sender) => Some(sender),
        _ => None,
    }
}

/// The pacer of flow credits at a flow's destination; `None` without ExpressPass.
fn pacer_of(endpoint: &Endpoint) -> Option<&Pacer> {
    match endpoint.app() {
        App::RoceReceiver(receiver) => receiver.pacer(),
        _ => None,
    }
}

/// Frames with errored bits that a node has dropped.
fn errors(node: &Node) -> &FcsErrors {
    match node {
        Node::Host(host) => &host.errors,
        Node::Switch(switch) => &switch.errors,
    }
}

/// Output ports of a switch; none for a host.
fn ports(node: &Node) -> &[Port] {
    match node {
        Node::Host(_) => &[],
        Node::Switch(switch) => &switch.ports,
    }
}

fn port_counts(port: &mut Port, now: Ps) -> PortCounts {
    PortCounts {
        queues: (0..port.queue_count())
            .map(|queue| port.counts(queue, now))
            .collect(),
        busy_ps: port.busy_ps(now),
        sent: port.sent(),
    }
}

/// True if the octets that PFC or CBFC counts equal the octets in the queues of a switch, or if not all priorities are
/// under PFC or CBFC.
fn counts_what_it_holds(node: &Node) -> bool {
    let Node::Switch(switch) = node else {
        return true;
    };
    let counted = switch.guard().and_then(Guard::held);
    let queues = switch.ports.iter().flat_map(|port| {
        let queues = 0..port.queue_count();
        queues.map(|queue| port.held(queue).octets)
    });
    counted.is_none_or(|counted| counted == queues.sum::<u64>())
}
