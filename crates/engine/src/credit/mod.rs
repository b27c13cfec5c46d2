//! Credit control, hop by hop and per virtual channel: FCVC (ATM Forum report of Kung and Chapman,
//! January 1994; Gerla, Pazos and Signore 1995, section II.B), the N23 scheme with absolute
//! counters.
//!
//! The downstream node has a buffer for each channel, and tells the upstream node how many units of service it
//! has forwarded. The upstream node sends only cells or frames that fit into the buffer. Both count modulo
//! [`MODULUS`] from the start of the run, so the next credit makes up for a lost credit.

pub mod allocation;
mod cell;
mod config;
mod counter;
mod receiver;
mod sender;

pub use cell::{CreditCell, MOST_RECORDS, Purpose, Record};
pub use config::{Allocation, CreditPriority, FcvcConfig, Loop};
pub use counter::MODULUS;
pub(crate) use counter::{FIRST, ahead, plus};
pub use receiver::Receiver;
pub use sender::Sender;

use crate::component::{Component, Statistic, statistics};

/// Key, description and source of each kind of credit control.
pub const SCHEMES: &[Component] = &[Component {
    name: "fcvc",
    about: "a buffer for every channel at every hop, filled as far as credit allows (FCVC, N23)",
    source: "Gerla et al. 1995, III; Kung, Blackwell and Chapman 1994",
}];

/// Statistics of a port under credit control, counted since the start of the run.
pub const STATISTICS: &[Statistic] = statistics! {
    "credited_channels", "channels", "Channels under credit control at the port";
    "credit_cells_sent", "cells", "Credit cells sent on the way back";
    "mark_cells_sent", "cells", "Cells sent forward that tell the count of cells";
    "credit_cells_lost", "cells", "Credit cells and marks that links lost";
    "channel_queue_max_cells", "cells", "Longest queue of a channel";
};
