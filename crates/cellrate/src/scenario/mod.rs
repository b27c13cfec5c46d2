//! The scenario file: its contents, its checks, and its form with every default written out.

pub(crate) mod changes;
pub(crate) mod checks;
pub mod custom;
pub mod describe;
pub mod diagnostic;
pub(crate) mod document;
pub(crate) mod effective;
pub mod flow;
pub mod graph;
pub(crate) mod in_units;
pub mod multipoint;
pub mod parse;
pub mod problem;
pub mod quantity;
pub mod registry;
pub mod resolve;
pub mod schema;
mod set;
pub(crate) mod shape;
mod short_path;
pub(crate) mod source;
pub mod suggest;
pub mod templates;
#[cfg(test)]
mod tests;
pub mod topology;
pub mod types;
mod unit_hint;

pub use describe::{Network, describe};
pub use diagnostic::{Diagnostic, Refusal, Severity};
pub use document::as_json;
pub use flow::Flow;
pub use graph::Graph;
pub use parse::Checked;
pub use quantity::Quantity;
pub use registry::registry;
pub use resolve::resolve;
pub use schema::schema;
pub use templates::template;
pub use topology::{
    GraphHost, GraphLink, GraphNode, GraphSwitch, GraphTopology, NSource, ParkingLot, SingleSwitch,
    Topology,
};
pub use types::{Aal5, Change, EventKind, Measure, Run, Scenario, Switch, TraceKind};
