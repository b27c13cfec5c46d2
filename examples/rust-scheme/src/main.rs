//! Runs a scenario of cellrate with a control scheme of its own: `cargo run -- SCENARIO`.
//!
//! The scheme gives every channel the same share of the link. A scenario names it as
//! `scheme = "equal-share"`, and its parameters are checked and documented as those of any other.

use std::process::ExitCode;

use cellrate::run::{Failure, Job};
use cellrate::scenario::custom::RustSchemes;
use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::control::{
    PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts,
};
use cellrate_engine::kernel::{Finding, Ps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EqualShareConfig {
    /// Share of the link that is given away.
    target_utilisation: f64,
}

impl Default for EqualShareConfig {
    fn default() -> EqualShareConfig {
        EqualShareConfig {
            target_utilisation: 0.9,
        }
    }
}

impl SchemeParameters for EqualShareConfig {
    fn check(&self, _: SwitchFacts) -> Vec<Finding> {
        let found = self.target_utilisation;
        if found > 0.0 && found <= 1.0 {
            return Vec::new();
        }
        let message = format!("{found} is not above 0 and at most 1");
        vec![Finding::impossible("target_utilisation", message)]
    }
}

/// The scheme at a port.
#[derive(Clone, Debug)]
struct EqualShare {
    /// Cells/s.
    share: f64,
}

impl EqualShare {
    fn new(config: &EqualShareConfig, facts: PortFacts) -> EqualShare {
        let link = facts.rate.cells_per_second();
        EqualShare {
            share: config.target_utilisation * link / facts.channels.max(1) as f64,
        }
    }
}

impl SwitchControl for EqualShare {
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RmCell, _: u64) {
        rm.er = rm.er.min(self.share); // TM 4.0 5.10.6 1(c)
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: rust-scheme SCENARIO");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let schemes = RustSchemes::default().with("equal-share", EqualShare::new);
    let outcome = Job::with_schemes(&text, &path, &[], None, &schemes)
        .map_err(Failure::Refused)
        .and_then(|job| job.run(&mut |_, _| true));
    match outcome {
        Ok(outcome) => println!("{}", outcome.summary),
        Err(Failure::Refused(refusal)) => {
            eprintln!("{refusal}");
            return ExitCode::from(2);
        }
        Err(Failure::Cancelled) => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}
