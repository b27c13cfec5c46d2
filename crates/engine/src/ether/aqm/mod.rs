//! Active queue management: which packets of an egress queue are marked or dropped before its
//! buffer is full. Each algorithm is one file here and one line in the registry below.

pub mod codel;
pub mod length;
pub mod none;
pub mod pie;
mod policy;
pub mod red;
pub mod threshold;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, documentation};
use crate::kernel::{Finding, Ps, Stream};

pub use length::{Held, Length};
pub use policy::{AqmAlgorithm, AqmParameters, At, Decision, QueueFacts};
pub(crate) use policy::{lasting, require, share};

/// Each line names variant, key in a scenario, description, source, parameters and state of an algorithm. The
/// registry builds the state by `new(&parameters, facts, stream)`.
macro_rules! registry {
    ($($variant:ident = $name:literal, $about:literal, $source:literal, $config:ty, $state:ty;)*) => {
        /// The active queue management of a queue and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "algorithm")]
        pub enum AqmConfig {
            $(
                #[doc = $about]
                #[serde(rename = $name)]
                #[schemars(extend("x-source" = $source, "x-documentation" = documentation::<$config>()))]
                $variant($config),
            )*
        }

        impl AqmConfig {
            /// The algorithm at the queue of `facts`; it draws random numbers from `stream`.
            pub fn build(&self, facts: QueueFacts, stream: Stream) -> Aqm {
                match self {
                    $(AqmConfig::$variant(config) => Aqm::$variant(<$state>::new(config, facts, stream)),)*
                }
            }
            /// Findings about the parameters at the queue of `facts`.
            pub fn check(&self, facts: QueueFacts) -> Vec<Finding> {
                match self {
                    $(AqmConfig::$variant(config) => config.check(facts),)*
                }
            }
            /// True if the algorithm marks packets of transports that understand marks.
            pub fn marks(&self) -> bool {
                match self {
                    $(AqmConfig::$variant(config) => config.marks(),)*
                }
            }
            /// Key of the algorithm in a scenario.
            pub fn name(&self) -> &'static str {
                match self {
                    $(AqmConfig::$variant(_) => $name,)*
                }
            }
        }

        /// A running algorithm. It is an enum rather than a trait object, so that the compiler can inline the
        /// decision.
        #[derive(Clone, Debug)]
        pub enum Aqm {
            $(#[doc = $about] $variant($state),)*
        }

        impl Aqm {
            /// Replaces the parameters at `now` by others of the same algorithm; the state stays.
            pub fn change(&mut self, now: Ps, config: &AqmConfig) {
                match (self, config) {
                    $((Aqm::$variant(state), AqmConfig::$variant(config)) => state.change(now, config),)*
                    _ => {}
                }
            }
        }

        /// Key, description and source of every algorithm.
        pub fn algorithms() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }

        impl AqmAlgorithm for Aqm {
            #[inline]
            fn on_enqueue(&mut self, now: Ps, octets: u32, queue: Held) -> Decision {
                match self {
                    $(Aqm::$variant(state) => state.on_enqueue(now, octets, queue),)*
                }
            }
            #[inline]
            fn on_dequeue(&mut self, now: Ps, since: Ps, queue: Held) -> Decision {
                match self {
                    $(Aqm::$variant(state) => state.on_dequeue(now, since, queue),)*
                }
            }
            #[inline]
            fn on_empty(&mut self, now: Ps) {
                match self {
                    $(Aqm::$variant(state) => state.on_empty(now),)*
                }
            }
            #[inline]
            fn wake_at(&self) -> Ps {
                match self {
                    $(Aqm::$variant(state) => state.wake_at(),)*
                }
            }
            fn acts_on_arrival_alone(&self) -> bool {
                match self {
                    $(Aqm::$variant(state) => state.acts_on_arrival_alone(),)*
                }
            }
            fn wake(&mut self, now: Ps) {
                match self {
                    $(Aqm::$variant(state) => state.wake(now),)*
                }
            }
        }
    };
}

registry! {
    None = "none", "let every packet pass", "none: the buffer alone limits the queue",
        none::NoneConfig, none::NoAqm;
    Threshold = "threshold", "mark what meets a queue above a threshold", "Alizadeh et al. 2010, 3.1; RFC 8257, 3.1",
        threshold::ThresholdConfig, threshold::Threshold;
    Red = "red", "mark or drop at random by the average queue (random early detection)", "Floyd and Jacobson 1993; as in ns-2 and ns-3",
        red::RedConfig, red::Red;
    CoDel = "codel", "drop while packets wait too long, at growing frequency (controlled delay)", "RFC 8289",
        codel::CoDelConfig, codel::CoDel;
    Pie = "pie", "mark or drop at random by the delay and its change (proportional integral controller enhanced)", "RFC 8033",
        pie::PieConfig, pie::Pie;
}

impl Default for AqmConfig {
    fn default() -> AqmConfig {
        AqmConfig::None(none::NoneConfig::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Rate;

    #[test]
    fn every_algorithm_reads_its_defaults_from_its_name_and_lets_an_empty_queue_pass() {
        let facts = QueueFacts {
            rate: Rate::from_bps(10_000_000_000),
            limit: u64::MAX,
            largest: 1_518,
        };
        for component in algorithms() {
            let table = serde_json::json!({ "algorithm": component.name });
            let config: AqmConfig = serde_json::from_value(table).expect(component.name);
            assert_eq!(config.name(), component.name);
            assert_eq!(config.check(facts), []);
            let written = serde_json::to_value(&config).expect("a table");
            let read: AqmConfig = serde_json::from_value(written).expect("its parameters");
            assert_eq!(read, config);
            let mut aqm = config.build(facts, Stream::new(1, "test", component.name));
            let now = Ps::from_ms(1);
            aqm.change(now, &config);
            let decisions = [
                aqm.on_enqueue(now, 1_518, Held::default()),
                aqm.on_dequeue(now, now, Held::default()),
            ];
            assert_eq!(decisions, [Decision::Pass; 2], "{}", component.name);
            assert_eq!(aqm.wake_at(), Ps::NEVER);
        }
    }
}
