//! Events and counts of a sender.

use crate::kernel::Ps;

/// Reaction of a sender to a loss, for the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TcpEvent {
    /// The retransmission timer expired; everything from `seq` on is sent again.
    Timeout {
        /// snd_una in bytes.
        seq: u64,
        /// ssthresh after the timeout, in bytes.
        ssthresh: u64,
        /// Timeouts since the last valid sample of the round trip, including this timeout.
        backoff: u32,
    },
    /// The retransmission timer expired before the connection was established; the SYN is sent
    /// again.
    SynTimeout {
        /// Timeouts since the last valid sample of the round trip, including this timeout.
        backoff: u32,
    },
    /// The third duplicate acknowledgement; the segment at `seq` is sent again at once.
    FastRetransmit {
        /// snd_una in bytes.
        seq: u64,
        /// ssthresh after the reaction, in bytes.
        ssthresh: u64,
    },
}

/// Counts since the start of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Segments with payload sent, retransmissions included.
    pub segments_sent: u64,
    /// Payload bytes sent for the first time.
    pub bytes_sent_once: u64,
    /// Segments with bytes that had been sent before.
    pub segments_retransmitted: u64,
    /// Payload bytes sent again.
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Of these, those that F-RTO has found to be spurious.
    pub spurious_timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Reactions to ECN-Echo, one per window of data at most; under `bbr` they leave the window as it
    /// is.
    pub ecn_reactions: u64,
    /// Duplicate acknowledgements counted as such.
    pub dup_acks: u64,
    /// Round trips measured.
    pub rtt_samples: u64,
    /// Slow starts after an idle time.
    pub idle_restarts: u64,
    /// Time of the last expiry of the retransmission timer.
    pub last_timeout: Option<Ps>,
}
