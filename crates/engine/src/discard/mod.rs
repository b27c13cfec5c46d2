//! Discard policies, which decide about the cells or frames that a finite buffer refuses. Each
//! policy is one file here and one line in the registry below.

pub(crate) mod accounts;
pub mod custom;
pub mod dfba;
pub mod double_epd;
pub mod epd;
pub mod fair_buffer_allocation;
pub mod fair_share;
mod frame;
pub mod intelligent_tail_drop;
mod policy;
pub mod ppd;
pub mod selective_drop;
pub mod tail_drop;

use alloc::boxed::Box;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, documentation};
use crate::custom::{FromOutside, of_the_registry};
use crate::kernel::units::Buffer;
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

pub use custom::{ByPdu, CustomConfig, CustomDiscard, CustomPolicy, FirstCell, PduPolicy};
pub use policy::{Cause, DiscardPolicy, PolicyParameters, QueueFacts, Verdict};

/// Each line names the enum variant, the key in a scenario, a description, the publication, and the types of
/// parameters and state. `new(&parameters, channels)` builds the state.
macro_rules! registry {
    ($($variant:ident = $name:literal, $about:literal, $source:literal, $config:ty, $policy:ty;)*) => {
        /// The discard policy of a queue and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "policy")]
        #[schemars(transform = of_the_registry)]
        pub enum DiscardConfig {
            $(
                #[doc = $about]
                #[serde(rename = $name)]
                #[schemars(extend("x-source" = $source, "x-documentation" = documentation::<$config>()))]
                $variant($config),
            )*
            /// A user-defined policy, which the parser of the scenario finds by its name.
            #[serde(untagged)]
            #[schemars(skip)]
            Custom(CustomConfig),
        }

        impl DiscardConfig {
            /// State of the policy for a queue that `channels` channels share.
            pub fn build(&self, channels: usize) -> Discard {
                self.build_seeded(channels, 0)
            }
            /// State of the policy for a queue that `channels` channels share. A user-defined
            /// policy draws its random numbers from `seed`.
            pub fn build_seeded(&self, channels: usize, seed: u64) -> Discard {
                match self {
                    $(DiscardConfig::$variant(config) => Discard::$variant(<$policy>::new(config, channels)),)*
                    DiscardConfig::Custom(config) => Discard::Custom(config.get().build(channels, seed)),
                }
            }
            /// Findings about the parameters at a queue with these `facts`.
            pub fn check(&self, facts: QueueFacts) -> Vec<Finding> {
                match self {
                    $(DiscardConfig::$variant(config) => config.check(facts),)*
                    DiscardConfig::Custom(config) => config.check(facts),
                }
            }
            /// The parameters for a finite `buffer`, with defaults applied: an absent value is replaced by its
            /// default, which may depend on the buffer and other parameters.
            pub fn in_force(&self, buffer: Buffer) -> DiscardConfig {
                match self {
                    $(DiscardConfig::$variant(config) => DiscardConfig::$variant(config.in_force(buffer)),)*
                    DiscardConfig::Custom(config) => DiscardConfig::Custom(config.clone()),
                }
            }
            /// True if the policy depends on the order of arrivals, see
            /// [`DiscardPolicy::FOLLOWS_ORDER`].
            pub fn follows_order(&self) -> bool {
                match self {
                    $(DiscardConfig::$variant(_) => <$policy as DiscardPolicy>::FOLLOWS_ORDER,)*
                    DiscardConfig::Custom(config) => config.found().is_some_and(|it| it.follows_order()),
                }
            }
            /// True if the policy also refuses cells of a queue without a limit, see
            /// [`DiscardPolicy::acts_without_limit`].
            pub fn acts_without_limit(&self) -> bool {
                match self {
                    DiscardConfig::Custom(config) => config.found().is_none_or(|it| it.acts_without_limit()),
                    config => config.build(0).acts_without_limit(),
                }
            }
            /// Key of the policy in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(DiscardConfig::$variant(_) => $name,)*
                    DiscardConfig::Custom(config) => config.found().map_or("unknown", |it| it.name()),
                }
            }
        }

        /// State of a discard policy at a queue. This is an enum, not a trait object, so that the compiler can
        /// inline the decision.
        #[derive(Clone, Debug)]
        pub enum Discard {
            $(#[doc = $about] $variant($policy),)*
            /// State of a user-defined policy.
            Custom(Box<dyn CustomPolicy>),
        }

        impl Discard {
            /// Replaces the parameters from `now` on. The new parameters must be of the same policy. The state is
            /// kept.
            pub fn change(&mut self, now: Ps, config: &DiscardConfig) {
                match (self, config) {
                    $((Discard::$variant(policy), DiscardConfig::$variant(config)) => policy.change(config),)*
                    (Discard::Custom(policy), DiscardConfig::Custom(config)) => policy.change(now, &config.parameters),
                    _ => {}
                }
            }
        }

        /// Key, description and source of every policy.
        pub fn policies() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }

        impl DiscardPolicy for Discard {
            #[inline]
            fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
                match self {
                    $(Discard::$variant(policy) => policy.admit(now, slot, passing, queue, buffer),)*
                    Discard::Custom(policy) => policy.admit(now, slot, passing, queue, buffer),
                }
            }
            fn passes_within(&self, buffer: u64) -> u64 {
                match self {
                    $(Discard::$variant(policy) => policy.passes_within(buffer),)*
                    // User-defined policies decide about every cell.
                    Discard::Custom(_) => 0,
                }
            }
            #[inline]
            fn passes(&mut self, slot: u32, units: u32) -> bool {
                match self {
                    $(Discard::$variant(policy) => policy.passes(slot, units),)*
                    Discard::Custom(_) => false,
                }
            }
            #[inline]
            fn is_stateless(&self) -> bool {
                match self {
                    $(Discard::$variant(policy) => policy.is_stateless(),)*
                    Discard::Custom(policy) => policy.is_stateless(),
                }
            }
            fn acts_without_limit(&self) -> bool {
                match self {
                    $(Discard::$variant(policy) => policy.acts_without_limit(),)*
                    Discard::Custom(policy) => policy.acts_without_limit(),
                }
            }
            fn prepare(&mut self, seed: u64, shares: &[f64]) {
                match self {
                    $(Discard::$variant(policy) => policy.prepare(seed, shares),)*
                    Discard::Custom(_) => {}
                }
            }
        }
    };
}

registry! {
    TailDrop = "tail-drop", "drop what finds the buffer full", "Kalyanaraman 1997, 8.12",
        tail_drop::TailDropConfig, tail_drop::TailDrop;
    Ppd = "ppd", "drop the rest of a PDU that lost a cell (partial packet discard)", "Romanow and Floyd 1995",
        ppd::PpdConfig, ppd::Ppd;
    Epd = "epd", "drop whole PDUs that begin above a threshold (early packet discard)", "Romanow and Floyd 1995; Ohsaki et al. 1995, III",
        epd::EpdConfig, epd::Epd;
    IntelligentTailDrop = "intelligent-tail-drop", "keep the last cells of the buffer for ends of PDUs", "Kalyanaraman 1997, 8.12",
        intelligent_tail_drop::IntelligentTailDropConfig, intelligent_tail_drop::IntelligentTailDrop;
    SelectiveDrop = "selective-drop", "above a threshold, drop PDUs of channels that hold more than their share", "Goyal et al. 1997",
        fair_share::FairShareConfig, selective_drop::SelectiveDrop;
    FairBufferAllocation = "fair-buffer-allocation", "above a threshold, drop PDUs of channels whose share is more than the queue allows", "Heinanen and Kilkki 1998",
        fair_share::FairShareConfig, fair_buffer_allocation::FairBufferAllocation;
    DoubleEpd = "double-epd", "drop whole PDUs that begin above a threshold, which is lower for those with CLP = 1", "TM 4.1, appendix VII.2.2",
        double_epd::DoubleEpdConfig, double_epd::DoubleEpd;
    Dfba = "dfba", "between two thresholds, drop PDUs of channels that hold more than their MCR's part of the queue, by chance", "Goyal et al. 1998 (ATM Forum 98-0405); TM 4.1, appendix VII.2.3",
        dfba::DfbaConfig, dfba::Dfba;
}

impl FromOutside for dyn CustomDiscard {
    const TAG: &'static str = "policy";
    fn registered() -> &'static [Component] {
        policies()
    }
}

impl Default for DiscardConfig {
    fn default() -> DiscardConfig {
        DiscardConfig::TailDrop(tail_drop::TailDropConfig::default())
    }
}
