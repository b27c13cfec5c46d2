//! Bursts for segmentation offload. Their size under a pace is that of Linux (`tcp_tso_autosize` of
//! `net/ipv4/tcp_output.c`): the bytes of 1/1024 s (`sk_pacing_shift` of 10), in whole segments, two at least
//! (`tcp_min_tso_segs`), and the interface's most at most. Not modelled: Linux may wait for a greater burst
//! (`tcp_tso_should_defer`), and makes it greater on short round trips (`tcp_tso_rtt_log`).

use super::TcpSender;
use crate::kernel::Ps;

/// Time in which the pace sends a burst.
const SPAN: Ps = Ps(Ps::from_s(1).0 >> 10);

/// Fewest segments of a paced burst.
const LEAST: u64 = 2;

/// Bursts of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tso {
    /// Most segments of a burst.
    most: u64,
    /// Time of the last paced burst, and the segments that it may have yet.
    at: Ps,
    left: u64,
}

impl Tso {
    /// Bursts of at most `bytes` bytes in segments of `mss`.
    pub fn new(bytes: u64, mss: u64) -> Tso {
        Tso {
            most: bytes / mss,
            at: Ps::NEVER,
            left: 0,
        }
    }

    /// A segment was sent, after which the pace has a gap; it begins a burst if the pace had come to
    /// `paced_until`.
    pub fn on_sent(&mut self, now: Ps, gap: Ps, paced_until: Ps) {
        if now >= paced_until {
            self.at = now;
            self.left = (SPAN.0 / gap.0).max(LEAST).min(self.most);
        }
        self.left -= 1;
    }
}

impl TcpSender {
    /// True if a segment at `now` belongs to a burst that has begun at this instant.
    pub(super) fn continues_burst(&self, now: Ps) -> bool {
        let tso = self.tso.as_ref();
        tso.is_some_and(|tso| tso.at == now && tso.left > 0)
    }

    /// Most segments that are handed to the interface at once; `None` without `tso`.
    #[inline]
    pub fn most_of_burst(&self) -> Option<u64> {
        self.tso.as_ref().map(|tso| tso.most)
    }
}
