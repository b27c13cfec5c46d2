//! What a switch port does about congestion. A scheme is a file here, its parameters one serde
//! struct in it, and one line in the registry below.

pub mod efci;
pub mod erica;
mod erica_config;
pub mod none;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atm::cell::{Info, RmCell};
use crate::endsystem::Finding;
use crate::kernel::{Ps, Rate};

/// What a scheme may know of its port when it is built.
#[derive(Clone, Copy, Debug)]
pub struct PortFacts {
    /// Rate of the outgoing link.
    pub rate: Rate,
    /// Channels that the port carries; the slots of the hooks count them from 0.
    pub channels: usize,
}

/// A congestion control scheme at one output port: a pure state machine that is told facts and
/// `now`. `queue` is always the number of cells in the controlled queue, the one in service
/// included. Every hook has a default that does nothing.
pub trait SwitchControl {
    /// An ABR cell of channel `slot` arrives for this port, before it is queued or dropped. `rm`
    /// holds the contents of an RM cell, which the scheme may mark.
    #[inline]
    fn on_forward(&mut self, _now: Ps, _slot: u32, _info: &mut Info, _rm: Option<&mut RmCell>, _queue: u64) {}
    /// A cell of another class arrives for this port.
    #[inline]
    fn on_background(&mut self, _now: Ps) {}
    /// A backward RM cell of channel `slot` passes in the other direction.
    #[inline]
    fn on_backward(&mut self, _now: Ps, _slot: u32, _rm: &mut RmCell, _queue: u64) {}
    /// A cell of the controlled queue starts its service; called only if [`Self::marks_at_dequeue`].
    #[inline]
    fn on_dequeue(&mut self, _now: Ps, _info: &mut Info, _queue: u64) {}
    /// Whether departures matter to the scheme. It decides how lazy the port may be, so it must
    /// not change over time.
    fn marks_at_dequeue(&self) -> bool {
        false
    }
    /// Whether the hooks read `queue`; without it they may be given 0. Must not change over time.
    fn reads_queue(&self) -> bool {
        true
    }
    /// What the scheme counted since the start: name and value.
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    /// Next time at which [`Self::wake`] is due, or `NEVER`. Only [`Self::wake`] may move it back.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// The time of [`Self::wake_at`] has come.
    #[inline]
    fn wake(&mut self, _now: Ps, _queue: u64) {}
}

/// Per line: variant, key in a scenario, description, parameters, state. The state is built by
/// `new(&parameters, facts)`; the parameters have `check(&self) -> Vec<Finding>`.
macro_rules! registry {
    ($($variant:ident = $name:literal, $about:literal, $config:ty, $scheme:ty;)*) => {
        /// The scheme of a port and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme")]
        pub enum ControlConfig {
            $(#[doc = $about] #[serde(rename = $name)] $variant($config),)*
        }

        impl ControlConfig {
            /// The scheme at the port of `facts`.
            pub fn build(&self, facts: PortFacts) -> Control {
                match self {
                    $(ControlConfig::$variant(config) => Control::$variant(<$scheme>::new(config, facts)),)*
                }
            }
            /// What is wrong with the parameters.
            pub fn check(&self) -> Vec<Finding> {
                match self {
                    $(ControlConfig::$variant(config) => config.check(),)*
                }
            }
            /// Key of the scheme.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ControlConfig::$variant(_) => $name,)*
                }
            }
        }

        /// A scheme at work; the closed set lets every hook be inlined.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "one per port, and a box would cost a load per cell")]
        pub enum Control {
            $(#[doc = $about] $variant($scheme),)*
        }

        impl Control {
            /// Key of the scheme.
            pub fn name(&self) -> &'static str {
                match self { $(Control::$variant(_) => $name,)* }
            }
        }

        /// Key and one-line description of every scheme.
        pub fn schemes() -> &'static [(&'static str, &'static str)] {
            &[$(($name, $about)),*]
        }

        impl SwitchControl for Control {
            #[inline]
            fn on_forward(&mut self, now: Ps, slot: u32, info: &mut Info, rm: Option<&mut RmCell>, queue: u64) {
                match self { $(Control::$variant(scheme) => scheme.on_forward(now, slot, info, rm, queue),)* }
            }
            #[inline]
            fn on_background(&mut self, now: Ps) {
                match self { $(Control::$variant(scheme) => scheme.on_background(now),)* }
            }
            #[inline]
            fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RmCell, queue: u64) {
                match self { $(Control::$variant(scheme) => scheme.on_backward(now, slot, rm, queue),)* }
            }
            #[inline]
            fn on_dequeue(&mut self, now: Ps, info: &mut Info, queue: u64) {
                match self { $(Control::$variant(scheme) => scheme.on_dequeue(now, info, queue),)* }
            }
            #[inline]
            fn marks_at_dequeue(&self) -> bool {
                match self { $(Control::$variant(scheme) => scheme.marks_at_dequeue(),)* }
            }
            fn statistics(&self) -> Vec<(&'static str, f64)> {
                match self { $(Control::$variant(scheme) => scheme.statistics(),)* }
            }
            fn reads_queue(&self) -> bool {
                match self { $(Control::$variant(scheme) => scheme.reads_queue(),)* }
            }
            #[inline]
            fn wake_at(&self) -> Ps {
                match self { $(Control::$variant(scheme) => scheme.wake_at(),)* }
            }
            #[inline]
            fn wake(&mut self, now: Ps, queue: u64) {
                match self { $(Control::$variant(scheme) => scheme.wake(now, queue),)* }
            }
        }
    };
}

registry! {
    None = "none", "no congestion control", none::NoneConfig, none::NoControl;
    Efci = "efci", "EFCI marking of data cells by queue length", efci::EfciConfig, efci::Efci;
    Erica = "erica", "explicit rates from load and fair share (ERICA, ERICA+)", erica::EricaConfig, erica::Erica;
}

impl Default for ControlConfig {
    fn default() -> ControlConfig {
        ControlConfig::None(none::NoneConfig::default())
    }
}
