//! Consolidation of the backward RM cells (BRMs) of a point-to-multipoint ABR channel at a branch point.
//!
//! Fahmy et al. 1998 ("Feedback consolidation algorithms for ABR point-to-multipoint connections") compare such
//! algorithms. MER, MCI and MNI are their names: the least ER, and the OR of CI and of NI, of the BRMs since the last
//! BRM that went back to the root.

use alloc::vec::Vec;

use crate::atm::cell::RmCell;

/// Rule by which a branch point returns backward RM cells (BRMs) towards the root.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Consolidation {
    /// A BRM goes back for each forward RM cell (FRM), at its arrival. The BRM ignores branches that have not answered
    /// since the last BRM (Roberts 1994).
    Simple,
    /// A BRM goes back when each branch has answered since the last BRM (Ren and Siu, after Fahmy et al. 1998).
    #[default]
    WaitForAll,
}

/// State of the consolidation at one branch point.
#[derive(Clone, Debug)]
pub struct Consolidator {
    rule: Consolidation,
    /// For each branch: true if it has answered since the last BRM that went back.
    answered: Vec<bool>,
    /// MER in cells/s.
    er: f64,
    /// MCI.
    ci: bool,
    /// MNI.
    ni: bool,
}

impl Consolidator {
    /// A consolidator for `branches` branches, before the first RM cell.
    pub fn new(rule: Consolidation, branches: usize) -> Consolidator {
        Consolidator {
            rule,
            answered: alloc::vec![false; branches],
            er: f64::INFINITY,
            ci: false,
            ni: false,
        }
    }

    /// Processes an FRM. Returns the BRM that goes back, if any.
    pub fn on_forward(&mut self, frm: &RmCell) -> Option<RmCell> {
        (self.rule == Consolidation::Simple).then(|| self.give(frm))
    }

    /// Processes a BRM of the branch with the index `branch`. Returns the BRM that goes back, if any.
    pub fn on_backward(&mut self, branch: usize, brm: &RmCell) -> Option<RmCell> {
        self.answered[branch] = true;
        self.er = self.er.min(brm.er);
        self.ci |= brm.ci;
        self.ni |= brm.ni;
        let is_complete = self.answered.iter().all(|answered| *answered);
        (self.rule == Consolidation::WaitForAll && is_complete).then(|| self.give(brm))
    }

    /// The RM cell `rm` with the stored feedback, which is then reset. ER is at most the ER of `rm`: the ER of the FRM
    /// stands if no branch has answered.
    fn give(&mut self, rm: &RmCell) -> RmCell {
        let given = RmCell {
            er: self.er.min(rm.er),
            ci: self.ci | rm.ci,
            ni: self.ni | rm.ni,
            ..*rm
        };
        *self = Consolidator::new(self.rule, self.answered.len());
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rm(er: f64, ci: bool, ni: bool) -> RmCell {
        RmCell {
            er,
            ccr: 7.0,
            mcr: 1.0,
            ci,
            ni,
            bn: false,
        }
    }

    #[test]
    fn simple_returns_at_once_and_forgets() {
        let mut point = Consolidator::new(Consolidation::Simple, 2);
        // No branch has answered: the BRM has the ER of the FRM.
        assert_eq!(
            point.on_forward(&rm(100.0, false, false)),
            Some(rm(100.0, false, false))
        );
        assert_eq!(point.on_backward(0, &rm(80.0, true, false)), None);
        assert_eq!(point.on_backward(0, &rm(90.0, false, true)), None);
        assert_eq!(
            point.on_forward(&rm(100.0, false, false)),
            Some(rm(80.0, true, true))
        );
        // The 80 of branch 0 is forgotten, and branch 1 alone has answered.
        assert_eq!(point.on_backward(1, &rm(95.0, false, false)), None);
        assert_eq!(
            point.on_forward(&rm(100.0, false, false)),
            Some(rm(95.0, false, false))
        );
    }

    #[test]
    fn wait_for_all_returns_the_least_of_all_branches() {
        let mut point = Consolidator::new(Consolidation::WaitForAll, 3);
        let silent = rm(100.0, false, false);
        assert_eq!(point.on_forward(&silent), None);
        assert_eq!(point.on_backward(2, &rm(50.0, true, false)), None);
        assert_eq!(point.on_backward(2, &rm(60.0, false, false)), None);
        assert_eq!(point.on_backward(0, &silent), None);
        assert_eq!(
            point.on_backward(1, &rm(70.0, false, false)),
            Some(rm(50.0, true, false))
        );
        // Each branch must answer again.
        assert_eq!(point.on_backward(1, &silent), None);
        assert_eq!(point.on_backward(0, &silent), None);
        assert_eq!(point.on_backward(2, &silent), Some(silent));
    }

    #[test]
    fn with_one_branch_wait_for_all_passes_each_cell_unchanged() {
        let mut point = Consolidator::new(Consolidation::WaitForAll, 1);
        for cell in [
            rm(50.0, true, false),
            rm(90.0, false, true),
            rm(10.0, false, false),
        ] {
            assert_eq!(point.on_forward(&cell), None);
            assert_eq!(point.on_backward(0, &cell), Some(cell));
        }
    }
}
