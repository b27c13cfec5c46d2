//! Selective acknowledgements: the window during the loss recovery of RFC 6675.

use super::{Ack, Loss, RecoveryPolicy};
use crate::tcp::window::Window;

/// The receiver reports up to three blocks of the data that it holds (RFC 2018); two if a block is
/// more than 2 MiB above the acknowledged data. The sender keeps a scoreboard of the blocks, and
/// detects a loss at the third duplicate or from the scoreboard. During a recovery it sends by the
/// scoreboard while the data estimated to be in flight are less than cwnd (RFC 6675 sections 4 and
/// 5). cwnd is halved once and not inflated. Before the recovery, one new segment is sent for each
/// of the first two duplicates (limited transmit, RFC 3042). A timeout clears the scoreboard (RFC
/// 2018 section 8). The slow start after it skips data that are reported again. No recovery begins
/// before all data outstanding at the timeout are acknowledged (RFC 6675 section 5.1). If a
/// retransmission is lost, the timer must send it again.
#[derive(Clone, Copy, Debug)]
pub struct Sack;

impl RecoveryPolicy for Sack {
    // RFC 6675 section 5, step 4.2: ssthresh and cwnd are half of FlightSize, at least 2 SMSS by
    // RFC 5681 (4).
    fn on_selective_loss(&mut self, window: &mut Window, loss: &Loss) {
        if !loss.reduced {
            self.on_ecn_echo(window, loss);
        }
        window.cwnd = window.ssthresh;
    }

    fn on_ecn_echo(&mut self, window: &mut Window, loss: &Loss) {
        window.ssthresh = (loss.flight / 2).max(2 * window.mss);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn recovers_fully(&self) -> bool {
        true
    }

    fn grow(&mut self, window: &mut Window, _ack: &Ack) {
        window.grow_as_bsd();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_halves_what_is_out_once_and_leaves_two_segments_at_least() {
        let mut w = Window {
            cwnd: 8_192,
            ssthresh: 65_536,
            rwnd: 65_536,
            mss: 512,
            cap: 65_536,
            extra: 0,
        };
        let loss = |flight| Loss {
            flight,
            ..Loss::default()
        };
        Sack.on_selective_loss(&mut w, &loss(5_120));
        assert_eq!((w.ssthresh, w.cwnd), (2_560, 2_560));
        Sack.on_selective_loss(&mut w, &loss(1_536));
        assert_eq!((w.ssthresh, w.cwnd), (1_024, 1_024));
    }
}
