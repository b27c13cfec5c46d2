//! The functions of a run and of its simulation that the lab needs, for both link layers.

use cellrate::run::Events;
use cellrate_engine::kernel::Ps;

use crate::picture::{FlowPicture, PortPicture, Sign};
use crate::tracks::{Drawn, Probe, Track, Units};

/// A run that pauses at given times.
pub trait Live {
    /// Type of the simulation that the page shows.
    type Simulation: Shown;

    /// Runs to `until`.
    fn run_until(&mut self, until: Ps);
    /// The simulation in its present state.
    fn simulation(&mut self) -> &mut Self::Simulation;
    /// Events so far, at most `limit`, and the number of events beyond this limit.
    fn events(&self, limit: usize) -> (Events, u64);
    /// The summary of the finished run as JSON; the run took `wall_seconds` of computing time.
    fn summary(&mut self, wall_seconds: f64) -> String;
}

/// A simulation whose curves and pictures the lab draws. Its units are cells or frames.
pub trait Shown: Clone {
    /// Type of the units: a cell or a frame.
    type Unit;
    /// Type of the position of a unit on its link.
    type Place;
    /// Number of bytes with the places of each link, at the beginning of the list; 0 if one list
    /// has the units of all links.
    const PLACES: usize;
    /// Largest number of bytes that the simulation may store, since copies of its state need
    /// memory, too.
    const MOST_STORED: u64;
    /// Number of readings over which a rate of growth is averaged.
    const AVERAGED: u64;
    /// Units of measurement of the curves.
    const UNITS: Units;

    /// Simulated time that the simulation has reached.
    fn now(&self) -> Ps;
    /// Processes all events before `until`.
    fn run_until(&mut self, until: Ps);
    /// Upper bound of the bytes that the simulation stores now.
    fn stored(&self) -> u64;

    /// Numbers of links and flows.
    fn size(&self) -> (usize, usize);
    /// Name of a flow.
    fn flow_name(&self, flow: usize) -> &str;
    /// Symbol of the rate of a flow over RoCE, of which ATM has none.
    fn rate_symbol(&self, _flow: usize) -> &'static str {
        "R"
    }
    /// The ports of which curves are drawn.
    fn drawn(&self) -> Vec<Drawn>;
    /// True if a flow has this quantity.
    fn has(&self, probe: Probe) -> bool;
    /// The present values of the quantities in `tracks`; for a quantity that grows, its count.
    fn read(&mut self, tracks: &[Track]) -> Vec<f64>;

    /// Links that leave switches, in the order of [`Shown::ports`].
    fn links_of_ports(&self) -> Vec<usize>;
    /// Every unit on links and in queues.
    fn units(&self) -> impl Iterator<Item = Self::Unit>;
    /// A unit as a picture shows it.
    fn sign(&self, unit: &Self::Unit) -> Sign;
    /// Place of a unit on its link; `None` while it is queued or has arrived.
    fn place(&self, unit: &Self::Unit) -> Option<Self::Place>;
    /// Adds the position of a unit to the list of places.
    fn lay(place: Self::Place, sign: &Sign, places: &mut Vec<u8>);
    /// The switch ports at the present time, without the queue lengths of flows.
    fn ports(&mut self) -> Vec<PortPicture>;
    /// Links at which PFC or CBFC holds frames back at the present time; ATM has none.
    fn paused(&self) -> Vec<usize> {
        Vec::new()
    }
    /// The state of a flow at the present time.
    fn flow(&self, flow: usize) -> FlowPicture;
}
