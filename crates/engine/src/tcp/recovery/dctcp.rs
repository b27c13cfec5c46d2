//! DCTCP (RFC 8257): the window falls in proportion to the share of the data that queues have
//! marked.
//!
//! The connection uses ECN. Its receiver acknowledges at once when the CE mark changes from one
//! packet to the next, so each acknowledgement covers only marked or only unmarked data (RFC 8257
//! section 3.2). The sender estimates the share of marked bytes once per window of data (3.3). Losses
//! are repaired as by `sack`. The window grows as in RFC 5681 (3.4, 3.5).
//!
//! The estimate is a floating-point number; the RFC has a real number. A fixed-point estimate in units of 1/1024
//! with g = 1/16 would stop falling at 15/1024. Marks leave a window of at least two segments, as after a loss
//! (RFC 5681 (4)), and as in Linux.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::require;
use super::sack::Sack;
use super::{Ack, Facts, Loss, RecoveryPolicy};
use crate::tcp::window::Window;

/// An estimate below this value becomes 0: it would reduce the largest window, 2^32 - 1 bytes, by
/// less than one byte.
const LEAST_ALPHA: f64 = 1.0 / (1u64 << 32) as f64;

/// Parameters of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DctcpConfig {
    /// g: weight of the last window of data in the estimate of the share of marked bytes (RFC 8257
    /// section 4.2).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log" }))]
    pub g: f64,
    /// Estimated share of marked bytes at the start (DCTCP.Alpha). With 1 the first mark halves the
    /// window.
    #[schemars(extend("x-search" = { "low": 0, "high": 1, "scale": "linear" }))]
    pub initial_alpha: f64,
}

impl DctcpConfig {
    /// The values of RFC 8257 sections 3.3 and 4.2.
    pub const DEFAULT: DctcpConfig = DctcpConfig {
        g: 1.0 / 16.0,
        initial_alpha: 1.0,
    };

    /// Refuses values with which no connection can run.
    pub fn check(&self) -> Result<(), String> {
        let weight = self.g > 0.0 && self.g <= 1.0;
        require("recovery.g", weight, self.g, "above 0, at most 1")?;
        require(
            "recovery.initial_alpha",
            (0.0..=1.0).contains(&self.initial_alpha),
            self.initial_alpha,
            "0 to 1",
        )
    }
}

impl Default for DctcpConfig {
    fn default() -> DctcpConfig {
        DctcpConfig::DEFAULT
    }
}

/// The state of DCTCP at one sender. Names are those of RFC 8257 section 3.3.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp {
    g: f64,
    /// DCTCP.Alpha: estimated share of marked bytes.
    alpha: f64,
    /// DCTCP.BytesAcked: bytes acknowledged in the present window of data.
    bytes_acked: u64,
    /// DCTCP.BytesMarked: how many of the bytes counted in `bytes_acked` the receiver reports as marked.
    bytes_marked: u64,
    /// DCTCP.WindowEnd: the position at which the present window of data ends.
    window_end: u64,
}

impl Dctcp {
    /// State of DCTCP before the first acknowledgement.
    pub fn new(_: Facts, parameters: &DctcpConfig) -> Dctcp {
        Dctcp {
            g: parameters.g,
            alpha: parameters.initial_alpha, // 3.3: SHOULD be initialised to 1
            bytes_acked: 0,
            bytes_marked: 0,
            window_end: 0, // 3.3: SND.UNA
        }
    }
}

impl RecoveryPolicy for Dctcp {
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        Sack.on_timeout(window, loss); // 3.5
    }

    fn on_selective_loss(&mut self, window: &mut Window, loss: &Loss) {
        Sack.on_selective_loss(window, loss); // 3.5
    }

    fn recovers_fully(&self) -> bool {
        true
    }

    // The window grows by RFC 5681 (2) and (3).
    fn grow(&mut self, window: &mut Window, ack: &Ack) {
        let increment = if window.cwnd < window.ssthresh {
            ack.acked.min(window.mss)
        } else {
            window.linear_increment()
        };
        window.open(increment);
    }

    // Section 3.3, steps 1 to 8.
    fn on_marks(&mut self, ack: &Ack) {
        self.bytes_acked += ack.acked; // 1, 2
        if ack.ece {
            self.bytes_marked += ack.acked; // 3
        }
        if ack.snd_una <= self.window_end {
            return; // 4
        }
        let m = self.bytes_marked as f64 / self.bytes_acked as f64; // 5
        self.alpha = self.alpha * (1.0 - self.g) + self.g * m; // 6
        if self.alpha < LEAST_ALPHA {
            self.alpha = 0.0;
        }
        self.window_end = ack.snd_max; // 7
        (self.bytes_acked, self.bytes_marked) = (0, 0); // 8
    }

    // Section 3.3: cwnd = cwnd * (1 - DCTCP.Alpha / 2).
    fn on_ecn_echo(&mut self, window: &mut Window, _loss: &Loss) {
        let reduced = (window.cwnd as f64 * (1.0 - self.alpha / 2.0)) as u64;
        window.ssthresh = reduced.max(2 * window.mss);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1_000;

    fn dctcp(initial_alpha: f64) -> Dctcp {
        let parameters = DctcpConfig {
            initial_alpha,
            ..DctcpConfig::DEFAULT
        };
        Dctcp::new(Facts::of_test(1, 1), &parameters)
    }

    /// Acknowledges a window of `segments` segments, of which the first `marked` are reported as
    /// marked.
    fn window_of(policy: &mut Dctcp, segments: u64, marked: u64) {
        let (from, snd_max) = (policy.window_end, policy.window_end + 2 * segments * MSS);
        // The first acknowledgement above the end of the observation window ends it.
        for number in 1..=segments {
            policy.on_marks(&Ack {
                acked: MSS,
                snd_una: from + number * MSS - (segments - 1) * MSS,
                snd_max,
                ece: number <= marked,
                ..Ack::default()
            });
        }
    }

    #[test]
    fn without_marks_the_estimate_falls_by_a_sixteenth_per_window_and_reaches_zero() {
        let mut policy = dctcp(1.0);
        policy.window_end = 100 * MSS;
        let alphas: [f64; 72] = core::array::from_fn(|_| {
            window_of(&mut policy, 10, 0);
            policy.alpha
        });
        // 15/16, (15/16)^2: exact in binary.
        assert_eq!(alphas[..2], [0.937_5, 0.878_906_25]);
        // (15/16)^71 = 0.01023, (15/16)^72 = 0.00959.
        assert!(alphas[70] > 0.01 && alphas[71] < 0.01, "{alphas:?}");
        // (15/16)^343 = 2^-31.94, (15/16)^344 = 2^-32.03.
        (72..343).for_each(|_| window_of(&mut policy, 10, 0));
        assert!(policy.alpha > 0.0);
        window_of(&mut policy, 10, 0);
        assert_eq!(policy.alpha, 0.0);
    }

    #[test]
    fn marks_count_by_their_bytes() {
        let mut policy = dctcp(0.5);
        policy.window_end = 100 * MSS;
        // 15/16 / 2 + 1/16 * 3/4 = 33/64.
        window_of(&mut policy, 4, 3);
        assert_eq!(policy.alpha, 33.0 / 64.0);
    }

    #[test]
    fn marks_take_half_of_their_share_of_the_window() {
        for (alpha, cwnd) in [(1.0, 50_000), (0.5, 75_000), (0.0, 100_000)] {
            let mut window = Facts::of_test(100, 1_000).window;
            dctcp(alpha).on_ecn_echo(&mut window, &Loss::default());
            assert_eq!((window.cwnd, window.ssthresh), (cwnd, cwnd));
        }
    }

    #[test]
    fn marks_leave_two_segments_unless_the_window_was_smaller() {
        for (segments, left) in [(3, 2), (1, 1)] {
            let mut window = Facts::of_test(segments, 1_000).window;
            dctcp(1.0).on_ecn_echo(&mut window, &Loss::default());
            assert_eq!((window.cwnd, window.ssthresh), (left * MSS, 2 * MSS));
        }
    }
}
