//! The start of a run over Ethernet, and the times at which the run stops.

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::EventKinds;

use super::Job;
use super::graph::Graph;
use super::recorder::Recorder;
use super::types::Scenario;
use crate::run::timeline::{Timeline, carried, slice_of};
use crate::run::{Driver, EVENTS, InProgress, MOST_EVENTS};
use crate::scenario::EventKind;

impl Driver<Recorder> {
    /// A run of a checked scenario at time zero.
    pub fn begin(job: &Job) -> Driver<Recorder> {
        let measure = &job.scenario().measure;
        let events = (
            EventKind::set_of(&measure.events),
            measure.event_limit as usize,
        );
        Driver::of_plan(job, job.plan(), events)
    }

    /// A run of a plan at time zero, with a log of the first `limit` events of `kinds`.
    fn of_plan(job: &Job, plan: Plan, (kinds, limit): (EventKinds, usize)) -> Driver<Recorder> {
        let scenario = job.scenario();
        #[expect(
            clippy::expect_used,
            reason = "the checks of a scenario are those of a plan and more"
        )]
        let mut simulation = Simulation::new(plan).expect("a checked plan");
        let measure = &scenario.measure;
        simulation.log_events(kinds, limit);
        let recorder = Recorder::new(
            &simulation,
            &measure.traces,
            measure.trace_points as usize,
            limit,
        );
        let (end, sample) = (scenario.run.duration, scenario.sample());
        let timeline = Timeline::new(scenario.window(), end, sample, slice(scenario, job.graph()));
        Driver::of(simulation, recorder, timeline)
    }
}

impl InProgress<Recorder> {
    /// A run at time zero. Losses, timeouts and retransmissions are always logged.
    pub fn new(job: &Job) -> InProgress<Recorder> {
        let driver = Driver::of_plan(job, job.plan(), (EVENTS, MOST_EVENTS));
        InProgress::of(driver, job.check(), job.scenario().run.seed)
    }

    /// A run at time zero of a scenario's plan, after `edit` has changed the plan.
    pub fn with(job: &Job, edit: impl FnOnce(&mut Plan)) -> InProgress<Recorder> {
        let mut plan = job.plan();
        edit(&mut plan);
        let measure = &job.scenario().measure;
        let events = (
            EventKind::set_of(&measure.events),
            measure.event_limit as usize,
        );
        let driver = Driver::of_plan(job, plan, events);
        InProgress::of(driver, job.check(), job.scenario().run.seed)
    }
}

/// Approximate number of times that frames cross a link between two stops.
const HOPS_PER_SLICE: f64 = 1e5;

/// Simulated time between two stops of a run. At a stop the run reports its progress and can be ended. If
/// the flows share the lines equally and send the longest frames, these frames cross links about 100,000
/// times in this time, or more often in a large network.
pub fn slice(scenario: &Scenario, graph: &Graph) -> Ps {
    let octets = 8.0 * scenario.ethernet.mtu.0 as f64;
    let lines = graph.links.iter();
    let lines: Vec<f64> = lines
        .map(|link| link.rate.bits_per_second() / octets)
        .collect();
    let paths = || {
        let flows = graph.flows.iter();
        let both = flows.flat_map(|flow| [&flow.forward[..], &flow.backward[..]]);
        both.map(|path| (path, f64::INFINITY))
    };
    slice_of(graph.nodes.len(), carried(&lines, paths), HOPS_PER_SLICE)
}
