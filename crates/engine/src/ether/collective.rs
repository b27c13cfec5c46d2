//! Flows that wait for one another: the steps of a collective operation, such as an all-reduce. A flow begins a time after
//! the end of each flow that it awaits at its host: their last byte has arrived there, or has been acknowledged there.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::endpoint::Endpoint;
use super::plan::Plan;
use crate::kernel::Ps;

/// The flow of one endpoint of a host: the number of flows that it awaits, and the endpoints of the flows that await
/// it.
#[derive(Clone, Debug)]
struct Step {
    /// Bytes of the flow's payload. At its receiver the flow has ended when all these bytes have arrived.
    bytes: u64,
    ended: bool,
    /// Endpoints of the host whose flows await the end of this flow, each with the time from this end to the begin.
    followers: Vec<(u32, Ps)>,
    /// Number of flows that this flow still awaits.
    awaits: u32,
    /// Instant before which this flow does not begin, by the awaited flows that have ended.
    begin: Ps,
    /// Endpoint of the awaited flow that sets `begin`.
    released_by: Option<u32>,
}

/// By endpoint of a host: what each flow awaits, and which flows await it.
#[derive(Clone, Debug)]
pub struct Steps(Vec<Step>);

impl Steps {
    /// Steps in which no flow awaits another. `payloads` has, by endpoint, the payload bytes of the endpoint's flow.
    pub(super) fn new(payloads: impl Iterator<Item = u64>) -> Steps {
        let step = |bytes| Step {
            bytes,
            ended: false,
            followers: Vec::new(),
            awaits: 0,
            begin: Ps::ZERO,
            released_by: None,
        };
        Steps(payloads.map(step).collect())
    }
    /// The flow of endpoint `number` begins no earlier than `wait` after the end of the flow at endpoint `awaited`.
    pub(super) fn set(&mut self, number: u32, awaited: u32, wait: Ps) {
        self.0[awaited as usize].followers.push((number, wait));
        self.0[number as usize].awaits += 1;
    }
    /// True if the flow that endpoint `number` sends awaits other flows.
    pub(super) fn waits(&self, number: usize) -> bool {
        self.0[number].awaits > 0
    }
    /// Endpoint of the flow whose end let the flow of endpoint `number` begin.
    pub(super) fn released_by(&self, number: usize) -> Option<usize> {
        self.0[number].released_by.map(|number| number as usize)
    }

    /// Must be called after an event of `endpoint`, which has the index `number`, at `now`. If the flow of the
    /// endpoint has ended with this event, returns each endpoint whose flow awaits nothing more, with the start time
    /// of that flow.
    pub(super) fn on_event(
        &mut self,
        (number, endpoint): (usize, &Endpoint),
        now: Ps,
    ) -> Vec<(usize, Ps)> {
        let step = &mut self.0[number];
        if step.ended || !endpoint.has_ended(step.bytes) {
            return Vec::new();
        }
        step.ended = true;
        let mut begins = Vec::new();
        for (follower, wait) in core::mem::take(&mut step.followers) {
            let waiting = &mut self.0[follower as usize];
            waiting.awaits -= 1;
            let begin = now.saturating_add(wait);
            // Of equal times the last one counts.
            if begin >= waiting.begin {
                (waiting.begin, waiting.released_by) = (begin, Some(number as u32));
            }
            if waiting.awaits == 0 {
                begins.push((follower as usize, waiting.begin));
            }
        }
        begins
    }
}

/// Measures of a group of flows that await one another, over the whole run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct CollectiveReport {
    /// Name of the group.
    pub group: String,
    /// Number of flows in the group.
    #[schemars(extend("x-unit" = "flows"))]
    pub flows: u64,
    /// Flows whose last byte has been acknowledged.
    #[schemars(extend("x-unit" = "flows", "x-better" = "more"))]
    pub flows_completed: u64,
    /// Time from the start of the first flow to the acknowledgement of the last byte of all flows; null if a flow has
    /// not ended.
    #[schemars(extend("x-better" = "less"))]
    pub completion_seconds: Option<f64>,
    /// The flow that ended last; null if a flow has not ended.
    pub last_flow: Option<String>,
    /// The longest flow of the chain that led to the last flow: each flow of the chain began when the flow before it
    /// ended. Null if a flow has not ended.
    pub straggler: Option<String>,
    /// Completion time of the straggler.
    #[schemars(extend("x-better" = "less"))]
    pub straggler_seconds: Option<f64>,
}

/// Start and end of a flow, and the flow after whose end it started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub begin: Option<Ps>,
    pub end: Option<Ps>,
    pub released_by: Option<usize>,
}

/// The report of each group in which flows await other flows. `spans` has the span of each flow.
pub(super) fn reports(plan: &Plan, spans: &[Span]) -> Vec<CollectiveReport> {
    let mut found = Vec::new();
    let mut begin = 0;
    for flows in plan.flows.chunk_by(|one, next| one.group == next.group) {
        let range = begin..begin + flows.len();
        begin = range.end;
        if flows.iter().any(|flow| !flow.after.is_empty()) {
            found.push(report(plan, spans, range));
        }
    }
    found
}

/// The greatest completion time of all groups; `None` if there is no group, or if a flow of a group has not ended.
pub(super) fn longest(found: &[CollectiveReport]) -> Option<f64> {
    let times = found.iter().map(|one| one.completion_seconds);
    let times: Option<Vec<f64>> = times.collect();
    times?.into_iter().reduce(f64::max)
}

fn report(plan: &Plan, spans: &[Span], flows: core::ops::Range<usize>) -> CollectiveReport {
    let ended = flows.clone().filter(|flow| spans[*flow].end.is_some());
    let completed = ended.clone().count();
    let last = ended.max_by_key(|flow| (spans[*flow].end, core::cmp::Reverse(*flow)));
    let last = last.filter(|_| completed == flows.len());
    let length = |flow: usize| Some(spans[flow].end? - spans[flow].begin?);
    let chain = core::iter::successors(last, |flow| spans[*flow].released_by);
    let straggler = chain.max_by_key(|flow| length(*flow));
    let first = flows.clone().filter_map(|flow| spans[flow].begin).min();
    let end = last.and_then(|last| spans[last].end);
    let name = |flow: usize| plan.flows[flow].name.clone();
    CollectiveReport {
        group: plan.flows[flows.start].group.clone(),
        flows: flows.len() as u64,
        flows_completed: completed as u64,
        completion_seconds: first
            .zip(end)
            .map(|(first, end)| (end - first).as_secs_f64()),
        last_flow: last.map(name),
        straggler: straggler.map(name),
        straggler_seconds: straggler.and_then(length).map(Ps::as_secs_f64),
    }
}
