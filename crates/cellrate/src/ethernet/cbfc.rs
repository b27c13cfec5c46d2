//! Credit-based flow control of links (CBFC): the section `[cbfc]`, and the settings that contradict it.

use cellrate_engine::ether::cbfc::CbfcConfig;
use cellrate_engine::ether::frame::{PREAMBLE, SHORTEST};
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::net::{LinkPlan, opposites};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::graph::Graph;
use super::pfc::{aqm_drops, contradictions, covers_flows, drops};
use super::plan::plan;
use super::types::Scenario;
use crate::scenario::problem::{Place, Problem, place};

/// CBFC: credit-based flow control of a link, as the link layer of Ultra Ethernet has it. The receiver of a link has
/// a buffer for each priority under CBFC, of `credits` times `unit`. A frame of M bytes, from header to FCS, takes M
/// / `unit` credits, rounded up. A port or host sends a frame only with enough credits, so no frame is lost. The
/// credits are free again when the frame has left the receiver; a host consumes every frame at once. The receiver
/// returns credits in a frame of 64 bytes, which precedes all other frames. The specification is not public in full,
/// so this frame and the times at which it is sent are choices of cellrate. The limits of queues do not apply to
/// frames of these priorities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cbfc {
    /// Priorities under CBFC. Each is a virtual channel with credits of its own.
    #[schemars(length(min = 1, max = 8))]
    pub priorities: Vec<u8>,
    /// Number of credits of each priority on each link. If absent, the least number with which full frames follow
    /// one another without pauses. It covers the transmission at both ends of the link, propagation both ways, a
    /// frame before the returned credits, and `response_time`.
    #[schemars(range(min = 1, max = 32_767), extend("x-search" = { "low": 24, "high": 32_767, "scale": "log", "when": {"credits": true} }))]
    pub credits: Option<u32>,
    /// Size of a credit: length of frames, from header to FCS.
    #[schemars(extend("x-not-searched" = "a property of the hardware"))]
    pub unit: Bytes,
    /// Number of freed credits from which on the receiver returns them. At 1 each frame costs a frame of 84 bytes on
    /// the opposite line.
    #[schemars(range(min = 1), extend("x-search" = { "low": 1, "high": 1_000, "scale": "log" }))]
    pub batch: u32,
    /// Time from the arrival of returned credits after which they can be spent.
    #[schemars(extend("x-not-searched" = "a property of the hardware"))]
    pub response_time: Ps,
}

impl Default for Cbfc {
    fn default() -> Cbfc {
        Cbfc {
            priorities: (0..8).collect(),
            credits: None,
            unit: Bytes(64),
            batch: 1,
            response_time: Ps::ZERO,
        }
    }
}

impl Cbfc {
    /// The settings of CBFC in the form that the engine takes.
    pub fn config(&self) -> CbfcConfig {
        CbfcConfig {
            priorities: self.priorities.clone(),
            unit: u32::try_from(self.unit.0).unwrap_or(u32::MAX),
            credits: self.credits,
            batch: self.batch,
            response: self.response_time,
        }
    }
}

/// Problems of `[cbfc]`: its parameters, and settings that contradict it.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let Some(cbfc) = &scenario.cbfc else {
        return Vec::new();
    };
    let mut problems = contradictions(scenario, "CBFC", "cbfc", &cbfc.priorities);
    let mut refuse = |holds: bool, place: Place, message: String, help: String| {
        if holds {
            problems.push(Problem::error(place, message, help));
        }
    };
    refuse(
        scenario.pfc.is_some(),
        place!["cbfc"],
        "under CBFC no buffer overflows, so PFC would never send a pause".into(),
        "remove `[cbfc]` or `[pfc]`".into(),
    );
    refuse(
        cbfc.unit.0 == 0,
        place!["cbfc", "unit"],
        "`unit` is 0 bytes".into(),
        "allowed: at least 1 byte".into(),
    );
    let has_link = || {
        let (plan, config) = (plan(scenario, graph), cbfc.config());
        let longest = plan.longest_frame();
        let least = config.least(longest);
        let credits = credits_by_link(&plan, &config);
        let key = if cbfc.credits.is_some() {
            "credits"
        } else {
            "unit"
        };
        let found = plan.links.iter().zip(credits).find_map(|(link, credits)| {
            let credits = credits?;
            let name = &link.name;
            if credits > CbfcConfig::MOST.into() {
                let message = format!("{name} needs {credits} credits for its full rate, more than the counters hold");
                let help = format!("allowed: at most {}; set `credits`, or a greater `unit`", CbfcConfig::MOST);
                Some((message, help))
            } else if credits < least {
                let taken = config.taken(longest);
                let message = format!(
                    "{name} could stop for ever: it has {credits} credits, the longest frame takes {taken}, and the receiver may keep {} credits back (`batch` - 1)",
                    config.batch - 1
                );
                Some((message, format!("allowed: at least {least}")))
            } else {
                None
            }
        });
        found.map(|(message, help)| Problem::error(place!["cbfc", key], message, help))
    };
    if problems.is_empty() {
        problems.extend(has_link());
    }
    let covered = |priority: &u8| cbfc.priorities.contains(priority);
    if problems.is_empty() && !scenario.flows.iter().any(|flow| covered(&flow.priority)) {
        let message = "CBFC has no effect: no flow has one of `priorities`";
        problems.push(Problem::warning(place!["cbfc", "priorities"], message, ""));
    }
    problems
}

/// Each link of the plan with the link in the opposite direction; `None` for a link that has none.
pub(super) fn with_backs(plan: &Plan) -> impl Iterator<Item = Option<(&LinkPlan, &LinkPlan)>> {
    let backs = opposites(&plan.links);
    let links = plan.links.iter().zip(backs);
    links.map(|(link, back)| Some((link, &plan.links[back?])))
}

/// Number of credits of each priority on each link; `None` for a link without an opposite link.
pub(super) fn credits_by_link(plan: &Plan, config: &CbfcConfig) -> Vec<Option<u64>> {
    let longest = plan.longest_frame();
    let of = |(link, back)| config.credits_of(link, back, longest);
    with_backs(plan).map(|both| both.map(of)).collect()
}

/// CBFC in the description of a network. For each link it has the credits, the bytes of buffer of one priority, and
/// the least time from the last bit of a frame to the return of its credits, without the transmission at the next
/// port.
pub fn described(scenario: &Scenario, plan: &Plan) -> Option<Value> {
    let cbfc = scenario.cbfc.as_ref()?;
    let config = cbfc.config();
    let credits = credits_by_link(plan, &config);
    let room = credits
        .iter()
        .map(|credits| Some((*credits)? * u64::from(config.unit)));
    let returns = with_backs(plan).map(|both| {
        let (link, back) = both?;
        let told = OctetClock::new(back.rate).floor(PREAMBLE + SHORTEST);
        Some((link.delay + back.delay + told + config.response).as_secs_f64())
    });
    Some(json!({
        "by": "cbfc",
        "priorities": cbfc.priorities,
        "loses": drops(scenario, "CBFC does not cover all priorities that flows have", &cbfc.priorities),
        "loses_uncovered_alone": !covers_flows(scenario, &cbfc.priorities) && !aqm_drops(scenario),
        "room_bytes": room.collect::<Vec<_>>(),
        "credits": credits,
        "unit_bytes": config.unit,
        "return_seconds": returns.collect::<Vec<_>>(),
    }))
}
