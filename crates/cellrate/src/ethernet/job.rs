//! A run over Ethernet, from the text of a scenario to the outcome.

use std::path::Path;
use std::time::Instant;

use cellrate_engine::ether::{Simulation, completion_alone};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;
use serde::Deserialize;

use super::checks;
use super::control;
use super::describe::{self, Cost};
use super::driver::Driver;
use super::graph::Graph;
use super::types::{Scenario, schema};
use super::{rate_units, summary, tcp_defaults};
use crate::run::memory::{Exhausted, Room, named};
use crate::run::{Events, Failure, Outcome, PROGRESS_INTERVAL, Progress, Warning, key};
use crate::scenario::custom::{Found, RegistryAlone, Schemes};
use crate::scenario::diagnostic::{Diagnostic, Fault, Refusal, Severity, refuse};
use crate::scenario::document::{Table, Value};
use crate::scenario::parse::{place, read_root, refuse_any, share, texts, unread};
use crate::scenario::problem::{Problem, place as at};
use crate::scenario::resolve::without_repetition;
use crate::scenario::{self, shape};

/// True if the scenario `text` with `overrides` is one over Ethernet. A text that is no TOML is not.
pub fn is_ethernet(text: &str, overrides: &[String]) -> bool {
    let names = |root: &Table| matches!(root.get("link_layer").map(|item| &item.value), Some(Value::String(name)) if name == "ethernet");
    let written = |text: &str| text.contains("link_layer");
    let found = written(text) || overrides.iter().any(|text| written(text));
    found
        && read_root(&texts(text, "", overrides, None), overrides.len(), None)
            .is_ok_and(|root| names(&root))
}

/// By flow, the completion time alone of those that have completed.
fn alone(
    simulation: &Simulation,
    told: &mut Instant,
    end: Ps,
    progress: Progress<'_>,
) -> Result<Vec<Option<Ps>>, Failure> {
    let plan = simulation.plan();
    let mut found = Vec::with_capacity(plan.flows.len());
    for (number, flow) in plan.flows.iter().enumerate() {
        let completed = simulation.endpoint(ChannelId::forward(number)).completed();
        found.push(completed.and_then(|at| completion_alone(plan, number, at - flow.start)));
        if told.elapsed() >= PROGRESS_INTERVAL {
            *told = Instant::now();
            if !progress(end, end) {
                return Err(Failure::Cancelled);
            }
        }
    }
    Ok(found)
}

/// Text, path and overrides from which a scenario was read.
#[derive(Clone, Debug)]
struct Given {
    text: String,
    path: String,
    overrides: Vec<String>,
}

/// A checked scenario over Ethernet, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    given: Given,
    scenario: Scenario,
    graph: Graph,
    warnings: Vec<Diagnostic>,
    resolved: String,
    /// Schema with the components from outside the registry, if there are any.
    own: Option<serde_json::Value>,
}

impl Job {
    /// Reads the scenario `text` of the file `path`, with `overrides` of the form `path=value` and, if
    /// given, another seed.
    ///
    /// # Errors
    /// Everything that is wrong with the scenario, with its position.
    pub fn new(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
    ) -> Result<Job, Refusal> {
        Job::with_schemes(text, path, overrides, seed, &RegistryAlone)
    }

    /// [`Job::new`] with the control schemes and recoveries that `schemes` finds.
    ///
    /// # Errors
    /// Those of [`Job::new`].
    pub fn with_schemes(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
        schemes: &dyn Schemes,
    ) -> Result<Job, Refusal> {
        let seed = seed.map(|seed| seed.to_string());
        let texts = texts(text, path, overrides, seed.as_ref());
        let read = || {
            let mut root = read_root(&texts, overrides.len(), seed.as_deref())?;
            let found = Found::of(&root, path, schemes)?;
            let own = found.schema(schema()).map(control::in_schema);
            let fits = own.as_ref().unwrap_or_else(|| schema());
            refuse_any(shape::check(&root, fits, "the scenario"))?;
            refuse_any(rate_units::check(&root))?;
            tcp_defaults::add(&mut root);
            control::in_bytes(&mut root, fits);
            share(&mut root);
            let mut scenario = Scenario::deserialize(toml::Table::from(&root))
                .map_err(|error| vec![unread(&error)])?;
            scenario.complete();
            let placed = |problems: Vec<Problem>| -> Vec<Fault> {
                let problems = problems.into_iter();
                problems.map(|problem| place(problem, &root)).collect()
            };
            refuse_any(placed(attach(&found, &mut scenario)))?;
            let directory = Path::new(path).parent().unwrap_or(Path::new(""));
            refuse_any(placed(scenario.read_sizes(directory)))?;
            let (graph, problems) = checks::check(&scenario);
            let faults = placed(problems);
            let is_error = |fault: &Fault| fault.severity == Severity::Error;
            match graph {
                Some(graph) if !faults.iter().any(is_error) => Ok((scenario, graph, faults, own)),
                _ => Err(faults),
            }
        };
        let (scenario, graph, warnings, own) = read().map_err(|faults| refuse(faults, &texts))?;
        let resolved = without_repetition(&scenario, &["tcp"]).to_string();
        Ok(Job {
            given: Given {
                text: text.into(),
                path: path.into(),
                overrides: overrides.into(),
            },
            scenario,
            graph,
            warnings: warnings.iter().map(|fault| fault.locate(&texts)).collect(),
            resolved,
            own,
        })
    }

    /// The schema of scenarios over Ethernet, with the components that this one names.
    pub fn schema(&self) -> &serde_json::Value {
        self.own.as_ref().unwrap_or_else(|| schema())
    }
    /// The scenario, every flow with its own complete TCP parameters.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }
    /// Its graph with the routes of its flows.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
    /// The scenario with every default written out, as TOML.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }
    /// The network that it describes, as JSON.
    pub fn network(&self) -> serde_json::Value {
        describe::describe(&self.scenario, &self.graph)
    }
    /// The estimated cost of its run.
    pub fn cost(&self) -> Cost {
        describe::cost(&self.scenario, &self.graph)
    }
    /// Warnings of its check.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// The key under which the outcome is kept, see [`key()`].
    pub fn key(&self) -> String {
        key(&self.resolved)
    }
    /// Warnings that are known before the run.
    pub fn check(&self) -> Vec<Warning> {
        let told = self.warnings.iter();
        told.map(|found| Warning::new("scenario", &found.message))
            .collect()
    }

    /// Runs it.
    ///
    /// # Errors
    /// If `progress` stops it, or if it would fill the memory.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        let began = Instant::now();
        let mut driver = Driver::new(&self.scenario, &self.graph);
        let end = self.scenario.run.duration;
        let (mut told, mut room) = (Instant::now(), Room::here());
        while let Some(now) = driver.step() {
            self.check_room(&mut room, &driver.simulation)?;
            if told.elapsed() >= PROGRESS_INTERVAL {
                told = Instant::now();
                if !progress(now, end) {
                    return Err(Failure::Cancelled);
                }
            }
        }
        let simulation = &mut driver.simulation;
        let mut report = simulation.report();
        if self.scenario.measure.slowdown {
            report.add_alone(&alone(simulation, &mut told, end, progress)?);
        }
        let seconds = began.elapsed().as_secs_f64();
        let seed = self.scenario.run.seed;
        Ok(Outcome {
            summary: summary::json(report, seed, seconds, self.check()),
            resolved: self.resolved.clone(),
            series: driver.recorder.series(),
            events: Events::default(),
        })
    }

    /// Ends a run that is about to fill the memory.
    fn check_room(&self, room: &mut Room, simulation: &Simulation) -> Result<(), Failure> {
        let plan = simulation.plan();
        let name = |place| {
            let (links, flows) = (&plan.links, &plan.flows);
            named(place, |link| &links[link].name, |flow| &flows[flow].name)
        };
        let held = (simulation.now(), simulation.storage());
        Exhausted::check_held(room, held, "packets", name).map_err(|exhausted| {
            let Given {
                text,
                path,
                overrides,
            } = &self.given;
            let help = "a finite `switch.buffer`, or sources that send less";
            let key = &["switch", "buffer"];
            let message = exhausted.to_string();
            Failure::Refused(scenario::Scenario::refusal(
                text, path, overrides, key, &message, help,
            ))
        })
    }
}

/// Puts schemes and recoveries from outside the registry into the configurations that name them.
fn attach(found: &Found, scenario: &mut Scenario) -> Vec<Problem> {
    let mut problems = found.control(&mut scenario.switch.control.0, at!["switch"]);
    problems.extend(found.recovery(&mut scenario.tcp.recovery, at!["tcp"]));
    for (index, flow) in scenario.flows.iter_mut().enumerate() {
        problems.extend(found.recovery(&mut flow.tcp.recovery, at!["flow", index, "tcp"]));
    }
    problems
}
