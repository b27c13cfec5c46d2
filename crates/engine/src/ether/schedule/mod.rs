//! The order in which a port serves its queues: strict priority, or deficit round robin. No service is
//! interrupted.

pub mod drr;
mod heads;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::Component;
use crate::kernel::Finding;

pub use heads::{Heads, MOST_QUEUES};

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

/// Key, description and source of every discipline.
pub fn disciplines() -> &'static [Component] {
    &[STRICT_PRIORITY, DEFICIT_ROUND_ROBIN]
}

impl ScheduleConfig {
    /// The discipline of a port with empty queues.
    pub fn build(&self) -> Schedule {
        match self {
            ScheduleConfig::StrictPriority => Schedule::StrictPriority,
            ScheduleConfig::DeficitRoundRobin(config) => {
                Schedule::DeficitRoundRobin(drr::DeficitRoundRobin::new(config))
            }
        }
    }
    /// Findings about the parameters at a port with `queues` queues and frames of at most `largest` octets.
    pub fn check(&self, queues: usize, largest: u32) -> Vec<Finding> {
        match self {
            ScheduleConfig::StrictPriority => Vec::new(),
            ScheduleConfig::DeficitRoundRobin(config) => config.check(queues, largest),
        }
    }
    /// Key of the discipline.
    pub fn name(&self) -> &'static str {
        match self {
            ScheduleConfig::StrictPriority => STRICT_PRIORITY.name,
            ScheduleConfig::DeficitRoundRobin(_) => DEFICIT_ROUND_ROBIN.name,
        }
    }
}

/// The order of service at a port.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Strict priority.
    StrictPriority,
    /// Deficit round robin.
    DeficitRoundRobin(drr::DeficitRoundRobin),
}

impl Schedule {
    /// The queue whose first frame is served next; `None` if all queues are empty. If the port drops this
    /// frame instead, it calls again.
    #[inline]
    pub fn next(&mut self, heads: &Heads) -> Option<usize> {
        match self {
            Schedule::StrictPriority => heads.iter().position(|octets| *octets > 0),
            Schedule::DeficitRoundRobin(drr) => drr.next(heads),
        }
    }
    /// Notes the service of a frame of `octets` in `queue`. [`Schedule::next`] must have returned `queue`.
    #[inline]
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        match self {
            Schedule::StrictPriority => {}
            Schedule::DeficitRoundRobin(drr) => drr.on_service(queue, octets),
        }
    }
    /// Notes that no frame waits in `queue` any more: its last frame was served or dropped.
    /// [`Schedule::next`] must have returned `queue`.
    #[inline]
    pub fn on_emptied(&mut self, queue: usize) {
        match self {
            Schedule::StrictPriority => {}
            Schedule::DeficitRoundRobin(drr) => drr.on_emptied(queue),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Bytes;

    #[test]
    fn strict_priority_serves_the_first_queue_that_has_a_frame() {
        let mut strict = ScheduleConfig::StrictPriority.build();
        for (heads, next) in [
            ([0, 64, 1_518, 0, 0, 0, 0, 64], Some(1)),
            ([1_518, 64, 0, 0, 0, 0, 0, 0], Some(0)),
            ([0, 0, 0, 0, 0, 0, 0, 64], Some(7)),
            ([0; MOST_QUEUES], None),
        ] {
            assert_eq!(strict.next(&heads), next);
        }
    }

    #[test]
    fn a_discipline_reads_back_as_it_is_written() {
        let drr = drr::DrrConfig {
            quanta: alloc::vec![Bytes(1_518), Bytes(3_036)],
        };
        for config in [
            ScheduleConfig::StrictPriority,
            ScheduleConfig::DeficitRoundRobin(drr),
        ] {
            let written = serde_json::to_value(&config).expect("a table");
            assert_eq!(written["discipline"], config.name());
            let read: ScheduleConfig = serde_json::from_value(written).expect("a discipline");
            assert_eq!(read, config);
            assert_eq!(read.check(2, 1_518), []);
        }
        let names: Vec<&str> = disciplines()
            .iter()
            .map(|component| component.name)
            .collect();
        assert_eq!(names, ["strict-priority", "deficit-round-robin"]);
    }
}
