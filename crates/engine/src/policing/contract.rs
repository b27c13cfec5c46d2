//! The traffic contract of a channel: PCR with CDVT, and SCR with MBS.

use alloc::format;
use alloc::vec::Vec;

use super::gcra::{Fine, VirtualScheduling};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};

/// The traffic contract of a channel (TM 4.0 section 4.4; ITU-T I.371 section 5). A unit is a cell, or an octet of a
/// frame on its line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contract {
    /// Peak cell rate (PCR).
    pub pcr: Rate,
    /// Cell delay variation tolerance (CDVT).
    pub cdvt: Ps,
    /// Sustainable cell rate (SCR); `None` for a contract with a peak rate alone.
    pub scr: Option<Rate>,
    /// Maximum burst size (MBS) in units, at the peak rate. `None` exactly if `scr` is `None`.
    pub mbs: Option<Cells>,
}

impl Contract {
    /// Findings about values that contradict each other or are out of range.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut impossible = |field, message| findings.push(Finding::impossible(field, message));
        match (self.scr, self.mbs) {
            (Some(_), None) => impossible("mbs", "must be given with `scr`".into()),
            (None, Some(_)) => impossible("scr", "must be given with `mbs`".into()),
            (Some(scr), Some(mbs)) => {
                if scr > self.pcr {
                    let message = format!("must be at most `pcr`, {}, but is {scr}", self.pcr);
                    impossible("scr", message);
                }
                if mbs.0 == 0 {
                    impossible("mbs", "must be at least 1 cell".into());
                }
            }
            (None, None) => {}
        }
        findings
    }

    /// Time between two units at the peak rate: `T = 1/PCR`. `units` converts rates to units/s.
    pub fn peak_increment(&self, units: fn(Rate) -> ServiceRate) -> Fine {
        Fine::per_unit(units(self.pcr))
    }

    /// Time between two units at the sustainable rate, `T_s = 1/SCR`, and the burst tolerance,
    /// `tau_s = (MBS - 1) (1/SCR - 1/PCR)` (TM 4.0 section 4.4.3.2). `None` without SCR and MBS.
    pub fn sustained(&self, units: fn(Rate) -> ServiceRate) -> Option<(Fine, Fine)> {
        let (scr, mbs) = self.scr.zip(self.mbs)?;
        let increment = Fine::per_unit(units(scr));
        let gap = increment.less(self.peak_increment(units));
        Some((increment, gap.times(mbs.0.saturating_sub(1))))
    }

    /// Number of units that conform one after another at the peak rate: `1 + floor((tau_s + CDVT) / (1/SCR - 1/PCR))`
    /// (TM 4.0 section 4.4.2). `None` if all units conform.
    pub fn burst(&self, units: fn(Rate) -> ServiceRate) -> Option<u128> {
        let (increment, tolerance) = self.sustained(units)?;
        let gap = increment.less(self.peak_increment(units));
        let limit = tolerance.plus(Fine::of(self.cdvt));
        limit.whole_steps(gap).map(|steps| steps + 1)
    }
}

/// Conformance of a cell or frame to its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// The cell or frame conforms to the whole contract.
    Conforming,
    /// The cell or frame conforms to PCR with CDVT, but not to SCR with MBS.
    BeyondScr,
    /// The cell or frame does not conform to PCR with CDVT.
    BeyondPcr,
}

/// The state of a contract: GCRA(1/PCR, CDVT), and GCRA(1/SCR, tau_s + CDVT) if the contract has an SCR.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    peak: VirtualScheduling,
    sustained: Option<VirtualScheduling>,
}

impl Buckets {
    pub fn new(contract: &Contract, units: fn(Rate) -> ServiceRate) -> Buckets {
        let cdvt = Fine::of(contract.cdvt);
        let sustained = contract
            .sustained(units)
            .map(|(increment, limit)| VirtualScheduling::new(increment, limit.plus(cdvt)));
        Buckets {
            peak: VirtualScheduling::new(contract.peak_increment(units), cdvt),
            sustained,
        }
    }
    /// Conformance of a cell or frame that arrives at `now`. The state does not change.
    #[inline]
    pub fn judge(&self, now: Ps) -> Conformance {
        if !self.peak.conforms(now) {
            Conformance::BeyondPcr
        } else if self
            .sustained
            .as_ref()
            .is_some_and(|gcra| !gcra.conforms(now))
        {
            Conformance::BeyondScr
        } else {
            Conformance::Conforming
        }
    }
    /// Counts `units` units that arrive at `now` against PCR and SCR.
    #[inline]
    pub fn count(&mut self, now: Ps, units: u32) {
        self.count_peak(now, units);
        if let Some(gcra) = &mut self.sustained {
            gcra.count(now, units);
        }
    }
    /// Counts `units` units that arrive at `now` against PCR alone.
    #[inline]
    pub fn count_peak(&mut self, now: Ps, units: u32) {
        self.peak.count(now, units);
    }
    /// Replaces the peak rate by `units_per_second`.
    pub fn set_peak(&mut self, units_per_second: f64) {
        self.peak.set_increment(Fine::per_unit_at(units_per_second));
    }
    /// True if the contract has an SCR.
    pub fn has_scr(&self) -> bool {
        self.sustained.is_some()
    }
    /// Earliest time at which a cell or frame conforms to the whole contract if none arrives before.
    #[inline]
    pub fn earliest(&self) -> Ps {
        let sustained = self.sustained.as_ref();
        let sustained = sustained.map_or(Ps::ZERO, VirtualScheduling::earliest);
        self.peak.earliest().max(sustained)
    }
}
