//! A run in which a learner sets the explicit rate at one output port.

use std::sync::Arc;

use cellrate_engine::atm::Plan;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::NodeKind;
use cellrate_engine::control::{ControlConfig, PortFacts};
use cellrate_engine::custom::{Custom, PortFromOutside};
use cellrate_engine::ether;
use cellrate_engine::ether::frame::{SHORTEST, on_line};
use cellrate_engine::kernel::{Ps, ServiceRate};
use cellrate_engine::net::ChannelId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Map;

use super::commanded_scheme::{CommandedPort, CommandedScheme};
use super::episode::Episode;
use super::pace::{Pace, Stopped, interval_of, share_of};
use crate::errors::unlocked;
use crate::scenario::Scenario;

/// Number of cells from one forward RM cell to the next by default (Nrm of TM 4.0).
const NRM: f64 = 32.0;

/// A run of a scenario in which one output port advertises the rates that a learner sets.
///
/// Units of service are cells, or bytes on the line over Ethernet.
///
/// Args:
///     scenario: The scenario.
///     port: Name of the port's link; by default the link with the least rate for each flow whose
///         rate the port controls: a flow of class ABR, or over Ethernet with `rate_control`.
///     interval: Time between two steps in seconds; by default the time in which the link sends 32
///         cells, or 32 of the longest frames.
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
    /// Limit of the port's queue in units of service (cells, or bytes on the line); infinite if
    /// there is none.
    #[pyo3(get)]
    buffer: f64,
    /// Sum of the rates of the links that lead to the port, in units of service per second.
    #[pyo3(get)]
    arrival_rate: f64,
    /// Size of the largest cell or frame in units of service.
    #[pyo3(get)]
    largest: f64,
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
        scenario.require_point_to_point(py)?;
        let network = match scenario.over_ethernet() {
            Some(job) => {
                scenario.require_one_link_layer(py)?;
                Network::of_frames(&job.plan())
            }
            None => Network::of_cells(&cellrate::build::plan(scenario.checked()?)),
        };
        let link = match port {
            Some(name) => network.named(name)?,
            None => network.bottleneck()?,
        };
        let place = &network.links[link];
        let largest = network.largest;
        let interval = interval_of(interval.unwrap_or(NRM * largest / place.rate))?;
        let before = network.used_before(link);
        let rates = before.iter().map(|other| network.links[*other].rate);
        let scheme = Custom::new(
            "commanded".into(),
            Arc::new(CommandedScheme(interval)) as _,
            Map::new(),
        );
        let commanded = (link, ControlConfig::Custom(scheme));
        let mut pace = match scenario.over_ethernet() {
            Some(job) => Pace::over_ethernet(scenario, job, interval, |plan| {
                plan.port_controls.push(commanded);
            })?,
            None => Pace::new(scenario, interval, |plan| {
                plan.port_controls.push(commanded);
            })?,
        };
        let (_, commanded) = reached(&mut pace, link).map_err(|stopped| stopped.raise(py))?;
        let facts = commanded.facts();
        Ok(PortEpisode {
            pace,
            link,
            facts,
            port: place.name.clone(),
            buffer: place.limit,
            arrival_rate: rates.sum(),
            arrival_links: before.len(),
            largest,
            departed: 0,
            dropped: 0,
        })
    }
    /// Rate of the link in units of service per second.
    #[getter]
    fn rate(&self) -> f64 {
        self.facts.rate.units_per_second()
    }
    /// Number of flows whose rates the port controls.
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
    ///     Seven numbers of the interval. The first five are the observation. 1 and 2: units of
    ///     service that arrived, of controlled flows and of other flows, divided by the units that
    ///     the link can carry. 3: time in milliseconds that the link needs to send the controlled
    ///     queue. 4: share of controlled flows of which at least one unit arrived. 5: advertised
    ///     share. 6 and 7: units that left, and units that were lost, divided by the units that the
    ///     link can carry.
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

/// Counts of a port since the start of the run, in units of service (cells, or bytes on the line).
struct Counts {
    queue: u64,
    departed: u64,
    dropped: u64,
}

/// Returns the counts of the port that feeds `link`, and the state of the learner's scheme there.
fn reached(pace: &mut Pace, link: usize) -> Result<(Counts, &mut CommandedPort), Stopped> {
    let place = pace.port(link).and_then(|found| {
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

/// The links of a network; rates and lengths are in units of service (cells, or bytes on the line).
struct Network {
    links: Vec<Link>,
    /// The links of each channel, in order from its sender.
    paths: Vec<Vec<usize>>,
    /// Size of the largest cell or frame in units of service.
    largest: f64,
}

struct Link {
    name: String,
    /// Rate of the link in units of service per second.
    rate: f64,
    /// Number of flows over the link whose rates the port in front of the link controls; 0 if the port is
    /// a host's.
    controlled: usize,
    /// Largest number of units that a queue of the port can hold at any time of the run; infinite
    /// without a limit.
    limit: f64,
}

impl Network {
    fn of_cells(plan: &Plan) -> Network {
        let link = |link: &cellrate_engine::net::LinkPlan| Link {
            name: link.name.clone(),
            rate: link.rate.cells_per_second(),
            controlled: 0,
            limit: limit_in_cells(plan, link.from),
        };
        let mut network = Network {
            links: plan.links.iter().map(link).collect(),
            paths: plan
                .channels()
                .map(|channel| plan.path(channel).to_vec())
                .collect(),
            largest: 1.0,
        };
        let flows = plan.flows.iter();
        let controlled = flows.filter(|flow| flow.service == ServiceClass::Abr);
        network.count(controlled.map(|flow| &flow.forward[..]), |link| {
            matches!(plan.nodes[plan.links[link].from].kind, NodeKind::Switch(_))
        });
        network
    }
    fn of_frames(plan: &ether::plan::Plan) -> Network {
        let link = |link: &cellrate_engine::net::LinkPlan| Link {
            name: link.name.clone(),
            rate: ServiceRate::of_octets(link.rate).units_per_second(),
            controlled: 0,
            limit: limit_in_bytes(plan, link.from),
        };
        let mut network = Network {
            links: plan.links.iter().map(link).collect(),
            paths: ChannelId::all(plan.flows.len())
                .map(|channel| plan.path(channel).to_vec())
                .collect(),
            largest: f64::from(on_line(plan.longest_frame())),
        };
        let controlled = plan.flows.iter().filter(|flow| flow.rates.is_some());
        network.count(controlled.map(|flow| &flow.forward[..]), |link| {
            plan.nodes[plan.links[link].from].switch.is_some()
        });
        network
    }
    /// Counts, for each link behind a switch, the flows whose `paths` cross it.
    fn count<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p [usize]>,
        of_switch: impl Fn(usize) -> bool,
    ) {
        for link in paths.flatten().filter(|link| of_switch(**link)) {
            self.links[*link].controlled += 1;
        }
    }
    /// Links whose ports control the rates of flows, each with its number.
    fn candidates(&self) -> impl Iterator<Item = (usize, &Link)> {
        let links = self.links.iter().enumerate();
        links.filter(|(_, link)| link.controlled > 0)
    }
    fn bottleneck(&self) -> PyResult<usize> {
        let share = |link: &Link| link.rate / link.controlled as f64;
        let found = self
            .candidates()
            .min_by(|one, other| share(one.1).total_cmp(&share(other.1)));
        found.map(|(number, _)| number).ok_or_else(|| {
            PyValueError::new_err(
                "no switch forwards a flow over ABR or with `rate_control`: there is no port to control",
            )
        })
    }
    fn named(&self, name: &str) -> PyResult<usize> {
        let mut candidates = self.candidates();
        let found = candidates.find(|(_, link)| link.name == name);
        found.map(|(number, _)| number).ok_or_else(|| {
            let names: Vec<&str> = self.candidates().map(|(_, link)| &link.name[..]).collect();
            let known = if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            };
            PyValueError::new_err(format!(
                "no port `{name}` that forwards a flow over ABR or with `rate_control`; those that do: {known}"
            ))
        })
    }
    /// Links from which a channel continues directly on `link`; each is named once.
    fn used_before(&self, link: usize) -> Vec<usize> {
        let hops = self.paths.iter().flat_map(|path| path.windows(2));
        let before = hops.filter(|hops| hops[1] == link).map(|hops| hops[0]);
        let mut before: Vec<usize> = before.collect();
        before.sort_unstable();
        before.dedup();
        before
    }
}

/// Largest number of cells that a queue of a node can hold at any time of the run; infinite without
/// a limit.
fn limit_in_cells(plan: &Plan, node: usize) -> f64 {
    let NodeKind::Switch(switch) = &plan.nodes[node].kind else {
        return f64::INFINITY;
    };
    let changes = plan.changes.iter().flat_map(|change| &change.switches);
    let later = changes.filter(|(number, _)| *number == node);
    let most = later
        .map(|(_, to)| to.buffer.0)
        .fold(switch.buffer.0, u64::max);
    // Under credit control the credit limits a queue; with virtual sources, cells wait in front of
    // the queue.
    if most == u64::MAX || plan.fcvc.is_some() || switch.vsvd.is_some() {
        f64::INFINITY
    } else {
        most as f64
    }
}

/// Largest number of bytes on the line that a queue of a node can hold at any time of the run;
/// infinite without a limit. The limit counts frames without preamble and gap. These add most if
/// the frames are the shortest.
fn limit_in_bytes(plan: &ether::plan::Plan, node: usize) -> f64 {
    let Some(switch) = &plan.nodes[node].switch else {
        return f64::INFINITY;
    };
    let changes = plan.changes.iter().flat_map(|change| &change.switches);
    let later = changes.filter(|(number, _)| *number == node);
    let most = later.map(|(_, to)| to.buffer).fold(switch.buffer, u64::max);
    // Under credit control, PFC or CBFC the buffer does not limit a queue.
    if most == u64::MAX || plan.fcvc.is_some() || plan.pfc.is_some() || plan.cbfc.is_some() {
        f64::INFINITY
    } else {
        most as f64 * f64::from(on_line(SHORTEST)) / f64::from(SHORTEST)
    }
}
