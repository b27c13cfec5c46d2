//! The plan of an ATM simulation: a directed graph, the flows over it, and the measurements.

pub(super) mod change;
mod credited;
mod ways;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use change::{Change, FlowChange, SwitchChange};
pub use credited::{Contradiction, contradictions};
pub use ways::{least_transit, loop_round_trip, way_time};

use crate::net::EventKinds;
pub use crate::net::LinkPlan;

use super::simultaneous::SimultaneousCells;
use super::source_queue::Refuses;
use crate::atm::aal5::Encapsulation;
use crate::atm::cell::ServiceClass;
use crate::atm::consolidation::Consolidation;
use crate::atm::errors::LinkErrors;
use crate::control::ControlConfig;
use crate::credit::FcvcConfig;
use crate::discard::DiscardConfig;
use crate::endsystem::{AbrConfig, VsVdConfig};
use crate::kernel::Ps;
use crate::kernel::units::{Buffer, Cells};
use crate::net::channel::ChannelId;
use crate::policing::{GfrConfig, PolicerConfig, ShaperConfig};
use crate::schedule::channels::{ChannelScheduleConfig, WeightsFrom};
use crate::tcp::TcpConfig;
use crate::traffic::SourceConfig;

/// The plan of an ATM simulation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of every random stream.
    pub seed: u64,
    /// Hosts and switches. Links refer to a node by its index in this list.
    pub nodes: Vec<NodePlan>,
    /// Directed links. Flows refer to a link by its index in this list.
    pub links: Vec<LinkPlan>,
    /// Flows, each with its channels and end systems.
    pub flows: Vec<FlowPlan>,
    /// Parameters of credit control; `None` without it.
    pub fcvc: Option<FcvcConfig>,
    /// Cells that links lose, and bit errors of links without errors of their own.
    pub errors: LinkErrors,
    /// Order of cells that arrive at one node at the same instant.
    pub simultaneous_cells: SimultaneousCells,
    /// Changes of settings during the run, in the order of their instants.
    pub changes: Vec<Change>,
    /// Control schemes of single ports, each with the index of the link that the port feeds. Such a scheme
    /// replaces the scheme of the switch at this port. A change of the switch's scheme acts on such a port only
    /// if both schemes are of one kind.
    pub port_controls: Vec<(usize, ControlConfig)>,
    /// Measurements and recordings of the run.
    pub measure: MeasurePlan,
}

impl Plan {
    /// True if a link may lose or damage cells.
    pub fn links_err(&self) -> bool {
        let own = |link: &LinkPlan| {
            #[cfg(test)]
            crate::net::channel::looks::count();
            link.errors.as_ref().is_some_and(|errors| errors.occur())
        };
        self.errors.occur() || self.links.iter().any(own)
    }
    /// A plan with seed 1, and without credit control, link losses, changes and recordings.
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
    /// The channels of all flows, in order of their numbers.
    pub fn channels(&self) -> impl DoubleEndedIterator<Item = ChannelId> + Clone + use<> {
        ChannelId::all(self.flows.len())
    }
    /// Indices of the links of a channel, in order; empty if the flow has no channel in this
    /// direction.
    pub fn path(&self, channel: ChannelId) -> &[usize] {
        let flow = &self.flows[channel.flow()];
        if channel.is_forward() {
            &flow.forward
        } else {
            &flow.backward
        }
    }
    /// Service class of the data of a channel.
    pub fn class(&self, channel: ChannelId) -> ServiceClass {
        let flow = &self.flows[channel.flow()];
        if channel.is_forward() {
            flow.service
        } else {
            flow.ack_service
        }
    }
    /// Control scheme of the port that feeds `link`. `settings` are the settings of the switch to which the port
    /// belongs.
    pub fn control_of<'p>(&'p self, link: usize, settings: &'p SwitchPlan) -> &'p ControlConfig {
        let mut single = self.port_controls.iter();
        let own = single.find(|(port, _)| *port == link);
        own.map_or(&settings.control, |(_, control)| control)
    }
    /// For each flow whose cells are copied: the indices of the flows that are its further branches.
    ///
    /// # Errors
    /// If a flow copies the cells of a later flow.
    pub(super) fn further(&self) -> Result<BTreeMap<usize, Vec<usize>>, PlanError> {
        let mut further: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, flow) in self.flows.iter().enumerate() {
            let Some(branch) = &flow.branch else { continue };
            if branch.of >= index {
                let message = format!("flow {} copies the cells of a later flow", flow.name);
                return Err(PlanError(message));
            }
            further.entry(branch.of).or_default().push(index);
        }
        Ok(further)
    }
    /// True if the cells of the flow go to several leaves.
    pub(super) fn is_multipoint(&self, flow: usize) -> bool {
        let copies = |other: &FlowPlan| other.branch.is_some_and(|branch| branch.of == flow);
        self.flows[flow].branch.is_some() || self.flows.iter().any(copies)
    }
    /// Weight of a channel where a port serves channels by weight; an MCR is in thousandths of a bit per second, 0 if the
    /// flow has none.
    pub fn weight(&self, channel: ChannelId, from: WeightsFrom) -> u64 {
        let flow = &self.flows[channel.flow()];
        match from {
            WeightsFrom::Flow => flow.weight.into(),
            WeightsFrom::Mcr if let Some(gfr) = &flow.gfr => gfr.mcr.0,
            WeightsFrom::Mcr if flow.service == ServiceClass::Abr => {
                flow.abr.mcr.map_or(0, |mcr| mcr.0)
            }
            WeightsFrom::Mcr => 0,
        }
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

/// A node of the plan: a host, or a switch with its settings.
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
    /// A switch, which forwards cells. The settings hold for all its output ports.
    Switch(SwitchPlan),
}

/// Settings of a switch's output ports.
#[derive(Clone, Debug)]
pub struct SwitchPlan {
    /// Limit of each queue in cells.
    pub buffer: Buffer,
    /// Limit of each queue in cells for cells with CLP = 1; `None` if `buffer` is their limit, too.
    pub clp_threshold: Option<Cells>,
    /// Queues in order of priority, highest first, each with the classes that share it.
    pub priority: Vec<Vec<ServiceClass>>,
    /// True if RM cells are served before the other cells of their queue.
    pub rm_first: bool,
    /// Order of service of the channels of each queue, in which each channel then has a queue of its own; `None` if cells
    /// leave in the order of their arrivals.
    pub schedule: Option<ChannelScheduleConfig>,
    /// Congestion control of the queue for ABR.
    pub control: ControlConfig,
    /// Discard policy of every queue.
    pub discard: DiscardConfig,
    /// Settings of virtual sources and destinations, if the switch ends ABR loops and begins new
    /// ones.
    pub vsvd: Option<VsVdConfig>,
}

impl SwitchPlan {
    /// Settings with queues of `buffer` cells, tail drop and no control. CBR and VBR are served
    /// before the other classes.
    pub fn new(buffer: Buffer) -> SwitchPlan {
        use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
        SwitchPlan {
            buffer,
            clp_threshold: None,
            priority: Vec::from([Vec::from([Cbr, Vbr]), Vec::from([Abr, Ubr, Random])]),
            rm_first: false,
            schedule: None,
            control: ControlConfig::default(),
            discard: DiscardConfig::default(),
            vsvd: None,
        }
    }
}

/// A further branch of a point-to-multipoint channel: a flow that has no source, but copies of another flow's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchPlan {
    /// Index of the flow whose cells are copied, which comes earlier in the plan.
    pub of: usize,
    /// Rule by which the branch point returns backward RM cells.
    pub consolidation: Consolidation,
}

/// A flow: its two virtual channels, forward and backward, and its end systems.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Unique name, for instance `tcp.3`.
    pub name: String,
    /// Name of the scenario's group of identical flows.
    pub group: String,
    /// Number of the flow within the group, from 1.
    pub index: u32,
    /// Class of the data of the forward channel.
    pub service: ServiceClass,
    /// Class of the data of the backward channel. RM cells of both channels are of class ABR if the data of at
    /// least one channel are.
    pub ack_service: ServiceClass,
    /// Links of the forward channel, in order.
    pub forward: Vec<usize>,
    /// Links of the backward channel, in order.
    pub backward: Vec<usize>,
    /// Weight of both channels where a port serves channels by weight, above 0.
    pub weight: u32,
    /// Start time of the source.
    pub start: Ps,
    /// False if the source sends no new data; a change of the plan may later set this to true.
    pub sends: bool,
    /// Contract of the forward channel, to which the first switch of its path holds the channel; `None` without a
    /// policer.
    pub policer: Option<PolicerConfig>,
    /// GFR contract of the forward channel, to which the first switch of its path holds the channel; `None` without one.
    pub gfr: Option<GfrConfig>,
    /// Contract to which the source shapes the cells of the forward channel; `None` without a shaper.
    pub shaper: Option<ShaperConfig>,
    /// Contract to which ports with a queue for each channel shape the cells of the forward channel; `None` without
    /// shapers at ports.
    pub port_shaper: Option<ShaperConfig>,
    /// The source of traffic.
    pub source: SourceConfig,
    /// Parameters of TCP at both ends; unused by sources without TCP.
    pub tcp: TcpConfig,
    /// Parameters of the ABR end systems at both ends; unused by channels of other classes.
    pub abr: AbrConfig,
    /// Headers between AAL5 and IP, such as LLC/SNAP.
    pub encapsulation: Encapsulation,
    /// Limit of the source queue at each end, in cells.
    pub source_queue: Buffer,
    /// Cells of a PDU that a source queue refuses if the whole PDU does not fit.
    pub source_queue_refuses: Refuses,
    /// Set for a further branch of a point-to-multipoint channel. Its paths begin and end at a switch within the paths of
    /// the flow that it copies.
    pub branch: Option<BranchPlan>,
}

impl FlowPlan {
    /// A flow that starts at 0 in a group of its own, with default end systems and without a
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
            weight: 1,
            start: Ps::ZERO,
            sends: true,
            policer: None,
            gfr: None,
            shaper: None,
            port_shaper: None,
            source,
            tcp: TcpConfig::default(),
            abr: AbrConfig::default(),
            encapsulation: Encapsulation::default(),
            source_queue: Buffer::INFINITE,
            source_queue_refuses: Refuses::default(),
            branch: None,
        }
    }
}

/// Measurements and recordings of a run, in addition to counters.
#[derive(Clone, Debug, Default)]
pub struct MeasurePlan {
    /// True if each data cell carries its sending time, so that cell delays can be measured.
    pub cell_delay: bool,
    /// Kinds of events to log.
    pub events: EventKinds,
    /// Largest number of events that the log stores.
    pub event_limit: usize,
}

/// Reason why a plan cannot be simulated: a condition that the plan violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(pub String);

impl core::fmt::Display for PlanError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for PlanError {}
