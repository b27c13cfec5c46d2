//! A control scheme whose advertised rates the program around the simulation sets.

use std::any::Any;

use cellrate_engine::control::{CustomControl, CustomScheme, PortFacts, QueueReading};
use cellrate_engine::kernel::Ps;
use cellrate_engine::passing::{Passing, RateRecord};

use crate::schemes::{Interval, Meter};

const NAME: &str = "commanded";

/// The scheme `commanded`; the value is the length of its intervals.
#[derive(Debug)]
pub struct CommandedScheme(pub Ps);

/// State of the scheme at a port. It counts cells over intervals, and advertises one explicit rate
/// to all channels.
#[derive(Clone, Debug)]
pub struct CommandedPort {
    meter: Meter,
    facts: PortFacts,
    /// Explicit rate that the port advertises now, in cells/s.
    advertised: f64,
    /// Explicit rate in cells/s that the port advertises after the end of the present interval.
    next: f64,
}

impl CommandedPort {
    /// Facts about the port: rate of the link, and number of channels.
    pub fn facts(&self) -> PortFacts {
        self.facts
    }
    /// Counts since the end of the last interval.
    pub fn running(&self) -> Interval {
        self.meter.running()
    }
    /// Sets the rate, in cells/s, that the port advertises after the end of the present interval.
    /// With `at_once` the port advertises the rate now, as is necessary when a run begins.
    pub fn command(&mut self, rate: f64, at_once: bool) {
        self.next = rate;
        if at_once {
            self.advertised = rate;
        }
    }
}

impl CustomScheme for CommandedScheme {
    fn name(&self) -> &'static str {
        NAME
    }
    fn build(&self, facts: PortFacts) -> Box<dyn CustomControl> {
        let mut meter = Meter::new(facts);
        meter.every(self.0, u64::MAX);
        Box::new(CommandedPort {
            meter,
            facts,
            advertised: f64::INFINITY,
            next: f64::INFINITY,
        })
    }
}

impl CustomControl for CommandedPort {
    fn name(&self) -> &'static str {
        NAME
    }
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        _: Option<&mut RateRecord>,
        _: u64,
    ) {
        self.meter.count(now, slot, passing.units);
    }
    fn on_background(&mut self, _: Ps, units: u64) {
        self.meter.count_background(units);
    }
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RateRecord, _: u64) {
        rm.er = rm.er.min(self.advertised); // TM 4.0 5.10.6 1(c)
    }
    fn on_dequeue(&mut self, _: Ps, _: &mut Passing, _: u64) {}
    fn marks_at_dequeue(&self) -> bool {
        false
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    fn wake_at(&self) -> Ps {
        self.meter.due()
    }
    fn wake(&mut self, now: Ps, _: u64, _: u64) {
        self.meter.end(now);
        self.advertised = self.next;
    }
    fn boxed_clone(&self) -> Box<dyn CustomControl> {
        Box::new(self.clone())
    }
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }
}
