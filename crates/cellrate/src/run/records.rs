//! The interface between a run and its network: driving the simulation, and recording traces and
//! events.

use cellrate_engine::kernel::Ps;
use cellrate_engine::net::node::Node;
use cellrate_engine::net::partition::Part;
use cellrate_engine::net::simulation::Simulation;
use cellrate_engine::net::unit::Word;
use cellrate_engine::net::{Place, Stopwatch};

use super::events::Events;
use super::memory::{Exhausted, Room};
use super::traces::Series;
use super::warnings::Warning;

/// The traces and events that a run records, and the functions that drive its simulation.
pub trait Records: Sized {
    /// Type of the simulation: of one link layer (ATM or Ethernet), or of a network with routers.
    type Simulation;
    /// Type of the measures of a run.
    type Report;

    /// Time before which all events have been processed.
    fn now(simulation: &Self::Simulation) -> Ps;
    /// Processes all events before `until`.
    fn run_timed(simulation: &mut Self::Simulation, until: Ps, stopwatch: &mut impl Stopwatch);
    /// Begins the measuring window now.
    fn begin_window(simulation: &mut Self::Simulation);
    /// Samples the lengths of all queues now; the report uses the samples.
    fn sample(simulation: &mut Self::Simulation);
    /// Ends the measuring window now.
    fn end_window(simulation: &mut Self::Simulation);
    /// The measures of the run, as the report states them.
    fn report(simulation: &mut Self::Simulation) -> Self::Report;
    /// Compares the memory that `simulation` holds with the memory that `room` allows.
    ///
    /// # Errors
    /// The state of the simulation, if too little memory is left.
    fn check_memory(room: &mut Room, simulation: &Self::Simulation) -> Result<(), Exhausted>;

    /// Adds a point to each trace.
    fn add_points(&mut self, simulation: &mut Self::Simulation);
    /// Reads the counters that must be read at every pause of a run, such as the cells that each
    /// channel has sent.
    fn read(&mut self, simulation: &mut Self::Simulation);

    /// The recorded traces.
    fn series(&self) -> Vec<Series>;
    /// The first `limit` events, and the number of events beyond this limit.
    fn events(&self, simulation: &Self::Simulation, limit: usize) -> (Events, u64);
    /// Warnings that follow from what the run has measured.
    fn warnings_after(
        simulation: &mut Self::Simulation,
        report: &Self::Report,
        omitted: u64,
    ) -> Vec<Warning>;
    /// The summary of a run as JSON; the run took `wall_seconds` of computing time (wall clock).
    fn json(report: Self::Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String;
}

/// Traces and events of a network of one link layer, which can be divided into parts. Each part
/// records only its own nodes.
pub trait Divisible: Records<Simulation = Simulation<Self::Node>> + Send {
    /// Type of the nodes: hosts and switches of this link layer.
    type Node: Node<Word: Word<Record: Send> + Send, Network: Send> + Send;
    /// Name of the units in messages: cells or packets.
    const UNITS: &'static str;

    /// The name, for messages, of `place`: a link, source or log of the network.
    fn name(simulation: &Simulation<Self::Node>, place: Place) -> String;
    /// Divides the traces and events among `count` parts of the network. `parts` has the number of the part
    /// of each node.
    fn divide(
        &mut self,
        simulation: &Simulation<Self::Node>,
        parts: &[usize],
        count: usize,
    ) -> Vec<Self>;
    /// Joins the traces and events of all parts again.
    fn join(&mut self, parts: Vec<Self>);
    /// Applies the change of the scenario that is due now. Returns the time of the next change, or
    /// `NEVER` if there is none.
    fn make_due_change(simulation: &mut Simulation<Self::Node>) -> Ps;
    /// Samples the queues of a part for the report.
    fn sample_part(part: &mut Part<Self::Node>);
}
