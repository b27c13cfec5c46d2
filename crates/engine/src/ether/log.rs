//! The event log: losses and marks of frames at switches, timeouts and retransmissions at hosts.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::frame::Packet;
use super::roce;
use crate::kernel::Ps;
use crate::net::{ChannelId, EventKinds};

/// Reason why a frame was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The frame did not fit into the queue, the shared memory or the headroom of PFC.
    Overflow,
    /// Active queue management dropped the frame.
    Early,
    /// The frame was a flow credit of ExpressPass and met a full queue of flow credits.
    CreditLimit,
    /// The frame had an errored bit, which its receiver found by the FCS.
    BitErrors,
}

/// Kind of an event in the event log of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A port dropped a frame, or a receiver dropped it by its FCS.
    Loss(Cause),
    /// A retransmission timer expired.
    Timeout,
    /// TCP sent a segment again, or RoCE a packet.
    Retransmission,
    /// A port set CE on a frame (RFC 3168 section 5).
    Mark,
}

/// A logged event of one channel at one place in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time of the event.
    pub at: Ps,
    /// Channel of the event.
    pub channel: ChannelId,
    /// Index of the link that the port of the event feeds, or by which an errored frame arrived; `None` at a
    /// host.
    pub link: Option<u32>,
    /// Kind of the event.
    pub kind: Kind,
    /// Sequence number in bytes: at a timeout the number of the oldest byte not acknowledged, otherwise the
    /// number of the segment's first byte, or the number that an acknowledgement carries. Over RoCE it is the
    /// packet number times the bytes of a full payload. `None` for a SYN, a SYN-ACK, a CNP and a datagram.
    pub seq: Option<u64>,
}

/// A logged event, before its channel is looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    pub(super) at: Ps,
    /// Label of the frame at the switch; 0 at a host.
    pub(super) label: u32,
    link: Option<u32>,
    pub(super) kind: Kind,
    /// Sequence number in bytes; over RoCE in packets.
    seq: Option<u64>,
}

impl Noted {
    /// The event, for `channel`. The sequence number of the log is in units of `unit` bytes.
    pub(super) fn of(&self, channel: ChannelId, unit: u64) -> Event {
        Event {
            at: self.at,
            channel,
            link: self.link,
            kind: self.kind,
            seq: self.seq.map(|seq| seq.saturating_mul(unit)),
        }
    }
}

/// Logged events of a switch, or of an endpoint of a host, up to a limit on their number.
#[derive(Clone, Debug)]
pub struct Log {
    kinds: EventKinds,
    limit: usize,
    /// Events in the order in which they were stored.
    pub(super) noted: Vec<Noted>,
    /// Number of events that were not stored because the limit had been reached.
    pub(super) omitted: u64,
}

impl Log {
    pub(super) fn new(kinds: EventKinds, limit: usize) -> Box<Log> {
        Box::new(Log {
            kinds,
            limit,
            noted: Vec::new(),
            omitted: 0,
        })
    }

    /// Bytes of the simulator's memory that are allocated for the log.
    pub(super) fn storage(&self) -> usize {
        self.noted.capacity() * size_of::<Noted>()
    }
    /// Stops storing events; later events are only counted.
    pub(super) fn close(&mut self) {
        self.limit = self.noted.len();
    }
    /// Stores an event of the frame with `label` at the port that feeds `link`, or, for an errored frame, at the
    /// node where `link` ends.
    pub(super) fn at_port(
        &mut self,
        at: Ps,
        (label, link): (u32, u32),
        kind: Kind,
        packet: &Packet,
    ) {
        self.add(Noted {
            at,
            label,
            link: Some(link),
            kind,
            seq: sequence(packet),
        });
    }
    /// Stores an event of an endpoint.
    pub(super) fn at_end(&mut self, at: Ps, kind: Kind, seq: Option<u64>) {
        self.add(Noted {
            at,
            label: 0,
            link: None,
            kind,
            seq,
        });
    }
    fn add(&mut self, noted: Noted) {
        let wanted = match noted.kind {
            Kind::Loss(_) => self.kinds.loss,
            Kind::Timeout => self.kinds.timeout,
            Kind::Retransmission => self.kinds.retransmission,
            Kind::Mark => self.kinds.mark,
        };
        if !wanted {
        } else if self.noted.len() < self.limit {
            self.noted.push(noted);
        } else {
            self.omitted += 1;
        }
    }
}

/// Sequence number of the data in a packet, or the number that an acknowledgement carries.
fn sequence(packet: &Packet) -> Option<u64> {
    match packet {
        Packet::Tcp(segment) => {
            let acked = || segment.handshake().is_none().then(|| segment.ack());
            segment.sequence().or_else(acked)
        }
        Packet::Roce(packet) => (packet.kind != roce::packet::Kind::Cnp).then_some(packet.psn),
        Packet::Udp(_)
        | Packet::Rates { .. }
        | Packet::Credit { .. }
        | Packet::Pause(_)
        | Packet::Credits(_)
        | Packet::Hop(_) => None,
    }
}
