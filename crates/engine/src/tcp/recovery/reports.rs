//! The sender's reports to a recovery policy: of an acknowledgement and of a loss.

use crate::kernel::Ps;

/// Report of an acknowledgement, made after the sender has processed it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// Time at which the acknowledgement arrived.
    pub now: Ps,
    /// Number of bytes that this acknowledgement newly acknowledges cumulatively; 0 for a
    /// duplicate.
    pub acked: u64,
    /// Position of the oldest byte not acknowledged.
    pub snd_una: u64,
    /// Position after the highest byte ever sent.
    pub snd_max: u64,
    /// True if less than a full segment was left to send before the acknowledgement, because of the application or
    /// of the receive window. False if segments that cwnd permits wait for the host's line or for their pace.
    pub starved: bool,
    /// True if the acknowledgement carries ECN-Echo: the receiver reports marked data.
    pub ece: bool,
    /// Data delivered; `None` unless the policy needs this
    /// ([`super::RecoveryPolicy::needs_delivery`]).
    pub delivery: Option<Delivery>,
}

impl Ack {
    /// Number of outstanding bytes: FlightSize (RFC 5681 section 2).
    pub fn flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }
    /// The round trip that the acknowledgement measures; `None` if it measures none.
    pub fn rtt(&self) -> Option<Ps> {
        self.delivery?.rtt
    }
}

/// Knowledge from an acknowledgement about the delivery of segments. The sender computes it from the record that it
/// keeps of each segment sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delivery {
    /// Round trip of the newest segment that the acknowledgement reports, by an exact clock: from its hand-over
    /// to IP, or with `rtt_excludes_transmission` from its last bit on the line. `None` if the acknowledgement
    /// reports no new segment, or if the segment was sent twice (Karn; RFC 6298 section 3).
    pub rtt: Option<Ps>,
    /// Number of bytes known to have arrived since the start of the connection, in order or not
    /// (C.delivered).
    pub delivered: u64,
    /// Those of the bytes counted in `delivered` that this acknowledgement is the first to report.
    pub newly: u64,
    /// Number of bytes that the acknowledgement shows to be lost, because three segments above them are reported
    /// (RFC 6675 IsLost). After a timeout, only data sent for the first time since then count. 0 without
    /// selective acknowledgements.
    pub lost: u64,
    /// Number of bytes in flight before the acknowledgement: sent, and neither reported nor lost (RFC 6675
    /// SetPipe).
    pub pipe_before: u64,
    /// Number of bytes in flight after the acknowledgement.
    pub pipe: u64,
    /// Sample of the rate at which the path delivers; `None` if the acknowledgement gives none.
    pub rate: Option<RateSample>,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation-00 section 3.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Delivery rate in bytes per second, measured over the round trip of the newest segment that the
    /// acknowledgement reports.
    pub bytes_per_second: f64,
    /// Value of [`Delivery::delivered`] at the time when the newest reported segment was sent.
    pub prior_delivered: u64,
    /// True if the rate may be below that of the path: during the sample the sender had no data, or the policy
    /// limited the sender.
    pub app_limited: bool,
}

/// Report of a loss, made when the sender detects it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Time at which the loss is detected.
    pub now: Ps,
    /// Number of outstanding bytes; with selective acknowledgements, at the first duplicate (RFC
    /// 6675 section 5 step 4.2).
    pub flight: u64,
    /// Position after the highest byte ever sent.
    pub snd_max: u64,
    /// Number of duplicate acknowledgements that showed the loss.
    pub dup_acks: u32,
    /// True if ECN marks reduced the window after the lost data were sent. A fast retransmission then does not
    /// reduce the window again (RFC 3168 section 6.1.2).
    pub reduced: bool,
}
