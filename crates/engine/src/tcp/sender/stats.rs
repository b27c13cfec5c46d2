//! Events and counts of a TCP sender.

use crate::kernel::Ps;

/// Reaction of a TCP sender to a loss, for the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TcpEvent {
    /// The retransmission timer expired; everything from `seq` on is sent again.
    Timeout {
        /// Position in bytes of the oldest byte not acknowledged (snd_una).
        seq: u64,
        /// ssthresh after the timeout, in bytes.
        ssthresh: u64,
        /// Number of timeouts since the last valid sample of the round trip, including this
        /// timeout.
        backoff: u32,
    },
    /// The retransmission timer expired before the connection was established; the SYN is sent
    /// again.
    SynTimeout {
        /// Number of timeouts since the last valid sample of the round trip, including this
        /// timeout.
        backoff: u32,
    },
    /// The third duplicate acknowledgement arrived; the segment at `seq` is sent again at once.
    FastRetransmit {
        /// Position in bytes of the oldest byte not acknowledged (snd_una).
        seq: u64,
        /// ssthresh after the reaction, in bytes.
        ssthresh: u64,
    },
}

/// Counts of a TCP sender since the start of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Segments with payload sent, including retransmissions.
    pub segments_sent: u64,
    /// Payload bytes sent for the first time.
    pub bytes_sent_once: u64,
    /// Segments with bytes that had been sent before.
    pub segments_retransmitted: u64,
    /// Payload bytes sent again.
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Number of `timeouts` that F-RTO has found to be spurious.
    pub spurious_timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Reactions to ECN-Echo, at most one per window of data. Under `bbr` they do not change the
    /// window.
    pub ecn_reactions: u64,
    /// Acknowledgements that count as duplicates.
    pub dup_acks: u64,
    /// Round trips measured.
    pub rtt_samples: u64,
    /// Slow starts after an idle time (`idle_restart`).
    pub idle_restarts: u64,
    /// Time at which the retransmission timer expired last; `None` if it has never expired.
    pub last_timeout: Option<Ps>,
}
