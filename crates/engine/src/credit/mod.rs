//! Credit control, hop by hop and per virtual channel: FCVC (ATM Forum report of Kung and Chapman,
//! January 1994; Gerla, Pazos and Signore 1995, section II.B), the N23 scheme with absolute
//! counters.
//!
//! The downstream node holds a buffer for every channel and reports to the upstream node how many
//! cells it has forwarded; the upstream node sends only cells that fit into the buffer. Both count
//! modulo [`MODULUS`] from the start, so the next credit cell makes up for a lost one.

pub mod allocation;
mod cell;
mod config;
mod receiver;
mod sender;

pub use cell::{CreditCell, MOST_RECORDS, Purpose, Record};
pub use config::{Allocation, CreditPriority, FcvcConfig, Loop};
pub use receiver::Receiver;
pub use sender::Sender;

use crate::component::{Component, Statistic, statistics};

/// Key, description and source of every credit control.
pub const SCHEMES: &[Component] = &[Component {
    name: "fcvc",
    about: "a buffer for every channel at every hop, filled as far as credit allows (FCVC, N23)",
    source: "Gerla et al. 1995, III; Kung, Blackwell and Chapman 1994",
}];

/// Statistics of a port under credit control, counted since the start.
pub const STATISTICS: &[Statistic] = statistics! {
    "credited_channels", "channels", "Channels under credit control at the port";
    "credit_cells_sent", "cells", "Credit cells sent on the way back";
    "mark_cells_sent", "cells", "Cells sent forward that tell the count of cells";
    "credit_cells_lost", "cells", "Credit cells and marks that links lost";
    "channel_queue_max_cells", "cells", "Longest queue of a channel";
};

/// Modulus of the counters, 2^28: more than the cells that any link holds, so that differences are
/// unique.
pub const MODULUS: u32 = 1 << 28;

/// First value of the counters: near the modulus, so that every run exercises the wrap.
pub(crate) const FIRST: u32 = MODULUS - 64;

/// `a + b` modulo [`MODULUS`].
#[inline]
pub(crate) const fn plus(a: u32, b: u32) -> u32 {
    a.wrapping_add(b) % MODULUS
}

/// Distance by which `a` is ahead of `b`; negative if it is behind.
#[inline]
pub(crate) const fn ahead(a: u32, b: u32) -> i32 {
    let difference = a.wrapping_sub(b) % MODULUS;
    if difference < MODULUS / 2 {
        difference as i32
    } else {
        difference as i32 - MODULUS as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_pass_their_end() {
        assert_eq!(plus(MODULUS - 3, 5), 2);
        assert_eq!(ahead(2, MODULUS - 3), 5);
        assert_eq!(ahead(MODULUS - 3, 2), -5);
        assert_eq!(ahead(7, 7), 0);
        // Half way round either way is behind, as in a number of two's complement.
        let half = (MODULUS / 2) as i32;
        assert_eq!(
            [ahead(MODULUS / 2 - 1, 0), ahead(MODULUS / 2, 0)],
            [half - 1, -half]
        );
    }
}
