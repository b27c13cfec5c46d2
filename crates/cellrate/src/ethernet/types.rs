//! A scenario file over Ethernet as Rust types: the run, its measurements, and the switches.

use std::path::Path;
use std::sync::OnceLock;

use cellrate_engine::control::ControlConfig;
use cellrate_engine::ether::aqm::AqmConfig;
use cellrate_engine::ether::memory::MemoryConfig;
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::net::bit_errors::BitErrorConfig;
use cellrate_engine::schedule::ScheduleConfig;
use cellrate_engine::tcp::TcpConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cbfc::Cbfc;
use super::control::{self, Control};
use super::fcvc::Fcvc;
use super::flow::{Flow, Pattern};
use super::graph::Graph;
use super::joined::{self, Atm};
use super::llr::Llr;
use super::pfc::Pfc;
use super::sizes::{Sizes, Wrong};
use super::steps::Steps;
use super::topology::Topology;
use super::{rate_units, tcp_defaults};
use crate::scenario::changes::Changing;
use crate::scenario::problem::{Problem, place};
use crate::scenario::resolve::without_repetition;
use crate::scenario::schema::of;
use crate::scenario::{Change, EventKind};
use crate::traffic_files::text_of;

/// A packet-level simulation of flow control under TCP over Ethernet: topology, switches, traffic and
/// measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Link layer of the network. A graph may have an ATM part behind routers.
    #[schemars(extend("x-change" = "a network has one link layer"))]
    pub link_layer: LinkLayer,
    /// Duration and random seed of the run.
    #[schemars(extend("x-change" = "a run has one duration and one seed"))]
    pub run: Run,
    /// Measurements and recordings.
    #[serde(default)]
    #[schemars(extend("x-change" = "a run has one set of measurements"))]
    pub measure: Measure,
    /// Form of the frames, the same in the whole network.
    #[serde(default)]
    #[schemars(extend("x-change" = "frames are on the links"))]
    pub ethernet: Ethernet,
    /// Nodes and links.
    #[schemars(extend("x-change" = "frames are on the links, and flows are routed"))]
    pub topology: Topology,
    /// Settings of the output ports of every switch.
    #[serde(default)]
    #[schemars(extend("x-change" = true))]
    pub switch: Switch,
    /// Credit control for each flow (FCVC). If absent, there is none; `fcvc = {}` sets all defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "credits on their way count in the old allocation"))]
    pub fcvc: Option<Fcvc>,
    /// Priority-based flow control (PFC). If absent, there is none; `pfc = {}` sets all defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "headroom is laid out for one threshold"))]
    pub pfc: Option<Pfc>,
    /// Credit-based flow control of links (CBFC). If absent, there is none; `cbfc = {}` sets all defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "credits on their way count in the old buffers"))]
    pub cbfc: Option<Cbfc>,
    /// Link-level retry (LLR) of every link. If absent, there is none; `llr = {}` sets all defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "frames are in the replay buffers"))]
    pub llr: Option<Llr>,
    /// Bit errors of every link over Ethernet that has no `errors` of its own. If absent, no bit is errored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "errors are a property of the lines"))]
    pub link_errors: Option<BitErrorConfig>,
    /// Settings of the ATM part; `None` without an ATM part. [`joined::in_schema`] adds them to the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub atm: Option<Atm>,
    /// TCP settings of all flows; a flow can override them.
    #[serde(default)]
    #[schemars(extend("x-change" = "both ends agree on them when a connection opens"))]
    pub tcp: TcpConfig,
    /// Groups of identical flows; at least one.
    #[serde(rename = "flow")]
    #[schemars(length(min = 1), extend("x-change" = "a flow is set up once"))]
    pub flows: Vec<Flow>,
    /// Changes of settings during the run, in order of time; not available in a network with routers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-change" = "a change changes settings, not other changes"))]
    pub changes: Vec<Change>,
}

/// Link layer of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkLayer {
    /// Frames of any size.
    Ethernet,
}

/// Duration and random seed of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Simulated time of the whole run.
    pub duration: Ps,
    /// Seed of every random stream, and of the order of frames that arrive at a node at one instant.
    #[serde(default = "first_seed")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: u64,
    /// Maximum of the random delay, uniform from 0, that is added to the start of every flow.
    #[serde(default = "zero")]
    pub start_jitter: Ps,
}

/// Measurements and recordings, and the measuring window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Measure {
    /// Start of the measuring window.
    pub from: Ps,
    /// End of the measuring window; if absent, the end of the run.
    pub to: Option<Ps>,
    /// Sampling period of traces and of the quantiles of queues; if absent, a thousandth of the run.
    pub sample: Option<Ps>,
    /// Measure for each completed flow how many times longer it took than alone in the network. Each such flow is run once
    /// more, alone. Together these runs take about as long as the main run.
    pub slowdown: bool,
    /// Traced quantities. In a network with routers, the kinds of traces of the ATM part begin with `atm-`.
    pub traces: Vec<TraceKind>,
    /// Greatest number of points in each trace. Beyond this number neighbouring points are combined into their least and
    /// greatest value.
    #[schemars(range(min = 2))]
    pub trace_points: u32,
    /// Kinds of events in the event log.
    pub events: Vec<EventKind>,
    /// Greatest number of events that the log keeps.
    pub event_limit: u32,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            from: Ps::ZERO,
            to: None,
            sample: None,
            slowdown: false,
            traces: Vec::new(),
            trace_points: 4_000,
            events: Vec::new(),
            event_limit: 100_000,
        }
    }
}

/// A quantity that can be traced over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TraceKind {
    /// Bytes in each queue of each switch port; cells in the ATM part.
    Queue,
    /// Congestion window of each TCP sender.
    Cwnd,
    /// Bytes acknowledged to each TCP sender so far.
    Sequence,
    /// Share of the time since the last sample in which each line was busy.
    Utilisation,
    /// ACR of each source with rate control, and of each virtual channel of ABR.
    Acr,
    /// Rate of each source over RoCE.
    Rate,
    /// Number of cells that wait for each virtual channel at the router or host where the channel begins.
    SourceQueue,
}

impl TraceKind {
    /// Name of the kind in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            TraceKind::Queue => "queue",
            TraceKind::Cwnd => "cwnd",
            TraceKind::Sequence => "sequence",
            TraceKind::Utilisation => "utilisation",
            TraceKind::Acr => "acr",
            TraceKind::Rate => "rate",
            TraceKind::SourceQueue => "source-queue",
        }
    }
}

/// Form of the frames, the same in the whole network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ethernet {
    /// Greatest size of an IP packet in a frame; `"9000 bytes"` for jumbo frames.
    pub mtu: Bytes,
    /// Give each frame a VLAN tag of 4 bytes with its priority (IEEE 802.1Q).
    pub tagged: bool,
}

impl Default for Ethernet {
    fn default() -> Ethernet {
        Ethernet {
            mtu: Bytes(1_500),
            tagged: false,
        }
    }
}

/// Settings of the output ports of a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Switch {
    /// Greatest length of each queue of each port in bytes, the frame in transmission included. If absent, queues have no
    /// limit. Frames of priorities under `[pfc]` or `[cbfc]` are not subject to this limit: `pfc.xoff` with `pfc.headroom`,
    /// or `cbfc.credits`, limits them at the incoming link.
    #[schemars(extend("x-change" = true))]
    pub buffer: Option<Bytes>,
    /// For each queue of a port, the priorities of its frames, 0 to 7. Priorities that no queue lists share the last queue.
    /// The priority of a frame without a tag is read from the IP header, as by a switch that trusts DSCP.
    #[schemars(extend("x-change" = "frames wait in the queues of their priorities"))]
    pub queues: Vec<Vec<u8>>,
    /// Priority of the frames of trimmed packets, 0 to 7. A RoCE packet with data that does not fit into its queue is cut to
    /// its headers. The headers wait in the queue of this priority, so the receiver learns of the loss at once. This queue
    /// holds twice `buffer`. If absent, such packets are dropped.
    #[schemars(range(max = 7), extend("x-change" = "trimmed packets wait in a queue of their own for the whole run"))]
    pub trim_priority: Option<u8>,
    /// Order in which a port serves its queues; under strict priority the first queue is served first.
    pub schedule: ScheduleConfig,
    /// Active queue management of each queue: it marks or drops packets before the buffer is full.
    pub aqm: AqmConfig,
    /// Control scheme for flows with `rate_control`. Lengths are in bytes on the line or in packets, which count as full
    /// frames. A default that is a number of cells over ATM is the same number of packets here.
    #[schemars(with = "ControlConfig")]
    pub control: Control,
    /// Memory that all queues of a switch share, with dynamic thresholds. `buffer` limits each queue, too. If
    /// absent, queues share no memory.
    #[schemars(extend("x-change" = "whether queues share a memory is fixed for the whole run"))]
    pub memory: Option<MemoryConfig>,
    /// Rule by which a switch chooses among ports on paths with equally few links. `ecmp`: a hash of the flow, so all frames
    /// of the flow take one path. `random`: a random draw for each frame under the run's seed (packet spraying;
    /// `RandomEcmpRouting` of ns-3). `round-robin`: the ports in turn, frame by frame, with one order for all flows over the
    /// same ports; the first port is drawn (`ecmp_rr` of htsim). A host uses one of its lines for each flow.
    pub multipath: Multipath,
}

impl Default for Switch {
    fn default() -> Switch {
        Switch {
            buffer: None,
            queues: vec![Vec::new()],
            trim_priority: None,
            schedule: ScheduleConfig::StrictPriority,
            aqm: AqmConfig::default(),
            control: Control::default(),
            memory: None,
            multipath: Multipath::Ecmp,
        }
    }
}

impl Scenario {
    /// Start and end of the measuring window.
    pub fn window(&self) -> (Ps, Ps) {
        (
            self.measure.from,
            self.measure.to.unwrap_or(self.run.duration),
        )
    }
    /// Sampling period, at least a picosecond.
    pub fn sample(&self) -> Ps {
        self.measure
            .sample
            .unwrap_or(Ps((self.run.duration.0 / 1_000).max(1)))
    }
    /// Reads the files that the patterns of flows name, with paths relative to `directory`. Returns the problems.
    pub(super) fn read_files(&mut self, directory: &Path) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, flow) in self.flows.iter_mut().enumerate() {
            let (file, problem) = match &mut flow.pattern {
                Some(Pattern::Random(random)) => {
                    let path = directory.join(&random.sizes);
                    let found = content(&path, &mut random.sha256, Sizes::read);
                    ("sizes", found.map(|sizes| random.content = Some(sizes)))
                }
                Some(Pattern::Steps(steps)) => {
                    let path = directory.join(&steps.file);
                    let found = content(&path, &mut steps.sha256, Steps::read);
                    ("file", found.map(|found| steps.content = Some(found)))
                }
                _ => continue,
            };
            if let Err((key, message, help)) = problem {
                let key = if key == "file" { file } else { key };
                let place = place!["flow", index, "pattern", key];
                problems.push(Problem::error(place, message, help));
            }
        }
        problems
    }
    /// Fills in the defaults that depend on other keys.
    pub(super) fn complete(&mut self) {
        let (_, to) = self.window();
        (self.measure.to, self.measure.sample) = (Some(to), Some(self.sample()));
        self.topology.complete();
    }
}

/// A file that cannot be used: the key with the problem, the problem, and what is allowed.
type Unread = (&'static str, String, String);

/// The contents of the file at `path`, which must match `sha256` if it is given.
fn content<T>(
    path: &Path,
    sha256: &mut Option<String>,
    read: impl Fn(&str) -> Result<T, Wrong>,
) -> Result<T, Unread> {
    let text = text_of(path, sha256)?;
    read(&text).map_err(|(line, message)| {
        let message = format!("{}, line {line}: {message}", path.display());
        ("file", message, String::new())
    })
}

impl Changing for Scenario {
    type Graph = Graph;
    fn duration(&self) -> Ps {
        self.run.duration
    }
    fn changes(&self) -> &Vec<Change> {
        &self.changes
    }
    fn changes_mut(&mut self) -> &mut Vec<Change> {
        &mut self.changes
    }
    fn resolved(&self) -> toml::Table {
        without_repetition(self, &["tcp"])
    }
}

/// Description of the keys that a change can set, for the schema.
const CHANGES: &str = "Values by the path of their keys, as `--set` has them: `{ \"switch.buffer\" = \"50 kB\" }`. \
                       Buffers, the shared memory, parameters with a range in the schema (`x-search`) of active queue \
                       management, schemes and rate control, `sends` of a flow and the rates of its datagrams can change.";

/// The schema of scenarios over Ethernet, for JSON Schema 2020-12.
pub fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = of::<Scenario>("cellrate scenario over Ethernet");
        tcp_defaults::document(&mut schema);
        rate_units::document(&mut schema);
        control::in_schema(&mut schema);
        if let Some(definitions) = schema["$defs"].as_object_mut() {
            definitions.remove("Cells");
        }
        joined::in_schema(&mut schema);
        schema["$defs"]["Change"]["properties"]["set"]["description"] = CHANGES.into();
        schema
    })
}

fn first_seed() -> u64 {
    1
}

fn zero() -> Ps {
    Ps::ZERO
}
