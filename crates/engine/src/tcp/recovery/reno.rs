//! 4.3BSD Reno: fast retransmit and fast recovery (RFC 2001).

use super::{Ack, Loss, RecoveryPolicy, Resend};
use crate::tcp::window::Window;

/// At the third duplicate acknowledgement cwnd becomes ssthresh plus the three segments that left
/// the network. Each further duplicate adds one segment. An acknowledgement of new data reduces
/// cwnd to ssthresh.
#[derive(Clone, Copy, Debug)]
pub struct Reno;

impl RecoveryPolicy for Reno {
    fn on_third_dup_ack(&mut self, window: &mut Window, loss: &Loss) -> Option<Resend> {
        if !loss.reduced {
            window.ssthresh = window.half(); // RFC 2001 section 4, step 1
        }
        window.cwnd = window.ssthresh + 3 * window.mss; // RFC 2001 section 4, step 1
        Some(Resend::Oldest)
    }

    fn on_further_dup_ack(&mut self, window: &mut Window) {
        window.cwnd += window.mss; // RFC 2001 section 4, step 2
    }

    // RFC 2001 section 4, step 3, also reduces cwnd after exactly three duplicates; Net/3 only
    // after more than three.
    fn on_recovered(&mut self, window: &mut Window, _ack: &Ack) {
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn grow(&mut self, window: &mut Window, _ack: &Ack) {
        window.grow_as_bsd();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_inflated_by_each_duplicate_and_deflated_to_ssthresh() {
        let mut w = Window {
            cwnd: 8_192,
            ssthresh: 65_536,
            rwnd: 65_536,
            mss: 512,
            cap: 65_536,
            extra: 0,
        };
        assert_eq!(
            Reno.on_third_dup_ack(&mut w, &Loss::default()),
            Some(Resend::Oldest)
        );
        // 8,192 / 2 = 4,096; + 3 * 512 = 5,632
        assert_eq!((w.ssthresh, w.cwnd), (4_096, 5_632));
        Reno.on_further_dup_ack(&mut w);
        assert_eq!(w.cwnd, 6_144);
        Reno.on_recovered(&mut w, &Ack::default());
        assert_eq!(w.cwnd, 4_096);
    }
}
