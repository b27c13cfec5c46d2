//! Smoothed round trip by an exact clock, for recoveries that need more precision than the ticks of
//! the retransmission timer.

use crate::kernel::Ps;

/// SRTT and RTTVAR of RFC 6298 section 2 in picoseconds, without granularity or minimum.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundTrip {
    /// SRTT and RTTVAR in picoseconds; `None` before the first sample.
    smoothed: Option<(u64, u64)>,
}

impl RoundTrip {
    /// Adds a sample of a round trip.
    pub fn on_sample(&mut self, rtt: Ps) {
        self.smoothed = Some(match self.smoothed {
            None => (rtt.0, rtt.0 / 2), // (2.2)
            Some((srtt, rttvar)) => {
                let rttvar = rttvar - rttvar / 4 + srtt.abs_diff(rtt.0) / 4; // (2.3)
                (srtt - srtt / 8 + rtt.0 / 8, rttvar) // (2.3)
            }
        });
    }
    /// SRTT; zero before the first sample.
    pub fn srtt(&self) -> Ps {
        Ps(self.smoothed.map_or(0, |(srtt, _)| srtt))
    }
    /// SRTT + 4 RTTVAR (2.3), `None` before the first sample.
    pub fn timeout(&self) -> Option<Ps> {
        let (srtt, rttvar) = self.smoothed?;
        Some(Ps(srtt.saturating_add(rttvar.saturating_mul(4))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_smoothed_as_in_rfc_6298() {
        let mut round_trip = RoundTrip::default();
        assert_eq!((round_trip.srtt(), round_trip.timeout()), (Ps::ZERO, None));
        round_trip.on_sample(Ps::from_us(800));
        // SRTT 800, RTTVAR 400: 800 + 4 * 400 = 2400 us.
        assert_eq!(round_trip.srtt(), Ps::from_us(800));
        assert_eq!(round_trip.timeout(), Some(Ps::from_us(2_400)));
        round_trip.on_sample(Ps::from_us(1_600));
        // RTTVAR = 3/4 * 400 + 1/4 * 800 = 500; SRTT = 7/8 * 800 + 1/8 * 1600 = 900.
        assert_eq!(round_trip.srtt(), Ps::from_us(900));
        assert_eq!(round_trip.timeout(), Some(Ps::from_us(2_900)));
    }
}
