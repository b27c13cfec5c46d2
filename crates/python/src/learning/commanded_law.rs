//! A law of an ABR source whose rates the program around the simulation sets.

use std::any::Any;

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::endsystem::{CustomLaw, LawState, SourceFacts};
use cellrate_engine::kernel::Ps;

/// The law `commanded`, which takes no parameters and makes a [`CommandedSource`] for each source.
#[derive(Debug)]
pub struct CommandedLaw;

/// Counts of a source since the last [`CommandedSource::take`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// In-rate cells that the source sent.
    pub sent: u64,
    /// Number of backward RM cells that arrived at the source.
    pub brms: u64,
    /// Number of backward RM cells with CI set that arrived at the source.
    pub ci: u64,
}

/// State of the law at a source. With each backward RM cell, ACR becomes the commanded rate, or ER
/// if that is less (source rule 9 of TM 4.0). Without a command the source follows ER alone.
#[derive(Clone, Debug)]
pub struct CommandedSource {
    facts: SourceFacts,
    /// Commanded rate in cells/s; infinite before the first command.
    rate: f64,
    counted: Counted,
    /// ER of the last backward RM cell in cells/s; PCR before the first such cell.
    er: f64,
}

impl CommandedSource {
    /// Limits of the source: ICR, MCR, PCR and Nrm.
    pub fn facts(&self) -> SourceFacts {
        self.facts
    }
    /// ER of the last backward RM cell in cells/s, at most PCR.
    pub fn er(&self) -> f64 {
        self.er
    }
    /// Sets the rate in cells/s that ACR takes with the next backward RM cell.
    pub fn command(&mut self, rate: f64) {
        self.rate = rate;
    }
    /// Returns the counts since the last call, and sets them to zero.
    pub fn take(&mut self) -> Counted {
        std::mem::take(&mut self.counted)
    }
}

impl CustomLaw for CommandedLaw {
    fn name(&self) -> &'static str {
        "commanded"
    }
    fn build(&self, facts: SourceFacts) -> Box<dyn LawState> {
        Box::new(CommandedSource {
            facts,
            rate: f64::INFINITY,
            counted: Counted::default(),
            er: facts.pcr,
        })
    }
}

impl LawState for CommandedSource {
    fn after_cell(&mut self, _: Ps, acr: f64) -> f64 {
        self.counted.sent += 1;
        acr
    }
    fn after_brm(&mut self, _: Ps, _: f64, rm: &RmCell) -> f64 {
        self.counted.brms += 1;
        self.counted.ci += u64::from(rm.ci);
        self.er = rm.er.min(self.facts.pcr);
        self.rate.min(self.er)
    }
    fn boxed_clone(&self) -> Box<dyn LawState> {
        Box::new(self.clone())
    }
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }
}
