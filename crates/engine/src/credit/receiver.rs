//! The receiver of one channel on one link, at the downstream node: counts forwarded units and
//! issues credit.

use super::{FIRST, ahead, plus};

/// Counters of one channel at the downstream node, which receives the channel's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Number of forwarded units of service (V_r). Units that the link has lost are added when the sender's
    /// count of sent units shows the loss.
    pub(super) forwarded: u32,
    /// Number of units forwarded since the last credit.
    pub(super) since: u32,
    /// Number of units between two credits (N2).
    pub(super) n2: u32,
    /// Buffer of the channel in units (N2 + N3).
    pub(super) allocation: u32,
    /// The limit sent last: the total number of units that the sender may have sent.
    pub(super) limit: u32,
}

impl Receiver {
    /// Counters of a channel whose node sends a credit every `n2` units and has a buffer of `allocation` units
    /// for the channel.
    ///
    /// Up to `n2 - 1` forwarded units have not been returned as credit. So the channel never stalls if the
    /// allocation is at least `n2 - 1` units plus one cell, or plus the largest frame.
    pub const fn new(n2: u32, allocation: u32) -> Receiver {
        Receiver {
            forwarded: FIRST,
            since: 0,
            n2,
            allocation,
            limit: plus(FIRST, allocation),
        }
    }
    /// Counts `units` forwarded units. If a credit is due, returns the new limit; `None` otherwise.
    #[inline]
    pub fn forward(&mut self, units: u32) -> Option<u32> {
        self.forwarded = plus(self.forwarded, units);
        self.since += units;
        (self.since >= self.n2).then(|| self.tell()) // Gerla et al. II.B: credit after N2 cells
    }
    /// Number of units that can still be forwarded before a credit is due.
    #[inline]
    pub fn most_untold(&self) -> u32 {
        (self.n2 - 1).saturating_sub(self.since)
    }
    /// Returns the new limit V_r + N2 + N3, which the node must send as a credit.
    pub fn tell(&mut self) -> u32 {
        self.since = 0;
        self.limit = plus(self.forwarded, self.allocation);
        self.limit
    }
    /// Processes a mark: the sender states that it has sent `sent` units. Of these units, `queued` are still at
    /// this node. The missing units were lost on the link, and count as forwarded, because otherwise their
    /// credit would never return. Returns the number of missing units.
    pub fn repair(&mut self, sent: u32, queued: u32) -> u32 {
        let lost = ahead(sent, plus(self.forwarded, queued)).max(0) as u32;
        self.forwarded = plus(self.forwarded, lost);
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sender;
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_n2_cells_a_credit_tells_what_was_forwarded() {
        let mut receiver = Receiver::new(10, 11);
        let told: Vec<Option<u32>> = (0..20).map(|_| receiver.forward(1)).collect();
        let at = |cells: u32| Some(plus(FIRST, cells + 11));
        assert_eq!((told[9], told[19]), (at(10), at(20)));
        assert_eq!(told.iter().flatten().count(), 2);
        assert_eq!((receiver.forward(9), receiver.forward(1)), (None, at(30)));
    }

    #[test]
    fn a_mark_repairs_what_the_link_has_lost() {
        let (mut sender, mut receiver) = (Sender::new(11), Receiver::new(10, 11));
        // The sender has sent 11 cells: 3 are lost, 2 queued, 6 forwarded; no credit is due yet.
        (0..11).for_each(|_| sender.send(1));
        assert!((0..6).all(|_| receiver.forward(1).is_none()));
        assert_eq!(receiver.repair(sender.sent(), 2), 3);
        sender.set_limit(receiver.tell());
        assert_eq!(sender.balance(), 9);
        assert_eq!(receiver.repair(sender.sent(), 2), 0);
    }
}
