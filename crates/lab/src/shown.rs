//! The parts of a run and of its simulation that the lab needs, whichever link layer they have.

use cellrate::run::Events;
use cellrate_engine::kernel::Ps;

use crate::picture::{FlowPicture, PortPicture, Sign};
use crate::tracks::{Drawn, Probe, Track, Units};

/// A run that pauses at given times.
pub trait Live {
    /// Type of the simulation.
    type Simulation: Shown;

    /// Runs to `until`.
    fn run_until(&mut self, until: Ps);
    /// The simulation as it is now.
    fn simulation(&mut self) -> &mut Self::Simulation;
    /// Events so far, at most `limit`, and the number of further ones.
    fn events(&self, limit: usize) -> (Events, u64);
    /// The summary of the finished run as JSON.
    fn summary(&mut self, wall_seconds: f64) -> String;
}

/// A simulation of which curves and pictures are drawn. Units are cells or frames.
pub trait Shown: Clone {
    /// A cell or a frame.
    type Unit;
    /// The place of a unit on its link.
    type Place;
    /// Bytes of the list of places for each link, which stand before all others; 0 if there is one list
    /// for all links.
    const PLACES: usize;
    /// Most bytes that it may store: copies of the state need memory, too.
    const MOST_STORED: u64;
    /// Readings of the run over which a growth is averaged.
    const AVERAGED: u64;
    /// Units of the curves.
    const UNITS: Units;

    /// Instant that it has reached.
    fn now(&self) -> Ps;
    /// Processes everything before `until`.
    fn run_until(&mut self, until: Ps);
    /// Bytes of what it stores at most.
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
    /// The values of tracks now; of one that grows the count.
    fn read(&mut self, tracks: &[Track]) -> Vec<f64>;

    /// Links that leave switches, in the order of [`Shown::ports`].
    fn links_of_ports(&self) -> Vec<usize>;
    /// Every unit on links and in queues.
    fn units(&self) -> impl Iterator<Item = Self::Unit>;
    /// A unit as a picture shows it.
    fn sign(&self, unit: &Self::Unit) -> Sign;
    /// Place of a unit on its link; `None` while it is queued or has arrived.
    fn place(&self, unit: &Self::Unit) -> Option<Self::Place>;
    /// Adds a unit to the places.
    fn lay(place: Self::Place, sign: &Sign, places: &mut Vec<u8>);
    /// Switch ports now, without what waits of each flow.
    fn ports(&mut self) -> Vec<PortPicture>;
    /// A flow now.
    fn flow(&self, flow: usize) -> FlowPicture;
}
