//! The end of a run that would have filled the memory.

use std::fmt;

use cellrate_engine::atm::Simulation;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::{Place, Storage};

use super::needs::Need;
use super::room::Room;
use crate::run::amounts::{grouped, size};

/// The state of a run that was ended because it would have filled the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Simulated time at which the run was ended.
    pub at: Ps,
    /// Units and bytes that the simulation held.
    pub held: Storage,
    /// Bytes of memory that were left.
    pub left: u64,
    /// Units that the simulation held: cells or packets.
    pub units: &'static str,
    /// Name of the place, a link or a flow, that held most bytes.
    pub place: String,
}

impl Exhausted {
    /// Compares what `simulation` holds with the `room` for it.
    ///
    /// # Errors
    /// The state of the simulation, if too little memory is left for it.
    pub fn check(room: &mut Room, simulation: &Simulation) -> Result<(), Exhausted> {
        let plan = simulation.plan();
        let named = |place| {
            let (links, flows) = (&plan.links, &plan.flows);
            named(place, |link| &links[link].name, |flow| &flows[flow].name)
        };
        let held = (simulation.now(), simulation.storage());
        Exhausted::check_held(room, held, "cells", named)
    }

    /// Compares the memory that a simulation holds at the time `at` with the `room` for it; `named` names a
    /// place of its network.
    ///
    /// # Errors
    /// The state of the simulation, if too little memory is left for it.
    pub fn check_held(
        room: &mut Room,
        (at, held): (Ps, Storage),
        units: &'static str,
        named: impl Fn(Place) -> String,
    ) -> Result<(), Exhausted> {
        let Some(left) = room.lacking(&held) else {
            return Ok(());
        };
        Err(Exhausted {
            at,
            held,
            left,
            units,
            place: held
                .fullest
                .map_or(String::new(), |holder| named(holder.place)),
        })
    }

    /// Kinds of memory use that a scenario bounds the place by that held most.
    pub fn needs(&self) -> &'static [Need] {
        match self.held.fullest.map(|holder| holder.place) {
            Some(Place::Source(_)) => &[Need::Windows],
            _ => &[Need::Queues, Need::Probes],
        }
    }
}

/// The name of a place in messages, from the names of its link and of its flow.
pub fn named<'a>(
    place: Place,
    link: impl Fn(usize) -> &'a str,
    flow: impl Fn(usize) -> &'a str,
) -> String {
    match place {
        Place::Link(number) | Place::Port(number) => {
            format!("the link {} and the queue for it", link(number))
        }
        Place::Source(channel) => {
            format!("a source queue of the flow {}", flow(channel.flow()))
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.units;
        let (count, bytes) = self
            .held
            .fullest
            .map_or((0, 0), |holder| (holder.units, holder.bytes));
        write!(
            f,
            "the run was ended at {:.6} s, since it would have filled the memory: its {} {units} take {}, \
             of which {} are for {} {units} of {}, and {} are left",
            self.at.as_secs_f64(),
            grouped(self.held.units),
            size(self.held.bytes),
            size(bytes),
            grouped(count),
            self.place,
            size(self.left),
        )
    }
}
