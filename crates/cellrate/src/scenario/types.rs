//! A scenario file as Rust types: the run, its measurements, and the settings of the network and
//! its end systems. Types of the engine are documented there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::endsystem::{AbrConfig, VsVdConfig};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::{Buffer, Cells};
use cellrate_engine::net::EventKinds;
use cellrate_engine::schedule::channels::ChannelScheduleConfig;
use cellrate_engine::tcp::TcpConfig;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::flow::Flow;
use super::topology::{NSource, ParkingLot, SingleSwitch, Topology};

/// A cell-level simulation of flow control under TCP: topology, switches, end systems, traffic and
/// measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Duration and random seed of the run.
    #[schemars(extend("x-change" = "a run has one duration and one seed"))]
    pub run: Run,
    /// Measurements and recordings.
    #[serde(default)]
    #[schemars(extend("x-change" = "a run has one set of measurements"))]
    pub measure: Measure,
    /// Nodes and links.
    #[schemars(extend("x-change" = "cells are on the links, and connections are routed"))]
    pub topology: Topology,
    /// Output ports of every switch.
    #[serde(default)]
    #[schemars(extend("x-change" = true))]
    pub switch: Switch,
    /// Credit control of every link; none if absent, `fcvc = {}` for all its defaults.
    #[schemars(extend("x-change" = "credits on their way count in the old allocation"))]
    pub fcvc: Option<FcvcConfig>,
    /// Cells that links lose.
    #[serde(default)]
    #[schemars(extend("x-change" = "losses are a property of the lines"))]
    pub link_errors: LinkErrors,
    /// TCP settings of all flows; a flow can override them.
    #[serde(default)]
    #[schemars(extend("x-change" = "both ends agree on the settings of TCP when a connection opens"))]
    pub tcp: TcpConfig,
    /// Settings of the ABR end systems of all flows; a flow can override them.
    #[serde(default)]
    #[schemars(extend("x-change" = true))]
    pub abr: AbrConfig,
    /// Adaptation layer of every flow.
    #[serde(default)]
    #[schemars(extend("x-change" = "PDUs are on their way"))]
    pub aal5: Aal5,
    /// Groups of like flows; at least one.
    #[serde(rename = "flow")]
    #[schemars(length(min = 1), extend("x-change" = "a flow is set up once"))]
    pub flows: Vec<Flow>,
    /// Changes of settings during the run, in the order of their times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-change" = "a change changes settings, not other changes"))]
    pub changes: Vec<Change>,
}

/// Settings that hold from a time of the run on. Everything earlier follows the old settings,
/// everything at that time or later the new ones; queues, windows, rates and measurements are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Time of the change: after 0 s, before the end of the run, and after the change before it.
    pub at: Ps,
    /// New values by the paths of their keys, as for `--set`: `{ "switch.buffer" = "500 cells" }`.
    /// Buffers, parameters with a range in the schema (`x-search`) of schemes, policies and ABR
    /// sources, `sends` of a flow and the rates of its background source can change.
    pub set: BTreeMap<String, Setting>,
}

/// A value that a change gives to a key, of any type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Setting(pub toml::Value);

impl JsonSchema for Setting {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Setting".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "The value of the key." })
    }
}

/// Duration and random seed of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Simulated time.
    pub duration: Ps,
    /// Seed of every random stream.
    #[serde(default = "first_seed")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: u64,
    /// Largest random delay that is added to the start of every flow; the delays are uniformly
    /// distributed.
    #[serde(default = "zero")]
    pub start_jitter: Ps,
    /// Order of cells that arrive at a node at the same instant. Such cells are frequent if sources
    /// start together over lines of equal rate, and their order then decides which source loses
    /// cells.
    #[serde(default)]
    pub simultaneous_cells: SimultaneousCells,
    /// Treats values outside the standard as errors. If false they are warnings.
    #[serde(default = "yes")]
    pub strict: bool,
}

/// Measurements and recordings, and the part of the run that they cover.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Measure {
    /// Start of the measuring window.
    pub from: Ps,
    /// End of the measuring window; the end of the run if absent.
    pub to: Option<Ps>,
    /// Sampling period of traces; a thousandth of the run if absent.
    pub sample: Option<Ps>,
    /// Traced quantities.
    pub traces: Vec<TraceKind>,
    /// Largest number of points kept of each trace; beyond it, neighbouring points are combined
    /// into their least and greatest value.
    #[schemars(range(min = 2))]
    pub trace_points: u32,
    /// Kinds of events in the event log.
    pub events: Vec<EventKind>,
    /// Largest number of events kept.
    pub event_limit: u32,
    /// Measures delays of data cells. Every cell is then stamped, which makes the run slower.
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
    /// Cells that wait at each source to be sent.
    SourceQueue,
    /// Share of each link's capacity that was used since the last sample.
    Utilisation,
}

/// A kind of event that can be logged.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A cell refused by a buffer, with its channel, PDU and cause; over Ethernet a frame that a switch drops.
    Loss,
    /// A retransmission timeout.
    Timeout,
    /// A retransmitted segment; over RoCE a packet.
    Retransmission,
    /// A congestion mark written into a cell; over Ethernet CE in a frame.
    Mark,
}

impl EventKind {
    /// The engine's set of these kinds.
    pub(crate) fn set_of(wanted: &[EventKind]) -> EventKinds {
        EventKinds {
            loss: wanted.contains(&EventKind::Loss),
            timeout: wanted.contains(&EventKind::Timeout),
            retransmission: wanted.contains(&EventKind::Retransmission),
            mark: wanted.contains(&EventKind::Mark),
        }
    }
}

/// Buffers, queues, control scheme and discard policy of the output ports of all switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Switch {
    /// Limit of each queue of each port, the cell in service included.
    #[schemars(extend("x-change" = true))]
    pub buffer: Buffer,
    /// Limit of each queue of each port for cells with CLP = 1, which are thus dropped first: cells that a policer has
    /// tagged, and RM cells out of rate. The discard policy decides about such a cell with this limit in place of
    /// `buffer`. All cells have the limit `buffer` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "the threshold belongs to the configuration of the switch", "x-not-searched" = "a share between contracts and what exceeds them"))]
    pub clp_threshold: Option<Cells>,
    /// Queues of each port in order of priority, the highest first, each with the service classes
    /// that share it. Every class that a flow uses must be in exactly one queue.
    #[schemars(extend("x-change" = "cells wait in the queues of their classes"))]
    pub priority: Vec<Vec<ServiceClass>>,
    /// Congestion control of the queue that holds ABR.
    pub control: ControlConfig,
    /// Selection of the cells that are refused at a full buffer.
    pub discard: DiscardConfig,
    /// Ends ABR control loops at the switch and begins new ones, with a virtual destination and a
    /// virtual source for each channel; `{}` turns it on. Off if absent.
    #[schemars(extend("x-change" = "control loops begin and end at fixed switches"))]
    pub vsvd: Option<VsVdConfig>,
    /// Serves RM cells before the data cells of their queue. TM 4.0 section 5.10.6 allows it: only
    /// RM cells of one kind must stay in order. Feedback then does not wait behind data. RM cells
    /// still count in the queue length.
    pub rm_first: bool,
    /// Gives each channel a queue of its own within the queue of its class, and says which of them sends next. `buffer`
    /// limits all of them together. Cells of a class leave in the order of their arrivals if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "cells wait in the queues of their channels"))]
    pub schedule: Option<ChannelScheduleConfig>,
}

impl Default for Switch {
    fn default() -> Switch {
        use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
        Switch {
            buffer: Buffer::INFINITE,
            clp_threshold: None,
            priority: vec![vec![Cbr, Vbr], vec![Abr, Ubr, Random]],
            control: ControlConfig::default(),
            discard: DiscardConfig::default(),
            vsvd: None,
            rm_first: false,
            schedule: None,
        }
    }
}

/// Parameters of the adaptation layer AAL5, which carries IP packets in cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Aal5 {
    /// Headers between AAL5 and IP.
    pub encapsulation: Encapsulation,
}

impl Scenario {
    /// Start and end of the measuring window.
    pub fn window(&self) -> (Ps, Ps) {
        (
            self.measure.from,
            self.measure.to.unwrap_or(self.run.duration),
        )
    }
    /// Sampling period of queues and traces, at least a picosecond.
    pub fn sample(&self) -> Ps {
        self.measure
            .sample
            .unwrap_or(Ps((self.run.duration.0 / 1_000).max(1)))
    }
    /// Fills in the defaults that follow from other keys.
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
