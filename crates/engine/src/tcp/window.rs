//! The congestion window of a sender and its bounds, in bytes.

/// cwnd, ssthresh and rwnd of a sender in bytes. The recovery policy changes cwnd and ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window, in bytes.
    pub cwnd: u64,
    /// Slow start threshold, in bytes.
    pub ssthresh: u64,
    /// Window that the receiver advertised last, in bytes.
    pub rwnd: u64,
    /// Payload of a full segment, in bytes.
    pub mss: u64,
    /// Greatest cwnd of the BSD policies in bytes: the receive window.
    pub cap: u64,
    /// Bytes added to every linear increase (MSS/8 in Net/3, else 0).
    pub extra: u64,
}

impl Window {
    /// Bytes that may be outstanding: the smaller of cwnd and rwnd (RFC 2001 section 2, step 2).
    #[inline]
    pub fn usable(&self) -> u64 {
        self.cwnd.min(self.rwnd)
    }
    /// Half the usable window in whole segments, at least two: ssthresh of 4.3BSD after a loss (RFC
    /// 2001 section 2, step 3). RFC 5681 (4) uses half of FlightSize instead.
    pub fn half(&self) -> u64 {
        (self.usable() / 2 / self.mss).max(2) * self.mss
    }
    /// Increase of cwnd per acknowledgement in congestion avoidance, in bytes, at least one: MSS^2
    /// / cwnd (Jacobson 1988, appendix B; RFC 5681 (3)).
    #[inline]
    pub fn linear_increment(&self) -> u64 {
        (self.mss * self.mss / self.cwnd).max(1) + self.extra
    }
    /// Growth of cwnd in 4.3BSD (RFC 2001 section 2, step 4). cwnd grows by one segment per acknowledgement up to
    /// and including ssthresh, and linearly above, at most to `cap`.
    #[inline]
    pub fn grow_as_bsd(&mut self) {
        let increment = if self.cwnd <= self.ssthresh {
            self.mss
        } else {
            self.linear_increment()
        };
        self.open(increment);
    }
    /// Adds `bytes` bytes to cwnd, but does not raise cwnd above `cap`.
    #[inline]
    pub fn open(&mut self, bytes: u64) {
        self.cwnd = (self.cwnd + bytes).min(self.cap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Bytes;
    use crate::tcp::TcpConfig;

    fn window(cwnd: u64, ssthresh: u64, net3_increment: bool) -> Window {
        let config = TcpConfig {
            mss: Bytes(1000),
            net3_increment,
            ..TcpConfig::default()
        };
        Window {
            cwnd,
            ssthresh,
            ..config.first_window()
        }
    }

    #[test]
    fn half_the_window_is_in_whole_segments_and_at_least_two() {
        // 9,900 / 2 / 1000 = 4 segments; rwnd 65,536 / 2 / 1000 = 32 segments.
        assert_eq!(window(9_900, 0, false).half(), 4_000);
        assert_eq!(window(900_000, 0, false).half(), 32_000);
        assert_eq!(window(1_000, 0, false).half(), 2_000);
    }

    #[test]
    fn bsd_grows_by_a_segment_up_to_ssthresh_and_by_mss_squared_over_cwnd_above() {
        let mut w = window(4_000, 4_000, false);
        w.grow_as_bsd();
        assert_eq!(w.cwnd, 5_000);
        // 1000 * 1000 / 5000 = 200
        w.grow_as_bsd();
        assert_eq!(w.cwnd, 5_200);
    }

    #[test]
    fn net3_adds_an_eighth_of_a_segment() {
        // 1000 * 1000 / 5000 + 1000 / 8 = 325
        assert_eq!(window(5_000, 4_000, true).linear_increment(), 325);
    }

    #[test]
    fn bsd_stops_at_the_receive_window() {
        let mut w = window(65_500, 65_536, false);
        w.grow_as_bsd();
        assert_eq!(w.cwnd, 65_536);
    }
}
