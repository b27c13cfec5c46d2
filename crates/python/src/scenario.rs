//! A scenario that has been read and checked, and its runs.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use cellrate::ethernet::{self, NANOSECONDS_PER_HOP as PER_PACKET_HOP};
use cellrate::run::{self, Job, NANOSECONDS_PER_HOP, Progress, Threads};
use cellrate::scenario::{Checked, Refusal};
use cellrate_engine::kernel::Ps;
use cellrate_machine::capture::{Tap, capture, capture_both, capture_frames};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{capture_failed, diagnostics, failed, refused, scheme_failed, unlocked};
use crate::outcome::Outcome;
use crate::progress::{told, told_locked};
use crate::schemes::{Definition, Failure, Finder};

/// A scenario that can be run, read and checked once. Threads may share it; it cannot be pickled,
/// because another process reads the same text as fast.
///
/// Args:
///     text: The scenario.
///     path: Name of the scenario in diagnostics. Files that sources play are relative to its
///         directory.
///     overrides: ``path=value`` settings, applied in order.
///     seed: Replaces the scenario's seed.
///     without_code: Does not load classes in Python; such a scenario can only be described.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
#[pyclass(frozen, module = "cellrate._core")]
pub struct Scenario {
    job: Layer,
    /// Classes in Python that the scenario names; `failure` keeps the first error of their hooks.
    code: Vec<Arc<Definition>>,
    failure: Arc<Failure>,
    /// True if the scenario's classes were not loaded; the scenario can then only be described.
    without_code: bool,
    given: Given,
}

/// The job (a checked scenario, ready to run), by the link layer of its network.
enum Layer {
    /// The job of an ATM network.
    Atm(Box<Job>),
    /// The job of an Ethernet network.
    Ethernet(Box<ethernet::Job>),
}

/// The outcome of a run; for each task its name, its computing time in seconds and its number of
/// executions; and the seconds that one reading of the clock takes.
type Profiled = (Outcome, Vec<(String, f64, u64)>, f64);

/// The arguments from which a scenario was read.
struct Given {
    text: String,
    path: String,
    overrides: Vec<String>,
    seed: Option<u64>,
}

#[pymethods]
impl Scenario {
    #[new]
    #[pyo3(signature = (text, path, overrides = Vec::new(), seed = None, *, without_code = false))]
    fn new(
        py: Python<'_>,
        text: &str,
        path: &str,
        overrides: Vec<String>,
        seed: Option<u64>,
        without_code: bool,
    ) -> PyResult<Scenario> {
        let finder = Finder::new(without_code);
        let job = unlocked(py, || -> Result<Layer, Refusal> {
            if ethernet::is_ethernet(text, &overrides) {
                let job = ethernet::Job::with_schemes(text, path, &overrides, seed, &finder)?;
                return Ok(Layer::Ethernet(Box::new(job)));
            }
            let job = Job::with_schemes(text, path, &overrides, seed, &finder)?;
            Ok(Layer::Atm(Box::new(job)))
        })?;
        let job = job.map_err(|refusal| refused(py, &refusal))?;
        let (text, path) = (text.into(), path.into());
        let (code, failure) = finder.finish();
        Ok(Scenario {
            job,
            code,
            failure,
            without_code,
            given: Given {
                text,
                path,
                overrides,
                seed,
            },
        })
    }
    /// The arguments from which the scenario was read: text, path, overrides and seed.
    fn given(&self) -> (&str, &str, Vec<String>, Option<u64>) {
        let given = &self.given;
        (
            &given.text,
            &given.path,
            given.overrides.clone(),
            given.seed,
        )
    }
    /// Names of the classes in Python that the scenario uses. A process runs one such scenario at a
    /// time.
    #[getter]
    fn code(&self) -> Vec<&'static str> {
        self.code.iter().map(|class| class.name).collect()
    }
    /// Link layer of the scenario's network: ``atm`` or ``ethernet``.
    #[getter]
    fn link_layer(&self) -> &'static str {
        match &self.job {
            Layer::Atm(_) => "atm",
            Layer::Ethernet(_) => "ethernet",
        }
    }
    /// True if some flow runs over TCP.
    #[getter]
    fn over_tcp(&self) -> bool {
        match &self.job {
            Layer::Atm(job) => {
                let mut flows = job.checked().scenario().flows.iter();
                flows.any(|flow| flow.source.over_tcp())
            }
            Layer::Ethernet(job) => {
                let mut flows = job.scenario().flows.iter();
                flows.any(|flow| flow.over_tcp())
            }
        }
    }
    /// Numbers of hosts, switches and flows in the scenario's network.
    fn size(&self) -> (usize, usize, usize) {
        let count = |mut hosts: Vec<bool>, flows| {
            let nodes = hosts.len();
            hosts.retain(|is_host| *is_host);
            (hosts.len(), nodes - hosts.len(), flows)
        };
        match &self.job {
            Layer::Atm(job) => {
                let graph = job.checked().graph();
                let hosts = graph
                    .nodes
                    .iter()
                    .map(cellrate::scenario::graph::Node::is_host);
                count(hosts.collect(), graph.flows.len())
            }
            Layer::Ethernet(job) => {
                let graph = job.graph();
                let hosts = graph.nodes.iter().map(|node| node.is_host);
                count(hosts.collect(), graph.flows.len())
            }
        }
    }
    /// JSON Schema of scenarios of this link layer, extended by the classes in Python that this
    /// scenario names.
    fn schema(&self) -> String {
        match &self.job {
            Layer::Atm(job) => format!("{:#}", job.checked().schema()),
            Layer::Ethernet(job) => format!("{:#}", job.schema()),
        }
    }
    /// Number of times that a run has entered or left a hook of a class so far; odd while a hook is
    /// active.
    fn hook_steps(&self) -> u64 {
        self.failure.steps()
    }
    /// The scenario with every default written out, as TOML.
    fn resolved(&self) -> &str {
        match &self.job {
            Layer::Atm(job) => job.resolved(),
            Layer::Ethernet(job) => job.resolved(),
        }
    }
    /// The key under which stores keep the result: a hash of the program version and the complete
    /// scenario.
    fn key(&self) -> String {
        match &self.job {
            Layer::Atm(job) => job.key(),
            Layer::Ethernet(job) => job.key(),
        }
    }
    /// Warnings of the scenario's check.
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        match &self.job {
            Layer::Atm(job) => diagnostics(py, job.warnings()),
            Layer::Ethernet(job) => diagnostics(py, job.warnings()),
        }
    }
    /// The network that the scenario describes, in plain numbers, as one JSON object: seed,
    /// duration, nodes with the settings of switches, directed links, flows with their routes and
    /// end systems. Every quantity is a number under a key that states its unit. Null stands for no
    /// limit, or for an absent part.
    fn network(&self, py: Python<'_>) -> PyResult<String> {
        let network = || match &self.job {
            Layer::Atm(job) => serde_json::to_string(&job.network()),
            Layer::Ethernet(job) => serde_json::to_string(&job.network()),
        };
        unlocked(py, network)?.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
    /// Refuses a scenario over Ethernet.
    ///
    /// Raises:
    ///     ScenarioError: The link layer is Ethernet.
    fn require_cells(&self) -> PyResult<()> {
        self.atm().map(|_| ())
    }
    /// Refuses a network with routers, for functions that work on one link layer.
    ///
    /// Raises:
    ///     ScenarioError: The network has routers.
    pub fn require_one_link_layer(&self, py: Python<'_>) -> PyResult<()> {
        match &self.job {
            Layer::Atm(_) => Ok(()),
            Layer::Ethernet(job) => job.refuse_joined().map_err(|refusal| refused(py, &refusal)),
        }
    }
    /// Refuses point-to-multipoint flows, for functions that support only flows with one destination.
    ///
    /// Raises:
    ///     ScenarioError: A flow has further leaves.
    pub fn require_point_to_point(&self, py: Python<'_>) -> PyResult<()> {
        match &self.job {
            Layer::Atm(job) => job
                .refuse_multipoint()
                .map_err(|refusal| refused(py, &refusal)),
            Layer::Ethernet(_) => Ok(()),
        }
    }
    /// Estimates of a run over any link layer: numbers of cells or packets and of link crossings,
    /// the time that one crossing takes, and the time on one core. Also the most memory, which is
    /// not known over Ethernet, and the most bytes of traces and events.
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (units, hops, seconds, memory, traces, events, pace) = match &self.job {
            Layer::Atm(job) => {
                let (estimate, work) = unlocked(py, || (job.estimate(), job.work()))?;
                let (memory, traces) = (Some(estimate.memory_bytes), work.most_trace_bytes);
                let events = work.most_event_bytes;
                let (cells, hops) = (work.cells, work.cell_hops);
                (
                    cells,
                    hops,
                    work.seconds,
                    memory,
                    traces,
                    events,
                    NANOSECONDS_PER_HOP,
                )
            }
            Layer::Ethernet(job) => {
                let cost = job.cost();
                let (packets, hops, pace) = (cost.packets, cost.hops, PER_PACKET_HOP);
                (
                    packets,
                    hops,
                    cost.seconds,
                    None,
                    cost.most_trace_bytes,
                    cost.most_event_bytes,
                    pace,
                )
            }
        };
        let dict = PyDict::new(py);
        dict.set_item("units", units.round() as u64)?;
        dict.set_item("hops", hops.round() as u64)?;
        dict.set_item("nanoseconds_per_hop", pace)?;
        dict.set_item("seconds", seconds)?;
        dict.set_item("memory_bytes", memory)?;
        dict.set_item("most_trace_bytes", traces)?;
        dict.set_item("most_event_bytes", events)?;
        Ok(dict)
    }
    /// Memory, cells, time and files of a run, known before the run. Values under `memory_bytes`,
    /// `cells_in_flight`, `needs` and keys that begin with `most` are upper bounds; the others are
    /// estimates from max-min fair rates.
    fn estimate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let job = self.atm()?;
        let (estimate, work) = unlocked(py, || (job.estimate(), job.work()))?;
        let dict = PyDict::new(py);
        dict.set_item("memory_bytes", estimate.memory_bytes)?;
        dict.set_item("available_bytes", estimate.available_bytes)?;
        dict.set_item("cells_in_flight", estimate.cells_in_flight)?;
        let needs = estimate.shares.iter().map(|share| {
            let need = PyDict::new(py);
            need.set_item("need", share.need.name())?;
            need.set_item("amount", share.amount)?;
            need.set_item("of_what", share.need.of_what())?;
            need.set_item("bytes", share.bytes)?;
            Ok(need)
        });
        dict.set_item("needs", needs.collect::<PyResult<Vec<_>>>()?)?;
        dict.set_item("cells", work.cells.round() as u64)?;
        dict.set_item("cell_hops", work.cell_hops.round() as u64)?;
        dict.set_item("most_cell_hops", work.most_cell_hops as u64)?;
        dict.set_item("seconds", work.seconds)?;
        dict.set_item("nanoseconds_per_cell_hop", NANOSECONDS_PER_HOP)?;
        dict.set_item("most_trace_bytes", work.most_trace_bytes)?;
        dict.set_item("most_event_bytes", work.most_event_bytes)?;
        dict.set_item("capture_bytes", work.capture_bytes.round() as u64)?;
        Ok(dict)
    }
    /// Does everything that a run does before its first cell.
    ///
    /// Returns:
    ///     The warnings of the run that are known by then, those of `warnings` first: each with code
    ///     and message.
    ///
    /// Raises:
    ///     ScenarioError: What `run` would raise.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.refuse_without_code()?;
        let warnings = unlocked(py, || match &self.job {
            Layer::Atm(job) => job.check(),
            Layer::Ethernet(job) => Ok(job.check()),
        })?;
        self.raise_failure(py)?;
        let warnings = warnings.map_err(|refusal| refused(py, &refusal))?;
        let told = warnings.iter().map(|warning| {
            let dict = PyDict::new(py);
            dict.set_item("code", &warning.code)?;
            dict.set_item("message", &warning.message)?;
            Ok(dict)
        });
        told.collect()
    }
    /// The parts of the network into which a run would be divided, one for each thread. `parts` has
    /// the number of nodes and the share of the work of each part. `lookahead_seconds` is the time
    /// by which a part may run ahead of others, `cut_links` the number of links between parts, and
    /// `crossing_share` the share of all link crossings on these links. `speedup` is the expected
    /// gain, and `reason` the reason why there are fewer parts than threads were given, or an empty
    /// text.
    ///
    /// Args:
    ///     threads: Most parts; None takes as many as pay on this machine.
    ///
    /// Raises:
    ///     ValueError: The number of threads is 0.
    #[pyo3(signature = (threads))]
    fn partition<'py>(
        &self,
        py: Python<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let threads = number_of(threads)?;
        let is_free = self.code.is_empty();
        let found = unlocked(py, || match &self.job {
            Layer::Atm(job) if is_free => job.partition(threads),
            Layer::Atm(job) => job.in_one_part(LOCK),
            Layer::Ethernet(job) if is_free => job.partition(threads),
            Layer::Ethernet(job) => job.in_one_part(LOCK),
        })?;
        let dict = PyDict::new(py);
        let parts = found.parts.iter().map(|part| {
            let share = PyDict::new(py);
            share.set_item("nodes", part.nodes)?;
            share.set_item("work_share", part.work)?;
            Ok(share)
        });
        dict.set_item("parts", parts.collect::<PyResult<Vec<_>>>()?)?;
        dict.set_item("cut_links", found.cut_links)?;
        let lookahead = found.lookahead.map(Ps::as_secs_f64);
        dict.set_item("lookahead_seconds", lookahead)?;
        dict.set_item("crossing_share", found.crossing_share)?;
        dict.set_item("speedup", found.speedup)?;
        dict.set_item("reason", found.reason)?;
        Ok(dict)
    }
    /// Runs the scenario with the interpreter's lock released. The outcome does not depend on the
    /// number of threads. A scenario with classes in Python runs on one thread.
    ///
    /// Args:
    ///     progress: Called with now and end in simulated seconds about ten times a second; stops
    ///         the run by returning False.
    ///     threads: Most threads; None takes as many as pay on this machine.
    ///
    /// Raises:
    ///     ScenarioError: The run needs more memory than is available.
    ///     SchemeError: A hook of a class failed, or the run has changed state that outlives it.
    ///     Cancelled: The progress function stopped the run.
    ///     ValueError: The number of threads is 0.
    #[pyo3(signature = (progress = None, threads = Some(1)))]
    fn run(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Outcome> {
        let mut threads = number_of(threads)?;
        if !self.code.is_empty() {
            threads = Threads::Number(NonZeroUsize::MIN);
        }
        let progress = progress.as_ref();
        let outcome = match &self.job {
            Layer::Atm(job) => {
                let duration = job.checked().scenario().run.duration;
                self.run_by(py, progress, duration, |tell| job.run_in(threads, tell))
            }
            Layer::Ethernet(job) => {
                let duration = job.scenario().run.duration;
                self.run_by(py, progress, duration, |tell| job.run_in(threads, tell))
            }
        };
        outcome.map(Outcome::from)
    }
    /// Runs the scenario on one thread, and reads a clock after each call that lets a node process
    /// events.
    ///
    /// Args:
    ///     progress: As for `run`.
    ///
    /// Returns:
    ///     The outcome of `run`. For each task its name, its time in seconds and its number of
    ///     executions. The time of one reading of the clock, which is already subtracted from the
    ///     times.
    ///
    /// Raises:
    ///     ScenarioError: What `run` would raise.
    ///     SchemeError: A hook of a class failed, or the run has changed state that outlives it.
    ///     Cancelled: The progress function stopped the run.
    #[pyo3(signature = (progress = None))]
    fn profile(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Profiled> {
        let progress = progress.as_ref();
        let (outcome, profile) = match &self.job {
            Layer::Atm(job) => {
                let duration = job.checked().scenario().run.duration;
                self.run_by(py, progress, duration, |tell| job.profile(tell))
            }
            Layer::Ethernet(job) => {
                let duration = job.scenario().run.duration;
                self.run_by(py, progress, duration, |tell| job.profile(tell))
            }
        }?;
        let spent = profile.spent.iter();
        let spent = spent.map(|one| (one.task.to_string(), one.time.as_secs_f64(), one.laps));
        Ok((
            Outcome::from(outcome),
            spent.collect(),
            profile.reading.as_secs_f64(),
        ))
    }
    /// The cells on every link between two times, as columns: link, vc, kind, cell, left_seconds,
    /// arrived_seconds; also beyond_seconds, the time of the first cell beyond the limit `most`, or
    /// None. The plain engine, which handles one event at a time, finds the cells, and ends early
    /// if there are more.
    ///
    /// Over Ethernet, the frames on every link and the dropped frames: link, vc, kind, packet,
    /// octets, marked, began_seconds, left_seconds, arrived_seconds, dropped, and beyond_seconds.
    ///
    /// Args:
    ///     from_seconds: Start of the span.
    ///     to_seconds: End of the span.
    ///     most: Largest number of passages.
    ///     progress: As for `run`; the end is that of the span.
    ///
    /// Raises:
    ///     ValueError: The span is invalid.
    ///     Cancelled: The progress function stopped the run.
    #[pyo3(signature = (from_seconds, to_seconds, most, progress = None))]
    fn passages<'py>(
        &self,
        py: Python<'py>,
        from_seconds: f64,
        to_seconds: f64,
        most: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.refuse_without_code()?;
        let progress = progress.as_ref();
        check_span(from_seconds, to_seconds)?;
        if to_seconds.is_infinite() {
            return Err(PyValueError::new_err(
                "a span to inf s: passages need a span with an end",
            ));
        }
        let dict = PyDict::new(py);
        let job = match &self.job {
            Layer::Atm(job) => job,
            Layer::Ethernet(job) => {
                let fits = job.refuse_joined();
                fits.map_err(|refusal| refused(py, &refusal))?;
                let found = told(py, progress, |tell| {
                    job.passages(from_seconds, to_seconds, most, &mut |now, end| {
                        tell(now.as_secs_f64(), end.as_secs_f64())
                    })
                })?;
                self.raise_failure(py)?;
                let found = found.map_err(|failure| failed(py, &failure))?;
                dict.set_item("link", found.link)?;
                dict.set_item("vc", found.vc)?;
                dict.set_item("kind", found.kind)?;
                dict.set_item("packet", found.packet)?;
                dict.set_item("octets", found.octets)?;
                dict.set_item("marked", found.marked)?;
                dict.set_item("began_seconds", found.began_seconds)?;
                dict.set_item("left_seconds", found.left_seconds)?;
                dict.set_item("arrived_seconds", found.arrived_seconds)?;
                dict.set_item("dropped", found.dropped)?;
                dict.set_item("beyond_seconds", found.beyond_seconds)?;
                return Ok(dict);
            }
        };
        let found = told(py, progress, |tell| {
            job.passages(from_seconds, to_seconds, most, &mut |now, end| {
                tell(now.as_secs_f64(), end.as_secs_f64())
            })
        })?;
        self.raise_failure(py)?;
        let found = found.map_err(|failure| failed(py, &failure))?;
        dict.set_item("link", found.link)?;
        dict.set_item("vc", found.vc)?;
        dict.set_item("kind", found.kind)?;
        dict.set_item("cell", found.cell)?;
        dict.set_item("left_seconds", found.left_seconds)?;
        dict.set_item("arrived_seconds", found.arrived_seconds)?;
        dict.set_item("beyond_seconds", found.beyond_seconds)?;
        Ok(dict)
    }
    /// Runs the scenario and writes everything that passes the given places into capture files.
    /// Over ATM the plain engine, which handles one event at a time, makes the run.
    ///
    /// Args:
    ///     taps: Places and formats, as ``POINT:FORMAT,FORMAT``; over Ethernet places only.
    ///     from_seconds: Start of the captured span.
    ///     to_seconds: End of the captured span.
    ///     directory: Directory for the files, which must exist and contain none of them.
    ///     progress: Called with now and end in simulated seconds about ten times a second; stops
    ///         the run by returning False.
    ///
    /// Returns:
    ///     Description of the captured files, as one JSON object.
    ///
    /// Raises:
    ///     ValueError: The span is invalid, the place of a tap does not exist, or a flow's headers
    ///         cannot be written.
    ///     OSError: A file cannot be written.
    ///     Cancelled: The progress function stopped the run.
    #[pyo3(signature = (taps, from_seconds, to_seconds, directory, progress = None))]
    fn capture(
        &self,
        py: Python<'_>,
        taps: Vec<String>,
        from_seconds: f64,
        to_seconds: f64,
        directory: PathBuf,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        self.refuse_without_code()?;
        check_span(from_seconds, to_seconds)?;
        let job = match &self.job {
            Layer::Atm(job) => job,
            Layer::Ethernet(job) => {
                let span = Ps::from_secs_f64(from_seconds)..Ps::from_secs_f64(to_seconds);
                let result = told(py, progress.as_ref(), |tell| {
                    let mut tell = |now: Ps, end: Ps| tell(now.as_secs_f64(), end.as_secs_f64());
                    if job.graph().is_joined() {
                        capture_both(job, &taps, span, &directory, &mut tell)
                    } else {
                        capture_frames(job, &taps, span, &directory, &mut tell)
                    }
                })?;
                let taken = result.map_err(|error| capture_failed(&error))?;
                return serde_json::to_string(&taken)
                    .map_err(|error| PyRuntimeError::new_err(error.to_string()));
            }
        };
        let taps = taps
            .iter()
            .map(|tap| tap.parse())
            .collect::<Result<Vec<Tap>, String>>()
            .map_err(PyValueError::new_err)?;
        let result = told(py, progress.as_ref(), |tell| {
            capture(
                job.checked(),
                &taps,
                Ps::from_secs_f64(from_seconds)..Ps::from_secs_f64(to_seconds),
                &directory,
                &mut |now, end| tell(now.as_secs_f64(), end.as_secs_f64()),
            )
        })?;
        self.raise_failure(py)?;
        let taken = result.map_err(|error| capture_failed(&error))?;
        serde_json::to_string(&taken).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

impl Scenario {
    /// The checked scenario of an ATM network, with its graph.
    ///
    /// # Errors
    /// If the network is not an ATM network.
    pub fn checked(&self) -> PyResult<&Checked> {
        self.atm().map(Job::checked)
    }
    /// The job of an Ethernet network; `None` over ATM.
    pub fn over_ethernet(&self) -> Option<&ethernet::Job> {
        match &self.job {
            Layer::Atm(_) => None,
            Layer::Ethernet(job) => Some(job),
        }
    }
    /// The job of an ATM network; an error over Ethernet.
    fn atm(&self) -> PyResult<&Job> {
        match &self.job {
            Layer::Atm(job) => Ok(job),
            Layer::Ethernet(job) => {
                let message =
                    "the command needs a network of ATM cells, but the link layer is Ethernet";
                let help = "over Ethernet `cellrate explain` computes fair shares and bounds; see \"What \
                            there is not yet\" of the tutorial on Ethernet";
                let refusal = job.refusal(&["link_layer"], message, help);
                Err(Python::attach(|py| refused(py, &refusal)))
            }
        }
    }
    /// The object that keeps the first error of the hooks of the scenario's classes.
    pub fn failure(&self) -> Arc<Failure> {
        self.failure.clone()
    }
    /// Refuses to run a scenario whose classes in Python were not loaded.
    pub fn refuse_without_code(&self) -> PyResult<()> {
        if self.without_code {
            return Err(PyValueError::new_err(
                "a scenario that was read without its code does not run",
            ));
        }
        Ok(())
    }
    /// Runs the job with `run`. The interpreter's lock is released, unless the scenario names
    /// classes in Python.
    fn run_by<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        duration: Ps,
        run: impl FnOnce(Progress<'_>) -> Result<T, run::Failure> + Send,
    ) -> PyResult<T> {
        self.refuse_without_code()?;
        let failure = &self.failure;
        if self.code.is_empty() {
            let found = told(py, progress, |tell| {
                run(&mut |now, end| tell(now.as_secs_f64(), end.as_secs_f64()))
            })?;
            return found.map_err(|failure| failed(py, &failure));
        }
        failure.clear();
        for class in &self.code {
            class.begin(py)?;
        }
        let found = told_locked(py, progress, |tell| {
            run(&mut |now, end| !failure.has_failed() && tell(now.as_secs_f64(), end.as_secs_f64()))
        });
        self.raise_failure(py)?;
        let found = found?.map_err(|failure| failed(py, &failure))?;
        for class in &self.code {
            if let Some(error) = class.change_of_state(py) {
                failure.set(error, class.name, Some(duration));
            }
        }
        self.raise_failure(py)?;
        Ok(found)
    }
    /// Raises the error that a hook of a class has raised, if there is one.
    fn raise_failure(&self, py: Python<'_>) -> PyResult<()> {
        self.failure.take().map_or(Ok(()), |(error, place)| {
            Err(scheme_failed(py, error, &place))
        })
    }
}

/// Reason why the network of a scenario with classes in Python is not divided among threads.
const LOCK: &str = "classes in Python hold the interpreter's lock, so one thread runs at a time";

/// Checks the number of threads that was given in Python.
fn number_of(threads: Option<usize>) -> PyResult<Threads> {
    let Some(number) = threads else {
        return Ok(Threads::Auto);
    };
    let number = NonZeroUsize::new(number);
    number
        .map(Threads::Number)
        .ok_or_else(|| PyValueError::new_err("a run needs at least one thread"))
}

/// Refuses a span that ends before it begins, or begins before the run.
fn check_span(from_seconds: f64, to_seconds: f64) -> PyResult<()> {
    if from_seconds >= 0.0 && to_seconds >= from_seconds {
        return Ok(());
    }
    let message = format!(
        "the span from {from_seconds} s to {to_seconds} s is not allowed: a span begins at 0 s or later and ends no earlier than it begins"
    );
    Err(PyValueError::new_err(message))
}
