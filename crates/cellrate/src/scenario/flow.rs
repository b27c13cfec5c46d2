//! Flows of a scenario.

use cellrate_engine::atm::Refuses;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::{Buffer, Delay};
use cellrate_engine::policing::{GfrConfig, PolicerConfig, ShaperConfig};
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::SourceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::multipoint::Multipoint;

/// A group of `count` like flows, named `NAME.1`, `NAME.2` and so on: each a bidirectional virtual
/// channel with a source at one end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique name: letters, digits, `_` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_-]*$"))]
    pub name: String,
    /// Number of flows in the group.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Service class of the forward channel.
    pub service: ServiceClass,
    /// Service class of the backward channel, which carries acknowledgements; `service` if absent.
    /// If `service` is `abr` and `ack_service` is another class, acknowledgements are sent at the
    /// line rate, independent of ACR, in the queue of their own class. Backward RM cells still
    /// return as ABR. Only an ABR flow can have `ack_service = "abr"`.
    pub ack_service: Option<ServiceClass>,
    /// Start time of the first flow of the group.
    #[serde(default = "zero")]
    pub start: Ps,
    /// False if the flow's source sends nothing new until a change lets it. Data over TCP then wait,
    /// and no raw cells are generated. Lost segments are still sent again, and RM cells are still
    /// sent.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    #[schemars(extend("default" = true, "x-change" = true))]
    pub sends: bool,
    /// Time from the start of one flow of the group to the start of the next flow.
    #[serde(default = "zero")]
    pub stagger: Ps,
    /// Limit of the queue between TCP, or the source of cells, and the network, in each direction.
    #[serde(default = "infinite")]
    pub source_queue: Buffer,
    /// The part of the data that a full source queue refuses: a whole PDU, or its last cells. In
    /// the second case the end of the PDU is lost, so the receiver's AAL5 discards it and the next
    /// PDU. No effect without TCP, where cells come one by one.
    #[serde(default)]
    pub source_queue_refuses: Refuses,
    /// Host that the flow comes from; `graph` only.
    pub from: Option<String>,
    /// Host that the flow goes to; `graph` only.
    pub to: Option<String>,
    /// Further hosts that get copies of the flow's cells (point-to-multipoint ABR); `graph` only. One destination if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipoint: Option<Multipoint>,
    /// Nodes of the forward channel, both hosts included; `graph` only. If absent, the route with
    /// the fewest hops.
    pub route: Option<Vec<String>>,
    /// Nodes of the backward channel, both hosts included; `graph` only. If absent, the forward
    /// route in reverse.
    pub return_route: Option<Vec<String>>,
    /// Number of the switch at which every flow of the group enters, `parking-lot` only. If absent,
    /// flow *i* enters at switch *i*.
    #[schemars(range(min = 1))]
    pub enters: Option<u32>,
    /// Links between switches that the flow crosses, `parking-lot` only; if absent, all up to the
    /// last switch.
    #[schemars(range(min = 1))]
    pub hops: Option<u32>,
    /// Reverses the flow: its source is at switch B and its destination at A, over the same
    /// lengths; `n-source` only. With flows in both directions data and acknowledgements share the
    /// bottleneck's queues.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub reverse: bool,
    /// One-way delay, or length of fibre, of the source's link, instead of the topology's; not for
    /// `graph`.
    pub access: Option<Delay>,
    /// One-way delay, or length of fibre, of the destination's link, instead of the topology's;
    /// `n-source` and `parking-lot` only.
    pub egress: Option<Delay>,
    /// Weight of each channel of the flow where `switch.schedule` serves channels by weight.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 100), extend("x-not-searched" = "the share that a network has agreed on"))]
    pub weight: u32,
    /// Contract of the forward channel, which the first switch of the path enforces (usage parameter control, TM
    /// 4.0 section 4.5). All cells of the channel count, RM cells too. No policer if absent.
    pub policer: Option<PolicerConfig>,
    /// GFR contract of the forward channel (TM 4.1), which the first switch of the path enforces. Only for flows over TCP
    /// of class `ubr`; their cells stay in the queue of this class. No contract if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gfr: Option<GfrConfig>,
    /// Shaper at the source: cells wait in the source queue until they conform. Not for ABR, whose cells ACR paces. No
    /// shaper if absent.
    pub shaper: Option<ShaperConfig>,
    /// Shaper at ports: every switch of the path with a `schedule` holds the cells of the forward channel at its output
    /// port until they conform. Not for ABR. No shaper at ports if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port_shaper: Option<ShaperConfig>,
    /// The source of traffic.
    #[serde(default = "greedy")]
    pub source: SourceConfig,
    /// TCP at both ends: keys that differ from `[tcp]`.
    #[serde(default)]
    #[schemars(extend("x-change" = "both ends agree on the settings of TCP when a connection opens"))]
    pub tcp: TcpConfig,
    /// ABR end systems at both ends: keys that differ from `[abr]`.
    #[serde(default)]
    #[schemars(extend("x-change" = true))]
    pub abr: AbrConfig,
}

impl Flow {
    /// Service class of the backward channel.
    pub fn ack_service(&self) -> ServiceClass {
        self.ack_service.unwrap_or(self.service)
    }
    /// Name of the flow with the number `index`, from 1, in the group.
    pub fn instance(&self, index: u32) -> String {
        format!("{}.{index}", self.name)
    }
    /// Start time, before jitter, of the flow with the number `index`, from 1, in the group.
    pub fn start_of(&self, index: u32) -> Ps {
        let waits = u64::from(index.saturating_sub(1));
        self.start
            .saturating_add(Ps(self.stagger.0.saturating_mul(waits)))
    }
    /// True if ABR end systems pace the forward channel.
    pub fn is_abr(&self) -> bool {
        self.service == ServiceClass::Abr
    }
    /// True if acknowledgements have another service class than the flow's RM cells.
    pub fn splits_classes(&self) -> bool {
        self.is_abr() && self.ack_service() != ServiceClass::Abr
    }
    /// True if the backward channel carries anything: acknowledgements or backward RM cells.
    pub fn needs_backward(&self) -> bool {
        self.source.over_tcp() || self.is_abr()
    }
}

fn one() -> u32 {
    1
}

fn is_one(weight: &u32) -> bool {
    *weight == 1
}

fn yes() -> bool {
    true
}

fn zero() -> Ps {
    Ps::ZERO
}

fn infinite() -> Buffer {
    Buffer::INFINITE
}

fn greedy() -> SourceConfig {
    SourceConfig::Greedy(Default::default())
}
