//! The end of a run that is about to fill the memory.

use std::fmt;

use cellrate_engine::kernel::Ps;
use cellrate_engine::net::simulation::Simulation;
use cellrate_engine::net::{Holder, Place, Storage};

use super::needs::Need;
use super::room::Room;
use crate::run::amounts::{grouped, size};
use crate::run::records::Divisible;

/// The state of a run that was ended because it was about to fill the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Simulated time at which the run was ended.
    pub at: Ps,
    /// Number of units (cells or packets) that the simulation held, and their bytes.
    pub held: Storage,
    /// Bytes of memory that were still free.
    pub left: u64,
    /// Name of the units: cells or packets.
    pub units: &'static str,
    /// Name of the link, flow or log that held the most bytes.
    pub place: String,
}

impl Exhausted {
    /// Compares the memory that `simulation` holds with the memory that `room` allows.
    ///
    /// # Errors
    /// The state of the simulation, if too little memory is left.
    pub fn check<R: Divisible>(
        room: &mut Room,
        simulation: &Simulation<R::Node>,
    ) -> Result<(), Exhausted> {
        let held = simulation.storage();
        let Some(left) = room.lacking(&held) else {
            return Ok(());
        };
        let name = |holder: Holder| R::name(simulation, holder.place);
        Err(Exhausted {
            at: simulation.now(),
            held,
            left,
            units: R::UNITS,
            place: held.fullest.map_or(String::new(), name),
        })
    }

    /// The kinds of memory use that fill the place with the most bytes.
    pub fn needs(&self) -> &'static [Need] {
        match self.held.fullest.map(|holder| holder.place) {
            Some(Place::Source(_)) => &[Need::Windows],
            Some(Place::Log) => &[Need::Events],
            _ => &[Need::Queues, Need::Probes],
        }
    }
}

/// The name of a place in messages, from the names of the place's link and flow.
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
        Place::Log => "the event log of a switch or flow".into(),
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, place) = (self.units, &self.place);
        let of_place = |holder: Holder| match holder.place {
            Place::Log => place.clone(),
            _ => format!("{} {units} of {place}", grouped(holder.units)),
        };
        let fullest = self.held.fullest;
        let also = match fullest.map(|holder| holder.place) {
            Some(Place::Log) => " and logged events",
            _ => "",
        };
        write!(
            f,
            "the run was ended at {:.6} s, since it would have filled the memory: its {} {units}{also} take {}, \
             of which {} are for {}, and {} are left",
            self.at.as_secs_f64(),
            grouped(self.held.units),
            size(self.held.bytes),
            size(fullest.map_or(0, |holder| holder.bytes)),
            fullest.map_or(String::new(), of_place),
            size(self.left),
        )
    }
}
