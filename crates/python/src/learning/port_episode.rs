//! A run in which a learner sets the explicit rate at one output port.

use std::sync::Arc;

use cellrate_engine::atm::Plan;
use cellrate_engine::atm::PortFromOutside;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::NodeKind;
use cellrate_engine::control::{ControlConfig, PortFacts};
use cellrate_engine::custom::Custom;
use cellrate_engine::kernel::Ps;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Map;

use super::commanded_scheme::{CommandedPort, CommandedScheme};
use super::episode::Episode;
use super::pace::{Pace, Stopped, interval_of, share_of};
use crate::errors::unlocked;
use crate::scenario::Scenario;

/// Cells between two forward RM cells by default, Nrm of TM 4.0.
const NRM: f64 = 32.0;

/// A run of a scenario in which one output port advertises the rates that a learner sets.
///
/// Args:
///     scenario: The scenario.
///     port: Name of the port's link; by default the one with the least rate for each forward ABR
///         channel.
///     interval: Time between two steps in seconds; by default that of 32 cells of the link.
///
/// Raises:
///     ValueError: There is no such port, or the interval is not above 0.
#[pyclass(module = "cellrate._core")]
pub struct PortEpisode {
    pace: Pace,
    link: usize,
    facts: PortFacts,
    /// Name of the port's link.
    #[pyo3(get)]
    port: String,
    /// Limit of the port's queue in cells; infinite without one.
    #[pyo3(get)]
    buffer: f64,
    /// Sum of the rates of the links that lead to the port, in cells/s.
    #[pyo3(get)]
    arrival_rate: f64,
    /// Number of the links that lead to the port.
    #[pyo3(get)]
    arrival_links: usize,
    departed: u64,
    dropped: u64,
}

#[pymethods]
impl PortEpisode {
    #[new]
    #[pyo3(signature = (scenario, port = None, interval = None))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        port: Option<&str>,
        interval: Option<f64>,
    ) -> PyResult<PortEpisode> {
        let plan = cellrate::build::plan(scenario.checked()?);
        let link = match port {
            Some(name) => named(&plan, name)?,
            None => bottleneck(&plan)?,
        };
        let place = &plan.links[link];
        let rate = place.rate.cells_per_second();
        let interval = interval_of(interval.unwrap_or(NRM / rate))?;
        let rates: Vec<f64> = used_before(&plan, link)
            .iter()
            .map(|other| plan.links[*other].rate.cells_per_second())
            .collect();
        let buffer = limit(&plan, place.from);
        let mut pace = Pace::new(scenario, interval, |plan| {
            let scheme = Arc::new(CommandedScheme(interval));
            let scheme = Custom::new("commanded".into(), scheme as _, Map::new());
            plan.port_controls
                .push((link, ControlConfig::Custom(scheme)));
        })?;
        let (_, commanded) = reached(&mut pace, link).map_err(|stopped| stopped.raise(py))?;
        let facts = commanded.facts();
        Ok(PortEpisode {
            pace,
            link,
            facts,
            port: place.name.clone(),
            buffer,
            arrival_rate: rates.iter().sum(),
            arrival_links: rates.len(),
            departed: 0,
            dropped: 0,
        })
    }
    /// Rate of the link in cells/s.
    #[getter]
    fn rate(&self) -> f64 {
        self.facts.rate.units_per_second()
    }
    /// Number of channels with ABR cells at the port.
    #[getter]
    fn channels(&self) -> usize {
        self.facts.channels
    }
    /// Length of a step in seconds.
    #[getter]
    fn interval(&self) -> f64 {
        self.pace.interval().as_secs_f64()
    }
    /// Simulated time at the end of the run, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.pace.duration().as_secs_f64()
    }
    /// Simulated time in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.pace.now().as_secs_f64()
    }
    /// True at the end of the run.
    #[getter]
    fn ended(&self) -> bool {
        self.pace.has_ended()
    }
    /// Runs to the end of the next interval, or of the run.
    ///
    /// Args:
    ///     share: ER that the port advertises to all channels from now on, as a share of the link's
    ///         rate.
    ///
    /// Returns:
    ///     Seven numbers of the interval. The observation: ABR cells and cells of other classes that
    ///     arrived, over those that the link can carry; the time in milliseconds that the link needs
    ///     for the controlled queue; the share of channels of which a cell came; the advertised
    ///     share. Then cells that left, and cells that were lost, over those that the link can carry.
    ///
    /// Raises:
    ///     ValueError: The share is not between 0 and 1.
    ///     RuntimeError: The run has ended.
    fn step(&mut self, py: Python<'_>, share: f64) -> PyResult<[f64; 7]> {
        let found = unlocked(py, || self.advance(share))?;
        found.map_err(|stopped| stopped.raise(py))
    }
    /// The summary of the whole run, as one JSON object.
    ///
    /// Raises:
    ///     RuntimeError: The run has not ended.
    fn summary(&mut self, py: Python<'_>) -> PyResult<String> {
        self.pace.summary(py)
    }
}

impl Episode for PortEpisode {
    type Numbers = [f64; 7];

    fn advance(&mut self, share: f64) -> Result<[f64; 7], Stopped> {
        let share = share_of("an advertised rate", share)?;
        let rate = self.rate();
        let first = self.pace.now() == Ps::ZERO;
        let (_, commanded) = reached(&mut self.pace, self.link)?;
        commanded.command(share * rate, first);
        self.pace.advance()?;
        let carried = rate * self.pace.interval().as_secs_f64();
        let channels = self.facts.channels as f64;
        let (port, commanded) = reached(&mut self.pace, self.link)?;
        let counted = commanded.running();
        let left = (port.departed - self.departed) as f64;
        let lost = (port.dropped - self.dropped) as f64;
        (self.departed, self.dropped) = (port.departed, port.dropped);
        Ok([
            counted.cells as f64 / carried,
            counted.background as f64 / carried,
            port.queue as f64 / rate * 1e3,
            counted.active as f64 / channels,
            share,
            left / carried,
            lost / carried,
        ])
    }
}

/// Counts of a port since the start of the run, in cells.
struct Counts {
    queue: u64,
    departed: u64,
    dropped: u64,
}

/// Counts of the port, and state of its scheme.
fn reached(pace: &mut Pace, link: usize) -> Result<(Counts, &mut CommandedPort), Stopped> {
    let found = pace.simulation().port_from_outside(link);
    let place = found.and_then(|found| {
        let PortFromOutside {
            scheme,
            queue,
            departed,
            dropped,
        } = found;
        let counts = Counts {
            queue,
            departed,
            dropped,
        };
        Some((counts, scheme.downcast_mut()?))
    });
    place.ok_or(Stopped::Unreached("the port has no channel under control"))
}

/// Index of each link that leaves a switch and carries ABR flows forward, and the number of these flows.
fn candidates(plan: &Plan) -> Vec<(usize, usize)> {
    let mut channels = vec![0; plan.links.len()];
    let flows = plan.flows.iter();
    for flow in flows.filter(|flow| flow.service == ServiceClass::Abr) {
        for link in &flow.forward {
            channels[*link] += 1;
        }
    }
    let of_switch =
        |link: usize| matches!(plan.nodes[plan.links[link].from].kind, NodeKind::Switch(_));
    let used = channels.into_iter().enumerate();
    used.filter(|(link, channels)| *channels > 0 && of_switch(*link))
        .collect()
}

fn bottleneck(plan: &Plan) -> PyResult<usize> {
    let share = |(link, channels): &(usize, usize)| {
        plan.links[*link].rate.cells_per_second() / *channels as f64
    };
    let found = candidates(plan)
        .into_iter()
        .min_by(|one, other| share(one).total_cmp(&share(other)));
    found.map(|(link, _)| link).ok_or_else(|| {
        PyValueError::new_err("no switch forwards an ABR flow: there is no port to control")
    })
}

fn named(plan: &Plan, name: &str) -> PyResult<usize> {
    let candidates = candidates(plan);
    let of_name = |(link, _): &&(usize, usize)| plan.links[*link].name == name;
    candidates.iter().find(of_name).map_or_else(
        || {
            let names: Vec<&str> = candidates
                .iter()
                .map(|(link, _)| plan.links[*link].name.as_str())
                .collect();
            let known = if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            };
            let message =
                format!("no port `{name}` that forwards an ABR flow; those that do: {known}");
            Err(PyValueError::new_err(message))
        },
        |(link, _)| Ok(*link),
    )
}

/// The most cells that a queue of a switch holds at any time of the run; infinite without a limit.
fn limit(plan: &Plan, node: usize) -> f64 {
    let NodeKind::Switch(switch) = &plan.nodes[node].kind else {
        return f64::INFINITY;
    };
    let changes = plan.changes.iter().flat_map(|change| &change.switches);
    let later = changes.filter(|(number, _)| *number == node);
    let most = later
        .map(|(_, to)| to.buffer.0)
        .fold(switch.buffer.0, u64::max);
    // Credit limits a queue instead, and cells wait for virtual sources in front of it.
    if most == u64::MAX || plan.fcvc.is_some() || switch.vsvd.is_some() {
        f64::INFINITY
    } else {
        most as f64
    }
}

/// Links that a channel takes directly before `link`, each once.
fn used_before(plan: &Plan, link: usize) -> Vec<usize> {
    let mut before: Vec<usize> = plan
        .channels()
        .flat_map(|channel| plan.path(channel).windows(2))
        .filter(|hops| hops[1] == link)
        .map(|hops| hops[0])
        .collect();
    before.sort_unstable();
    before.dedup();
    before
}
