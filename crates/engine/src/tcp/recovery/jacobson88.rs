//! Window control of Jacobson (1988) as used by Gerla et al. (1995, section III.B): losses are
//! detected by timeouts only. In congestion avoidance the window grows by a segment only after a
//! whole window has been acknowledged.

use super::{Ack, Loss, RecoveryPolicy};
use crate::tcp::window::Window;

/// The state of the policy at one sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jacobson88 {
    /// Bytes acknowledged since the last linear increase.
    acked: u64,
}

impl RecoveryPolicy for Jacobson88 {
    fn on_timeout(&mut self, window: &mut Window, _loss: &Loss) {
        self.acked = 0;
        window.ssthresh = window.half(); // Jacobson 1988, appendix B: half the window
        window.cwnd = window.mss; // Gerla et al. III.B: "reduced to MSS"
    }

    fn grow(&mut self, window: &mut Window, ack: &Ack) {
        if window.cwnd < window.ssthresh {
            return window.open(window.mss); // Gerla et al. III.B: MSS per acknowledgement
        }
        // Gerla et al. III.B: cwnd grows only when a whole window has been acknowledged.
        self.acked += ack.acked;
        if self.acked >= window.cwnd {
            self.acked = 0;
            window.open(window.mss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Ps;

    /// An acknowledgement of 512 bytes of new data.
    const ACK: Ack = Ack {
        now: Ps::ZERO,
        acked: 512,
        snd_una: 0,
        snd_max: 0,
        starved: false,
        ece: false,
        delivery: None,
    };

    #[test]
    fn above_ssthresh_a_whole_window_must_be_acknowledged_for_one_segment() {
        let mut w = Window {
            cwnd: 1_536,
            ssthresh: 2_048,
            rwnd: 65_536,
            mss: 512,
            cap: 65_536,
            extra: 0,
        };
        let mut policy = Jacobson88::default();
        policy.grow(&mut w, &ACK);
        assert_eq!(w.cwnd, 2_048);
        (0..3).for_each(|_| policy.grow(&mut w, &ACK));
        assert_eq!(w.cwnd, 2_048);
        policy.grow(&mut w, &ACK);
        assert_eq!(w.cwnd, 2_560);
    }

    #[test]
    fn a_timeout_forgets_what_was_acknowledged_before() {
        let mut w = Window {
            cwnd: 2_048,
            ssthresh: 2_048,
            rwnd: 65_536,
            mss: 512,
            cap: 65_536,
            extra: 0,
        };
        let mut policy = Jacobson88::default();
        (0..3).for_each(|_| policy.grow(&mut w, &ACK));
        policy.on_timeout(&mut w, &Loss::default());
        // ssthresh = 2 segments: one acknowledgement to reach it, then two for the next segment.
        let cwnds: [u64; 3] = core::array::from_fn(|_| (policy.grow(&mut w, &ACK), w.cwnd).1);
        assert_eq!(cwnds, [1_024, 1_024, 1_536]);
    }

    #[test]
    fn duplicates_never_retransmit() {
        let mut w = Window {
            cwnd: 8_192,
            ssthresh: 2_048,
            rwnd: 65_536,
            mss: 512,
            cap: 65_536,
            extra: 0,
        };
        let before = w;
        assert_eq!(
            Jacobson88::default().on_third_dup_ack(&mut w, &Loss::default()),
            None
        );
        assert_eq!(w, before);
    }
}
