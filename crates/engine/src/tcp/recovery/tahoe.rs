//! 4.3BSD Tahoe: fast retransmit, then slow start from one segment.

use super::{Ack, Facts, Loss, RecoveryPolicy, Resend};
use crate::tcp::window::Window;

/// The state of Tahoe at one sender. At the third duplicate acknowledgement Tahoe reacts at once as to a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Tahoe {
    resend: Resend,
}

impl Tahoe {
    /// The state at the start of a connection. As in BSD, snd_nxt is restored after the
    /// retransmission unless `restore_snd_nxt` is false.
    pub fn new(facts: Facts) -> Tahoe {
        Tahoe {
            resend: if facts.restore_snd_nxt {
                Resend::Oldest
            } else {
                Resend::GoBack
            },
        }
    }
}

impl RecoveryPolicy for Tahoe {
    fn on_third_dup_ack(&mut self, window: &mut Window, loss: &Loss) -> Option<Resend> {
        // RFC 2001 section 2, step 3; Tahoe has no fast recovery.
        if !loss.reduced {
            window.ssthresh = window.half();
        }
        window.cwnd = window.mss;
        Some(self.resend)
    }

    fn grow(&mut self, window: &mut Window, _ack: &Ack) {
        window.grow_as_bsd();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_duplicates_halve_ssthresh_and_leave_one_segment() {
        let mut w = Window {
            cwnd: 8_192,
            ssthresh: 65_536,
            rwnd: 65_536,
            mss: 512,
            cap: 65_536,
            extra: 0,
        };
        let resend = Tahoe {
            resend: Resend::Oldest,
        }
        .on_third_dup_ack(&mut w, &Loss::default());
        // 8,192 / 2 / 512 = 8 segments
        assert_eq!(
            (w.ssthresh, w.cwnd, resend),
            (4_096, 512, Some(Resend::Oldest))
        );
    }
}
