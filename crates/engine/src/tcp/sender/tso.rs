//! Bursts for segmentation offload. With pacing their size is that of Linux (`tcp_tso_autosize` of
//! `net/ipv4/tcp_output.c`): the bytes of 1/1024 s (`sk_pacing_shift` of 10) in whole segments, at
//! least two (`tcp_min_tso_segs`), and at most the greatest burst of the interface. Not modelled:
//! Linux may wait for a greater burst (`tcp_tso_should_defer`), and makes bursts greater on short
//! round trips (`tcp_tso_rtt_log`).

use super::TcpSender;
use crate::kernel::Ps;

/// A paced burst has the payload that the pace permits in this time: 1/1024 s.
const SPAN: Ps = Ps(Ps::from_s(1).0 >> 10);

/// Least number of segments in a paced burst.
const LEAST: u64 = 2;

/// State of the bursts of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tso {
    /// Greatest number of segments in a burst.
    most: u64,
    /// Time of the last paced burst. `left` is the number of segments that may still join this burst.
    at: Ps,
    left: u64,
}

impl Tso {
    /// Bursts of at most `bytes` bytes, in segments of `mss` bytes.
    pub fn new(bytes: u64, mss: u64) -> Tso {
        Tso {
            most: bytes / mss,
            at: Ps::NEVER,
            left: 0,
        }
    }

    /// Records a sent segment, after which the pace requires the time `gap`. If the pace has reached
    /// `paced_until`, the segment begins a burst.
    pub fn on_sent(&mut self, now: Ps, gap: Ps, paced_until: Ps) {
        if now >= paced_until {
            self.at = now;
            self.left = (SPAN.0 / gap.0).max(LEAST).min(self.most);
        }
        self.left -= 1;
    }
}

impl TcpSender {
    /// True if a segment sent at `now` joins a burst that began at this instant.
    pub(super) fn continues_burst(&self, now: Ps) -> bool {
        let tso = self.tso.as_ref();
        tso.is_some_and(|tso| tso.at == now && tso.left > 0)
    }

    /// Greatest number of segments that are passed to the interface at once; `None` without `tso`.
    #[inline]
    pub fn most_of_burst(&self) -> Option<u64> {
        self.tso.as_ref().map(|tso| tso.most)
    }
}
