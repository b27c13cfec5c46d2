//! One TCP connection over one link that loses and delays chosen packets, on a line that other
//! simulators have, too: with the engine's sender or with the plain one, and traces of the events
//! at the sender.

pub mod compare;
pub mod engine;
pub mod line;
pub mod pattern;
pub mod plain;
pub mod trace;
pub mod variant;
pub mod windows;

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::{Segment, TcpConfig, TcpReceiver};

use self::line::Line;
use self::pattern::Pattern;
use self::trace::{Event, Row};

/// A sender with an endless supply of data.
pub trait Sender {
    /// The next segment that may be sent.
    fn poll(&mut self, now: Ps) -> Option<Segment>;
    /// Handles an acknowledgement.
    fn on_ack(&mut self, now: Ps, ack: &Segment);
    /// Time at which [`Sender::on_timer`] is due.
    fn next_timer(&self) -> Ps;
    /// Handles the expiry of the retransmission timer.
    fn on_timer(&mut self, now: Ps);
    /// cwnd in packets, without inflation by duplicates.
    fn cwnd(&self) -> f64;
}

/// Sizes of packets on the line, which has 1 Mbit/s and 40 ms each way.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Bytes of a data packet.
    pub data: u64,
    /// Bytes of an acknowledgement.
    pub ack: u64,
    /// Bytes that are added if there are any SACK blocks. `block` is the number of bytes for each
    /// block.
    pub option: u64,
    pub block: u64,
    /// Bytes that are sent on the line just before the first data packet.
    pub before: u64,
}

/// One TCP connection over a line that loses packets by a pattern.
pub struct Connection<S> {
    now: Ps,
    mss: u64,
    sizes: Sizes,
    /// Sender of the connection.
    pub sender: S,
    receiver: TcpReceiver,
    there: Line,
    back: Line,
    /// Events at the sender.
    pub rows: Vec<Row>,
}

impl<S: Sender> Connection<S> {
    /// The connection of `config` on a line with the losses and delays of `pattern`.
    pub fn new(sender: S, config: &TcpConfig, sizes: Sizes, pattern: &Pattern) -> Connection<S> {
        let (mss, receiver) = (config.mss.0, TcpReceiver::new(config));
        let (there, back) = (
            Line::there(pattern, Ps::from_us(8 * sizes.before)),
            Line::back(pattern),
        );
        Connection {
            now: Ps::ZERO,
            mss,
            sizes,
            sender,
            receiver,
            there,
            back,
            rows: Vec::new(),
        }
    }

    /// Runs to `end`, including all events of that instant.
    pub fn run(mut self, end: Ps) -> Connection<S> {
        while self.now <= end {
            while let Some(segment) = self.sender.poll(self.now) {
                let packet = segment.sequence().unwrap() / self.mss;
                self.note(Event::Send, packet);
                self.there.send(self.now, self.sizes.data, segment, packet);
            }
            let timers = self.sender.next_timer().min(self.receiver.next_timer());
            self.now = self.there.next().min(self.back.next()).min(timers);
            if self.now <= end {
                self.step();
            }
        }
        self
    }

    fn step(&mut self) {
        if let Some((segment, marked)) = self.there.arrival(self.now) {
            self.receiver.on_packet(self.now, &segment, marked);
            self.acknowledge();
        } else if let Some((ack, _)) = self.back.arrival(self.now) {
            self.sender.on_ack(self.now, &ack);
            self.note(Event::Ack, ack.ack() / self.mss);
        } else if self.receiver.next_timer() == self.now {
            self.receiver.on_timer(self.now);
            self.acknowledge();
        } else {
            self.sender.on_timer(self.now);
        }
    }

    fn acknowledge(&mut self) {
        if let Some(ack) = self.receiver.poll_ack(self.now) {
            let blocks = ack.blocks().above(ack.ack()).count() as u64;
            let option = if blocks > 0 {
                self.sizes.option + blocks * self.sizes.block
            } else {
                0
            };
            self.back.send(self.now, self.sizes.ack + option, ack, 0);
        }
    }

    fn note(&mut self, event: Event, packet: u64) {
        let row = Row {
            time_us: self.now.0 / 1_000_000,
            event,
            packet,
            cwnd: self.sender.cwnd(),
        };
        self.rows.push(row);
    }
}
