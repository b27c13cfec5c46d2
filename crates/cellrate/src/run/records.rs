//! The interface between a run and its link layer: driving the simulation, and recording traces and
//! events.

use cellrate_engine::kernel::Ps;
use cellrate_engine::net::node::Node;
use cellrate_engine::net::partition::Part;
use cellrate_engine::net::simulation::Simulation;
use cellrate_engine::net::unit::Word;
use cellrate_engine::net::{Place, Stopwatch};

use super::driver::Driver;
use super::events::Events;
use super::traces::Series;
use super::warnings::Warning;

/// The traces and events that a run records over one link layer (ATM or Ethernet), and the
/// functions that drive its simulation. If the network is divided, each part records only its own
/// nodes.
pub trait Records: Sized + Send {
    /// Type of the nodes: hosts and switches of this link layer.
    type Node: Node<Word: Word<Record: Send> + Send, Network: Send> + Send;
    /// Type of the measures of a run.
    type Report;
    /// Name of the units in messages: cells or packets.
    const UNITS: &'static str;

    /// The name, for messages, of a place of the network.
    fn name(simulation: &Simulation<Self::Node>, place: Place) -> String;
    /// Divides the records among `count` parts of the network. `parts` has the number of the part
    /// of each node.
    fn divide(
        &mut self,
        simulation: &Simulation<Self::Node>,
        parts: &[usize],
        count: usize,
    ) -> Vec<Self>;
    /// Joins the records of all parts again.
    fn join(&mut self, parts: Vec<Self>);

    /// Processes all events before `until`.
    fn run_timed(
        simulation: &mut Simulation<Self::Node>,
        until: Ps,
        stopwatch: &mut impl Stopwatch,
    );
    /// Applies the change of the scenario that is due now. Returns the time of the next change, or
    /// `NEVER` if there is none.
    fn make_due_change(simulation: &mut Simulation<Self::Node>) -> Ps;
    /// Begins the measuring window now.
    fn begin_window(simulation: &mut Simulation<Self::Node>);
    /// Samples the lengths of all queues now; the report uses the samples.
    fn sample(simulation: &mut Simulation<Self::Node>);
    /// Samples the queues of a part for the report.
    fn sample_part(part: &mut Part<Self::Node>);
    /// Ends the measuring window now.
    fn end_window(simulation: &mut Simulation<Self::Node>);
    /// The measures of the run, as the report states them.
    fn report(simulation: &mut Simulation<Self::Node>) -> Self::Report;

    /// Adds a point to each trace.
    fn add_points(&mut self, simulation: &mut Simulation<Self::Node>);
    /// Takes the readings that are due at every pause of a run.
    fn read(&mut self, simulation: &mut Simulation<Self::Node>);

    /// The recorded traces.
    fn series(&self) -> Vec<Series>;
    /// The first `limit` events, and the number of events beyond this limit.
    fn events(driver: &Driver<Self>, limit: usize) -> (Events, u64);
    /// Warnings that follow from what the run has measured.
    fn warnings_after(
        driver: &mut Driver<Self>,
        report: &Self::Report,
        omitted: u64,
    ) -> Vec<Warning>;
    /// The summary of a run as JSON; the run took `wall_seconds` of computing time (wall clock).
    fn json(report: Self::Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String;
}
