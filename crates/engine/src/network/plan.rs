//! What a simulation is built from: a directed graph, the flows over it, what is measured.

mod credited;
mod ways;

use alloc::string::String;
use alloc::vec::Vec;

pub use credited::{Contradiction, contradictions};
pub use ways::{loop_round_trip, opposites, way_time};

use super::Refuses;
use super::simultaneous::SimultaneousCells;
use crate::atm::aal5::Encapsulation;
use crate::atm::cell::ServiceClass;
use crate::atm::errors::LinkErrors;
use crate::control::ControlConfig;
use crate::credit::FcvcConfig;
use crate::discard::DiscardConfig;
use crate::endsystem::{AbrConfig, VsVdConfig};
use crate::kernel::units::Buffer;
use crate::kernel::{Ps, Rate};
use crate::tcp::TcpConfig;
use crate::traffic::SourceConfig;

/// A whole simulation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of every random stream.
    pub seed: u64,
    /// Nodes; links name them by index.
    pub nodes: Vec<NodePlan>,
    /// Directed links; flows name them by index.
    pub links: Vec<LinkPlan>,
    /// Flows.
    pub flows: Vec<FlowPlan>,
    /// Credit control, if there is any.
    pub fcvc: Option<FcvcConfig>,
    /// What every link loses.
    pub errors: LinkErrors,
    /// Which of the cells that arrive at one instant comes first.
    pub simultaneous_cells: SimultaneousCells,
    /// What is kept.
    pub measure: MeasurePlan,
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Unique name.
    pub name: String,
    /// What it does.
    pub kind: NodeKind,
}

/// What a node does.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per node, and only while a simulation is built"
)]
pub enum NodeKind {
    /// Ends channels.
    Host,
    /// Forwards cells; every output port has these settings.
    Switch(SwitchPlan),
}

/// Settings of a switch's output ports.
#[derive(Clone, Debug)]
pub struct SwitchPlan {
    /// Limit of each queue.
    pub buffer: Buffer,
    /// Queues in order of priority, each with the classes that share it.
    pub priority: Vec<Vec<ServiceClass>>,
    /// Whether RM cells are served before the other cells of their queue.
    pub rm_first: bool,
    /// Congestion control of the queue that holds ABR.
    pub control: ControlConfig,
    /// Discard policy of every queue.
    pub discard: DiscardConfig,
    /// Whether, and how, the loops of ABR channels end here and begin again.
    pub vsvd: Option<VsVdConfig>,
}

/// A directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPlan {
    /// Unique name, for instance `A->B`.
    pub name: String,
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Line rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Ps,
}

/// A flow: a bidirectional virtual channel and what runs over it.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Unique name, for instance `tcp.3`.
    pub name: String,
    /// Name of the group of like flows.
    pub group: String,
    /// Number within the group, from 1.
    pub index: u32,
    /// Class of the data of the forward channel.
    pub service: ServiceClass,
    /// Class of the data of the backward channel. RM cells of both are ABR if either class is.
    pub ack_service: ServiceClass,
    /// Links of the forward channel, in order.
    pub forward: Vec<usize>,
    /// Links of the backward channel, in order.
    pub backward: Vec<usize>,
    /// When the source starts.
    pub start: Ps,
    /// What is sent.
    pub source: SourceConfig,
    /// TCP at both ends; used by sources over TCP.
    pub tcp: TcpConfig,
    /// ABR end systems at both ends; used by channels of that class.
    pub abr: AbrConfig,
    /// What AAL5 carries before the IP packet.
    pub encapsulation: Encapsulation,
    /// Limit of the source queue of each channel, in cells.
    pub source_queue: Buffer,
    /// What a source queue refuses of a PDU that does not fit.
    pub source_queue_refuses: Refuses,
}

/// What is kept besides counters.
#[derive(Clone, Debug, Default)]
pub struct MeasurePlan {
    /// Stamp every cell, so that cell delays are measured.
    pub cell_delay: bool,
    /// Kinds of events to log.
    pub events: EventKinds,
    /// Most events kept.
    pub event_limit: usize,
}

/// A set of event kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventKinds {
    /// Cells refused by a buffer.
    pub loss: bool,
    /// Retransmission timeouts.
    pub timeout: bool,
    /// Segments sent again.
    pub retransmission: bool,
    /// Congestion marks written into backward RM cells or data cells.
    pub mark: bool,
}
