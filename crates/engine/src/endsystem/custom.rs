//! User-defined laws for the rate of a source.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::any::Any;
use core::fmt::Debug;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::atm::cell::RmCell;
use crate::component::Component;
use crate::custom::{Custom, FromOutside};
use crate::kernel::Ps;

/// The rate limits of a source, and the parameter Nrm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceFacts {
    /// Initial cell rate in cells/s.
    pub icr: f64,
    /// Minimum cell rate in cells/s.
    pub mcr: f64,
    /// Peak cell rate in cells/s.
    pub pcr: f64,
    /// Number of in-rate cells for each forward RM cell, including the RM cell.
    pub nrm: u32,
}

/// A user-defined law with its parameters. From these the engine makes the state of the law for each source.
pub trait CustomLaw: Debug + Send + Sync {
    /// Name of the law in scenarios.
    fn name(&self) -> &'static str;
    /// State of the law at a source with these `facts`.
    fn build(&self, facts: SourceFacts) -> Box<dyn LawState>;
}

/// State of a user-defined law at one source. Rates are in cells/s. The source keeps ACR between
/// MCR and PCR.
pub trait LawState: Debug + Send {
    /// Returns the new ACR after a cell was sent at `now`. `acr` is the ACR before the cell.
    fn after_cell(&mut self, now: Ps, acr: f64) -> f64;
    /// Returns the new ACR after the backward RM cell `rm` arrived at `now`. `acr` is the ACR before the arrival.
    fn after_brm(&mut self, now: Ps, acr: f64, rm: &RmCell) -> f64;
    /// A copy of the law in the same state.
    fn boxed_clone(&self) -> Box<dyn LawState>;
    /// The law as `Any`, if the program that runs the simulation may read and change the law between two calls of
    /// the run; `None` otherwise.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }
}

impl Clone for Box<dyn LawState> {
    fn clone(&self) -> Box<dyn LawState> {
        (**self).boxed_clone()
    }
}

/// A user-defined law in a configuration.
pub type LawConfig = Custom<dyn CustomLaw>;

impl FromOutside for dyn CustomLaw {
    const TAG: &'static str = "law";
    /// An empty list. No name of a law is reserved, because the parameter `rules` selects TM 4.0, PRCA, EPRCA and
    /// Smith predictors.
    fn registered() -> &'static [Component] {
        &[]
    }
}

impl JsonSchema for LawConfig {
    fn schema_name() -> Cow<'static, str> {
        "Law".into()
    }
    /// Schema of a table that names the law under the key `law`. The parser of scenarios replaces this schema by
    /// the schemas of the laws that it finds.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A table with the name of the law and its parameters.",
            "type": "object",
            "properties": {
                "law": { "type": "string", "description": "Name of the law: a class in Python." },
            },
            "required": ["law"],
        })
    }
}
