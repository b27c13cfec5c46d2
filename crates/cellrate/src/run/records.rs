//! The link layer of a run: how its simulation is driven, and what is recorded of it.

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

/// The records of a run over one link layer, and how a simulation of that link layer is driven. The records
/// of a part of a network are those of its own nodes.
pub trait Records: Sized + Send {
    /// Nodes of the networks.
    type Node: Node<Word: Word<Record: Send> + Send, Network: Send> + Send;
    /// Measures of a run.
    type Report;
    /// Name of the units in messages.
    const UNITS: &'static str;

    /// The name of a place of the network in messages.
    fn name(simulation: &Simulation<Self::Node>, place: Place) -> String;
    /// The records of each of `count` parts of the network. `parts` has the part of each node.
    fn divide(
        &mut self,
        simulation: &Simulation<Self::Node>,
        parts: &[usize],
        count: usize,
    ) -> Vec<Self>;
    /// Takes the records of all parts back.
    fn join(&mut self, parts: Vec<Self>);

    /// Processes everything before `until`.
    fn run_timed(
        simulation: &mut Simulation<Self::Node>,
        until: Ps,
        stopwatch: &mut impl Stopwatch,
    );
    /// Makes the change of the scenario that is due now, and returns the instant of the next; `NEVER` if there
    /// are no more.
    fn make_due_change(simulation: &mut Simulation<Self::Node>) -> Ps;
    /// Begins the measuring window now.
    fn begin_window(simulation: &mut Simulation<Self::Node>);
    /// Samples queues for the report.
    fn sample(simulation: &mut Simulation<Self::Node>);
    /// Samples the queues of a part for the report.
    fn sample_part(part: &mut Part<Self::Node>);
    /// Ends the measuring window now.
    fn end_window(simulation: &mut Simulation<Self::Node>);
    /// The measures of the run.
    fn report(simulation: &mut Simulation<Self::Node>) -> Self::Report;

    /// Adds a point to each trace.
    fn add_points(&mut self, simulation: &mut Simulation<Self::Node>);
    /// Takes the readings that are due at every stop of a run.
    fn read(&mut self, simulation: &mut Simulation<Self::Node>);

    /// The traces.
    fn series(&self) -> Vec<Series>;
    /// The first `limit` events, and the number of further ones.
    fn events(driver: &Driver<Self>, limit: usize) -> (Events, u64);
    /// Warnings that follow from what the run has measured.
    fn warnings_after(
        driver: &mut Driver<Self>,
        report: &Self::Report,
        omitted: u64,
    ) -> Vec<Warning>;
    /// The summary of a run as JSON. It took `wall_seconds`.
    fn json(report: Self::Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String;
}
