//! NewReno: fast recovery that lasts until everything outstanding at its beginning is acknowledged
//! (RFC 6582).

use super::{Ack, Loss, RecoveryPolicy, Resend};
use crate::tcp::window::Window;

/// As Reno, with two differences. At a partial acknowledgement the next missing segment is sent again, and cwnd
/// is reduced by the acknowledged bytes less one segment. At the end of the recovery cwnd is the outstanding data
/// plus one segment, at most ssthresh.
#[derive(Clone, Copy, Debug)]
pub struct NewReno;

impl RecoveryPolicy for NewReno {
    fn on_third_dup_ack(&mut self, window: &mut Window, loss: &Loss) -> Option<Resend> {
        if !loss.reduced {
            window.ssthresh = window.half(); // RFC 6582 3.2 step 2, but half as in 4.3BSD
        }
        window.cwnd = window.ssthresh + 3 * window.mss; // RFC 5681 3.2 step 3
        Some(Resend::Oldest)
    }

    fn on_further_dup_ack(&mut self, window: &mut Window) {
        window.cwnd += window.mss; // RFC 5681 3.2 step 4
    }

    fn recovers_fully(&self) -> bool {
        true
    }

    // RFC 6582 3.2 step 3, partial acknowledgement: reduce cwnd by the acknowledged bytes; add one
    // segment if at least one was acknowledged.
    fn on_partial_ack(&mut self, window: &mut Window, ack: &Ack) {
        let added = if ack.acked >= window.mss {
            window.mss
        } else {
            0
        };
        window.cwnd = window.cwnd.saturating_sub(ack.acked).max(window.mss) + added;
    }

    // RFC 6582 3.2 step 3, full acknowledgements, option (1): min(ssthresh, max(FlightSize, SMSS) +
    // SMSS), which avoids the burst of option (2).
    fn on_recovered(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd = window
            .ssthresh
            .min(ack.flight().max(window.mss) + window.mss);
    }

    fn grow(&mut self, window: &mut Window, _ack: &Ack) {
        window.grow_as_bsd();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u64) -> Window {
        Window {
            cwnd,
            ssthresh: 4_000,
            rwnd: 64_000,
            mss: 1_000,
            cap: 64_000,
            extra: 0,
        }
    }

    #[test]
    fn a_partial_acknowledgement_takes_what_left_and_gives_one_segment() {
        let acked = |acked| Ack {
            acked,
            ..Ack::default()
        };
        let mut w = window(10_000);
        NewReno.on_partial_ack(&mut w, &acked(3_000));
        assert_eq!(w.cwnd, 8_000);
        // If less than a segment is acknowledged, no segment is added to cwnd.
        NewReno.on_partial_ack(&mut w, &acked(400));
        assert_eq!(w.cwnd, 7_600);
    }

    #[test]
    fn the_end_leaves_what_is_outstanding_and_one_segment_up_to_ssthresh() {
        for (outstanding, cwnd) in [(0, 2_000), (1_500, 2_500), (3_000, 4_000), (9_000, 4_000)] {
            let mut w = window(10_000);
            let ack = Ack {
                snd_max: outstanding,
                ..Ack::default()
            };
            NewReno.on_recovered(&mut w, &ack);
            assert_eq!(w.cwnd, cwnd);
        }
    }
}
