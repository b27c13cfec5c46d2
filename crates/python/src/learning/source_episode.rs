//! A run in which a learner sets the rate of one ABR source.

use std::sync::Arc;

use cellrate_engine::atm::cell::{Info, ServiceClass};
use cellrate_engine::atm::{LawFromOutside, Plan};
use cellrate_engine::custom::Custom;
use cellrate_engine::endsystem::SourceFacts;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Map;

use super::commanded_law::{CommandedLaw, CommandedSource};
use super::episode::Episode;
use super::pace::{Pace, Stopped, interval_of, share_of};
use crate::errors::unlocked;
use crate::scenario::Scenario;

/// Numbers of data cells of a flow since the start of the run.
#[derive(Clone, Copy, Default)]
struct Cells {
    sent: u64,
    received: u64,
    next_number: u32,
}

impl Cells {
    /// Number of cell numbers from `from` on and before `number`; cell numbers wrap.
    fn passed(number: u32, from: u32) -> u64 {
        u64::from(number.wrapping_sub(from) % Info::NUMBERS)
    }
}

/// A run of a scenario in which one ABR source sends at the rates that a learner sets.
///
/// Args:
///     scenario: The scenario.
///     flow: Name of the flow; by default the first of class ABR.
///     interval: Time between two steps in seconds; by default the time of Nrm cells at PCR.
///
/// Raises:
///     ValueError: There is no such flow, or the interval is not above 0.
#[pyclass(module = "cellrate._core")]
pub struct SourceEpisode {
    pace: Pace,
    number: usize,
    facts: SourceFacts,
    /// Name of the flow.
    #[pyo3(get)]
    flow: String,
    cells: Cells,
}

#[pymethods]
impl SourceEpisode {
    #[new]
    #[pyo3(signature = (scenario, flow = None, interval = None))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        flow: Option<&str>,
        interval: Option<f64>,
    ) -> PyResult<SourceEpisode> {
        scenario.require_point_to_point(py)?;
        let plan = cellrate::build::plan(scenario.checked()?);
        let number = flow_of(&plan, flow)?;
        let commanded = |plan: &mut Plan| {
            let law = Custom::new("commanded".into(), Arc::new(CommandedLaw) as _, Map::new());
            let changes = plan.changes.iter_mut().flat_map(|change| &mut change.flows);
            for (_, later) in changes.filter(|(flow, _)| *flow == number) {
                later.abr.law = Some(law.clone());
            }
            plan.flows[number].abr.law = Some(law);
        };
        // The interval follows from PCR, which is known only when a source has been made.
        let mut trial = Pace::new(scenario, interval_of(1.0)?, commanded)?;
        let source = reached(&mut trial, number).map_err(|stopped| stopped.raise(py))?;
        let facts = source.2.facts();
        let interval = interval_of(interval.unwrap_or(f64::from(facts.nrm) / facts.pcr))?;
        Ok(SourceEpisode {
            pace: trial.with_interval(interval),
            number,
            facts,
            flow: plan.flows[number].name.clone(),
            cells: Cells::default(),
        })
    }
    /// Peak cell rate in cells/s.
    #[getter]
    fn pcr(&self) -> f64 {
        self.facts.pcr
    }
    /// Minimum cell rate in cells/s.
    #[getter]
    fn mcr(&self) -> f64 {
        self.facts.mcr
    }
    /// Initial cell rate in cells/s.
    #[getter]
    fn icr(&self) -> f64 {
        self.facts.icr
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
    ///     share: The rate that ACR takes with each backward RM cell from now on, as a share of PCR,
    ///         unless ER is less.
    ///
    /// Returns:
    ///     Eight numbers of the interval. The first five are the observation. 1: ACR as a share of
    ///     PCR. 2: ER of the last backward RM cell as a share of PCR. 3: 1 if a backward RM cell
    ///     came in the interval, else 0. 4: share of these RM cells with CI. 5: in-rate cells that
    ///     were sent, divided by the cells that PCR can send. 6 and 7: data cells that were
    ///     delivered, and data cells that were lost, divided by the cells that PCR can send. 8: time
    ///     in milliseconds in which PCR sends as many data cells as are in flight.
    ///
    /// Raises:
    ///     ValueError: The share is not between 0 and 1.
    ///     RuntimeError: The run has ended.
    fn step(&mut self, py: Python<'_>, share: f64) -> PyResult<[f64; 8]> {
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

impl Episode for SourceEpisode {
    type Numbers = [f64; 8];

    fn advance(&mut self, share: f64) -> Result<[f64; 8], Stopped> {
        let share = share_of("a rate", share)?;
        let pcr = self.facts.pcr;
        reached(&mut self.pace, self.number)?.2.command(share * pcr);
        self.pace.advance()?;
        let most = pcr * self.pace.interval().as_secs_f64();
        let (acr, cells, law) = reached(&mut self.pace, self.number)?;
        let (counted, er) = (law.take(), law.er());
        let before = std::mem::replace(&mut self.cells, cells);
        let delivered = cells.received - before.received;
        let passed = Cells::passed(cells.next_number, before.next_number);
        let sent = (cells.sent % u64::from(Info::NUMBERS)) as u32;
        let in_flight = Cells::passed(sent, cells.next_number);
        Ok([
            acr / pcr,
            er / pcr,
            if counted.brms > 0 { 1.0 } else { 0.0 },
            counted.ci as f64 / counted.brms.max(1) as f64,
            counted.sent as f64 / most,
            delivered as f64 / most,
            passed.saturating_sub(delivered) as f64 / most,
            in_flight as f64 / pcr * 1e3,
        ])
    }
}

/// Returns the ACR of a flow's source in cells/s, the flow's data cells, and the learner's law at
/// the source.
fn reached(pace: &mut Pace, flow: usize) -> Result<(f64, Cells, &mut CommandedSource), Stopped> {
    let found = pace
        .simulation()
        .and_then(|cells| cells.law_from_outside(flow));
    let source = found.and_then(|found| {
        let LawFromOutside {
            law,
            acr,
            sent,
            received,
            next_number,
        } = found;
        let cells = Cells {
            sent,
            received,
            next_number,
        };
        Some((acr, cells, law.downcast_mut()?))
    });
    source.ok_or(Stopped::Unreached(
        "the source of the flow has no ACR to control",
    ))
}

/// Number of the flow with this name; without a name, of the first ABR flow.
fn flow_of(plan: &Plan, name: Option<&str>) -> PyResult<usize> {
    let is_abr = |number: &usize| plan.flows[*number].service == ServiceClass::Abr;
    let flows: Vec<usize> = (0..plan.flows.len()).filter(is_abr).collect();
    let mut wanted = flows.iter();
    let found = match name {
        Some(name) => wanted.find(|number| plan.flows[**number].name == name),
        None => wanted.next(),
    };
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = flows
            .iter()
            .map(|it| plan.flows[*it].name.as_str())
            .collect();
        let message = match name {
            Some(name) if !names.is_empty() => {
                format!("no ABR flow `{name}`; there are {}", names.join(", "))
            }
            _ => "no flow has the class ABR: there is no source to control".into(),
        };
        PyValueError::new_err(message)
    })
}
