//! The sender of one channel on one link, at the upstream node. The sender sends only as many units as its credit
//! permits.

use super::{FIRST, ahead, plus};

/// Counters of one channel at the upstream port, which sends the channel's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Number of units of service sent so far (V_s), modulo [`super::MODULUS`].
    sent: u32,
    /// Total number of units that may be sent: V_r + N2 + N3 of the last credit.
    limit: u32,
}

impl Sender {
    /// Counters of a channel with `allocation` units of buffer at the next node.
    pub const fn new(allocation: u32) -> Sender {
        Sender {
            sent: FIRST,
            limit: plus(FIRST, allocation),
        }
    }
    /// Credit balance in units: N2 + N3 - (V_s - V_r) (Kung, Blackwell and Chapman 1994). Gerla et
    /// al. add C_new - C_old at each credit, which is the same while no credit is lost.
    #[inline]
    pub const fn balance(self) -> u32 {
        self.limit.wrapping_sub(self.sent) % super::MODULUS
    }
    /// True if the credit suffices for a cell or frame of `units` units.
    #[inline]
    pub const fn allows(self, units: u32) -> bool {
        self.balance() >= units
    }
    /// Counts a sent cell or frame of `units` units.
    #[inline]
    pub fn send(&mut self, units: u32) {
        self.sent = plus(self.sent, units);
    }
    /// Sets the limit of a new credit. If the limit is below the number of sent units, the balance is zero.
    #[inline]
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = if ahead(limit, self.sent) < 0 {
            self.sent
        } else {
            limit
        };
    }
    /// Number of units sent so far (V_s), which marks state to the receiver.
    pub const fn sent(self) -> u32 {
        self.sent
    }
    /// Total number of units that may be sent, from the start of the run on.
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
        // The credit after the first 5 cells is lost; the credit after 10 cells includes it.
        sender.set_limit(plus(FIRST, 10 + 11));
        assert_eq!(sender.balance(), 10);
        // A repeated credit changes nothing.
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
