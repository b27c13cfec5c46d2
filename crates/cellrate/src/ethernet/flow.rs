//! Flows of a scenario over Ethernet.

use cellrate_engine::ether::frame::UDP_HEADERS;
use cellrate_engine::ether::roce::RoceConfig;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::SourceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rates::RateControl;
use super::sizes::Sizes;
use super::steps::Steps;

/// A group of identical flows, named `NAME.1`, `NAME.2` and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique name: letters, digits, `_` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_-]*$"))]
    pub name: String,
    /// Number of flows in the group; with `pattern`, number of flows for each pair of hosts.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Host at which the flows begin; for topologies with named hosts.
    pub from: Option<String>,
    /// Host at which the flows end; for topologies with named hosts.
    pub to: Option<String>,
    /// Pairs of hosts with flows, instead of `from` and `to`; for topologies with named hosts.
    pub pattern: Option<Pattern>,
    /// Start time of the first flow of the group.
    #[serde(default = "zero")]
    pub start: Ps,
    /// False if the flow's source sends no new data until a change sets `sends = true`. Then data over TCP wait,
    /// and no datagrams are generated. Lost segments are still sent again. Rate records (frames with the fields of
    /// an RM cell) are still sent, too.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    #[schemars(extend("default" = true, "x-change" = true))]
    pub sends: bool,
    /// Time from the start of one flow of the group to the start of the next flow.
    #[serde(default = "zero")]
    pub stagger: Ps,
    /// Priority of the flow's frames; 7 is the highest. A tagged frame carries the priority in its tag. The IP header of
    /// every frame carries the priority, too, as class selector (DSCP, RFC 2474 section 4.2.2). Switches queue frames
    /// without a tag by this selector.
    #[serde(default)]
    #[schemars(range(max = 7))]
    pub priority: u8,
    /// Payload of each datagram of a source without TCP. The rate of such a source counts frames with their
    /// preambles and interframe gaps.
    #[serde(default = "Flow::default_datagram")]
    pub datagram: Bytes,
    /// Source of traffic: over TCP; `cbr`, `poisson`, `on-off` or `exponential-on-off` for datagrams; or
    /// `persistent` for datagrams at the rate of the line.
    #[serde(default = "greedy")]
    pub source: SourceConfig,
    /// Rate control of each source by explicit rates. If absent, sources have no rate control; `rate_control = {}` sets
    /// all defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "a source has rate control from its start or never"))]
    pub rate_control: Option<RateControl>,
    /// RoCE (RDMA over Converged Ethernet, version 2) in place of TCP, for sources `greedy` and `transfer`.
    /// If absent, flows do not use RoCE; `roce = {}` sets all defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "both ends agree on them when a connection opens"))]
    pub roce: Option<RoceConfig>,
    /// TCP at both ends: keys that differ from `[tcp]`.
    #[serde(default)]
    #[schemars(extend("x-change" = "both ends agree on them when a connection opens"))]
    pub tcp: TcpConfig,
}

/// Pairs of hosts with flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pattern {
    /// Senders, drawn under the run's seed, send to one host.
    Incast {
        /// Number of senders.
        #[schemars(range(min = 1))]
        senders: u32,
        /// Host at which all flows end.
        to: String,
    },
    /// Each host sends to one other host and receives from one other host, drawn under the run's seed.
    Permutation,
    /// Each host sends to every other host.
    AllToAll,
    /// Transfers arrive at random times (a Poisson process) between random pairs of hosts, all pairs with equal
    /// probability. The size of each transfer is drawn from a distribution. `count`, `stagger` and `source` must be
    /// absent.
    Random(Random),
    /// All-reduce over a ring of all hosts, in the order of the topology. In 2 (n - 1) steps each of n hosts sends a part
    /// of `size` / n to the next host. A host begins a step as soon as it has received the part of the step before, and
    /// its own part of the step before is acknowledged. `count`, `stagger` and `source` must be absent, as for the other
    /// collective operations.
    RingAllReduce(Collective),
    /// All-reduce over a binary tree of all hosts: host i > 0 has the parent (i - 1) / 2. Sums go up to the root, and the
    /// result comes back down.
    TreeAllReduce(Pieces),
    /// All-to-all exchange of expert models: each host sends `size` to each other host, computes once it has received
    /// everything, and sends as much back to each.
    ExpertAllToAll(Collective),
    /// Transfers that a file lists. Each begins when the transfers that it awaits have ended.
    Steps(StepsFile),
}

impl Pattern {
    /// Key of the pattern in scenarios.
    pub fn name(&self) -> &'static str {
        match self {
            Pattern::Incast { .. } => "incast",
            Pattern::Permutation => "permutation",
            Pattern::AllToAll => "all-to-all",
            Pattern::Random(_) => "random",
            Pattern::RingAllReduce(_) => "ring-all-reduce",
            Pattern::TreeAllReduce(_) => "tree-all-reduce",
            Pattern::ExpertAllToAll(_) => "expert-all-to-all",
            Pattern::Steps(_) => "steps",
        }
    }
}

/// A collective operation over all hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// Bytes of data at each host; for `expert-all-to-all`, bytes from each host to each other host.
    pub size: Bytes,
    /// Time in which a host computes with the data that it has received, before it sends the result.
    #[serde(default = "zero")]
    pub compute: Ps,
}

/// A collective operation over a tree of all hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pieces {
    /// Bytes of data at each host.
    pub size: Bytes,
    /// Number of pieces into which `size` is divided; a host passes a piece on while it receives the next.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000))]
    pub pieces: u32,
    /// Time in which a host adds a piece that it has received from its children to its own piece.
    #[serde(default = "zero")]
    pub compute: Ps,
}

/// A file with the transfers of a collective operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepsFile {
    /// A CSV file; its path is relative to the path of the scenario. The heading is
    /// `step,from,to,size_bytes,after,wait_seconds`, and each further line is a transfer (a step) between two hosts.
    /// `after` lists the names of earlier steps that this step awaits, separated by spaces; each of them begins or ends
    /// at the host `from`. The transfer begins `wait_seconds` after the last of the awaited steps has ended at that host.
    /// `wait_seconds` may have one time for each name in `after`, separated by spaces. Then the transfer begins at the
    /// last of the ends, each plus its time. The name `start` is the start of the group (`flow.start`). A step that awaits
    /// no other begins `wait_seconds` after the start of the group.
    pub file: String,
    /// SHA-256 of the file in hexadecimal digits; if given, the file must match it. Resolved scenarios contain it, so a
    /// stored result belongs to these contents of the file.
    pub sha256: Option<String>,
    /// Contents of the file, read before the run.
    #[serde(skip)]
    #[schemars(skip)]
    pub content: Option<Steps>,
}

/// Transfers of random sizes at random times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// Payload of the arriving flows, as a share of the sum of the rates of the lines that leave all hosts: above 0, at
    /// most 1. The mean number of arrivals in a second is `load` times this sum, divided by 8 times the mean size.
    pub load: f64,
    /// A CSV file with the distribution of sizes; its path is relative to the path of the scenario. The heading is
    /// `size_bytes,cumulative_probability`, and each further line is a point. Sizes increase from line to line,
    /// probabilities do not decrease, and the last probability is 1. Sizes between two points are linear in the
    /// probability. A first probability above 0 is the probability of the first size.
    pub sizes: String,
    /// SHA-256 of the file in hexadecimal digits; if given, the file must match it. Resolved scenarios contain it, so a
    /// stored result belongs to these contents of the file.
    pub sha256: Option<String>,
    /// Time after which no flows arrive; the end of the run if absent.
    pub until: Option<Ps>,
    /// Contents of the file, read before the run.
    #[serde(skip)]
    #[schemars(skip)]
    pub content: Option<Sizes>,
}

impl Flow {
    /// Octets of headers and of payload in the flow's longest packet. The headers are those of IP and of the
    /// layers above.
    pub fn packet(&self) -> (u64, u64) {
        if let Some(roce) = &self.roce {
            roce.full_packet()
        } else if self.over_tcp() {
            (self.tcp.data_header_bytes().into(), self.tcp.mss.0)
        } else {
            (u64::from(UDP_HEADERS), self.datagram.0)
        }
    }
    /// True if the flow runs over TCP.
    pub fn over_tcp(&self) -> bool {
        self.source.over_tcp() && self.roce.is_none()
    }
    /// The source of a flow for which the scenario does not set `source`.
    pub fn default_source() -> SourceConfig {
        greedy()
    }
    /// Payload of a datagram for which the scenario does not set `datagram`.
    pub fn default_datagram() -> Bytes {
        Bytes(1_472)
    }
    /// Name of flow `index`, from 1, of the group.
    pub fn instance(&self, index: u32) -> String {
        format!("{}.{index}", self.name)
    }
    /// Start time of flow `index`, from 1, of the group, before jitter.
    pub fn start_of(&self, index: u32) -> Ps {
        let waits = u64::from(index.saturating_sub(1));
        self.start
            .saturating_add(Ps(self.stagger.0.saturating_mul(waits)))
    }
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn zero() -> Ps {
    Ps::ZERO
}

fn greedy() -> SourceConfig {
    SourceConfig::Greedy(Default::default())
}
