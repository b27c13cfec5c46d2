//! Link-level retry (LLR): the section `[llr]`, and the settings that contradict it.

use cellrate_engine::ether::llr::LlrConfig;
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::net::opposites;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::graph::Graph;
use super::plan::plan;
use super::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// LLR: link-level retry, as the link layer of Ultra Ethernet has it. The sender of a link keeps each frame in a replay
/// buffer until the receiver acknowledges it. A frame with an errored bit is sent again when the negative answer has
/// arrived, and all frames behind it wait (go-back-N), so no layer above sees the loss. Answers are control words of 8 bytes
/// between frames and are not lost. The specification is not public in full, so these words and their times are choices of
/// cellrate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llr {
    /// Size of the replay buffer of each link, in bytes of frames. A frame begins only if the longest frame fits into the
    /// buffer. If absent, the least size with which full frames follow one another without pauses: the rate times the round
    /// trip of the link, `response` included.
    #[schemars(extend("x-search" = { "low": "2 kB", "high": "1 MB", "scale": "log", "when": {"buffer": true} }))]
    pub buffer: Option<Bytes>,
    /// Time from the arrival of a frame to the start of its answer. If absent, the transmission time of the longest frame on
    /// the opposite line, behind which the answer may wait.
    #[schemars(extend("x-not-searched" = "a property of the hardware"))]
    pub response: Option<Ps>,
    /// Greatest number of times that a frame is sent; then it is lost.
    #[schemars(range(min = 1), extend("x-not-searched" = "a guard against links that are dead"))]
    pub tries: u32,
}

impl Default for Llr {
    fn default() -> Llr {
        Llr {
            buffer: None,
            response: None,
            tries: 100,
        }
    }
}

impl Llr {
    /// The settings of LLR in the form that the engine takes.
    pub fn config(&self) -> LlrConfig {
        LlrConfig {
            buffer: self.buffer.map(|buffer| buffer.0),
            response: self.response,
            tries: self.tries,
        }
    }
}

/// Problems of `[llr]`: its parameters, and settings that contradict it.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let Some(llr) = &scenario.llr else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    if graph.is_joined() {
        let help = "remove `[llr]`, or the routers";
        let message = "`[llr]` is for networks without routers";
        problems.push(Problem::error(place!["llr"], message, help));
        return problems;
    }
    let plan = plan(scenario, graph);
    let longest = Bytes(plan.longest_frame().into());
    if let Some(buffer) = llr.buffer.filter(|buffer| buffer.0 < longest.0) {
        let message = format!("a replay buffer of {buffer} does not hold a frame of {longest}");
        let help = format!("allowed: at least {longest}");
        problems.push(Problem::error(place!["llr", "buffer"], message, help));
    }
    let backs = opposites(&plan.links);
    let mut used = plan.channels().flat_map(|channel| plan.links_of(channel));
    if let Some(link) = used.find(|link| backs[**link].is_none()) {
        let name = &plan.links[*link].name;
        let message = format!("the link {name} has no way back for the answers of `[llr]`");
        let help = "add the link in the other direction";
        problems.push(Problem::error(place!["llr"], message, help));
    }
    let has_effect = plan.links.iter().any(|link| link.errors.is_some()) || llr.buffer.is_some();
    if !has_effect {
        let message = "`[llr]` has no effect: no link has bit errors, and no frame waits for space in a replay buffer";
        problems.push(Problem::warning(place!["llr"], message, ""));
    }
    problems
}

/// Link-level retry by link, for `cellrate explain`: size of the replay buffer, size needed for the full rate, and time from
/// the last bit of a frame to the arrival of its answer. `None` without link-level retry.
pub fn described(scenario: &Scenario, plan: &Plan) -> Option<Value> {
    let config = scenario.llr.as_ref()?.config();
    let (backs, longest) = (opposites(&plan.links), plan.longest_frame());
    let of_link = |(number, link): (usize, &cellrate_engine::net::LinkPlan)| {
        let back = &plan.links[backs[number]?];
        Some(json!({
            "buffer_bytes": config.buffer_of(link, back, longest),
            "full_rate_bytes": config.full_rate(link, back, longest),
            "answer_seconds": config.answer(link, back, longest).as_secs_f64(),
            "frame_bytes": longest,
        }))
    };
    Some(plan.links.iter().enumerate().map(of_link).collect())
}
