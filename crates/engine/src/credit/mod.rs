//! Credit control, hop by hop and per virtual channel: FCVC (ATM Forum report of Kung and Chapman, January 1994;
//! Gerla, Pazos and Signore 1995, section II.B), the N23 scheme with absolute counters.
//!
//! The node below holds a buffer for every channel and tells the node above how many cells it has forwarded; the
//! node above sends only what fits. Both count modulo [`MODULUS`], so a lost credit cell is repaired by the next one.

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

/// What there is to say of every credit control.
pub const SCHEMES: &[Component] = &[Component {
    name: "fcvc",
    about: "a buffer for every channel at every hop, filled as far as credit allows (FCVC, N23)",
    source: "Gerla et al. 1995, III; Kung, Blackwell and Chapman 1994",
}];

/// What a port under credit control counts since the start.
pub const STATISTICS: &[Statistic] = statistics! {
    "credited_channels", "channels", "Channels under credit control at the port";
    "credit_cells_sent", "cells", "Credit cells sent on the way back";
    "mark_cells_sent", "cells", "Cells sent forward that tell the count of cells";
    "credit_cells_lost", "cells", "Credit cells and marks that links lost";
    "channel_queue_max_cells", "cells", "Longest queue of a channel";
};

/// Counters are absolute modulo this: 28 bits, more than the cells that any link holds.
pub const MODULUS: u32 = 1 << 28;

/// Where counters begin: near their end, so that every run shows that it does not matter.
pub(crate) const FIRST: u32 = MODULUS - 64;

/// `a + b`.
#[inline]
pub(crate) const fn plus(a: u32, b: u32) -> u32 {
    a.wrapping_add(b) % MODULUS
}

/// How far `a` is ahead of `b`; less than zero if it is behind.
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
