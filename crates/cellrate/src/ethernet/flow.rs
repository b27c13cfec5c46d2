//! Flows of a scenario over Ethernet.

use super::rates::RateControl;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::SourceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of like flows, named `NAME.1`, `NAME.2` and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique name: letters, digits, `_` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_-]*$"))]
    pub name: String,
    /// Number of flows in the group, or with `pattern` of flows for each pair of hosts.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Host that the flows come from; for topologies with named hosts.
    pub from: Option<String>,
    /// Host that the flows go to; for topologies with named hosts.
    pub to: Option<String>,
    /// Pairs of hosts between which flows lead, instead of `from` and `to`; for topologies with named
    /// hosts.
    pub pattern: Option<Pattern>,
    /// Start time of the first flow of the group.
    #[serde(default = "zero")]
    pub start: Ps,
    /// Time from the start of one flow of the group to that of the next.
    #[serde(default = "zero")]
    pub stagger: Ps,
    /// Priority of its frames, 7 the highest.
    #[serde(default)]
    #[schemars(range(max = 7))]
    pub priority: u8,
    /// Payload of a datagram of a source without TCP. The rate of such a source counts frames with
    /// their preambles and gaps.
    #[serde(default = "datagram")]
    pub datagram: Bytes,
    /// The source of traffic: over TCP, `cbr`, or `persistent` for datagrams at the rate of the line.
    #[serde(default = "greedy")]
    pub source: SourceConfig,
    /// Rate control of each source; none if absent, `rate_control = {}` for all its defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<RateControl>,
    /// TCP at both ends: keys that differ from `[tcp]`.
    #[serde(default)]
    pub tcp: TcpConfig,
}

/// Pairs of hosts between which flows lead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pattern {
    /// Senders, drawn under the run's seed, to one host.
    Incast {
        /// Number of senders.
        #[schemars(range(min = 1))]
        senders: u32,
        /// Host that all flows go to.
        to: String,
    },
    /// Each host sends to one other and receives from one other, drawn under the run's seed.
    Permutation,
    /// Each host sends to each other.
    AllToAll,
}

impl Flow {
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

fn zero() -> Ps {
    Ps::ZERO
}

fn datagram() -> Bytes {
    Bytes(1_472)
}

fn greedy() -> SourceConfig {
    SourceConfig::Greedy(Default::default())
}
