//! The plan of a simulation: a directed graph, the flows over it, and the measurements.

pub(super) mod change;
mod credited;
mod ways;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use change::{Change, FlowChange, SwitchChange};
pub use credited::{Contradiction, contradictions};
pub use ways::{least_transit, loop_round_trip, way_time};

pub use crate::net::LinkPlan;

use super::simultaneous::SimultaneousCells;
use super::source_queue::Refuses;
use crate::atm::aal5::Encapsulation;
use crate::atm::cell::ServiceClass;
use crate::atm::errors::LinkErrors;
use crate::control::ControlConfig;
use crate::credit::FcvcConfig;
use crate::discard::DiscardConfig;
use crate::endsystem::{AbrConfig, VsVdConfig};
use crate::kernel::Ps;
use crate::kernel::units::Buffer;
use crate::net::channel::ChannelId;
use crate::tcp::TcpConfig;
use crate::traffic::SourceConfig;

/// A plan of a simulation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of every random stream.
    pub seed: u64,
    /// Nodes; links name them by index.
    pub nodes: Vec<NodePlan>,
    /// Directed links; flows name them by index.
    pub links: Vec<LinkPlan>,
    /// Flows, each with its channels and end systems.
    pub flows: Vec<FlowPlan>,
    /// Credit control, if there is any.
    pub fcvc: Option<FcvcConfig>,
    /// Bit errors on links, by which every link may lose cells.
    pub errors: LinkErrors,
    /// Order of cells that arrive at one instant.
    pub simultaneous_cells: SimultaneousCells,
    /// Changes during the run, in the order of their instants.
    pub changes: Vec<Change>,
    /// Control schemes of single ports in place of their switch's, by the link that a port feeds.
    /// A change of the switch acts on a port that has the same scheme.
    pub port_controls: Vec<(usize, ControlConfig)>,
    /// Measurements and recordings.
    pub measure: MeasurePlan,
}

impl Plan {
    /// A plan with seed 1, without credit control, losses on links, changes and recordings.
    pub fn new(nodes: Vec<NodePlan>, links: Vec<LinkPlan>, flows: Vec<FlowPlan>) -> Plan {
        Plan {
            seed: 1,
            nodes,
            links,
            flows,
            fcvc: None,
            errors: LinkErrors::default(),
            simultaneous_cells: SimultaneousCells::default(),
            changes: Vec::new(),
            port_controls: Vec::new(),
            measure: MeasurePlan::default(),
        }
    }
    /// The channels of all flows.
    pub fn channels(&self) -> impl DoubleEndedIterator<Item = ChannelId> + Clone + use<> {
        ChannelId::all(self.flows.len())
    }
    /// Links of a channel, in order; empty if the flow has no such channel.
    pub fn path(&self, channel: ChannelId) -> &[usize] {
        let flow = &self.flows[channel.flow()];
        if channel.is_forward() {
            &flow.forward
        } else {
            &flow.backward
        }
    }
    /// Class of the data of a channel.
    pub fn class(&self, channel: ChannelId) -> ServiceClass {
        let flow = &self.flows[channel.flow()];
        if channel.is_forward() {
            flow.service
        } else {
            flow.ack_service
        }
    }
    /// Control scheme of the port that feeds `link`, whose switch has these `settings`.
    pub fn control_of<'p>(&'p self, link: usize, settings: &'p SwitchPlan) -> &'p ControlConfig {
        let mut single = self.port_controls.iter();
        let own = single.find(|(port, _)| *port == link);
        own.map_or(&settings.control, |(_, control)| control)
    }
    /// Name of a channel: `FLOW/forward` or `FLOW/backward`.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        format!(
            "{}/{}",
            self.flows[channel.flow()].name,
            channel.direction()
        )
    }
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Name of the node, unique in the plan.
    pub name: String,
    /// Kind of node.
    pub kind: NodeKind,
}

/// Kind of a node.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per node, and only while a simulation is built"
)]
pub enum NodeKind {
    /// An end system, at which channels begin and end.
    Host,
    /// A switch, which forwards cells; all its output ports have these settings.
    Switch(SwitchPlan),
}

/// Settings of a switch's output ports.
#[derive(Clone, Debug)]
pub struct SwitchPlan {
    /// Limit of each queue.
    pub buffer: Buffer,
    /// Queues in order of priority, each with the classes that share it.
    pub priority: Vec<Vec<ServiceClass>>,
    /// True if RM cells are served before the other cells of their queue.
    pub rm_first: bool,
    /// Congestion control of the queue that holds ABR.
    pub control: ControlConfig,
    /// Discard policy of every queue.
    pub discard: DiscardConfig,
    /// Settings of virtual sources and destinations, if ABR control loops end here and new ones
    /// begin.
    pub vsvd: Option<VsVdConfig>,
}

impl SwitchPlan {
    /// Ports with queues of `buffer` cells, CBR and VBR before the other classes, without control;
    /// full queues refuse cells.
    pub fn new(buffer: Buffer) -> SwitchPlan {
        use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
        SwitchPlan {
            buffer,
            priority: Vec::from([Vec::from([Cbr, Vbr]), Vec::from([Abr, Ubr, Random])]),
            rm_first: false,
            control: ControlConfig::default(),
            discard: DiscardConfig::default(),
            vsvd: None,
        }
    }
}

/// A flow: a bidirectional virtual channel and its end systems.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Unique name, for instance `tcp.3`.
    pub name: String,
    /// Name of the group of like flows.
    pub group: String,
    /// Number of the flow within the group, from 1.
    pub index: u32,
    /// Class of the data of the forward channel.
    pub service: ServiceClass,
    /// Class of the data of the backward channel. RM cells of both channels are ABR if either class is.
    pub ack_service: ServiceClass,
    /// Links of the forward channel, in order.
    pub forward: Vec<usize>,
    /// Links of the backward channel, in order.
    pub backward: Vec<usize>,
    /// Start time of the source.
    pub start: Ps,
    /// False if the source sends nothing new until a change lets it.
    pub sends: bool,
    /// The source of traffic.
    pub source: SourceConfig,
    /// TCP at both ends; used by sources over TCP.
    pub tcp: TcpConfig,
    /// ABR end systems at both ends; used by channels of that class.
    pub abr: AbrConfig,
    /// Headers between AAL5 and IP.
    pub encapsulation: Encapsulation,
    /// Limit of the source queue of each channel, in cells.
    pub source_queue: Buffer,
    /// The part of a PDU that a source queue refuses if it does not fit.
    pub source_queue_refuses: Refuses,
}

impl FlowPlan {
    /// A flow that starts at 0, alone in a group of its name, with default end systems and no
    /// backward channel.
    pub fn new(
        name: &str,
        service: ServiceClass,
        source: SourceConfig,
        forward: Vec<usize>,
    ) -> FlowPlan {
        FlowPlan {
            name: name.into(),
            group: name.into(),
            index: 1,
            service,
            ack_service: service,
            forward,
            backward: Vec::new(),
            start: Ps::ZERO,
            sends: true,
            source,
            tcp: TcpConfig::default(),
            abr: AbrConfig::default(),
            encapsulation: Encapsulation::default(),
            source_queue: Buffer::INFINITE,
            source_queue_refuses: Refuses::default(),
        }
    }
}

/// Measurements and recordings besides counters.
#[derive(Clone, Debug, Default)]
pub struct MeasurePlan {
    /// Stamps every cell to measure cell delays.
    pub cell_delay: bool,
    /// Kinds of events to log.
    pub events: EventKinds,
    /// Largest number of events kept.
    pub event_limit: usize,
}

/// A set of event kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventKinds {
    /// Cells refused by a buffer.
    pub loss: bool,
    /// Expiries of TCP's retransmission timer.
    pub timeout: bool,
    /// Segments that TCP sends again.
    pub retransmission: bool,
    /// Congestion marks written into backward RM cells or data cells.
    pub mark: bool,
}

/// Reason why a plan cannot be simulated. The plan violates a condition that its author must
/// ensure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(pub String);

impl core::fmt::Display for PlanError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for PlanError {}
