//! A run over Ethernet, from the text of a scenario to the outcome.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use cellrate_engine::ether::{Plan, completion_alone};
use cellrate_engine::joined::{JoinedPlan, completion_alone as joined_alone};
use cellrate_engine::kernel::Ps;
use serde::Deserialize;

use super::checks;
use super::control;
use super::describe::{self, Cost};
use super::graph::{Graph, Instance, Node};
use super::joined;
use super::load::load;
use super::passages::{Passages, passages};
use super::plan::changing_plan;
use super::types::{Scenario, schema};
use super::{tcp_defaults, warnings};
use crate::run::cells::CellRecords;
use crate::run::{
    Divisible, Driver, Failure, Laps, Need, Outcome, PROGRESS_INTERVAL, Partition, Profile,
    Progress, RunError, RunFacts, Task, Threads, Warning, Watch, key,
};
use crate::scenario::changes::{Changing, Judged, Stage, stages};
use crate::scenario::custom::{Found, RegistryAlone, Schemes};
use crate::scenario::diagnostic::{Diagnostic, Fault, Refusal, Severity};
use crate::scenario::document::{Table, Value};
use crate::scenario::parse::{Given, open, place, read_root, refuse_any, share, texts, unread};
use crate::scenario::problem::{Problem, place as at};
use crate::scenario::shape;

/// True if the scenario `text` with `overrides` is over Ethernet. False for a text that is not TOML.
pub fn is_ethernet(text: &str, overrides: &[String]) -> bool {
    let names = |root: &Table| matches!(root.get("link_layer").map(|item| &item.value), Some(Value::String(name)) if name == "ethernet");
    let written = |text: &str| text.contains("link_layer");
    let found = written(text) || overrides.iter().any(|text| written(text));
    found
        && read_root(&texts(text, "", overrides, None), overrides.len(), None)
            .is_ok_and(|root| names(&root))
}

/// For each flow that has completed, its completion time if it has the network to itself. `among` has the
/// completion time of each flow among the other flows, from its start; `alone` runs one flow by itself.
fn alone(
    among: impl Iterator<Item = Option<Ps>>,
    alone: impl Fn(usize, Ps) -> Option<Ps>,
    end: Ps,
    progress: Progress<'_>,
) -> Result<Vec<Option<Ps>>, Failure> {
    let mut told = Instant::now();
    let mut found = Vec::new();
    for (number, among) in among.enumerate() {
        found.push(among.and_then(|among| alone(number, among)));
        if told.elapsed() >= PROGRESS_INTERVAL {
            told = Instant::now();
            if !progress(end, end) {
                return Err(Failure::Cancelled);
            }
        }
    }
    Ok(found)
}

/// A checked scenario over Ethernet, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    given: Given,
    scenario: Scenario,
    graph: Graph,
    stages: Vec<Stage<Scenario>>,
    warnings: Vec<Diagnostic>,
    resolved: String,
    /// Schema with the user-defined components of this scenario; `None` if the scenario has none.
    own: Option<serde_json::Value>,
}

impl Job {
    /// Reads the scenario `text` of the file `path`, with `overrides` of the form `path=value`. `seed`
    /// replaces the seed of the scenario.
    ///
    /// # Errors
    /// All faults of the scenario, with their positions.
    pub fn new(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
    ) -> Result<Job, Refusal> {
        Job::with_schemes(text, path, overrides, seed, &RegistryAlone)
    }

    /// [`Job::new`] with the user-defined control schemes and recoveries that `schemes` finds.
    ///
    /// # Errors
    /// The errors of [`Job::new`].
    pub fn with_schemes(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
        schemes: &dyn Schemes,
    ) -> Result<Job, Refusal> {
        let given = (text, path, overrides);
        let (checked, warnings) = open(given, seed, schemes, |root, found, directory| {
            let own = found.schema(schema()).map(|mut own| {
                joined::share_classes(&mut own, schema());
                control::in_schema(&mut own);
                own
            });
            let fits = own.as_ref().unwrap_or_else(|| schema());
            let read = |root: &Table| read_scenario(root.clone(), fits, directory, found);
            let mut first = read(&root)?;
            let stages = stages(&root, fits, &mut first, read)?;
            let (scenario, graph, warnings) = first;
            Ok(((scenario, graph, stages, own), warnings))
        })?;
        let (scenario, graph, stages, own) = checked;
        Ok(Job {
            given: Given::new(text, path, overrides),
            resolved: scenario.resolved().to_string(),
            scenario,
            graph,
            stages,
            warnings,
            own,
        })
    }

    /// The schema of scenarios over Ethernet, with the user-defined components of this scenario.
    pub fn schema(&self) -> &serde_json::Value {
        self.own.as_ref().unwrap_or_else(|| schema())
    }
    /// The scenario, in which every flow has its own complete TCP parameters.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }
    /// The graph of the scenario, with the routes of the flows.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
    /// The plan of the run, with all changes.
    pub fn plan(&self) -> Plan {
        changing_plan(&self.scenario, &self.graph, &self.stages)
    }
    /// The plan of the run of a network with routers, in which ATM and Ethernet are joined.
    pub fn joined_plan(&self) -> JoinedPlan {
        joined::plan_of_both(&self.scenario, &self.graph)
    }
    /// The scenario with every default written out, as TOML.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }
    /// The network of the scenario, as JSON.
    pub fn network(&self) -> serde_json::Value {
        describe::describe(&self.scenario, &self.graph)
    }
    /// The estimated cost of the run: packets, hops, computing time, and sizes of traces and log.
    pub fn cost(&self) -> Cost {
        describe::cost(&self.scenario, &self.graph)
    }
    /// Warnings of the scenario's check.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// The key under which the outcome is stored; see [`key()`].
    pub fn key(&self) -> String {
        key(&self.resolved)
    }
    /// Warnings that are known before the run.
    pub fn check(&self) -> Vec<Warning> {
        let told = self.warnings.iter();
        let told = told.map(|found| Warning::new("scenario", &found.message));
        told.chain(warnings::before(&self.scenario, &self.graph))
            .collect()
    }

    /// The partitions into which [`Job::run_in`] would divide the network.
    pub fn partition(&self, threads: Threads) -> Partition {
        if self.scenario.fcvc.is_some() {
            return self.in_one_part("a run with credit control over Ethernet has one thread");
        }
        if self.graph.is_joined() {
            return self.in_one_part("a run through routers has one thread");
        }
        let nodes = self.graph.nodes.len();
        let seconds = self.scenario.run.duration.as_secs_f64();
        Partition::here(nodes, seconds, threads, || {
            load(&self.scenario, &self.graph)
        })
    }

    /// A single partition, because of a `reason` outside the scenario.
    pub fn in_one_part(&self, reason: &str) -> Partition {
        Partition::whole(self.graph.nodes.len(), reason.into())
    }

    /// Runs the scenario in one thread.
    ///
    /// # Errors
    /// If `progress` stops the run, or if the run would fill the memory.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        self.run_in(Threads::Number(NonZeroUsize::MIN), progress)
    }

    /// Runs the scenario in at most `threads` threads; the outcome equals that of [`Job::run`].
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn run_in(&self, threads: Threads, progress: Progress<'_>) -> Result<Outcome, Failure> {
        self.run_watched(threads, progress, &mut ())
    }

    /// Runs the scenario in one thread, and measures the time of each task.
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn profile(&self, progress: Progress<'_>) -> Result<(Outcome, Profile), Failure> {
        self.refuse_joined().map_err(Failure::Refused)?;
        let kind = |node: &Node| {
            if node.is_host {
                Task::Receivers
            } else {
                Task::Switches
            }
        };
        let tasks = self.graph.nodes.iter().map(kind).collect();
        let begin = |flow: &Instance| {
            let over_tcp = self.scenario.flows[flow.group].over_tcp();
            (self.graph.links[flow.forward[0]].from, over_tcp)
        };
        let flows = self.graph.flows.iter().map(begin);
        let mut laps = Laps::new(Task::with_senders(tasks, flows));
        let one = Threads::Number(NonZeroUsize::MIN);
        let outcome = self.run_watched(one, progress, &mut laps)?;
        Ok((outcome, laps.finish()))
    }

    /// The frames on every link between two times in seconds, and the frames that switches drop in between, at
    /// most the first `most` frames.
    ///
    /// # Errors
    /// If `progress` stops the run.
    pub fn passages(
        &self,
        from_seconds: f64,
        to_seconds: f64,
        most: usize,
        progress: Progress<'_>,
    ) -> Result<Passages, Failure> {
        let [from, to] = [from_seconds, to_seconds].map(Ps::from_secs_f64);
        passages(self, from, to, most, progress)
    }

    fn run_watched(
        &self,
        threads: Threads,
        progress: Progress<'_>,
        watch: &mut impl Watch,
    ) -> Result<Outcome, Failure> {
        let began = Instant::now();
        if self.graph.is_joined() {
            let mut driver = Driver::through_routers(self);
            let report = driver.run(progress, watch);
            let mut report = report.map_err(|error| self.failure(&error))?;
            if self.scenario.measure.slowdown {
                let (end, plan) = (self.scenario.run.duration, self.joined_plan());
                let starts = plan.flows.iter().map(|flow| flow.channel.start).enumerate();
                let completed = |(number, start)| {
                    let at: Option<Ps> = driver.simulation.completed(number);
                    at.map(|at| at - start)
                };
                let among = starts.map(completed);
                let run = |flow, among| joined_alone(&plan, flow, among);
                report.whole.add_alone(&alone(among, run, end, progress)?);
            }
            return Ok(driver.outcome(report, self.facts(began)));
        }
        let partition = self.partition(threads);
        watch.done(Task::Plan);
        let mut driver = Driver::begin(self);
        watch.done(Task::Network);
        let report = driver.run_in_parts(&partition.of_nodes, progress, watch);
        let mut report = report.map_err(|error| self.failure(&error))?;
        if self.scenario.measure.slowdown {
            let (end, simulation) = (self.scenario.run.duration, &driver.simulation);
            let plan = simulation.plan();
            let among = (0..plan.flows.len()).map(|flow| simulation.completion(flow));
            let run = |flow, among| completion_alone(plan, flow, among);
            report.add_alone(&alone(among, run, end, progress)?);
            watch.done(Task::Report);
        }
        let outcome = driver.outcome(report, self.facts(began));
        watch.done(Task::Results);
        Ok(outcome)
    }

    /// Facts about a run, for its outcome. `began` is the time at which the run began.
    fn facts(&self, began: Instant) -> RunFacts {
        RunFacts {
            seed: self.scenario.run.seed,
            resolved: self.resolved.clone(),
            event_limit: self.scenario.measure.event_limit as usize,
            warnings: self.check(),
            began,
        }
    }

    /// A refusal at the position of the key `key`, for a scenario that has passed all checks.
    pub fn refusal(&self, key: &[&str], message: &str, help: &str) -> Refusal {
        self.given.refusal(key, message, help)
    }

    /// Refuses a network with routers, for functions that support only a single link layer.
    ///
    /// # Errors
    /// If the network has routers.
    pub fn refuse_joined(&self) -> Result<(), Refusal> {
        if !self.graph.is_joined() {
            return Ok(());
        }
        let message = "the command needs a network of one link layer, but this network has routers";
        let help = "allowed with routers: `run` with `--plot` and `--capture`, `compare`, `study`, `explain`, `validate`";
        Err(self.refusal(&["topology"], message, help))
    }

    fn failure(&self, error: &RunError) -> Failure {
        match error {
            RunError::Cancelled => Failure::Cancelled,
            RunError::Exhausted(exhausted) if exhausted.needs() == [Need::Events] => {
                let need = Need::Events;
                Failure::Refused(self.refusal(need.key(), &error.to_string(), need.less()))
            }
            RunError::Exhausted(exhausted) if exhausted.units == CellRecords::UNITS => {
                let help = "set a finite `atm.buffer` and `atm.channel_queue`";
                Failure::Refused(self.refusal(&["atm"], &error.to_string(), help))
            }
            _ => Failure::Refused(self.refusal(
                &["switch", "buffer"],
                &error.to_string(),
                "set a finite `switch.buffer`, or let sources send less",
            )),
        }
    }
}

/// Reads a scenario document and the files that it names. Their paths are relative to `directory`.
fn read_scenario(
    mut root: Table,
    schema: &serde_json::Value,
    directory: &Path,
    found: &Found,
) -> Result<Judged<Scenario>, Vec<Fault>> {
    refuse_any(shape::check(&root, schema, "the scenario"))?;
    tcp_defaults::add(&mut root);
    control::in_bytes(&mut root, schema);
    share(&mut root);
    let mut scenario =
        Scenario::deserialize(toml::Table::from(&root)).map_err(|error| vec![unread(&error)])?;
    scenario.complete();
    let placed = |problems: Vec<Problem>| -> Vec<Fault> {
        let problems = problems.into_iter();
        problems.map(|problem| place(problem, &root)).collect()
    };
    refuse_any(placed(attach(found, &mut scenario)))?;
    refuse_any(placed(scenario.read_files(directory)))?;
    let (graph, problems) = checks::check(&scenario);
    let faults = placed(problems);
    let is_error = |fault: &Fault| fault.severity == Severity::Error;
    match graph {
        Some(graph) if !faults.iter().any(is_error) => Ok((scenario, graph, faults)),
        _ => Err(faults),
    }
}

/// Puts user-defined schemes and recoveries into the configurations that name them.
fn attach(found: &Found, scenario: &mut Scenario) -> Vec<Problem> {
    let mut problems = found.control(&mut scenario.switch.control.0, at!["switch"]);
    if let Some(atm) = &mut scenario.atm {
        problems.extend(found.control(&mut atm.control, at!["atm"]));
        problems.extend(found.discard(&mut atm.discard, at!["atm"]));
        problems.extend(found.law(&mut atm.abr, at!["atm", "abr"]));
    }
    problems.extend(found.recovery(&mut scenario.tcp.recovery, at!["tcp"]));
    for (index, flow) in scenario.flows.iter_mut().enumerate() {
        problems.extend(found.recovery(&mut flow.tcp.recovery, at!["flow", index, "tcp"]));
    }
    problems
}
