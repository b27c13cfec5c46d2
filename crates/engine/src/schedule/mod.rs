//! The order in which a port serves its queues: strict priority, round robin, or shares by weight. No service is
//! interrupted. What the disciplines call a frame is a frame of Ethernet, or a cell of 53 octets.

pub mod channels;
pub mod drr;
pub mod scfq;
pub mod weights;
pub mod wf2q_plus;
pub mod wrr;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::Component;
use crate::kernel::Finding;

/// The order of service at a port and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "discipline")]
pub enum ScheduleConfig {
    /// Serve the first queue that has a frame.
    #[serde(rename = "strict-priority")]
    #[schemars(extend("x-source" = STRICT_PRIORITY.source))]
    StrictPriority,
    /// Serve queues in turn, each for its quantum of octets.
    #[serde(rename = "deficit-round-robin")]
    #[schemars(extend("x-source" = DEFICIT_ROUND_ROBIN.source))]
    DeficitRoundRobin(drr::DrrConfig),
    /// Serve queues in turn, each for a number of frames: its weight.
    #[serde(rename = "weighted-round-robin")]
    #[schemars(extend("x-source" = WEIGHTED_ROUND_ROBIN.source))]
    WeightedRoundRobin(weights::WeightsConfig),
    /// Share the line by weight, with tags whose clock is the frame in service.
    #[serde(rename = "scfq")]
    #[schemars(extend("x-source" = SELF_CLOCKED.source))]
    SelfClocked(weights::WeightsConfig),
    /// Share the line by weight, as close to a fluid system as frames allow.
    #[serde(rename = "wf2q-plus")]
    #[schemars(extend("x-source" = WORST_CASE_FAIR.source))]
    WorstCaseFair(weights::WeightsConfig),
}

const STRICT_PRIORITY: Component = Component {
    name: "strict-priority",
    about: "serve the first queue that has a frame",
    source: "IEEE 802.1Q, 8.6.8.1",
};
const DEFICIT_ROUND_ROBIN: Component = Component {
    name: "deficit-round-robin",
    about: "serve queues in turn, each for its quantum of octets",
    source: "Shreedhar and Varghese 1996",
};
const WEIGHTED_ROUND_ROBIN: Component = Component {
    name: "weighted-round-robin",
    about: "serve queues in turn, each for a number of frames: its weight",
    source: "Katevenis, Sidiropoulos and Courcoubetis 1991",
};
const SELF_CLOCKED: Component = Component {
    name: "scfq",
    about: "share the line by weight, with tags whose clock is the frame in service",
    source: "Golestani 1994",
};
const WORST_CASE_FAIR: Component = Component {
    name: "wf2q-plus",
    about: "share the line by weight, as close to a fluid system as frames allow",
    source: "Bennett and Zhang 1997",
};

/// Key, description and source of every discipline.
pub fn disciplines() -> &'static [Component] {
    &[
        STRICT_PRIORITY,
        DEFICIT_ROUND_ROBIN,
        WEIGHTED_ROUND_ROBIN,
        SELF_CLOCKED,
        WORST_CASE_FAIR,
    ]
}

impl ScheduleConfig {
    /// The discipline of a port with empty queues, whose frames have `around` octets of preamble and gap.
    pub fn build(&self, around: u32) -> Schedule {
        let (strict, order) = match self {
            ScheduleConfig::StrictPriority => (usize::MAX, None),
            ScheduleConfig::DeficitRoundRobin(config) => {
                let drr = drr::DeficitRoundRobin::new(config);
                (config.strict, Some(Order::DeficitRoundRobin(drr)))
            }
            ScheduleConfig::WeightedRoundRobin(config) => {
                let wrr = wrr::WeightedRoundRobin::new(config.shares());
                (config.strict, Some(Order::WeightedRoundRobin(wrr)))
            }
            ScheduleConfig::SelfClocked(config) => {
                let scfq = scfq::SelfClocked::new(&config.shares(), around);
                (config.strict, Some(Order::SelfClocked(scfq)))
            }
            ScheduleConfig::WorstCaseFair(config) => {
                let fair = wf2q_plus::WorstCaseFair::new(&config.shares(), around);
                (config.strict, Some(Order::WorstCaseFair(fair)))
            }
        };
        Schedule { strict, order }
    }
    /// Findings about the parameters at a port with `queues` queues and frames of at most `largest` octets.
    pub fn check(&self, queues: usize, largest: u32) -> Vec<Finding> {
        match self {
            ScheduleConfig::StrictPriority => Vec::new(),
            ScheduleConfig::DeficitRoundRobin(config) => config.check(queues, largest),
            ScheduleConfig::WeightedRoundRobin(config)
            | ScheduleConfig::SelfClocked(config)
            | ScheduleConfig::WorstCaseFair(config) => config.check(queues),
        }
    }
    /// Key of the discipline.
    pub fn name(&self) -> &'static str {
        match self {
            ScheduleConfig::StrictPriority => STRICT_PRIORITY.name,
            ScheduleConfig::DeficitRoundRobin(_) => DEFICIT_ROUND_ROBIN.name,
            ScheduleConfig::WeightedRoundRobin(_) => WEIGHTED_ROUND_ROBIN.name,
            ScheduleConfig::SelfClocked(_) => SELF_CLOCKED.name,
            ScheduleConfig::WorstCaseFair(_) => WORST_CASE_FAIR.name,
        }
    }
}

/// The order of service at a port.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Number of queues, from the first on, in strict priority.
    strict: usize,
    /// Order of service of the queues behind the strict ones; `None` if all queues are strict.
    order: Option<Order>,
}

/// The order of service of queues that share the rate that strict queues leave.
#[derive(Clone, Debug)]
enum Order {
    DeficitRoundRobin(drr::DeficitRoundRobin),
    WeightedRoundRobin(wrr::WeightedRoundRobin),
    SelfClocked(scfq::SelfClocked),
    WorstCaseFair(wf2q_plus::WorstCaseFair),
}

impl Schedule {
    /// True if `queue` is served in strict priority, before all later queues.
    #[inline]
    pub fn is_strict(&self, queue: usize) -> bool {
        queue < self.strict
    }
    /// The queue whose first frame is served next; `None` if all queues are empty. `heads` are the octets of the first
    /// frame of each queue, 0 for an empty queue. If the port drops this frame instead of serving it, the port calls
    /// this method again.
    #[inline]
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        let (first, shared) = heads.split_at(self.strict.min(heads.len()));
        let strict = first.iter().position(|octets| *octets > 0);
        if strict.is_some() {
            return strict;
        }
        let queue = match self.order.as_mut()? {
            Order::DeficitRoundRobin(drr) => drr.next(shared),
            Order::WeightedRoundRobin(wrr) => wrr.next(shared),
            Order::SelfClocked(scfq) => scfq.next(shared),
            Order::WorstCaseFair(fair) => fair.next(shared),
        };
        queue.map(|queue| self.strict + queue)
    }
    /// True if the discipline must know of a frame that arrives at an empty queue: [`Schedule::on_arrival`].
    #[inline]
    pub fn notes_arrivals(&self) -> bool {
        matches!(self.order, Some(Order::WorstCaseFair(_)))
    }
    /// Records that a frame arrives at an empty queue while `left` octets of the frame in service have not been sent
    /// yet.
    pub fn on_arrival(&mut self, queue: usize, left: u64) {
        if let Some(Order::WorstCaseFair(fair)) = &mut self.order
            && queue >= self.strict
        {
            fair.on_arrival(queue - self.strict, left);
        }
    }
    /// Records the service of a frame of `octets` octets in `queue`. [`Schedule::next`] must have returned `queue`.
    #[inline]
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        let Some(order) = self.order.as_mut().filter(|_| queue >= self.strict) else {
            return;
        };
        let queue = queue - self.strict;
        match order {
            Order::DeficitRoundRobin(drr) => drr.on_service(queue, octets),
            Order::WeightedRoundRobin(wrr) => wrr.on_service(),
            Order::SelfClocked(scfq) => scfq.on_service(queue, octets),
            Order::WorstCaseFair(fair) => fair.on_service(queue, octets),
        }
    }
    /// Records that no frame waits in `queue` any more: its last frame was served or dropped.
    /// [`Schedule::next`] must have returned `queue`.
    #[inline]
    pub fn on_emptied(&mut self, queue: usize) {
        let Some(order) = self.order.as_mut().filter(|_| queue >= self.strict) else {
            return;
        };
        let queue = queue - self.strict;
        match order {
            Order::DeficitRoundRobin(drr) => drr.on_emptied(queue),
            // The turn ends at the next decision, unless a frame comes before.
            Order::WeightedRoundRobin(_) => {}
            Order::SelfClocked(scfq) => scfq.on_emptied(queue),
            Order::WorstCaseFair(fair) => fair.on_emptied(queue),
        }
    }
}

#[cfg(test)]
mod tests;
