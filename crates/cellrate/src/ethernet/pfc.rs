//! Priority-based flow control: the section `[pfc]`, and the settings that contradict it.

use cellrate_engine::ether::aqm::{AqmConfig, Length};
use cellrate_engine::ether::frame::Framing;
use cellrate_engine::ether::pfc::{PfcConfig, headroom, least_quanta};
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::net::{LinkPlan, opposites};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::flow::Flow;
use super::graph::Graph;
use super::plan::plan;
use super::types::{Ethernet, Scenario};
use crate::scenario::problem::{Place, Problem, place};

/// PFC (IEEE 802.1Q clause 36, IEEE 802.3 annex 31D): a switch pauses a priority at a neighbour if it holds more
/// than `xoff` of this priority from the neighbour. The switch counts the bytes of the frames that it holds, from
/// header to FCS, by incoming link and by priority. The limits of queues do not apply to frames of these
/// priorities. A frame is dropped only if `xoff` and headroom are full. Lengths are in bytes, or in packets, which
/// count as full frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pfc {
    /// Priorities under PFC.
    #[schemars(length(min = 1, max = 8))]
    pub priorities: Vec<u8>,
    /// XOFF: length of the frames of one priority from one link above which the switch pauses the other end of the
    /// link.
    #[schemars(extend("x-search" = { "low": "1 packets", "high": "1000 packets", "scale": "log" }))]
    pub xoff: Length,
    /// XON: length at or below which the switch ends the pause. If absent, XON is two packets below `xoff`.
    #[schemars(extend("x-search" = { "low": "1 packets", "high": "1000 packets", "scale": "log", "when": {"xon": true} }))]
    pub xon: Option<Length>,
    /// Buffer beyond `xoff`. If absent, the headroom is the length of frames that can arrive over the link until a
    /// pause acts. First a frame on the opposite link ends, then the pause crosses the opposite link, and then
    /// `response_time` passes.
    #[schemars(extend("x-not-searched" = "less than by default loses frames, more is never used"))]
    pub headroom: Option<Length>,
    /// Duration of a pause in quanta of 512 bit times. The switch sends a pause again after half of this
    /// time.
    #[schemars(extend("x-not-searched" = "pauses are sent again before they expire"))]
    pub pause_quanta: u16,
    /// Time after the arrival of a pause from which on no frame of its priority begins.
    #[schemars(extend("x-not-searched" = "a property of the hardware"))]
    pub response_time: Ps,
}

impl Default for Pfc {
    fn default() -> Pfc {
        Pfc {
            priorities: (0..8).collect(),
            xoff: Length::Packets(20),
            xon: None,
            headroom: None,
            pause_quanta: u16::MAX,
            response_time: Ps::ZERO,
        }
    }
}

impl Pfc {
    /// The settings of PFC in the form that the engine takes, with lengths in octets of frames.
    pub fn in_octets(&self, ethernet: &Ethernet) -> PfcConfig {
        let framing = Framing {
            tagged: ethernet.tagged,
        };
        let frame = u64::from(framing.frame(ethernet.mtu.0 as u32));
        let octets = |length: Length| match length {
            Length::Octets(octets) => octets,
            Length::Packets(packets) => packets.saturating_mul(frame),
        };
        let xoff = octets(self.xoff);
        PfcConfig {
            priorities: self.priorities.clone(),
            xoff,
            xon: self.xon.map_or(xoff.saturating_sub(2 * frame), octets),
            headroom: self.headroom.map(octets),
            quanta: self.pause_quanta,
            response: self.response_time,
        }
    }
}

/// Problems of `[pfc]`: thresholds that a buffer cannot hold, and settings that contradict PFC.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let Some(pfc) = &scenario.pfc else {
        return Vec::new();
    };
    let plan = plan(scenario, graph);
    let config = pfc.in_octets(&scenario.ethernet);
    let mut problems = contradictions(scenario, "PFC", "pfc", &config.priorities);
    let mut refuse = |holds: bool, place: Place, message: String, help: &str| {
        if holds {
            problems.push(Problem::error(place, message, help));
        }
    };
    refuse(
        config.xon > config.xoff,
        place!["pfc", "xon"],
        format!(
            "XON of {} is above XOFF of {}",
            Bytes(config.xon),
            Bytes(config.xoff)
        ),
        "allowed: at most `xoff`",
    );
    let least = least_quanta(plan.longest_frame());
    refuse(
        config.quanta < least,
        place!["pfc", "pause_quanta"],
        format!(
            "a pause of {} quanta ends before the switch can renew the pause",
            config.quanta
        ),
        &format!("allowed: at least {least}"),
    );
    if !problems.is_empty() {
        return problems;
    }
    let covered = |priority: &u8| config.priorities.contains(priority);
    if !scenario.flows.iter().any(|flow| covered(&flow.priority)) {
        let message = "PFC has no effect: no flow has one of `priorities`";
        problems.push(Problem::warning(place!["pfc", "priorities"], message, ""));
    }
    if let (Some(given), Some((link, needed))) = (config.headroom, needed(&plan, &config))
        && given < needed
    {
        let message = format!(
            "{} can arrive over {link} after XOFF, but `headroom` is {}: frames may be lost",
            Bytes(needed),
            Bytes(given)
        );
        problems.push(Problem::warning(place!["pfc", "headroom"], message, ""));
    }
    problems
}

/// Settings that contradict PFC or CBFC, whose section is `table`, as errors.
pub fn contradictions(
    scenario: &Scenario,
    name: &str,
    table: &'static str,
    priorities: &[u8],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refuse = |holds: bool, place: Place, message: String, help: String| {
        if holds {
            problems.push(Problem::error(place, message, help));
        }
    };
    if let Some(priority) = priorities.iter().find(|priority| **priority > 7) {
        let message = format!("{priority} is not a priority");
        refuse(
            true,
            place![table, "priorities"],
            message,
            "allowed: 0 to 7".into(),
        );
    }
    let vain = match name {
        "PFC" => "PFC would never send a pause",
        _ => "CBFC would never hold a frame back",
    };
    refuse(
        scenario.fcvc.is_some(),
        place![table],
        format!("under FCVC no buffer overflows, so {vain}"),
        format!("remove `[fcvc]` or `[{table}]`"),
    );
    refuse(
        scenario.switch.memory.is_some(),
        place!["switch", "memory"],
        format!(
            "{name} needs a buffer for each incoming link, but `memory` shares one among the queues"
        ),
        format!("remove `memory` or `[{table}]`"),
    );
    refuse(
        scenario.switch.multipath != Multipath::Ecmp,
        place!["switch", "multipath"],
        format!(
            "{name} counts the frames of each incoming link, but the sprayed frames of a flow come over several links"
        ),
        format!("set `multipath = \"ecmp\"`, or remove `[{table}]`"),
    );
    problems
}

/// Name of the link to a switch that needs most headroom, and this headroom in bytes; `None` if no link leads to a
/// switch.
fn needed<'p>(plan: &'p Plan, config: &PfcConfig) -> Option<(&'p str, u64)> {
    let names = plan.links.iter().map(|link| link.name.as_str());
    let needed = names.zip(needed_by_link(plan, config));
    let needed = needed.filter_map(|(name, octets)| Some((name, octets?)));
    needed.max_by_key(|(_, octets)| *octets)
}

/// Headroom in bytes that each link needs; `None` for a link to a host.
fn needed_by_link(plan: &Plan, config: &PfcConfig) -> Vec<Option<u64>> {
    let longest = plan.longest_frame();
    let backs = opposites(&plan.links);
    let links = plan.links.iter().zip(&backs);
    let needed = links.map(|(link, back)| {
        let back = plan.nodes[link.to].switch.is_some().then_some((*back)?)?;
        let back = (&plan.links[back], longest);
        Some(headroom((link, longest), back, config.response))
    });
    needed.collect()
}

/// For each link, the greatest number of bytes of one priority that the switch at its end holds; `None` for a link
/// to a host.
fn room_by_link(scenario: &Scenario, plan: &Plan) -> Option<Vec<Option<u64>>> {
    let config = scenario.pfc.as_ref()?.in_octets(&scenario.ethernet);
    let room = |needed: u64| {
        config
            .xoff
            .saturating_add(config.headroom.unwrap_or(needed))
    };
    let needed = needed_by_link(plan, &config).into_iter();
    Some(needed.map(|needed| needed.map(room)).collect())
}

/// PFC in the description of a network.
pub fn described(scenario: &Scenario, plan: &Plan) -> Option<Value> {
    let pfc = scenario.pfc.as_ref()?;
    Some(json!({
        "by": "pfc",
        "priorities": pfc.priorities,
        "loses": loses(scenario, plan),
        "loses_uncovered_alone": loses(scenario, plan) == Some(UNCOVERED) && !aqm_drops(scenario),
        "room_bytes": room_by_link(scenario, plan),
    }))
}

/// Reason why frames may be lost under PFC; `None` if no frame can be lost.
fn loses(scenario: &Scenario, plan: &Plan) -> Option<&'static str> {
    let pfc = scenario.pfc.as_ref()?;
    let config = pfc.in_octets(&scenario.ethernet);
    let needed = needed(plan, &config).map_or(0, |(_, octets)| octets);
    if config.headroom.is_some_and(|given| given < needed) {
        return Some("more can arrive after XOFF than `pfc.headroom` holds");
    }
    let errs = |link: &LinkPlan| link.errors.as_ref().is_some_and(|errors| errors.occur());
    if plan.links.iter().any(errs) {
        return Some(match plan.llr {
            None => "bit errors may lose a pause",
            Some(_) => "a pause waits behind a frame that link-level retry sends again",
        });
    }
    drops(scenario, UNCOVERED, &config.priorities)
}

const UNCOVERED: &str = "PFC does not pause all priorities that flows have";

/// True if `priorities` include the priorities of all flows and of their CNPs.
pub fn covers_flows(scenario: &Scenario, priorities: &[u8]) -> bool {
    let covers = |priority: u8| priorities.contains(&priority);
    let of_cnps = |flow: &Flow| flow.roce.as_ref()?.control.notifier().cnp_priority();
    let is_covered = |flow: &Flow| covers(flow.priority) && of_cnps(flow).is_none_or(covers);
    scenario.flows.iter().all(is_covered)
}

/// True if queue management may drop packets: those whose transport does not understand marks, or too many. RoCE always
/// understands marks.
pub fn aqm_drops(scenario: &Scenario) -> bool {
    let all_over_roce = scenario.flows.iter().all(|flow| flow.roce.is_some());
    match &scenario.switch.aqm {
        AqmConfig::None(_) => false,
        AqmConfig::Threshold(_) => !all_over_roce,
        AqmConfig::Red(red) => !red.ecn || red.hard_drop || !all_over_roce,
        AqmConfig::CoDel(_) | AqmConfig::Pie(_) => true,
    }
}

/// Reason why frames may be lost although `priorities` are under PFC or CBFC; `None` if no frame can be lost.
/// `uncovered` is the reason if `priorities` lack the priority of a flow.
pub fn drops(
    scenario: &Scenario,
    uncovered: &'static str,
    priorities: &[u8],
) -> Option<&'static str> {
    if !covers_flows(scenario, priorities) {
        Some(uncovered)
    } else if aqm_drops(scenario) {
        Some("`switch.aqm` drops packets that do not understand marks, or that are too many")
    } else {
        None
    }
}
