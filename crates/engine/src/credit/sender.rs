//! The upstream side of one channel on one link: it sends while it has credit.

use super::{FIRST, ahead, plus};

/// Counters of one channel at the port that sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Units of service sent, V_s.
    sent: u32,
    /// The count up to which units may be sent: V_r + N2 + N3 of the last credit.
    limit: u32,
}

impl Sender {
    /// A channel with `allocation` units of buffer at the next node.
    pub const fn new(allocation: u32) -> Sender {
        Sender {
            sent: FIRST,
            limit: plus(FIRST, allocation),
        }
    }
    /// The credit balance N2 + N3 - (V_s - V_r) (Kung, Blackwell and Chapman 1994). Gerla et al.
    /// add C_new - C_old at each credit, which gives the same while none is lost.
    #[inline]
    pub const fn balance(self) -> u32 {
        self.limit.wrapping_sub(self.sent) % super::MODULUS
    }
    /// True if there is credit for a cell or frame of `units` units.
    #[inline]
    pub const fn allows(self, units: u32) -> bool {
        self.balance() >= units
    }
    /// A cell or frame of `units` units is sent.
    #[inline]
    pub fn send(&mut self, units: u32) {
        self.sent = plus(self.sent, units);
    }
    /// A credit sets a new limit. A limit behind the units already sent leaves a balance of zero.
    #[inline]
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = if ahead(limit, self.sent) < 0 {
            self.sent
        } else {
            limit
        };
    }
    /// V_s, for a mark.
    pub const fn sent(self) -> u32 {
        self.sent
    }
    /// The limit in force.
    pub const fn limit(self) -> u32 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_counters_repair_a_lost_credit_cell() {
        let mut sender = Sender::new(11);
        (0..11).for_each(|_| sender.send(1));
        assert_eq!(sender.balance(), 0);
        // The credit after the first 5 cells is lost; the one after 10 includes it.
        sender.set_limit(plus(FIRST, 10 + 11));
        assert_eq!(sender.balance(), 10);
        // A repeated credit adds nothing.
        sender.set_limit(plus(FIRST, 10 + 11));
        assert_eq!(sender.balance(), 10);
    }

    #[test]
    fn a_limit_behind_what_was_sent_stops_the_sender() {
        let mut sender = Sender::new(11);
        (0..8).for_each(|_| sender.send(1));
        sender.set_limit(plus(FIRST, 3));
        assert_eq!(sender.balance(), 0);
        sender.set_limit(plus(FIRST, 9));
        assert_eq!(sender.balance(), 1);
    }
}
