//! Credit control over Ethernet: the section `[fcvc]`, and the settings that contradict it.

use cellrate_engine::control::ControlConfig;
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::ether::aqm::{AqmConfig, Length};
use cellrate_engine::ether::frame::Framing;
use cellrate_engine::ether::reserves::Reserves;
use cellrate_engine::ether::spray::Multipath;
use cellrate_engine::kernel::units::{Bytes, Cells};
use cellrate_engine::kernel::{Finding, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::Graph;
use super::plan::plan;
use super::types::{Ethernet, Scenario};
use crate::scenario::diagnostic::Severity;
use crate::scenario::problem::{Place, Problem, place};

/// FCVC: credit control of every link that flows use, in both directions, hosts included (Gerla, Pazos and
/// Signore 1995, section II.B). A port sends a frame only if the next node has free buffer for it, so no
/// frame is lost. Lengths are in bytes on the line, or in packets, which count as full frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fcvc {
    /// N2: length of frames that a node forwards between two credits for a channel.
    #[schemars(extend("x-search" = { "low": "1 packets", "high": "100 packets", "scale": "log" }))]
    pub n2: Length,
    /// N3: buffer in addition to N2, at least the longest frame of a flow. If absent, N3 is the length that
    /// arrives at `vc_rate` in a round trip of the link.
    #[schemars(extend("x-search" = { "low": "1 packets", "high": "1000 packets", "scale": "log", "when": {"n3": true} }))]
    pub n3: Option<Length>,
    /// Target rate B_VC of a channel, preambles and interframe gaps included: N3 = RTT B_VC / 8 bits, rounded
    /// up (Gerla et al. (1)). RTT is the propagation both ways, plus the transmission of a full frame of the
    /// flow and of a credit frame. N3 is greater by two full frames less two bytes, since frames are not
    /// divided. If absent, B_VC is the rate of the link, so one flow alone can fill the link.
    #[schemars(extend("x-not-searched" = "the target; `n3` is what it sets"))]
    pub vc_rate: Option<Rate>,
}

impl Default for Fcvc {
    fn default() -> Fcvc {
        Fcvc {
            n2: Length::Packets(10),
            n3: None,
            vc_rate: None,
        }
    }
}

impl Fcvc {
    /// The settings of FCVC in the form that the engine takes, with lengths in octets on the line.
    pub fn in_octets(&self, ethernet: &Ethernet) -> FcvcConfig {
        let framing = Framing {
            tagged: ethernet.tagged,
        };
        let frame = framing.on_line(ethernet.mtu.0 as u32);
        let octets = |length: Length| match length {
            Length::Octets(octets) => Cells(octets),
            Length::Packets(packets) => Cells(packets.saturating_mul(frame.into())),
        };
        FcvcConfig {
            n2: octets(self.n2),
            n3: self.n3.map(octets),
            vc_rate: self.vc_rate,
            ..FcvcConfig::default()
        }
    }
}

/// Problems of `[fcvc]`: parameters, and settings of the scenario that credit control refuses.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let Some(fcvc) = &scenario.fcvc else {
        return Vec::new();
    };
    let mut problems = contradictions(scenario);
    let findings = fcvc.in_octets(&scenario.ethernet).check();
    problems.extend(findings.into_iter().map(|finding| {
        let message = finding.message.replace("cells", "bytes");
        let message = format!("`{}`: {message}", finding.field);
        problem_of(&finding, place!["fcvc", finding.field], message)
    }));
    if problems
        .iter()
        .all(|found| found.severity == Severity::Warning)
    {
        problems.extend(reserves(scenario, graph, fcvc));
    }
    problems
}

fn problem_of(finding: &Finding, place: Place, message: String) -> Problem {
    if finding.is_fatal(true) {
        Problem::error(place, message, "")
    } else {
        Problem::warning(place, message, "")
    }
}

/// Settings that contradict credit control, as errors.
fn contradictions(scenario: &Scenario) -> Vec<Problem> {
    let switch = &scenario.switch;
    let mut problems = Vec::new();
    let mut refuse = |holds: bool, place: Place, message: &str, help: &str| {
        if holds {
            problems.push(Problem::error(place, message, help));
        }
    };
    refuse(
        !matches!(switch.control.0, ControlConfig::None(_)),
        place!["switch", "control"],
        "a control scheme sets rates, but under credit control no rates are set",
        "remove `control` or `[fcvc]`",
    );
    refuse(
        !matches!(switch.aqm, AqmConfig::None(_)),
        place!["switch", "aqm"],
        "under credit control each flow has room for its frames: a port drops and marks none",
        "remove `aqm` or `[fcvc]`",
    );
    refuse(
        switch.memory.is_some(),
        place!["switch", "memory"],
        "credit control needs a buffer for each flow, but `memory` shares one among the queues",
        "remove `memory` or `[fcvc]`",
    );
    refuse(
        switch.queues.len() != 1,
        place!["switch", "queues"],
        "under credit control flows take turns, and queues by priority have no effect",
        "remove `queues` or `[fcvc]`",
    );
    refuse(
        switch.multipath != Multipath::Ecmp,
        place!["switch", "multipath"],
        "credit control needs one path for each flow, but sprayed frames take several",
        "set `multipath = \"ecmp\"`, or remove `[fcvc]`",
    );
    for (index, flow) in scenario.flows.iter().enumerate() {
        refuse(
            flow.rate_control.is_some(),
            place!["flow", index, "rate_control"],
            &format!(
                "`{}` has rate control, but under credit control no rates are set",
                flow.name
            ),
            "remove `rate_control` or `[fcvc]`",
        );
    }
    problems
}

/// Reserves that no counter or buffer can hold, as errors. Each link must have an opposite link.
fn reserves(scenario: &Scenario, graph: &Graph, fcvc: &Fcvc) -> Vec<Problem> {
    let plan = plan(scenario, graph);
    let Some(reserves) = Reserves::of(&plan) else {
        return Vec::new();
    };
    let mut problems: Vec<Problem> = Vec::new();
    let mut refuse = |place: Place, message: String, help: String| {
        // Only the first problem of each place is reported.
        if problems.iter().all(|found| found.place != place) {
            problems.push(Problem::error(place, message, help));
        }
    };
    for channel in plan.channels() {
        let (name, longest) = (&plan.flows[channel.flow()].name, reserves.longest(channel));
        let n3 = plan.fcvc.as_ref().and_then(|config| config.n3);
        if n3.is_some_and(|n3| n3.0 < longest.into()) {
            let message = format!("`n3` is less than a full frame of `{name}` on the line");
            refuse(
                place!["fcvc", "n3"],
                message,
                format!("allowed: at least {}", Bytes(longest.into())),
            );
        }
        for link in plan.path(channel) {
            let reserve = reserves.reserve(channel, *link);
            let at = &plan.links[*link].name;
            if reserve > Reserves::MOST {
                let message = format!(
                    "the credit of one channel at {at} is {}, more than the counters hold",
                    Bytes(reserve)
                );
                let key = if fcvc.n3.is_some() { "n3" } else { "vc_rate" };
                refuse(
                    place!["fcvc", key],
                    message,
                    format!("allowed: at most {}", Bytes(Reserves::MOST)),
                );
            }
        }
    }
    for (settings, promised) in plan.links.iter().zip(reserves.promised()) {
        let node = settings.from;
        let Some(switch) = &plan.nodes[node].switch else {
            continue;
        };
        if switch.buffer < promised {
            let place = match graph.nodes[node].buffer {
                Some(_) => place!["topology", "node", node, "buffer"],
                None => place!["switch", "buffer"],
            };
            let message = format!(
                "the credits of all channels need a buffer of {} at {}, but the buffer is {}",
                Bytes(promised),
                settings.name,
                Bytes(switch.buffer)
            );
            refuse(
                place,
                message,
                format!("allowed: at least {}", Bytes(promised)),
            );
        }
    }
    problems
}
