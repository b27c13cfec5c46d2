//! Laws for the rate of a source that replace the rate rules of TM 4.0: source rules 5, 6, 8, 9 and
//! 13.

use alloc::boxed::Box;
use core::any::Any;

use super::config::{AbrConfig, SourceRules};
use super::custom::{LawState, SourceFacts};
use super::prca::Proportional;
use super::smith::SmithPredictor;
use crate::atm::cell::RmCell;
use crate::atm::rm;
use crate::kernel::Ps;

/// A law for the rate of a source, with its state.
#[derive(Clone, Debug)]
pub(super) enum RateLaw {
    /// The law of PRCA or EPRCA.
    Proportional(Proportional),
    /// The law of EPRCA by Smith's principle.
    Smith(SmithPredictor),
    /// A user-defined law, with MCR and PCR in cells/s.
    Custom(Box<dyn LawState>, f64, f64),
}

impl RateLaw {
    /// The rate law of `config` for a source that begins with the rate `icr`; `None` if the rules of TM 4.0
    /// apply. Rates are in cells/s.
    pub fn new(config: &AbrConfig, (icr, mcr, pcr): (f64, f64, f64), frtt: Ps) -> Option<RateLaw> {
        if let Some(law) = &config.law {
            let nrm = config.nrm;
            let facts = SourceFacts { icr, mcr, pcr, nrm };
            return Some(RateLaw::Custom(law.get().build(facts), mcr, pcr));
        }
        match config.rules {
            SourceRules::Tm4 => None,
            SourceRules::Prca | SourceRules::Eprca => Some(RateLaw::Proportional(
                Proportional::new(config, icr, mcr, pcr),
            )),
            SourceRules::SmithPredictor => Some(RateLaw::Smith(SmithPredictor::new(
                config,
                (icr, mcr, pcr),
                frtt,
            ))),
        }
    }

    /// State of a user-defined law that allows access, see [`LawState::as_any_mut`]; `None` for
    /// other laws.
    pub fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        match self {
            RateLaw::Custom(law, ..) => law.as_any_mut(),
            _ => None,
        }
    }

    /// Replaces the parameters by others of the same law. The state is kept.
    pub fn change(&mut self, config: &AbrConfig) {
        match self {
            RateLaw::Proportional(law) => law.change(config),
            RateLaw::Smith(law) => law.change(config),
            // The parameters of a user-defined law cannot change.
            RateLaw::Custom(..) => {}
        }
    }

    /// Returns the new ACR after a cell was sent at `now`. `acr` is the ACR before the cell.
    #[inline]
    pub fn after_cell(&mut self, now: Ps, acr: f64) -> f64 {
        match self {
            RateLaw::Proportional(law) => law.after_cell(acr),
            RateLaw::Smith(law) => law.after_cell(now),
            RateLaw::Custom(law, mcr, pcr) => law.after_cell(now, acr).clamp(*mcr, *pcr),
        }
    }

    /// Returns the new ACR after a BRM arrived at `now`. `acr` is the ACR before the arrival.
    pub fn after_brm(&mut self, now: Ps, acr: f64, rm: &RmCell) -> f64 {
        match self {
            RateLaw::Proportional(law) => law.after_brm(acr, rm),
            RateLaw::Smith(law) => law.after_brm(now, rm.er),
            RateLaw::Custom(law, mcr, pcr) => law.after_brm(now, acr, rm).clamp(*mcr, *pcr),
        }
    }

    /// ER of a new FRM (SES rule 10): PCR. With a Smith predictor, ER is the largest rate, because switches lower
    /// ER to (X0 - x) / tau, which may exceed PCR.
    pub fn explicit_rate(config: &AbrConfig, pcr: f64) -> f64 {
        if config.rules == SourceRules::SmithPredictor {
            rm::MAX_RATE
        } else {
            pcr
        }
    }
}
