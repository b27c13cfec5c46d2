//! The scenario file: what it holds, how it is read and checked, and what it looks like with every
//! default written out.

pub mod diagnostic;
pub mod flow;
pub mod graph;
pub mod parse;
pub mod problem;
mod suggest;
pub mod topology;
pub mod types;

pub use diagnostic::{Diagnostic, Refusal, Severity};
pub use flow::Flow;
pub use parse::Checked;
pub use topology::{GraphHost, GraphLink, GraphNode, GraphSwitch, GraphTopology, NSource, SingleSwitch, Topology};
pub use types::{Aal5, EventKind, Measure, Run, Scenario, Switch, TraceKind};
