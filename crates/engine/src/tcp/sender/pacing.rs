//! Pacing: spreads the bytes of a window over the round trip.
//!
//! The rate is that of Linux (`tcp_update_pacing_rate` of `net/ipv4/tcp_input.c`, with the ratios
//! `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`) and of ns-3
//! (`TcpSocketBase::UpdatePacingRate`). This rate is a ratio times the greater of cwnd and the
//! outstanding data, divided by SRTT. As in both, the first window is sent at once, because no
//! round trip has been measured yet.

use crate::kernel::Ps;
use crate::tcp::recovery::Delivery;
use crate::tcp::recovery::round_trip::RoundTrip;
use crate::tcp::window::Window;

/// Pace in per cent of cwnd / SRTT while cwnd is below half of ssthresh, where cwnd may double in a
/// round trip.
const SLOW_START: u64 = 200;
/// Pace in per cent of cwnd / SRTT from half of ssthresh on.
const CONGESTION_AVOIDANCE: u64 = 120;

/// State of the pacing of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacer {
    round_trip: RoundTrip,
}

impl Pacer {
    /// Adds the round trip that an acknowledgement measures, if any.
    pub fn on_delivery(&mut self, delivery: Option<Delivery>) {
        if let Some(rtt) = delivery.and_then(|delivery| delivery.rtt) {
            self.round_trip.on_sample(rtt);
        }
    }

    /// Least time from a segment of `bytes` bytes to the next segment while `flight` bytes are outstanding;
    /// `None` before the first round trip is measured.
    pub fn gap(&self, window: &Window, flight: u64, bytes: u64) -> Option<Ps> {
        let srtt = self.round_trip.srtt();
        let ratio = if window.cwnd < window.ssthresh / 2 {
            SLOW_START
        } else {
            CONGESTION_AVOIDANCE
        };
        let spread = ratio as u128 * window.cwnd.max(flight) as u128;
        let gap = bytes as u128 * 100 * srtt.0 as u128 / spread;
        (srtt > Ps::ZERO).then_some(Ps(gap as u64))
    }
}
