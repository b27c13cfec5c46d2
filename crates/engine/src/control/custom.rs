//! User-defined control schemes, in Rust or through an interface to another language.
//!
//! A scheme in Rust implements [`SwitchControl`], and [`Boxed`] makes it a [`CustomControl`]. The
//! engine calls the schemes of the registry directly, and a user-defined scheme through a pointer.

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

/// A user-defined scheme with its parameters. From these the engine makes the state of the scheme at each port.
pub trait CustomScheme: Debug + Send + Sync {
    /// Name of the scheme in scenarios. No scheme of the registry may have this name.
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
    /// True if the scheme needs a call at each departure, see [`CustomControl::marks_at_dequeue`].
    fn marks_at_dequeue(&self) -> bool {
        self.build(PortFacts::ANY).marks_at_dequeue()
    }
}

/// State of a user-defined scheme at one output port. The methods have the same meaning as the methods of
/// [`SwitchControl`].
pub trait CustomControl: Debug + Send {
    /// Name of the scheme in scenarios and reports.
    fn name(&self) -> &'static str;
    /// A cell or frame of a controlled channel arrives for this port, before it is queued or
    /// dropped.
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    );
    /// A cell or frame of another class, with `units` units, arrives for this port. Not called if its queue has a lower
    /// strict priority than the controlled queue.
    fn on_background(&mut self, now: Ps, units: u64);
    /// A backward RM cell of channel `slot` passes through the switch in the other direction.
    fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RateRecord, queue: u64);
    /// The service of a cell or frame of the controlled queue starts.
    fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64);
    /// True if [`CustomControl::on_dequeue`] must be called.
    fn marks_at_dequeue(&self) -> bool;
    /// Occasions on which the methods read `queue`. On other occasions the port may pass 0 as `queue`.
    fn reads_queue(&self) -> QueueReading;
    /// True if the scheme reads `queue` when `units` units of user data arrive at `now`, see
    /// [`SwitchControl::reads_at`].
    fn reads_at(&self, _now: Ps, _units: u64) -> bool {
        true
    }
    /// Name and value of each statistic of the scheme.
    fn statistics(&self) -> Vec<(&'static str, f64)>;
    /// Time at which the port must call [`CustomControl::wake`] next; `NEVER` for no timer.
    fn wake_at(&self) -> Ps;
    /// The timer of the scheme expires. `queue` is the length of the controlled queue in units,
    /// `in_service` the units in service.
    fn wake(&mut self, now: Ps, queue: u64, in_service: u64);
    /// Replaces the parameters of the scheme and keeps its state. Called only if the scheme's
    /// parameters may change during a run.
    fn change(&mut self, _now: Ps, _parameters: &Map<String, Value>, _queue: u64) {}
    /// A copy of the scheme in the same state.
    fn boxed_clone(&self) -> Box<dyn CustomControl>;
    /// The scheme as `Any`, if the program that runs the simulation may read and change the scheme between two
    /// calls of the run; `None` otherwise.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }
}

/// A scheme written in Rust, with its name in scenarios and reports.
#[derive(Clone, Debug)]
pub struct Boxed<S> {
    /// Name of the scheme in scenarios and reports.
    pub name: &'static str,
    /// State of the scheme at one port.
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

/// A user-defined scheme in a configuration.
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
