//! A scenario file as Rust types: what is run, what is measured, and what the network and its end
//! systems are set to. Fields of other crates' parts keep their documentation there.

use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::endsystem::{AbrConfig, VsVdConfig};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::network::simultaneous::SimultaneousCells;
use cellrate_engine::tcp::TcpConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flow::Flow;
use super::topology::{NSource, ParkingLot, SingleSwitch, Topology};

/// A cell-level simulation of flow control under TCP: topology, switches, end systems, traffic and
/// what is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// How long, and with which randomness.
    pub run: Run,
    /// What is kept.
    #[serde(default)]
    pub measure: Measure,
    /// Nodes and links.
    pub topology: Topology,
    /// Output ports of every switch.
    #[serde(default)]
    pub switch: Switch,
    /// Credit control of every link; none if absent, `fcvc = {}` for all its defaults.
    pub fcvc: Option<FcvcConfig>,
    /// Cells that links lose.
    #[serde(default)]
    pub link_errors: LinkErrors,
    /// TCP of every flow that does not say otherwise.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// ABR end systems of every flow that does not say otherwise.
    #[serde(default)]
    pub abr: AbrConfig,
    /// Adaptation layer of every flow.
    #[serde(default)]
    pub aal5: Aal5,
    /// Groups of like flows; at least one.
    #[serde(rename = "flow")]
    #[schemars(length(min = 1))]
    pub flows: Vec<Flow>,
}

/// How long, and with which randomness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Simulated time.
    pub duration: Ps,
    /// Seed of every random stream.
    #[serde(default = "first_seed")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: u64,
    /// Largest random addition, uniform, to the start of every flow.
    #[serde(default = "zero")]
    pub start_jitter: Ps,
    /// Which of the cells that arrive at a node at one instant comes first. They are many where lines of one rate bring
    /// what sources began together, and then decide who loses.
    #[serde(default)]
    pub simultaneous_cells: SimultaneousCells,
    /// Whether values outside the standard are errors. If false they are warnings.
    #[serde(default = "yes")]
    pub strict: bool,
}

/// What is kept, and over which part of the run it is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Measure {
    /// Start of the measuring window.
    pub from: Ps,
    /// End of the measuring window; the end of the run if absent.
    pub to: Option<Ps>,
    /// Sampling period of traces; a thousandth of the run if absent.
    pub sample: Option<Ps>,
    /// What is traced.
    pub traces: Vec<TraceKind>,
    /// Most points kept of each trace; with more of them, neighbours are joined to their least and
    /// largest value.
    #[schemars(range(min = 2))]
    pub trace_points: u32,
    /// What is logged event by event.
    pub events: Vec<EventKind>,
    /// Most events kept.
    pub event_limit: u32,
    /// Whether delays of data cells are measured; every one is stamped, which costs time.
    pub cell_delay: bool,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            from: Ps::ZERO,
            to: None,
            sample: None,
            traces: Vec::new(),
            trace_points: 4_000,
            events: Vec::new(),
            event_limit: 100_000,
            cell_delay: false,
        }
    }
}

/// A quantity that can be traced over time.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TraceKind {
    /// Cells in each queue of each switch port, and in front of its virtual sources.
    Queue,
    /// Allowed cell rate of each ABR source, virtual ones included.
    Acr,
    /// Congestion window of each TCP sender.
    Cwnd,
    /// Bytes acknowledged to each TCP sender.
    Sequence,
    /// Cells that wait at each source for its turn to send.
    SourceQueue,
    /// Share of each link that was used since the last sample.
    Utilisation,
}

/// A kind of event that can be logged.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A cell refused by a buffer, with its channel, PDU and cause.
    Loss,
    /// A retransmission timeout.
    Timeout,
    /// A segment sent again.
    Retransmission,
    /// A congestion mark written into a cell.
    Mark,
}

/// Output ports of a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Switch {
    /// Limit of each queue of each port.
    pub buffer: Buffer,
    /// Queues of each port, the one served first in front, each with the service classes that share
    /// it. Every class that a flow uses is in one queue.
    pub priority: Vec<Vec<ServiceClass>>,
    /// Congestion control of the queue that holds ABR.
    pub control: ControlConfig,
    /// Which cells a full buffer refuses.
    pub discard: DiscardConfig,
    /// Whether loops of ABR control end at the switch and begin again, with a virtual destination and a virtual source
    /// for each channel; `{}` for yes. Off if absent.
    pub vsvd: Option<VsVdConfig>,
    /// Whether RM cells are served before the data cells of their queue, which TM 4.0 section 5.10.6 allows: only RM cells of
    /// one kind must stay in order. Feedback then does not wait behind data. They count in the queue as before.
    pub rm_first: bool,
}

impl Default for Switch {
    fn default() -> Switch {
        use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
        Switch {
            buffer: Buffer::INFINITE,
            priority: vec![vec![Cbr, Vbr], vec![Abr, Ubr, Random]],
            control: ControlConfig::default(),
            discard: DiscardConfig::default(),
            vsvd: None,
            rm_first: false,
        }
    }
}

/// Adaptation layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Aal5 {
    /// What precedes an IP packet.
    pub encapsulation: Encapsulation,
}

impl Scenario {
    /// Measuring window.
    pub fn window(&self) -> (Ps, Ps) {
        (
            self.measure.from,
            self.measure.to.unwrap_or(self.run.duration),
        )
    }
    /// Sampling period of traces, at least a picosecond.
    pub fn sample(&self) -> Ps {
        self.measure
            .sample
            .unwrap_or(Ps((self.run.duration.0 / 1_000).max(1)))
    }
    /// Writes out the defaults that follow from other keys.
    pub(super) fn complete(&mut self) {
        let (_, to) = self.window();
        (self.measure.to, self.measure.sample) = (Some(to), Some(self.sample()));
        match &mut self.topology {
            Topology::NSource(NSource {
                link_rate,
                bottleneck_rate,
                ..
            })
            | Topology::ParkingLot(ParkingLot {
                link_rate,
                bottleneck_rate,
                ..
            })
            | Topology::SingleSwitch(SingleSwitch {
                link_rate,
                bottleneck_rate,
                ..
            }) => {
                bottleneck_rate.get_or_insert(*link_rate);
            }
            Topology::Graph(_) => {}
        }
        for flow in self.flows.iter_mut().filter(|flow| flow.needs_backward()) {
            flow.ack_service = Some(flow.ack_service());
        }
    }
}

fn first_seed() -> u64 {
    1
}

fn zero() -> Ps {
    Ps::ZERO
}

fn yes() -> bool {
    true
}
