//! The sender's reports to a recovery policy: an acknowledgement, and a loss.

use crate::kernel::Ps;

/// An acknowledgement, after it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// Time at which the acknowledgement arrived.
    pub now: Ps,
    /// Bytes that this acknowledgement is the first to acknowledge cumulatively; 0 for a duplicate.
    pub acked: u64,
    /// Oldest byte not acknowledged.
    pub snd_una: u64,
    /// One above the highest byte ever sent.
    pub snd_max: u64,
    /// True if the acknowledgement carries ECN-Echo: the receiver reports marked data.
    pub ece: bool,
    /// Data delivered; only for policies that need them ([`super::RecoveryPolicy::needs_delivery`]).
    pub delivery: Option<Delivery>,
}

impl Ack {
    /// Bytes outstanding: FlightSize (RFC 5681 section 2).
    pub fn flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }
    /// The round trip that the acknowledgement measures.
    pub fn rtt(&self) -> Option<Ps> {
        self.delivery?.rtt
    }
}

/// Knowledge of the delivery of segments, from a record of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delivery {
    /// Round trip of the newest segment that the acknowledgement reports, by an exact clock, from
    /// its hand-over to IP; with `rtt_excludes_transmission` from its last cell. `None` if the
    /// acknowledgement reports nothing new, or a segment that was sent twice (Karn; RFC 6298
    /// section 3).
    pub rtt: Option<Ps>,
    /// Bytes known to have arrived since the start of the connection, out of order or not
    /// (C.delivered).
    pub delivered: u64,
    /// Of these, bytes that this acknowledgement reports.
    pub newly: u64,
    /// Bytes that it shows to be lost: below three reported segments (RFC 6675 IsLost); after a
    /// timeout, only of data sent for the first time since then. 0 without selective
    /// acknowledgements.
    pub lost: u64,
    /// Bytes on their way before it: sent, and neither reported nor lost (RFC 6675 SetPipe).
    pub pipe_before: u64,
    /// Bytes on their way after it.
    pub pipe: u64,
    /// The rate at which the path delivers.
    pub rate: Option<RateSample>,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation-00 section 3.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes per second over the round trip of the newest segment that was reported.
    pub bytes_per_second: f64,
    /// Value of [`Delivery::delivered`] when that segment was sent.
    pub prior_delivered: u64,
    /// True if the sender had nothing to send, or held back, during the sample.
    pub app_limited: bool,
}

/// A loss, when the sender detects it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Time of the detection.
    pub now: Ps,
    /// Bytes outstanding; with selective acknowledgements those at the first duplicate (RFC 6675
    /// section 5 step 4.2).
    pub flight: u64,
    /// One above the highest byte ever sent.
    pub snd_max: u64,
    /// Duplicate acknowledgements that showed it.
    pub dup_acks: u32,
    /// The window was reduced for ECN after the lost data were sent. A fast retransmission does not
    /// reduce it again (RFC 3168 section 6.1.2).
    pub reduced: bool,
}
