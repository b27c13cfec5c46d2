//! The ABR destination: rules 1 to 6 of TM 4.0 section 5.10.5 ("DES rule n") for one connection.
//!
//! The destination passes each turned-round RM cell to the source of the reverse direction. This source
//! implements DES rules 3, 4 and 6 in [`super::AbrSource::offer_brm`]: the newest RM cell replaces an RM cell
//! that still waits.

use super::config::AbrConfig;
use crate::kernel::{Ps, ServiceRate};
use crate::passing::RateRecord;

/// Least time between RM cells that a destination generates without receiving an FRM: 10 RM cells per second (DES
/// rule 5).
const GENERATION_INTERVAL: Ps = Ps::from_ms(100);

/// The destination half of an ABR end system.
#[derive(Clone, Debug)]
pub struct AbrDestination {
    saved_efci: bool,
    reset: bool,
    /// True if the channel's data are ABR, too, so that the EFCI of data cells is saved.
    heeds_data: bool,
    last_er: f64,
    may_generate_at: Ps,
}

impl AbrDestination {
    /// The destination of a connection with an access link of rate `line`.
    pub fn new(config: &AbrConfig, line: ServiceRate) -> AbrDestination {
        AbrDestination {
            saved_efci: false,
            reset: config.reset_saved_efci,
            heeds_data: true,
            last_er: config.pcr_units(line),
            may_generate_at: Ps::ZERO,
        }
    }

    /// Changes this destination for a channel whose data have another class than its RM cells: the EFCI of data
    /// cells is ignored.
    pub fn of_rm_cells_only(self) -> AbrDestination {
        AbrDestination {
            heeds_data: false,
            ..self
        }
    }

    /// Processes a data cell. DES rule 1: saves the EFCI bit of the cell.
    #[inline]
    pub fn on_data(&mut self, efci: bool) {
        self.saved_efci = efci;
    }

    /// Saved EFCI bit of the last data cell. With `reset_saved_efci` the bit is cleared when a BRM has reported
    /// it.
    pub fn saved_efci(&self) -> bool {
        self.saved_efci
    }

    /// Processes an FRM, in-rate or not. DES rule 2: the FRM is turned round with BN = 0, and CI is
    /// set if the saved EFCI is set.
    pub fn on_frm(&mut self, mut rm: RateRecord) -> RateRecord {
        self.last_er = rm.er;
        rm.bn = false; // DES rule 2; the kind of the cell, which the source sets, stands for DIR
        rm.ci |= self.saved_efci && self.heeds_data; // DES rule 2
        self.saved_efci &= !self.reset; // DES rule 2; some simulators do not reset the saved EFCI
        rm
    }

    /// A BRM that a congested destination generates without an FRM (DES rule 5): BN and CI are set, and ER is
    /// copied from the last FRM. `None` within 100 ms after the last BRM of this kind.
    pub fn generate(&mut self, now: Ps) -> Option<RateRecord> {
        if now < self.may_generate_at {
            return None;
        }
        self.may_generate_at = now.saturating_add(GENERATION_INTERVAL);
        Some(RateRecord {
            er: self.last_er,
            ccr: 0.0,
            mcr: 0.0,
            ci: true, // DES rule 5: CI = 1 or NI = 1
            ni: false,
            bn: true, // DES rule 5
        })
    }
}
