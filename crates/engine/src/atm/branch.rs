//! A branch point of a point-to-multipoint channel at a switch. The cells of the root are copied to each branch, and the
//! backward RM cells (BRMs) of the branches are consolidated.
//!
//! The first branch continues the channel that arrives. Each further branch is a channel of its own, which begins and
//! ends at the switch.

use alloc::vec::Vec;

use crate::atm::cell::{Info, RmCell};
use crate::atm::consolidation::{Consolidation, Consolidator};

/// A branch of a branch point.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// Entry in the switch's table by which cells go out on the branch.
    pub out: u32,
    /// Index of the output port of the branch.
    pub port: u32,
    /// Label (VPI/VCI) of the branch's BRMs, which arrive at the switch.
    pub back: u32,
    /// Number of BRMs of the branch that have arrived.
    pub answers: u64,
}

/// Numbers of cells that have arrived at a branch point from the root. Each branch has got a copy of each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied {
    /// Data cells.
    pub data: u64,
    /// In-rate RM cells.
    pub rm: u64,
    /// Out-of-rate RM cells.
    pub out_of_rate: u64,
}

/// A branch point of a channel at a switch.
#[derive(Clone, Debug)]
pub struct BranchPoint {
    /// The branches. BRMs return to the root with the label of the first branch.
    pub branches: Vec<Branch>,
    /// Index of the output port towards the root.
    pub port: u32,
    /// Cells copied so far.
    pub copied: Copied,
    /// Number of BRMs returned to the root.
    pub returned: u64,
    consolidator: Consolidator,
}

impl BranchPoint {
    /// A branch point before its first cell. `port` is the index of the output port towards the root.
    pub fn new(branches: Vec<Branch>, port: u32, rule: Consolidation) -> BranchPoint {
        BranchPoint {
            consolidator: Consolidator::new(rule, branches.len()),
            branches,
            port,
            copied: Copied::default(),
            returned: 0,
        }
    }

    /// Counts a cell from the root with the header `info`.
    pub fn count(&mut self, info: Info) {
        let copied = &mut self.copied;
        let count = match (info.is_data(), info.clp()) {
            (true, _) => &mut copied.data,
            (false, false) => &mut copied.rm,
            (false, true) => &mut copied.out_of_rate,
        };
        *count += 1;
    }

    /// Processes a forward RM cell from the root. Returns the BRM that goes back, if any.
    pub fn on_forward(&mut self, frm: &RmCell) -> Option<RmCell> {
        let given = self.consolidator.on_forward(frm);
        self.returned += u64::from(given.is_some());
        given
    }

    /// Processes a BRM that arrives with the label `back`. Returns the BRM that goes back to the root, if any.
    pub fn on_backward(&mut self, back: u32, brm: &RmCell) -> Option<RmCell> {
        let branch = self.branches.iter().position(|one| one.back == back)?;
        self.branches[branch].answers += 1;
        let given = self.consolidator.on_backward(branch, brm);
        self.returned += u64::from(given.is_some());
        given
    }
}
