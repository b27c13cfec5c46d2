//! The parts of a run and of its simulation that the lab needs, whichever link layer they have.

use cellrate::run::Events;
use cellrate_engine::kernel::Ps;

use crate::curves::Track;
use crate::picture::{FlowPicture, PortPicture, Sign};

/// A run that pauses where its watcher wants it to.
pub trait Live {
    /// Its simulation.
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

/// A simulation of which curves and pictures are drawn. What it carries are its units: cells or frames.
pub trait Shown: Clone {
    /// The way to read a quantity.
    type Probe: Copy;
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

    /// Instant that it has reached.
    fn now(&self) -> Ps;
    /// Processes everything before `until`.
    fn run_until(&mut self, until: Ps);
    /// Bytes of what it stores at most.
    fn stored(&self) -> u64;

    /// Every quantity that a chart shows.
    fn tracks(&self) -> Vec<Track<Self::Probe>>;
    /// The values of tracks now; of one that grows the count.
    fn read(&mut self, tracks: &[Track<Self::Probe>]) -> Vec<f64>;

    /// Numbers of links and flows.
    fn size(&self) -> (usize, usize);
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
