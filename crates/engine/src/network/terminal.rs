//! One end of a flow: what it sends into its channel, what it does with what arrives.

use alloc::boxed::Box;

use super::log::{Event, Log, What};
use super::source_queue::SourceQueue;
use crate::atm::aal5::{Outcome, Reassembler};
use crate::atm::cell::{Body, Cell, Info, Kind, RmCell};
use crate::atm::link::Link;
use crate::atm::port::{Arrival, Port};
use crate::atm::server::{Queued, Server};
use crate::endsystem::{AbrDestination, AbrSource, CreditedSource, Emission, UnshapedSource};
use crate::kernel::{Digest, Ps, Ring, Stream, Summary, TimeIntegral};
use crate::tcp::{Segment, TcpEvent, TcpReceiver, TcpSender};
use crate::traffic::{Application, CellSource, Cells, Writes};

/// Who decides when the next cell goes out.
pub enum Shaper {
    /// Nobody: cells go out as they are generated.
    None,
    /// A peak cell rate.
    Unshaped(UnshapedSource),
    /// The source rules of TM 4.0.
    Abr(Box<AbrSource>),
    /// The credit of the channel.
    Credited(Box<CreditedSource>),
}

/// What runs on top.
pub enum App {
    /// Nothing: what arrives is counted.
    Sink,
    /// Bare cells.
    Cells(Cells),
    /// Bare cells, one always waiting.
    Persistent,
    /// The sending end of a TCP connection.
    Sender(Box<TcpSender>),
    /// The receiving end.
    Receiver(Box<TcpReceiver>),
}

/// Where a TCP sender's data come from.
pub enum Supply {
    /// So many bytes at the start, and no more.
    Bytes(u64),
    /// An application writes them.
    Writes(Box<Writes>),
}

impl Supply {
    /// When the next bytes come, once the first have.
    fn next(&self) -> Ps {
        match self {
            Supply::Bytes(_) => Ps::NEVER,
            Supply::Writes(writes) => writes.next(),
        }
    }
}

/// A segment waits for the end system to process it.
struct Processing {
    time: Ps,
    variation: Ps,
    stream: Stream,
    busy_until: Ps,
    segments: Ring<(Ps, Segment)>,
}

/// Counters of one terminal since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminalCounts {
    /// Data cells sent.
    pub data_sent: u64,
    /// All cells sent.
    pub cells_sent: u64,
    /// All cells received.
    pub cells_received: u64,
    /// Data cells received.
    pub data_received: u64,
    /// Application bytes dropped by AAL5 with damaged PDUs.
    pub aal5_bytes: u64,
    /// Damaged PDUs dropped by AAL5.
    pub aal5_pdus: u64,
}

/// Where a terminal sends, and who keeps its events.
pub struct Outside<'a, S> {
    /// The host's output port on the channel's first link, and that link; none if the terminal has
    /// nobody to send to.
    pub way: Option<(&'a mut Port<S>, &'a mut Link)>,
    /// Set when a cell enters the empty link.
    pub was_empty: bool,
    /// The host's log.
    pub log: &'a mut Log,
}

/// One end of a flow.
pub struct Terminal {
    /// Channel that leaves here: twice the flow's number, plus one for the backward direction.
    pub channel: u32,
    /// Output port of the host.
    pub port: u32,
    /// Label on the first link.
    pub label: u32,
    /// Slot of the channel at the host's port.
    pub slot: u32,
    shaper: Shaper,
    destination: Option<AbrDestination>,
    queue: SourceQueue,
    app: App,
    start: Ps,
    supply: Supply,
    started: bool,
    reassembler: Reassembler,
    partial_bytes: u64,
    processing: Option<Box<Processing>>,
    stamps: bool,
    now: Ps,
    wake: Ps,
    counts: TerminalCounts,
    digest: Digest,
    rate_limited: TimeIntegral,
    window_limited: TimeIntegral,
    acr_mean: TimeIntegral,
    packet_delay: Summary,
    cell_delay: Summary,
    completed: Option<Ps>,
}

/// What a terminal is built from.
pub struct TerminalSettings {
    /// Channel that leaves here.
    pub channel: u32,
    /// Output port of the host.
    pub port: u32,
    /// Label on the first link.
    pub label: u32,
    /// Slot at the host's port.
    pub slot: u32,
    /// Who paces.
    pub shaper: Shaper,
    /// Destination half of an ABR channel that ends here.
    pub destination: Option<AbrDestination>,
    /// Source queue.
    pub queue: SourceQueue,
    /// What runs on top.
    pub app: App,
    /// When it starts.
    pub start: Ps,
    /// What a TCP sender is given, and when.
    pub supply: Supply,
    /// Time to process a segment, its variation, and the randomness of that.
    pub processing: Option<(Ps, Ps, Stream)>,
    /// Whether cells carry their time of sending.
    pub stamps: bool,
}

impl Terminal {
    /// A terminal that has done nothing yet.
    pub fn new(settings: TerminalSettings) -> Terminal {
        let mut terminal = Terminal {
            channel: settings.channel,
            port: settings.port,
            label: settings.label,
            slot: settings.slot,
            shaper: settings.shaper,
            destination: settings.destination,
            queue: settings.queue,
            app: settings.app,
            start: settings.start,
            supply: settings.supply,
            started: false,
            reassembler: Reassembler::default(),
            partial_bytes: 0,
            processing: settings.processing.map(|(time, variation, stream)| {
                Box::new(Processing { time, variation, stream, busy_until: Ps::ZERO, segments: Ring::default() })
            }),
            stamps: settings.stamps,
            now: Ps::ZERO,
            wake: Ps::NEVER,
            counts: TerminalCounts::default(),
            digest: Digest::default(),
            rate_limited: TimeIntegral::default(),
            window_limited: TimeIntegral::default(),
            acr_mean: TimeIntegral::default(),
            packet_delay: Summary::default(),
            cell_delay: Summary::default(),
            completed: None,
        };
        if let Shaper::Abr(source) = &terminal.shaper {
            terminal.acr_mean.set(Ps::ZERO, source.acr());
        }
        terminal.wake = terminal.next_wake();
        terminal
    }

    /// When [`Terminal::run`] has something to do.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        self.wake
    }

    /// Whether a data cell waits for the shaper.
    #[inline]
    fn data_waiting(&self) -> bool {
        self.queue.cells() > 0 || (matches!(self.app, App::Persistent) && self.started)
    }

    #[inline]
    fn shaper_wake(&self) -> Ps {
        let at = match &self.shaper {
            Shaper::None => return Ps::NEVER,
            Shaper::Unshaped(source) => source.next_wake(self.data_waiting()),
            Shaper::Abr(source) => source.next_wake(self.data_waiting()),
            Shaper::Credited(source) => source.next_wake(self.data_waiting()),
        };
        at.max(self.now)
    }

    /// Next time at which the application, TCP or the processor has something to do.
    fn app_wake(&self) -> Ps {
        let processed = self.processing.as_ref().and_then(|p| p.segments.front()).map_or(Ps::NEVER, |(at, _)| *at);
        let app = match &self.app {
            App::Cells(cells) => cells.next(),
            App::Persistent if !self.started => self.start,
            App::Sender(_) if !self.started => self.start,
            App::Sender(sender) => sender.next_timer().min(self.supply.next()),
            App::Receiver(receiver) => receiver.next_timer(),
            App::Sink | App::Persistent => Ps::NEVER,
        };
        app.min(processed)
    }

    fn next_wake(&self) -> Ps {
        self.app_wake().min(self.shaper_wake())
    }

    /// Does everything of its own that is due before `limit`, in order of time; at one instant the
    /// application comes before the shaper.
    pub fn run<S: Server>(&mut self, limit: Ps, out: &mut Outside<'_, S>) {
        while self.wake < limit {
            let app = self.app_wake();
            if app == self.wake {
                self.now = app;
                self.run_app(app, limit, out);
                self.wake = self.next_wake();
            } else {
                let shaper = self.run_shaper(self.wake, limit.min(app), out);
                self.wake = shaper.map_or_else(|| self.next_wake(), |at| at.min(app));
            }
        }
    }

    fn run_app<S: Server>(&mut self, now: Ps, limit: Ps, out: &mut Outside<'_, S>) {
        if let Some(processing) = &mut self.processing
            && processing.segments.front().is_some_and(|(at, _)| *at == now)
            && let Some((_, segment)) = processing.segments.pop()
        {
            return self.on_segment(now, &segment, out);
        }
        match &mut self.app {
            App::Cells(_) => self.run_cells(limit, out),
            App::Persistent => {
                self.started = true;
                self.note_limits(now);
            }
            App::Sender(sender) if !self.started => {
                self.started = true;
                if let Supply::Bytes(bytes) = self.supply {
                    sender.supply(bytes);
                    self.send_segments(now, out);
                }
            }
            App::Sender(sender) if self.supply.next() == now => {
                if let Supply::Writes(writes) = &mut self.supply {
                    sender.supply(writes.write());
                    self.send_segments(now, out);
                }
            }
            App::Sender(sender) => {
                let event = sender.on_timer(now);
                self.note_event(now, event, out.log);
                self.send_segments(now, out);
            }
            App::Receiver(receiver) => {
                receiver.on_timer(now);
                self.send_acks(now, out);
            }
            App::Sink => {}
        }
    }

    /// Generates bare cells until `limit`; with a shaper, one into the source queue.
    fn run_cells<S: Server>(&mut self, limit: Ps, out: &mut Outside<'_, S>) {
        let App::Cells(cells) = &mut self.app else { return };
        if !matches!(self.shaper, Shaper::None) {
            let now = cells.next();
            cells.advance();
            if !self.queue.push_bare(now) {
                let what = What::Refusal { seq: None };
                out.log.add(Event { at: now, channel: self.channel, link: None, what });
            }
            self.note_limits(now);
            return;
        }
        loop {
            let at = cells.next();
            if at >= limit {
                return;
            }
            cells.advance();
            self.now = at;
            let info = Info::data(self.queue.next_number());
            self.counts.data_sent += 1;
            self.counts.cells_sent += 1;
            let (info, body) = stamped(self.stamps, at, info, None);
            send(out, at, self.label, self.slot, info, body);
        }
    }

    /// Sends cells as the shaper permits from `at` until `limit`. Returns when the shaper wants to
    /// go on, or nothing if the application may want to do something before.
    fn run_shaper<S: Server>(&mut self, mut at: Ps, limit: Ps, out: &mut Outside<'_, S>) -> Option<Ps> {
        while at < limit {
            self.now = at;
            let waiting = self.data_waiting();
            let emission = match &mut self.shaper {
                Shaper::None => return None,
                Shaper::Unshaped(source) => source.opportunity(at, waiting),
                Shaper::Credited(source) => source.opportunity(at, waiting),
                Shaper::Abr(source) => {
                    let emission = source.opportunity(at, waiting);
                    if source.acr_changed_at() == at {
                        self.acr_mean.set(at, source.acr());
                    }
                    emission
                }
            };
            match emission {
                Some(Emission::Data) => {
                    if self.send_data(at, out) {
                        return None;
                    }
                }
                Some(Emission::Rm(info, rm)) => {
                    self.counts.cells_sent += 1;
                    send(out, at, self.label, self.slot, info, Some(Body::Rm(rm)));
                }
                None => return None,
            }
            at = self.shaper_wake();
        }
        Some(at)
    }

    /// Sends a data cell; true if that may have moved a timer of TCP.
    fn send_data<S: Server>(&mut self, at: Ps, out: &mut Outside<'_, S>) -> bool {
        let (info, body) = match self.app {
            App::Persistent => (Info::data(self.queue.next_number()), None),
            App::Cells(_) => (self.queue.pop_bare(at), None),
            _ => match self.queue.pop(at) {
                Some(cell) => cell,
                None => return true,
            },
        };
        if self.queue.cells() == 0 {
            self.note_limits(at);
        }
        self.counts.data_sent += 1;
        self.counts.cells_sent += 1;
        let transmitted = match (&mut self.app, &body) {
            (App::Sender(sender), Some(Body::Pdu(pdu))) => {
                sender.on_transmitted(at, &pdu.segment);
                true
            }
            _ => false,
        };
        let (info, body) = stamped(self.stamps, at, info, body);
        send(out, at, self.label, self.slot, info, body);
        transmitted
    }

    /// Hands TCP's segments to AAL5 for as long as the window permits.
    fn send_segments<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        let App::Sender(sender) = &mut self.app else { return };
        loop {
            let sent_before = sender.snd_max();
            let Some(segment) = sender.poll_segment(now) else { break };
            if segment.seq < sent_before {
                let what = What::Retransmission { seq: segment.seq };
                out.log.add(Event { at: now, channel: self.channel, link: None, what });
            }
            if !self.queue.push(now, segment) {
                self.digest.add(now.0 ^ segment.seq);
                sender.on_transmitted(now, &segment);
                let what = What::Refusal { seq: Some(segment.seq) };
                out.log.add(Event { at: now, channel: self.channel, link: None, what });
            }
        }
        self.note_limits(now);
    }

    fn send_acks<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        let App::Receiver(receiver) = &mut self.app else { return };
        while let Some(ack) = receiver.poll_ack(now) {
            if !self.queue.push(now, ack) {
                let what = What::Refusal { seq: Some(ack.ack) };
                out.log.add(Event { at: now, channel: self.channel, link: None, what });
            }
        }
        self.note_limits(now);
    }

    fn note_event(&self, now: Ps, event: Option<TcpEvent>, log: &mut Log) {
        if let (Some(TcpEvent::Timeout { .. }), App::Sender(sender)) = (event, &self.app) {
            let what = What::Timeout { seq: sender.snd_una() };
            log.add(Event { at: now, channel: self.channel, link: None, what });
        }
    }

    /// Rate-limited: data wait in the source queue. Window-limited: none wait, TCP has some, and
    /// its window is exhausted (dissertation chapter 8, section 8.14.2 item 2).
    fn note_limits(&mut self, now: Ps) {
        let rate = self.data_waiting();
        let window = !rate && matches!(&self.app, App::Sender(sender) if sender.is_window_limited());
        self.rate_limited.set(now, rate as u8 as f64);
        self.window_limited.set(now, window as u8 as f64);
    }

    /// A data cell without a body arrives.
    #[inline]
    pub fn receive_plain(&mut self, cell: Cell) {
        self.count_data(cell);
        self.reassembler.on_cell(cell.info);
    }

    #[inline]
    fn count_data(&mut self, cell: Cell) {
        self.counts.cells_received += 1;
        self.counts.data_received += 1;
        self.digest.add(cell.at.0 ^ (cell.info.0 as u64) << 32);
        self.partial_bytes += cell.info.payload() as u64;
        if let Some(destination) = &mut self.destination {
            destination.on_data(cell.info);
        }
    }

    /// A cell with a body arrives.
    pub fn receive<S: Server>(&mut self, cell: Cell, body: Option<Body>, out: &mut Outside<'_, S>) {
        let Some(body) = body else { return self.receive_plain(cell) };
        if let Body::Rm(rm) = body {
            self.counts.cells_received += 1;
            self.digest.add(cell.at.0 ^ (cell.info.0 as u64) << 32);
            self.receive_rm(cell.at, cell.info, rm, out);
        } else {
            // Measuring delays does not change what is hashed.
            self.count_data(Cell { info: cell.info.without_stamp(), ..cell });
            self.receive_marked(cell.at, cell.info, body, out);
        }
    }

    fn receive_marked<S: Server>(&mut self, now: Ps, info: Info, body: Body, out: &mut Outside<'_, S>) {
        match body {
            Body::Stamp(sent) => {
                self.cell_delay.add(now.0 - sent.0);
                self.reassembler.on_cell(info);
            }
            Body::Pdu(pdu) => {
                if self.stamps {
                    self.cell_delay.add(now.0 - pdu.sent.0);
                }
                let bytes = core::mem::take(&mut self.partial_bytes);
                match self.reassembler.on_eom(info, &pdu) {
                    Outcome::Delivered(segment) => self.deliver(now, segment, out),
                    Outcome::Corrupt => {
                        self.counts.aal5_bytes += bytes;
                        self.counts.aal5_pdus += 1;
                        self.digest.add(now.0.wrapping_add(1));
                    }
                }
            }
            Body::Rm(_) | Body::Credit(_) => {}
        }
    }

    fn deliver<S: Server>(&mut self, now: Ps, segment: Segment, out: &mut Outside<'_, S>) {
        if let Some(processing) = &mut self.processing {
            let variation = processing.stream.below(processing.variation);
            processing.busy_until = processing.busy_until.max(now) + processing.time + variation;
            processing.segments.push((processing.busy_until, segment));
            self.wake = self.wake.min(processing.busy_until);
            return;
        }
        self.now = self.now.max(now);
        self.on_segment(now, &segment, out);
        self.wake = self.next_wake();
    }

    fn on_segment<S: Server>(&mut self, now: Ps, segment: &Segment, out: &mut Outside<'_, S>) {
        match &mut self.app {
            App::Sender(sender) => {
                let event = sender.on_ack(now, segment);
                if sender.is_done() {
                    match &mut self.supply {
                        Supply::Bytes(_) => self.completed = self.completed.or(Some(now)),
                        Supply::Writes(writes) => writes.on_all_acknowledged(now),
                    }
                }
                self.note_event(now, event, out.log);
                self.send_segments(now, out);
            }
            App::Receiver(receiver) => {
                self.packet_delay.add(now.0 - segment.sent.0);
                receiver.on_segment(now, segment);
                self.send_acks(now, out);
            }
            _ => {}
        }
    }

    fn receive_rm<S: Server>(&mut self, now: Ps, info: Info, rm: RmCell, out: &mut Outside<'_, S>) {
        self.digest.add(rm.er.to_bits() ^ rm.ccr.to_bits().rotate_left(17) ^ (rm.ci as u64) << 1 ^ rm.ni as u64);
        let Shaper::Abr(source) = &mut self.shaper else { return };
        self.now = self.now.max(now);
        if info.kind() == Kind::Brm {
            source.on_brm(now, &rm);
            self.acr_mean.set(now, source.acr());
        } else if let Some(destination) = &mut self.destination {
            let turned = destination.on_frm(rm);
            source.offer_brm(turned);
            if turned.ci && !rm.ci {
                let what = What::Mark { er: turned.er };
                out.log.add(Event { at: now, channel: self.channel ^ 1, link: None, what });
            }
        }
        self.wake = self.next_wake();
    }

    /// The channel may send up to `limit` from `now` on.
    pub fn set_limit(&mut self, now: Ps, limit: u32) {
        let Shaper::Credited(source) = &mut self.shaper else { return };
        source.set_limit(limit);
        self.now = self.now.max(now);
        self.wake = self.next_wake();
    }

    /// Starts a new measuring window.
    pub fn begin_window(&mut self, now: Ps) {
        for integral in [&mut self.rate_limited, &mut self.window_limited, &mut self.acr_mean] {
            integral.restart(now);
        }
        self.packet_delay.reset();
        self.cell_delay.reset();
        self.queue.forget_longest();
    }
    /// Counters so far.
    pub fn counts(&self) -> TerminalCounts {
        self.counts
    }
    /// Whether cells may have to wait in the source queue.
    pub fn may_wait(&self) -> bool {
        !matches!((&self.shaper, &self.app), (Shaper::None, _) | (_, App::Persistent))
    }
    /// The source queue.
    pub fn queue(&self) -> &SourceQueue {
        &self.queue
    }
    /// The source queue, to be brought up to date.
    pub fn queue_mut(&mut self) -> &mut SourceQueue {
        &mut self.queue
    }
    /// What runs on top.
    pub fn app(&self) -> &App {
        &self.app
    }
    /// The ABR source, if the channel has one.
    pub fn abr(&self) -> Option<&AbrSource> {
        match &self.shaper {
            Shaper::Abr(source) => Some(source),
            _ => None,
        }
    }
    /// When the transfer was wholly acknowledged.
    pub fn completed(&self) -> Option<Ps> {
        self.completed
    }
    /// PDUs discarded because cells of an earlier one preceded them.
    pub fn merges(&self) -> u64 {
        self.reassembler.merges()
    }
    /// The number that follows that of the data cell that arrived last.
    pub fn next_number(&self) -> u32 {
        self.reassembler.next_number()
    }
    /// Application bytes in the PDU that is arriving or waiting to be processed.
    pub fn unfinished_bytes(&self) -> u64 {
        let processing = self.processing.as_ref();
        self.partial_bytes + processing.map_or(0, |p| p.segments.iter().map(|(_, s)| s.len as u64).sum())
    }
    /// Shares of the `window` up to `now` limited by the rate and by the TCP window, and mean ACR.
    pub fn shares(&self, now: Ps, window: Ps) -> (f64, f64, f64) {
        (self.rate_limited.mean(now, window), self.window_limited.mean(now, window), self.acr_mean.mean(now, window))
    }
    /// Delays of packets and of cells that arrived here, in picoseconds.
    pub fn delays(&self) -> (&Summary, &Summary) {
        (&self.packet_delay, &self.cell_delay)
    }
    /// Hash of everything that arrived.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// A data cell with its time of sending; what ends a PDU has it already.
#[inline]
fn stamped(stamps: bool, at: Ps, info: Info, body: Option<Body>) -> (Info, Option<Body>) {
    if stamps && body.is_none() { (info.with_body(), Some(Body::Stamp(at))) } else { (info, body) }
}

#[inline]
fn send<S: Server>(out: &mut Outside<'_, S>, at: Ps, label: u32, slot: u32, info: Info, mut body: Option<Body>) {
    let arrival = Arrival { slot, control_slot: 0, queue: 0, controlled: false, cell: Queued { label, info } };
    // The port of an end system has no limit: what waits, waits in the source queue.
    let Some((port, link)) = &mut out.way else { return };
    if body.is_none()
        && let Some(was_empty) = port.arrive_express(at, None, arrival.cell, link)
    {
        out.was_empty |= was_empty;
        return;
    }
    port.arrive(at, arrival, body.as_mut(), link, &mut out.was_empty);
}
