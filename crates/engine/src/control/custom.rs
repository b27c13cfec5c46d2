//! Control schemes from outside this crate: a user's own, in Rust or through an interface to
//! another language.
//!
//! A scheme in Rust implements [`SwitchControl`], and [`Boxed`] makes it a [`CustomControl`]. The
//! registry's schemes are called directly, a custom one through a pointer.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::Debug;

use serde_json::{Map, Value};

use super::{PortFacts, QueueReading, SwitchControl, SwitchFacts};
use crate::custom::Custom;
use crate::kernel::{Finding, Ps};
use crate::passing::{Passing, RateRecord};

/// A scheme with its parameters, which makes the state of each port.
pub trait CustomScheme: Debug + Send + Sync {
    /// Name of the scheme in scenarios, which no scheme of the registry has.
    fn name(&self) -> &'static str;
    /// State of the scheme at a port with these `facts`.
    fn build(&self, facts: PortFacts) -> Box<dyn CustomControl>;
    /// Findings about the parameters at a switch with these `facts`.
    fn check(&self, _facts: SwitchFacts) -> Vec<Finding> {
        Vec::new()
    }
    /// True if the scheme depends on the order of arrivals, see [`SwitchControl::FOLLOWS_ORDER`].
    fn follows_order(&self) -> bool {
        false
    }
    /// True if the scheme must see departures, see [`CustomControl::marks_at_dequeue`].
    fn marks_at_dequeue(&self) -> bool {
        self.build(PortFacts::ANY).marks_at_dequeue()
    }
}

/// State of a custom scheme at one output port. Its hooks have the meanings of those of
/// [`SwitchControl`].
pub trait CustomControl: Debug + Send {
    /// Name of the scheme in scenarios and reports.
    fn name(&self) -> &'static str;
    /// A cell or frame under control arrives for this port.
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    );
    /// A cell or frame of another class arrives.
    fn on_background(&mut self, now: Ps, units: u64);
    /// A backward RM cell passes.
    fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RateRecord, queue: u64);
    /// A cell or frame of the controlled queue starts its service.
    fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64);
    /// True if [`CustomControl::on_dequeue`] must be called.
    fn marks_at_dequeue(&self) -> bool;
    /// Occasions on which hooks read `queue`.
    fn reads_queue(&self) -> QueueReading;
    /// True if user data that arrive at `now` let the scheme read `queue`, see
    /// [`SwitchControl::reads_at`].
    fn reads_at(&self, _now: Ps, _units: u64) -> bool {
        true
    }
    /// Name and value of each statistic of the scheme.
    fn statistics(&self) -> Vec<(&'static str, f64)>;
    /// Time at which [`CustomControl::wake`] is next due.
    fn wake_at(&self) -> Ps;
    /// The timer of the scheme expires.
    fn wake(&mut self, now: Ps, queue: u64, in_service: u64);
    /// Replaces the parameters of the scheme; its state stays. Called only if the scheme's
    /// parameters may change.
    fn change(&mut self, _now: Ps, _parameters: &Map<String, Value>, _queue: u64) {}
    /// A copy of the scheme in the same state.
    fn boxed_clone(&self) -> Box<dyn CustomControl>;
    /// The scheme as `Any`, if the program that runs the simulation may read and change it between
    /// two slices of the run.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }
}

/// A scheme in Rust, and its name in scenarios and reports.
#[derive(Clone, Debug)]
pub struct Boxed<S> {
    /// Name of the scheme in scenarios and reports.
    pub name: &'static str,
    /// State of the scheme at a port.
    pub scheme: S,
}

impl<S: SwitchControl + Clone + Debug + Send + 'static> CustomControl for Boxed<S> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    ) {
        self.scheme.on_forward(now, slot, passing, rm, queue);
    }
    fn on_background(&mut self, now: Ps, units: u64) {
        self.scheme.on_background(now, units);
    }
    fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
        self.scheme.on_backward(now, slot, rm, queue);
    }
    fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64) {
        self.scheme.on_dequeue(now, passing, queue);
    }
    fn marks_at_dequeue(&self) -> bool {
        self.scheme.marks_at_dequeue()
    }
    fn reads_queue(&self) -> QueueReading {
        self.scheme.reads_queue()
    }
    fn reads_at(&self, now: Ps, units: u64) -> bool {
        self.scheme.reads_at(now, units)
    }
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        let names = S::STATISTICS.iter().map(|statistic| statistic.name);
        names.zip(self.scheme.counted()).collect()
    }
    fn wake_at(&self) -> Ps {
        self.scheme.wake_at()
    }
    fn wake(&mut self, now: Ps, queue: u64, in_service: u64) {
        self.scheme.wake(now, queue, in_service);
    }
    fn boxed_clone(&self) -> Box<dyn CustomControl> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn CustomControl> {
    fn clone(&self) -> Box<dyn CustomControl> {
        (**self).boxed_clone()
    }
}

/// A custom scheme in a configuration.
pub type CustomConfig = Custom<dyn CustomScheme>;

impl CustomConfig {
    pub(super) fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        self.found().map_or_else(
            || {
                let message = alloc::format!("there is no scheme `{}`", self.name);
                Vec::from([Finding::impossible("scheme", message)])
            },
            |it| it.check(facts),
        )
    }
}
