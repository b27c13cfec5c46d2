//! TCP without fast retransmit, as Kalyanaraman's thesis (8.1, 8.5) defines it.

use super::{Ack, Loss, RecoveryPolicy};
use crate::tcp::window::Window;

/// At a timeout, ssthresh := max(2 MSS, min(cwnd/2, rwnd)) and cwnd := MSS. At an acknowledgement
/// cwnd grows by one segment below ssthresh and by 1/cwnd segments above. cwnd may exceed rwnd.
#[derive(Clone, Copy, Debug)]
pub struct TimeoutOnly;

impl RecoveryPolicy for TimeoutOnly {
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        self.on_ecn_echo(window, loss);
        window.cwnd = window.mss; // Section 8.1: CWND := 1
    }

    fn on_ecn_echo(&mut self, window: &mut Window, _loss: &Loss) {
        // Section 8.1: Ssthresh := max{2, min{CWND/2, Wrcvr}}
        window.ssthresh = (window.cwnd / 2).min(window.rwnd).max(2 * window.mss);
        window.cwnd = window.cwnd.min(window.ssthresh); // RFC 3168 6.1.2
    }

    fn grow(&mut self, window: &mut Window, _ack: &Ack) {
        let slow_start = window.cwnd < window.ssthresh;
        // There is no bound: in section 8.1 CWND may exceed the receive window, which still limits the source.
        window.cwnd += if slow_start {
            window.mss // Section 8.1: one per acknowledgement
        } else {
            window.linear_increment() // Section 8.1: 1/w
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u64, ssthresh: u64, rwnd: u64) -> Window {
        Window {
            cwnd,
            ssthresh,
            rwnd,
            mss: 512,
            cap: rwnd,
            extra: 0,
        }
    }

    #[test]
    fn ssthresh_is_half_of_a_cwnd_that_outgrew_the_receive_window() {
        // min(40,000/2, 16,384) = 16,384, where 4.3BSD would take 16,384/2 = 8,192.
        let mut w = window(40_000, 0, 16_384);
        TimeoutOnly.on_timeout(&mut w, &Loss::default());
        assert_eq!((w.ssthresh, w.cwnd), (16_384, 512));
    }

    #[test]
    fn ssthresh_is_half_the_cwnd_in_bytes_and_at_least_two_segments() {
        let mut w = window(5_000, 0, 16_384);
        TimeoutOnly.on_timeout(&mut w, &Loss::default());
        assert_eq!(w.ssthresh, 2_500);
        TimeoutOnly.on_timeout(&mut w, &Loss::default());
        assert_eq!(w.ssthresh, 1_024);
    }

    #[test]
    fn growth_is_linear_from_ssthresh_on_and_not_bounded_by_rwnd() {
        let mut w = window(512, 1_024, 1_024);
        TimeoutOnly.grow(&mut w, &Ack::default());
        assert_eq!(w.cwnd, 1_024);
        // 512 * 512 / 1024 = 256
        TimeoutOnly.grow(&mut w, &Ack::default());
        assert_eq!(w.cwnd, 1_280);
    }
}
