//! A channel that a policer holds to its contract at the input of a switch.

use super::cell::{Body, Info};
use super::losses::{LossCounts, Losses};
use crate::kernel::{Digest, Ps};
use crate::policing::{Policer, PolicerCounts, Treatment};

/// The policer of a channel at the input of a switch, and the cells that it has dropped.
#[derive(Clone)]
pub struct Policed {
    /// Index of the output port to which the channel's cells go behind the policer. An index beyond the last port
    /// refers to a relay.
    pub onward: u32,
    policer: Policer,
    losses: LossCounts,
    digest: Digest,
}

impl Policed {
    /// A policer of a channel whose cells go on to `onward`, before the first cell.
    pub fn new(policer: Policer, onward: u32) -> Policed {
        Policed {
            onward,
            policer,
            losses: LossCounts::new(1),
            digest: Digest::default(),
        }
    }

    /// The cell `info` that arrives at `now`, as it goes on; `None` if the policer drops the cell.
    pub fn police(&mut self, now: Ps, info: Info, body: &mut Option<&mut Body>) -> Option<Info> {
        let treatment = self.policer.police(now, info.passing(), info.clp());
        if treatment == Treatment::Drop {
            self.losses.add(0, info);
            self.digest.add(now.0);
            self.digest.add(info.without_stamp().0.into());
        }
        self.losses.pass(0, info, body);
        match treatment {
            Treatment::Pass => Some(info),
            Treatment::Tag => Some(info.tagged()),
            Treatment::Drop => None,
        }
    }

    /// Counts of the channel's cells since the start of the run.
    pub fn counts(&self) -> PolicerCounts {
        self.policer.counts()
    }
    /// Cells that the policer has dropped since the start of the run.
    pub fn losses(&self) -> Losses {
        self.losses.of(0)
    }
    /// Hash of all cells that the policer has dropped.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}
