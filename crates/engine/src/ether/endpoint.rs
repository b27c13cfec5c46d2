//! One end of a flow at a host: TCP, RoCE or datagrams, and the frames that it offers to the interface.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::frame::{Ecn, Framing, Info, Packet};
use super::log::{self, Log};
use super::plan::change::FlowChange;
use super::rates::Rates;
use super::roce::packet::{Kind, RocePacket};
use super::roce::telemetry::Trail;
use super::roce::{receiver, sender};
use crate::kernel::{Digest, Ps, Summary};
use crate::net::ChannelId;
use crate::passing::Contents;
use crate::tcp::{Segment, TcpEvent, TcpReceiver, TcpSender};
use crate::traffic::{Application, CellSource, Cells, Writes};

/// The part of an endpoint that sends or receives: an end of TCP, of RoCE, or of datagrams.
#[derive(Clone)]
pub enum App {
    /// The sending end of a TCP connection.
    Sender(Box<TcpSender>, Supply),
    /// The receiving end of a TCP connection.
    Receiver(Box<TcpReceiver>),
    /// The sending end of a flow over RoCE.
    RoceSender(Box<sender::Sender>),
    /// The receiving end of a flow over RoCE.
    RoceReceiver(Box<receiver::Receiver>),
    /// Sends datagrams at the times of a source model, whatever the network does.
    Paced(Paced),
    /// Always has a datagram to send.
    Persistent,
    /// Sends nothing, and only counts the datagrams that arrive.
    Sink,
    /// An end of a path at a router, which hands segments on between this path and other paths.
    Router(Box<Arrived>),
}

/// Datagrams that a source model generates, at the times of this model.
#[derive(Clone)]
pub struct Paced {
    source: Cells,
    /// Times at which the waiting datagrams were generated.
    waiting: VecDeque<Ps>,
}

impl Paced {
    /// Datagrams at the times of `source`.
    pub fn new(source: Cells) -> Paced {
        Paced {
            source,
            waiting: VecDeque::new(),
        }
    }
    /// Generates a datagram at `now`; if `sends` is false, only moves the source on.
    fn generate(&mut self, now: Ps, sends: bool) {
        if sends {
            self.waiting.push_back(now);
        }
        self.source.advance();
    }
}

/// Segments that have arrived at a router's end of a path.
#[derive(Clone, Default)]
pub struct Arrived {
    /// Segments that the router has not taken yet, with their arrival times.
    pub(super) waiting: Vec<(Ps, Segment)>,
    /// Payload bytes of all segments that have arrived since the start of the run.
    pub bytes: u64,
}

impl Arrived {
    fn arrive(&mut self, now: Ps, segment: &Segment, marked: bool) {
        self.bytes += segment.payload() as u64;
        let segment = if marked { segment.marked() } else { *segment };
        self.waiting.push((now, segment));
    }
}

/// Origin of the data that a TCP sender sends.
#[derive(Clone)]
pub enum Supply {
    /// This number of bytes, all available at the start.
    Bytes(u64),
    /// Bytes that an application writes during the run.
    Writes(Box<Writes>),
}

/// Settings from which an endpoint is built.
pub struct EndpointSettings {
    /// Channel whose frames the endpoint sends.
    pub channel: ChannelId,
    /// Number of the host's interface by which the endpoint sends.
    pub port: u32,
    /// Label of the endpoint's frames on the first link.
    pub label: u32,
    /// Priority of the endpoint's frames (IEEE 802.1Q).
    pub priority: u8,
    /// Form of the frames: with or without a VLAN tag.
    pub framing: Framing,
    /// Over TCP, octets of the TCP and IP headers without options. For datagrams, octets of the whole packet.
    pub header: u32,
    /// True if all packets are ECT, not only those with new data. Linux and ns-3 do this under DCTCP. Otherwise a port
    /// that marks would drop retransmissions and acknowledgements.
    pub all_ect: bool,
    /// Start of the flow.
    pub start: Ps,
    /// False while the source sends nothing new.
    pub sends: bool,
    /// The part of the endpoint that sends or receives.
    pub app: App,
    /// Rate control of the endpoint (explicit rates).
    pub rates: Rates,
}

/// Counters of an endpoint since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndpointCounts {
    /// Frames sent.
    pub packets_sent: u64,
    /// Frames received.
    pub packets_received: u64,
    /// Frames received with a CE mark.
    pub marked: u64,
    /// Rate records sent: frames with the fields of an RM cell.
    pub records_sent: u64,
    /// Rate records received.
    pub records_received: u64,
}

/// One end of a flow at a host: an application, rate control, and counters.
#[derive(Clone)]
pub struct Endpoint {
    /// Channel whose frames the endpoint sends.
    pub channel: ChannelId,
    /// Number of the host's interface by which the endpoint sends.
    pub port: u32,
    /// Label of the endpoint's frames on the first link.
    pub label: u32,
    /// True while the endpoint is in the round robin of its interface, or waits to return to it.
    pub(super) in_round: bool,
    started: bool,
    priority: u8,
    framing: Framing,
    header: u32,
    all_ect: bool,
    /// Start of the flow; for datagrams at the line's rate, the last time at which a change let them be sent again.
    start: Ps,
    /// Start of the flow by the plan. A flow that awaits other flows does not begin before it.
    earliest: Ps,
    sends: bool,
    app: App,
    rates: Rates,
    /// Segments that wait for the interface: acknowledgements, or the rest of a TCP burst.
    segments: VecDeque<Segment>,
    counts: EndpointCounts,
    digest: Digest,
    packet_delay: Summary,
    completed: Option<Ps>,
    /// Log of the endpoint's events; `None` if they are not logged.
    pub(super) log: Option<Box<Log>>,
}

impl Endpoint {
    /// An endpoint in its initial state.
    pub fn new(settings: EndpointSettings) -> Endpoint {
        let mut app = settings.app;
        match &mut app {
            App::Sender(sender, _) => sender.withhold(Ps::ZERO, !settings.sends),
            App::RoceSender(sender) => sender.withhold(!settings.sends),
            _ => {}
        }
        Endpoint {
            channel: settings.channel,
            port: settings.port,
            label: settings.label,
            in_round: false,
            started: false,
            priority: settings.priority,
            framing: settings.framing,
            header: settings.header,
            all_ect: settings.all_ect,
            start: settings.start,
            earliest: settings.start,
            sends: settings.sends,
            app,
            rates: settings.rates,
            segments: VecDeque::new(),
            counts: EndpointCounts::default(),
            digest: Digest::default(),
            packet_delay: Summary::default(),
            completed: None,
            log: None,
        }
    }

    /// Time of the endpoint's next event: a start, a timer, a write, a datagram, or a frame that rate control has held
    /// back.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        match &self.rates {
            Rates::Source(source) if !self.in_round => self.app_wake_at().min(source.next_wake()),
            _ => self.app_wake_at(),
        }
    }

    #[inline]
    fn app_wake_at(&self) -> Ps {
        match &self.app {
            App::Sender(..) | App::Persistent if !self.started => self.start,
            App::Sender(sender, Supply::Writes(writes)) => sender.next_timer().min(writes.next()),
            App::Sender(sender, _) => sender.next_timer(),
            App::Receiver(receiver) => receiver.next_timer(),
            App::Paced(paced) => paced.source.next(),
            App::RoceSender(sender) if self.in_round => sender.next_timer(),
            App::RoceSender(sender) => sender.next_timer().min(sender.next_packet()),
            App::RoceReceiver(receiver) => receiver.next_credit(),
            App::Persistent | App::Sink | App::Router(_) => Ps::NEVER,
        }
    }

    /// The RoCE sender, if it begins at `now` at a rate that depends on other senders at its host; otherwise `None`.
    #[inline]
    pub(super) fn begins_by_others(&mut self, now: Ps) -> Option<&mut sender::Sender> {
        match &mut self.app {
            App::RoceSender(sender) if sender.begins_by_others(now) => Some(sender),
            _ => None,
        }
    }
    /// True if the endpoint is a RoCE sender that has begun and not ended.
    pub(super) fn is_active(&self) -> bool {
        matches!(&self.app, App::RoceSender(sender) if sender.is_active())
    }

    /// Processes the event whose time [`Endpoint::wake_at`] returned; `now` is this time. The endpoint may have frames
    /// to send afterwards.
    pub fn wake(&mut self, now: Ps) {
        if self.app_wake_at() <= now {
            self.wake_app(now);
        }
        self.fill(now);
    }

    fn wake_app(&mut self, now: Ps) {
        match &mut self.app {
            App::Sender(sender, supply) if !self.started => {
                self.started = true;
                sender.open();
                if let Supply::Bytes(bytes) = supply {
                    sender.supply_last(*bytes);
                }
            }
            App::Sender(sender, Supply::Writes(writes)) if writes.next() == now => {
                sender.supply(writes.write());
            }
            App::Sender(sender, _) => {
                let seq = match sender.on_timer(now) {
                    Some(TcpEvent::Timeout { seq, .. }) => Some(seq),
                    Some(TcpEvent::SynTimeout { .. }) => None,
                    Some(TcpEvent::FastRetransmit { .. }) | None => return,
                };
                self.note(now, log::Kind::Timeout, seq);
            }
            App::Receiver(receiver) => {
                if receiver.on_timer(now) {
                    self.note(now, log::Kind::Timeout, None);
                }
                self.take_acks(now);
            }
            App::Paced(paced) => paced.generate(now, self.sends),
            App::RoceSender(sender) => {
                if sender.wake(now) {
                    let psn = sender.una();
                    self.note(now, log::Kind::Timeout, Some(psn));
                }
            }
            App::Persistent => self.started = true,
            App::RoceReceiver(receiver) => receiver.wake(now),
            App::Sink | App::Router(_) => {}
        }
    }

    fn note(&mut self, now: Ps, kind: log::Kind, seq: Option<u64>) {
        if let Some(log) = &mut self.log {
            log.at_end(now, kind, seq);
        }
    }

    fn take_acks(&mut self, now: Ps) {
        if let App::Receiver(receiver) = &mut self.app {
            while let Some(ack) = receiver.poll_ack(now) {
                if let Some(log) = &mut self.log
                    && receiver.is_repetition(&ack)
                {
                    log.at_end(now, log::Kind::Retransmission, None);
                }
                self.segments.push_back(ack);
            }
        }
    }

    /// Takes the next frame of the application, to hold it until the time that rate control allows; nothing if such a
    /// frame is held already.
    #[inline]
    fn fill(&mut self, now: Ps) {
        if let Rates::Source(source) = &self.rates
            && source.head.is_none()
        {
            let head = self.next_of_app(now);
            if let Rates::Source(source) = &mut self.rates {
                source.head = head.map(|(info, packet)| (info.ect(), packet));
            }
        }
    }

    /// Takes the next frame of the endpoint, to be sent at once; `None` if there is no frame.
    pub fn poll(&mut self, now: Ps) -> Option<(Info, Packet)> {
        let frame = match &mut self.rates {
            Rates::Free => self.next_of_app(now),
            Rates::Source(source) => source.poll(now),
            Rates::Destination(destination) => destination.poll().or_else(|| self.next_of_app(now)),
        }?;
        self.fill(now);
        self.counts.packets_sent += 1;
        self.counts.records_sent += (frame.0.contents() != Contents::Data) as u64;
        Some(frame)
    }

    fn next_of_app(&mut self, now: Ps) -> Option<(Info, Packet)> {
        let (info, packet) = match &mut self.app {
            App::Sender(sender, _) if self.started => {
                let most = sender.most_of_burst();
                let mut poll = || next_segment(sender, now, &mut self.log);
                let segment = match most {
                    None => poll()?,
                    Some(most) => {
                        if self.segments.is_empty() {
                            let burst = (0..most).map_while(|_| poll());
                            self.segments.extend(burst);
                        }
                        self.segments.pop_front()?
                    }
                };
                (self.tcp(&segment), Packet::Tcp(segment))
            }
            App::Receiver(_) => {
                let ack = self.segments.pop_front()?;
                (self.tcp(&ack), Packet::Tcp(ack))
            }
            App::Paced(paced) => {
                let sent = paced.waiting.pop_front()?;
                (self.udp(), Packet::Udp(sent))
            }
            App::RoceSender(sender) => {
                let packet = next_packet(sender, now, &mut self.log)?;
                self.roce(packet)
            }
            App::RoceReceiver(receiver) => {
                let packet = receiver.poll(now)?;
                self.roce(packet)
            }
            App::Persistent if self.started && self.sends => (self.udp(), Packet::Udp(now)),
            App::Sender(..) | App::Persistent | App::Sink | App::Router(_) => return None,
        };
        Some((info, packet))
    }

    /// Priority (IEEE 802.1Q) of the next frame of the endpoint.
    pub fn priority(&self) -> u8 {
        match &self.app {
            App::RoceReceiver(receiver) => receiver.urgent().unwrap_or(self.priority),
            _ => self.priority,
        }
    }
    /// Priority of the endpoint's frames, except for CNPs.
    pub(super) fn usual_priority(&self) -> u8 {
        self.priority
    }
    /// False if no further frame waits; true if one may wait.
    pub fn may_have_more(&self) -> bool {
        match &self.rates {
            Rates::Free => {}
            // The next frame waits for the time that rate control allows.
            Rates::Source(_) => return false,
            Rates::Destination(destination) if destination.waits() => return true,
            Rates::Destination(_) => {}
        }
        match &self.app {
            App::Receiver(_) => !self.segments.is_empty(),
            App::Paced(paced) => !paced.waiting.is_empty(),
            App::RoceSender(sender) => sender.follows(),
            App::RoceReceiver(receiver) => receiver.waits(),
            App::Sender(..) | App::Persistent | App::Sink | App::Router(_) => true,
        }
    }

    /// True if the next frame belongs to the same TCP burst as the frame sent last.
    pub fn continues_burst(&self) -> bool {
        matches!(self.app, App::Sender(..)) && !self.segments.is_empty()
    }

    #[inline(always)]
    fn tcp(&self, segment: &Segment) -> Info {
        let packet = self.header + segment.option_bytes() + segment.payload();
        let ecn = if self.all_ect || segment.is_ect() {
            Ecn::Ect
        } else {
            Ecn::NotEct
        };
        Info::tcp(self.framing.frame(packet), self.priority, ecn)
    }
    fn roce(&self, packet: RocePacket) -> (Info, Packet) {
        let priority = match (&self.app, packet.kind) {
            (App::RoceReceiver(receiver), Kind::Cnp) => receiver.cnp_priority(),
            _ => self.priority,
        };
        let mut info = Info::roce(self.framing.frame(packet.octets()), priority);
        if packet.has_telemetry() {
            let hops = match &self.app {
                App::RoceReceiver(receiver) => receiver.hops(),
                _ => 0,
            };
            info = info.with_hops(hops);
        }
        (info, Packet::Roce(packet))
    }
    /// Removes and returns the telemetry that the acknowledgement being sent takes back to the source. Must be called in
    /// the order of [`Endpoint::poll`].
    pub fn take_trail(&mut self) -> Option<Trail> {
        match &mut self.app {
            App::RoceReceiver(receiver) => receiver.take_trail(),
            _ => None,
        }
    }
    /// Removes and returns the number of the flow credit (ExpressPass) that is due now, for the interface's queue of
    /// flow credits.
    pub(super) fn take_due_credit(&mut self) -> Option<u32> {
        match &mut self.app {
            App::RoceReceiver(receiver) => receiver.take_due(),
            _ => None,
        }
    }
    /// The flow credit with the number `number`, which leaves at `now`; `None` unless the endpoint receives a flow over
    /// RoCE.
    pub(super) fn credit(&mut self, now: Ps, number: u32) -> Option<(Info, Packet)> {
        let App::RoceReceiver(receiver) = &self.app else {
            return None;
        };
        let packet = receiver.credit(now, number);
        self.counts.packets_sent += 1;
        let info = Info::flow_credit(self.framing.frame(packet.octets()), self.priority);
        Some((info, Packet::Roce(packet)))
    }
    fn udp(&self) -> Info {
        Info::udp(self.framing.frame(self.header), self.priority)
    }

    /// Processes a frame that arrives at `now`, with the telemetry that it carries, if any. The endpoint may have frames
    /// to send afterwards.
    pub fn arrive(&mut self, now: Ps, (info, packet): (Info, &Packet), trail: &Trail) {
        self.counts.packets_received += 1;
        self.counts.marked += (info.ecn() == Ecn::Ce) as u64;
        self.digest.add(now.0 ^ info.bits() << 32);
        let marked = info.ecn() == Ecn::Ce;
        match packet {
            Packet::Udp(sent) => self.packet_delay.add(now.0 - sent.0),
            Packet::Tcp(segment) => self.on_segment(now, segment, marked),
            Packet::Roce(packet) => self.on_roce(now, packet, marked, trail),
            Packet::Rates { er, .. } => self.digest.add(er.to_bits()),
            // Frames of link flow control concern the host or its interface, not an endpoint.
            Packet::Credit { .. } | Packet::Credits(_) | Packet::Pause(_) | Packet::Hop(_) => {}
        }
        if !matches!(self.rates, Rates::Free) {
            self.note_rates(now, info, packet, marked);
        }
    }

    /// Hands an arriving frame to rate control.
    fn note_rates(&mut self, now: Ps, info: Info, packet: &Packet, marked: bool) {
        let record = info.record(packet);
        self.counts.records_received += record.is_some() as u64;
        match (&mut self.rates, record) {
            (Rates::Source(source), Some(record)) => source.on_record(now, &record),
            (Rates::Destination(destination), Some(record)) => {
                destination.on_record(record, marked);
            }
            (Rates::Destination(destination), None) => destination.on_data(marked),
            (Rates::Source(_), None) | (Rates::Free, _) => {}
        }
        self.fill(now);
    }

    fn on_segment(&mut self, now: Ps, segment: &Segment, marked: bool) {
        self.digest
            .add(segment.ack() ^ segment.sequence().unwrap_or(0).rotate_left(20));
        match &mut self.app {
            App::Sender(sender, supply) => {
                sender.on_ack(now, segment);
                if sender.is_done() {
                    match supply {
                        Supply::Bytes(_) => self.completed = self.completed.or(Some(now)),
                        Supply::Writes(writes) => writes.on_all_acknowledged(now),
                    }
                }
            }
            App::Receiver(receiver) => {
                if let Some(sent) = segment.sent() {
                    self.packet_delay.add(now.0 - sent.0);
                }
                receiver.on_packet(now, segment, marked);
                self.take_acks(now);
            }
            App::Router(router) => router.arrive(now, segment, marked),
            _ => {}
        }
    }

    /// True if the endpoint receives a flow over RoCE and has packets to pull (receiver credits).
    #[inline]
    pub(super) fn wants_to_pull(&self) -> bool {
        matches!(&self.app, App::RoceReceiver(receiver) if receiver.wants_to_pull())
    }
    /// Makes the next pull. Returns the time until the host may send another pull.
    pub(super) fn pull(&mut self) -> Option<Ps> {
        match &mut self.app {
            App::RoceReceiver(receiver) => receiver.pull(),
            _ => None,
        }
    }

    fn on_roce(&mut self, now: Ps, packet: &RocePacket, marked: bool, trail: &Trail) {
        let trail = packet.has_telemetry().then_some(trail);
        self.digest.add(packet.psn << 2 ^ packet.kind as u64);
        match &mut self.app {
            App::RoceSender(sender) => {
                sender.receive(now, packet, trail);
                if sender.is_done() {
                    self.completed = self.completed.or(Some(now));
                }
            }
            App::RoceReceiver(receiver) => {
                if packet.has_data() {
                    self.packet_delay.add(now.0 - packet.sent.0);
                }
                receiver.receive(now, packet, marked, trail);
            }
            _ => {}
        }
    }

    /// Applies other settings of the source from `now` on. The endpoint's next event may then lie before `now`.
    pub(super) fn change(&mut self, now: Ps, to: &FlowChange) {
        if let (Rates::Source(source), Some(config)) = (&mut self.rates, &to.rates) {
            source.rules.change(config);
        }
        let begin = self.begin().unwrap_or(self.earliest);
        match &mut self.app {
            App::Paced(paced) => paced.source.change(now, &to.source),
            // A source that has not started has nothing to send.
            App::Sender(sender, _) => {
                sender.withhold(now.max(begin), !to.sends);
            }
            App::RoceSender(sender) => sender.withhold(!to.sends || self.start == Ps::NEVER),
            App::Persistent if self.started && to.sends && !self.sends => {
                (self.started, self.start) = (false, now);
            }
            _ => {}
        }
        self.sends = to.sends;
    }

    /// Makes the flow wait until [`Endpoint::begin_at`] starts it, because it awaits other flows.
    pub(super) fn await_others(&mut self) {
        if let App::RoceSender(sender) = &mut self.app {
            sender.withhold(true);
        }
        (self.earliest, self.start) = (self.start, Ps::NEVER);
    }
    /// Starts the flow at `at`, but not before its planned start, after the flows that it awaited have ended.
    pub(super) fn begin_at(&mut self, at: Ps) {
        self.start = at.max(self.earliest);
        if let App::RoceSender(sender) = &mut self.app {
            sender.begin_at(self.start);
            sender.withhold(!self.sends);
        }
    }
    /// True if the flow has ended at this endpoint: the source has received the acknowledgement of the last byte, or the
    /// destination all `bytes` in order.
    pub(super) fn has_ended(&self, bytes: u64) -> bool {
        match &self.app {
            App::Receiver(receiver) => receiver.stats().delivered_bytes >= bytes,
            App::RoceReceiver(receiver) => receiver.delivered >= bytes,
            _ => self.completed.is_some(),
        }
    }
    /// Start of the flow; `None` while the flow awaits other flows.
    pub(super) fn begin(&self) -> Option<Ps> {
        Some(self.start).filter(|start| *start != Ps::NEVER)
    }

    /// Makes the endpoint an end of a path at a router.
    pub(super) fn become_router(&mut self) {
        self.app = App::Router(Box::default());
    }
    /// Segments that have arrived at a router; `None` if the endpoint is not at a router.
    pub(super) fn router_mut(&mut self) -> Option<&mut Arrived> {
        match &mut self.app {
            App::Router(router) => Some(router),
            _ => None,
        }
    }
    /// The frame in which a router sends a segment.
    pub(super) fn send_routed(&mut self, segment: Segment) -> (Info, Packet) {
        self.counts.packets_sent += 1;
        let info = self.tcp(&segment);
        let info = if segment.is_ce() { info.marked() } else { info };
        (info, Packet::Tcp(segment))
    }

    /// Discards the delays measured so far.
    pub fn begin_window(&mut self) {
        self.packet_delay.reset();
    }
    /// The part of the endpoint that sends or receives.
    pub fn app(&self) -> &App {
        &self.app
    }
    /// Counters of frames and bytes since the start of the run.
    pub fn counts(&self) -> EndpointCounts {
        self.counts
    }
    /// Delays of the packets that arrived in the measuring window, in picoseconds, from their hand-over to IP at the
    /// sender.
    pub fn packet_delay(&self) -> &Summary {
        &self.packet_delay
    }
    /// Time at which the whole transfer was acknowledged; `None` before.
    pub fn completed(&self) -> Option<Ps> {
        self.completed
    }
    /// Hash of everything that has arrived.
    pub fn digest(&self) -> Digest {
        self.digest
    }
    /// Number of segments or datagrams that wait for the interface.
    pub fn waiting(&self) -> u64 {
        match &self.app {
            App::Paced(paced) => paced.waiting.len() as u64,
            _ => self.segments.len() as u64,
        }
    }
    /// Payload bytes of the segments that wait for the interface.
    pub fn waiting_bytes(&self) -> u64 {
        let payloads = self.segments.iter().map(Segment::payload);
        payloads.map(u64::from).sum()
    }
    /// State of rate control (explicit rates) at this end.
    pub fn rates(&self) -> &Rates {
        &self.rates
    }
    /// Bytes of the simulator's memory that are allocated for waiting segments and datagrams.
    pub fn storage(&self) -> usize {
        self.segments.capacity() * size_of::<Segment>()
            + match &self.app {
                App::Paced(paced) => paced.waiting.capacity() * size_of::<Ps>(),
                _ => 0,
            }
    }
}

/// The next segment of a TCP sender. A segment that was sent before is logged.
#[inline]
fn next_segment(sender: &mut TcpSender, now: Ps, log: &mut Option<Box<Log>>) -> Option<Segment> {
    let Some(log) = log else {
        return sender.poll_segment(now);
    };
    let sent_before = sender.snd_max();
    let segment = sender.poll_segment(now)?;
    if sender.is_repetition(&segment, sent_before) {
        log.at_end(now, log::Kind::Retransmission, segment.sequence());
    }
    Some(segment)
}

/// The next packet of a RoCE sender. A packet that was sent before is logged.
#[inline]
fn next_packet(
    sender: &mut sender::Sender,
    now: Ps,
    log: &mut Option<Box<Log>>,
) -> Option<RocePacket> {
    let Some(log) = log else {
        return sender.poll(now);
    };
    let before = sender.stats().segments_retransmitted;
    let packet = sender.poll(now)?;
    if sender.stats().segments_retransmitted > before {
        log.at_end(now, log::Kind::Retransmission, Some(packet.psn));
    }
    Some(packet)
}
