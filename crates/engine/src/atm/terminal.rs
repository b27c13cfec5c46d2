//! A terminal: one end of a flow, with the cells that it sends and its reactions to arriving cells. A host has
//! one terminal for each flow that begins or ends there.

mod ahead;
mod arrivals;
mod cells;
mod measured;
mod router;
mod settings;

use alloc::boxed::Box;

use self::settings::Processing;
use super::event::What;
use super::log::Log;
use super::plan::FlowChange;
use super::source_queue::{Mark, SourceQueue};
use crate::atm::aal5::Reassembler;
use crate::atm::port::Port;
use crate::atm::server::{Server, Work};
use crate::atm::transport::Outlet;
use crate::endsystem::{AbrDestination, Pacing};
use crate::kernel::{Digest, Extremes, Ps, Ring, Summary, TimeIntegral};
use crate::net::channel::ChannelId;
use crate::tcp::TcpEvent;
use crate::traffic::{Application, CellSource};

pub use self::settings::{App, Shaper, Supply, TerminalSettings};

/// Counters of one terminal (one end of a flow) since the start of the run.
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
    /// Application bytes in damaged PDUs that AAL5 has discarded.
    pub aal5_bytes: u64,
    /// Damaged PDUs that AAL5 has discarded.
    pub aal5_pdus: u64,
    /// Discarded PDUs whose cells all arrived, at least one with an errored payload.
    pub errored_pdus: u64,
    /// PDUs whose last cell has been sent.
    pub pdus_sent: u64,
    /// PDUs received without damage.
    pub pdus_received: u64,
}

/// The output port and the event log that a terminal uses.
pub struct Outside<'a, S> {
    /// The host's output port that feeds the channel's first link, and this link; `None` if the
    /// terminal sends no cells.
    pub way: Option<(&'a mut Port<S>, Outlet<'a>)>,
    /// True if no other event happens at the output port at this instant, so that the service of a cell may begin
    /// at once.
    pub alone: bool,
    /// Event log of the host.
    pub log: &'a mut Log,
}

/// Cells that a terminal has sent ahead of time, and the state saved before them. The state is needed to take the
/// cells back if an arrival changes what must be sent.
#[derive(Clone)]
struct Ahead {
    cells: usize,
    /// Sending time of the first cell sent ahead of time.
    first: Ps,
    /// Sending time of the last cell sent ahead of time. At this instant or later, no cell can be taken back.
    last: Ps,
    /// Value of the terminal's `now` before the first cell sent ahead of time. `pacing`, `queue`
    /// and `port` are the states of the ABR source, the source queue and the host's port at that
    /// time.
    now: Ps,
    pacing: Pacing,
    queue: Mark,
    port: Work,
}

/// A terminal: one end of a flow at a host. The fields that each cell needs come first.
#[derive(Clone)]
#[repr(C)]
pub struct Terminal {
    /// The channel that begins at the terminal.
    pub channel: ChannelId,
    /// Index of the host's output port for this channel.
    pub port: u32,
    /// Label (VPI/VCI) of the channel's cells on its first link.
    pub label: u32,
    /// Index of the channel among the channels of the host's port.
    pub slot: u32,
    stamps: bool,
    sends: bool,
    started: bool,
    shaper: Shaper,
    now: Ps,
    wake: Ps,
    /// Stored value of [`Terminal::app_wake`]. The shaper does not change this value, so it need not be computed
    /// again for each cell of the shaper.
    app_at: Ps,
    /// Cells sent ahead of time. A cell whose sending time has passed can no longer be taken back.
    ahead: Option<Box<Ahead>>,
    queue: SourceQueue,
    counts: TerminalCounts,
    digest: Digest,
    reassembler: Reassembler,
    partial_bytes: u64,
    acr_mean: TimeIntegral,
    acr_range: Extremes,
    processing: Option<Box<Processing>>,
    app: App,
    destination: Option<AbrDestination>,
    start: Ps,
    supply: Supply,
    rate_limited: TimeIntegral,
    window_limited: TimeIntegral,
    packet_delay: Summary,
    cell_delay: Summary,
    completed: Option<Ps>,
}

impl Terminal {
    /// A terminal at time zero, before its first event.
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
            sends: settings.sends,
            supply: settings.supply,
            started: false,
            reassembler: Reassembler::default(),
            partial_bytes: 0,
            processing: settings.processing.map(|(time, variation, stream)| {
                Box::new(Processing {
                    time,
                    variation,
                    stream,
                    busy_until: Ps::ZERO,
                    segments: Ring::default(),
                })
            }),
            stamps: settings.stamps,
            now: Ps::ZERO,
            wake: Ps::NEVER,
            app_at: Ps::NEVER,
            counts: TerminalCounts::default(),
            digest: Digest::default(),
            rate_limited: TimeIntegral::default(),
            window_limited: TimeIntegral::default(),
            acr_mean: TimeIntegral::default(),
            acr_range: Extremes::default(),
            packet_delay: Summary::default(),
            cell_delay: Summary::default(),
            completed: None,
            ahead: None,
        };
        if let Some(source) = terminal.shaper.abr() {
            terminal.acr_mean.set(Ps::ZERO, source.acr());
            terminal.acr_range = Extremes::new(source.acr());
        }
        if let App::Sender(sender) = &mut terminal.app {
            sender.withhold(Ps::ZERO, !terminal.sends);
        }
        terminal.note_wake();
        terminal
    }

    /// Time at which [`Terminal::run`] must be called next.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        self.wake
    }

    /// True if the shaper has a data cell to send.
    #[inline]
    fn data_waiting(&self) -> bool {
        self.queue.cells() > 0
            || (matches!(self.app, App::Persistent) && self.started && self.sends)
    }

    #[inline]
    fn shaper_wake(&self) -> Ps {
        let at = match &self.shaper {
            Shaper::None => return Ps::NEVER,
            Shaper::Unshaped(source) => source.next_wake(self.data_waiting()),
            Shaper::Bucket(source) => source.next_wake(self.data_waiting()),
            Shaper::Abr(source) => source.next_wake(self.data_waiting()),
            Shaper::Split(source) => source.next_wake(self.data_waiting()),
            Shaper::Credited(source) => source.next_wake(self.data_waiting()),
        };
        at.max(self.now)
    }

    /// Time of the next event of the application, of TCP or of the host's processor.
    fn app_wake(&self) -> Ps {
        let processed = self
            .processing
            .as_ref()
            .and_then(|p| p.segments.front())
            .map_or(Ps::NEVER, |(at, _)| *at);
        let app = match &self.app {
            App::Cells(cells) => cells.next(),
            App::Persistent if !self.started => self.start,
            App::Sender(_) if !self.started => self.start,
            App::Sender(sender) => sender.next_timer().min(self.supply.next()),
            App::Receiver(receiver) => receiver.next_timer(),
            App::Router(router) => router.next(),
            App::Sink | App::Persistent => Ps::NEVER,
        };
        app.min(processed)
    }

    /// Computes the time of the terminal's next event again, after any change.
    fn note_wake(&mut self) {
        self.app_at = self.app_wake();
        self.note_shaper();
    }

    /// Computes the time of the terminal's next event again, after a change of the shaper only.
    fn note_shaper(&mut self) {
        self.wake = self.app_at.min(self.shaper_wake());
    }

    /// Processes all timers of the terminal before `limit`, in order of time. At one instant the
    /// application comes before the shaper.
    pub fn run<S: Server>(&mut self, limit: Ps, out: &mut Outside<'_, S>) {
        while self.wake < limit {
            debug_assert_eq!(self.app_at, self.app_wake(), "what changes it notes it");
            if self.app_at == self.wake {
                self.now = self.wake;
                self.run_app(self.wake, limit, out);
                self.note_wake();
            } else {
                match self.run_shaper(self.wake, limit.min(self.app_at), out) {
                    Some(at) => self.wake = at.min(self.app_at),
                    None => self.note_wake(),
                }
            }
        }
    }

    fn run_app<S: Server>(&mut self, now: Ps, limit: Ps, out: &mut Outside<'_, S>) {
        if let Some(processing) = &mut self.processing
            && processing
                .segments
                .front()
                .is_some_and(|(at, _)| *at == now)
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
                sender.open();
                if let Supply::Bytes(bytes) = self.supply {
                    sender.supply_last(bytes);
                }
                if !sender.is_open() || matches!(self.supply, Supply::Bytes(_)) {
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
                if receiver.on_timer(now) {
                    let what = What::Timeout { seq: None };
                    out.log.note(now, self.channel, what);
                }
                self.send_acks(now, out);
            }
            App::Router(_) => self.send_entering(now, out),
            App::Sink => {}
        }
    }

    /// Passes TCP's segments to AAL5 as long as TCP's window permits.
    fn send_segments<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        let App::Sender(sender) = &mut self.app else {
            return;
        };
        loop {
            let sent_before = sender.snd_max();
            let Some(segment) = sender.poll_segment(now) else {
                break;
            };
            if sender.is_repetition(&segment, sent_before) {
                let what = What::Retransmission {
                    seq: segment.sequence(),
                };
                out.log.note(now, self.channel, what);
            }
            if !self.queue.push(now, segment) {
                self.digest.add(now.0 ^ segment.sequence().unwrap_or(0));
                sender.on_transmitted(now, &segment);
                if self.queue.tells_tcp() {
                    sender.quench();
                }
                let what = What::Refusal {
                    seq: segment.sequence(),
                };
                out.log.note(now, self.channel, what);
            }
        }
        self.note_limits(now);
    }

    fn send_acks<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        let App::Receiver(receiver) = &mut self.app else {
            return;
        };
        while let Some(ack) = receiver.poll_ack(now) {
            if receiver.is_repetition(&ack) {
                let what = What::Retransmission { seq: None };
                out.log.note(now, self.channel, what);
            }
            if !self.queue.push(now, ack) {
                let what = What::Refusal {
                    seq: ack.handshake().is_none().then_some(ack.ack()),
                };
                out.log.note(now, self.channel, what);
            }
        }
        self.note_limits(now);
    }

    fn note_event(&self, now: Ps, event: Option<TcpEvent>, log: &mut Log) {
        let seq = match event {
            Some(TcpEvent::Timeout { seq, .. }) => Some(seq),
            Some(TcpEvent::SynTimeout { .. }) => None,
            Some(TcpEvent::FastRetransmit { .. }) | None => return,
        };
        log.note(now, self.channel, What::Timeout { seq });
    }

    /// Updates for how long each of two limits has held the flow. Rate-limited: cells wait in the source queue.
    /// Window-limited: no cells wait, TCP has data, and its window is exhausted (Kalyanaraman 1997, section
    /// 8.14.2 item 2).
    fn note_limits(&mut self, now: Ps) {
        let rate = self.data_waiting();
        let window =
            !rate && matches!(&self.app, App::Sender(sender) if sender.is_window_limited());
        self.rate_limited.set(now, rate as u8 as f64);
        self.window_limited.set(now, window as u8 as f64);
    }

    /// Replaces the settings of the terminal's flow from `now` on. The state of the terminal is
    /// kept.
    pub fn change(&mut self, now: Ps, to: &FlowChange) {
        if let Some(source) = self.shaper.abr_mut() {
            source.change(&to.abr);
        }
        match &mut self.app {
            App::Cells(cells) => cells.change(now, &to.source),
            // A source sends nothing before its start.
            App::Sender(sender) => sender.withhold(now.max(self.start), !to.sends),
            _ => {}
        }
        self.sends = to.sends;
        self.now = self.now.max(now);
        self.note_limits(now);
        self.note_wake();
    }

    /// Sets the credit limit of the channel at `now`, as [`crate::credit`] defines it.
    pub fn set_limit(&mut self, now: Ps, limit: u32) {
        let Shaper::Credited(source) = &mut self.shaper else {
            return;
        };
        source.set_limit(limit);
        self.now = self.now.max(now);
        self.note_shaper();
    }
}
