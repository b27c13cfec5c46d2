//! Networks of both link layers, joined by routers: ATM on some links, Ethernet on others, and TCP over IP
//! end to end.
//!
//! A simulation has links of one link layer, so a joined one holds two. A flow that crosses routers is divided
//! into legs, each within one link layer: over ATM a virtual channel with AAL5 and LLC/SNAP, which begins
//! or ends at a router as at a host; over Ethernet frames. A router hands on a packet when its last bit
//! has arrived, after a forwarding delay. That delay is the lookahead of the two simulations: each advances
//! alone for so long, then packets change over.

pub mod plan;
pub mod report;
mod simulation;

pub use plan::{FlowPlan, JoinedPlan, Layer, LinkPlan, NodeKind, NodePlan, RouterPlan};
pub use report::JoinedReport;
pub use simulation::Joined;
