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
    /// Simulated time.
    pub at: Ps,
    /// Everything that it held.
    pub held: Storage,
    /// Bytes that were left.
    pub left: u64,
    /// Name of the place that held most.
    pub place: String,
}

impl Exhausted {
    /// Compares what `simulation` holds with the `room` for it.
    ///
    /// # Errors
    /// If there is too little.
    pub fn check(room: &mut Room, simulation: &Simulation) -> Result<(), Exhausted> {
        let held = simulation.storage();
        let Some(left) = room.lacking(&held) else {
            return Ok(());
        };
        Err(Exhausted {
            at: simulation.now(),
            held,
            left,
            place: held
                .fullest
                .map_or(String::new(), |holder| named(holder.place, simulation)),
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

fn named(place: Place, simulation: &Simulation) -> String {
    let plan = simulation.plan();
    match place {
        Place::Link(link) | Place::Port(link) => {
            format!("the link {} and the queue for it", plan.links[link].name)
        }
        Place::Source(channel) => {
            format!(
                "a source queue of the flow {}",
                plan.flows[channel.flow()].name
            )
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cells, bytes) = self
            .held
            .fullest
            .map_or((0, 0), |holder| (holder.units, holder.bytes));
        write!(
            f,
            "the run was ended at {:.6} s, since it would have filled the memory: its {} cells take {}, \
             of which {} are for {} cells of {}, and {} are left",
            self.at.as_secs_f64(),
            grouped(self.held.units),
            size(self.held.bytes),
            size(bytes),
            grouped(cells),
            self.place,
            size(self.left),
        )
    }
}
