//! Networks of two link layers, ATM and Ethernet, that routers join. TCP over IP runs from end to end.
//!
//! A joined simulation contains a simulation of each link layer. A flow that crosses routers is divided into
//! legs, each within one link layer. Over ATM a leg is a virtual channel with AAL5 and LLC/SNAP, which begins or
//! ends at a router as at a host. Over Ethernet a leg consists of frames. A router forwards a packet after its
//! last bit has arrived, with a forwarding delay. The least forwarding delay of all routers is the lookahead.
//! Each simulation runs for this time without the other, and then packets pass between the simulations.

mod alone;
pub mod plan;
pub mod report;
mod simulation;

pub use alone::completion_alone;
pub use plan::{FlowPlan, JoinedPlan, Layer, LinkPlan, NodeKind, NodePlan, RouterPlan};
pub use report::JoinedReport;
pub use simulation::Joined;
