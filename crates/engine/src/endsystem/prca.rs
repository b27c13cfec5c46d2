//! The rate of PRCA sources (as in Gerla, Pazos and Signore 1995) and of EPRCA sources (Roberts,
//! ATM Forum 94-0735R1, after surveys of the field).
//!
//! The rate falls with every cell. Only an RM cell without CI raises the rate: this RM cell restores the
//! decreases of the cycle of Nrm cells and adds an increase (Gerla et al., section II.A). Cells are sent and
//! turned round as in TM 4.0 (source rules 1 to 4 and 10 to 12). The rate rules of TM 4.0 (5, 6, 8, 9 and 13) do
//! not apply.

use super::config::{AbrConfig, Compensation, SourceRules};
use crate::atm::cell::RmCell;
use crate::kernel::Rate;

/// State of a PRCA or EPRCA source. Rates are in cells/s.
#[derive(Clone, Debug)]
pub(super) struct Proportional {
    /// Additive decrease rate (ADR): the decrease of ACR with each cell, in cells/s.
    adr: f64,
    /// ADR divided by ACR, which is 2^-MDF.
    share: f64,
    /// Increase of ACR by an RM cell without CI, in cells/s, in addition to the restored decreases.
    increase: f64,
    /// Number of cells in a cycle (Nrm).
    cells: f64,
    /// Sum of the decreases since the last BRM in cells/s; `None` without `Compensation::Counted`.
    taken: Option<f64>,
    follows_er: bool,
    mcr: f64,
    pcr: f64,
}

impl Proportional {
    /// State of a source that begins with the rate `icr`.
    pub fn new(config: &AbrConfig, icr: f64, mcr: f64, pcr: f64) -> Proportional {
        let taken = (config.compensation == Compensation::Counted).then_some(0.0);
        let mut law = Proportional {
            adr: 0.0,
            share: 0.0,
            increase: 0.0,
            cells: 0.0,
            taken,
            follows_er: config.rules == SourceRules::Eprca,
            mcr,
            pcr,
        };
        law.change(config);
        law.adr = icr * law.share;
        law
    }

    /// Replaces the parameters. ADR keeps its value until the next BRM sets it.
    pub fn change(&mut self, config: &AbrConfig) {
        self.share = libm::ldexp(1.0, -(config.mdf_in_force() as i32));
        self.cells = config.nrm.max(1) as f64;
        let air = config.air.map_or(0.0, Rate::cells_per_second);
        // EPRCA adds Nrm AIR, because its AIR is per cell; PRCA adds AIR.
        self.increase = if self.follows_er {
            air * self.cells
        } else {
            air
        };
    }

    /// Returns the new ACR after a cell: ACR := max(MCR, ACR - ADR).
    pub fn after_cell(&mut self, acr: f64) -> f64 {
        let fallen = (acr - self.adr).max(self.mcr); // Gerla et al. II.A
        if let Some(taken) = &mut self.taken {
            *taken += acr - fallen;
        }
        fallen
    }

    /// The new ACR after a BRM. Without CI, ACR := min(PCR, ACR + Nrm ADR + AIR) and ADR := ACR /
    /// 2^MDF. With CI, PRCA changes neither rate, so that ACR continues to fall. With
    /// `Compensation::Counted` the sum of the decreases replaces Nrm ADR. EPRCA then also lowers
    /// ACR to ER, but not below MCR, and sets ADR even with CI.
    pub fn after_brm(&mut self, acr: f64, rm: &RmCell) -> f64 {
        let cycle = match &mut self.taken {
            Some(taken) => core::mem::take(taken),
            None => self.cells * self.adr,
        };
        let risen = if rm.ci {
            acr
        } else {
            (acr + cycle + self.increase).min(self.pcr) // Gerla et al. II.A
        };
        let bounded = if self.follows_er {
            risen.min(rm.er).max(self.mcr) // EPRCA: max(MCR, min(ACR, ER)), also with CI
        } else {
            risen
        };
        if !rm.ci || self.follows_er {
            self.adr = bounded * self.share; // Gerla et al. III.E: ADR = ACR / 2^MDF
        }
        bounded
    }
}
