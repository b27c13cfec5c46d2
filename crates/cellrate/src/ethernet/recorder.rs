//! Traces of a run over Ethernet.

use cellrate_engine::ether::node::Node;
use cellrate_engine::ether::port::Port;
use cellrate_engine::ether::simulation::Part;
use cellrate_engine::ether::{Plan, Report, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::trace::Trace;
use cellrate_engine::net::{Place, Stopwatch};

use super::events;
use super::summary;
use super::types::TraceKind;
use super::warnings;
use crate::run::memory::{Room, named};
use crate::run::{Divisible, Events, Exhausted, Records, Series, Warning};

/// A traced quantity. A port is identified by the index of its link.
#[derive(Clone, Copy)]
enum Quantity {
    /// A queue: index of the port's link, and index of the queue.
    Queue(u32, usize),
    Cwnd(usize),
    Sequence(usize),
    Acr(usize),
    Rate(usize),
    /// Utilisation of a port: index of its link, its busy time in picoseconds up to the last sample, and the time of
    /// this sample in picoseconds.
    Utilisation(u32, f64, f64),
}

impl Quantity {
    fn kind_and_unit(&self) -> (&'static str, &'static str) {
        let (kind, unit) = match self {
            Quantity::Queue(..) => (TraceKind::Queue, "bytes"),
            Quantity::Cwnd(_) => (TraceKind::Cwnd, "bytes"),
            Quantity::Sequence(_) => (TraceKind::Sequence, "bytes"),
            Quantity::Utilisation(..) => (TraceKind::Utilisation, "ratio"),
            Quantity::Acr(_) => (TraceKind::Acr, "bit/s"),
            Quantity::Rate(_) => (TraceKind::Rate, "bit/s"),
        };
        (kind.name(), unit)
    }
    /// Index of the node that has the traced quantity.
    fn node(&self, plan: &Plan) -> usize {
        match self {
            Quantity::Queue(link, _) | Quantity::Utilisation(link, ..) => {
                plan.links[*link as usize].from
            }
            Quantity::Cwnd(flow)
            | Quantity::Sequence(flow)
            | Quantity::Acr(flow)
            | Quantity::Rate(flow) => plan.links[plan.flows[*flow].forward[0]].from,
        }
    }

    /// The present value; `None` if there is no value yet. `ports` has each port at the index of its link.
    fn value(&mut self, simulation: &Simulation, ports: &[Option<&Port>]) -> Option<f64> {
        match self {
            Quantity::Queue(link, queue) => {
                ports[*link as usize].map(|port| port.held(*queue).octets as f64)
            }
            Quantity::Cwnd(flow) => simulation.tcp_window(*flow).map(|(cwnd, _)| cwnd as f64),
            Quantity::Sequence(flow) => simulation.tcp_window(*flow).map(|(_, acked)| acked as f64),
            Quantity::Acr(flow) => simulation.acr(*flow).map(|octets| 8.0 * octets),
            Quantity::Rate(flow) => simulation.roce_rate(*flow).map(|octets| 8.0 * octets),
            Quantity::Utilisation(link, busy, since) => {
                let now = simulation.now();
                let busy_now = ports[*link as usize]?.busy_ps(now);
                let (sent, span) = (busy_now - *busy, now.0 as f64 - *since);
                (*busy, *since) = (busy_now, now.0 as f64);
                (span > 0.0).then(|| sent / span)
            }
        }
    }
}

/// Traces of a run, and the limit of its event log.
pub struct Recorder {
    /// Each trace with its index among all traces, its quantity and its name.
    traces: Vec<(usize, Quantity, String, Trace)>,
    event_limit: usize,
}

impl Recorder {
    /// A recorder with traces of everything that `kinds` asks for, of at most `points` points each, and a log of at
    /// most `event_limit` events.
    pub fn new(
        simulation: &Simulation,
        kinds: &[TraceKind],
        points: usize,
        event_limit: usize,
    ) -> Recorder {
        let plan = simulation.plan();
        let ports = || simulation.ports();
        let name = |link: u32| plan.links[link as usize].name.clone();
        let senders = || {
            let flows = plan.flows.iter().enumerate();
            flows.filter(|(_, flow)| flow.over_tcp())
        };
        let mut traces = Vec::new();
        let mut add = |quantity, name| {
            traces.push((traces.len(), quantity, name, Trace::new(points)));
        };
        for kind in kinds {
            match kind {
                TraceKind::Queue => ports().for_each(|port| {
                    for queue in 0..port.queue_count() {
                        let name = format!("{}/{}", name(port.link), queue + 1);
                        add(Quantity::Queue(port.link, queue), name);
                    }
                }),
                TraceKind::Utilisation => ports().for_each(|port| {
                    add(Quantity::Utilisation(port.link, 0.0, 0.0), name(port.link));
                }),
                TraceKind::Acr => {
                    let flows = plan.flows.iter().enumerate();
                    let controlled = flows.filter(|(_, flow)| flow.rates.is_some());
                    controlled.for_each(|(number, flow)| {
                        add(Quantity::Acr(number), flow.name.clone());
                    });
                }
                TraceKind::Rate => {
                    let flows = plan.flows.iter().enumerate();
                    let over_roce = flows.filter(|(_, flow)| flow.roce.is_some());
                    over_roce.for_each(|(number, flow)| {
                        add(Quantity::Rate(number), flow.name.clone());
                    });
                }
                // Only virtual channels over ATM have source queues.
                TraceKind::SourceQueue => {}
                TraceKind::Cwnd => senders().for_each(|(number, flow)| {
                    add(Quantity::Cwnd(number), flow.name.clone());
                }),
                TraceKind::Sequence => senders().for_each(|(number, flow)| {
                    add(Quantity::Sequence(number), flow.name.clone());
                }),
            }
        }
        Recorder {
            traces,
            event_limit,
        }
    }
}

impl Records for Recorder {
    type Simulation = Simulation;
    type Report = Report;

    fn now(simulation: &Simulation) -> Ps {
        simulation.now()
    }
    fn run_timed(simulation: &mut Simulation, until: Ps, stopwatch: &mut impl Stopwatch) {
        simulation.run_timed(until, stopwatch);
    }
    fn begin_window(simulation: &mut Simulation) {
        simulation.begin_window();
    }
    fn sample(simulation: &mut Simulation) {
        simulation.sample();
    }
    fn end_window(simulation: &mut Simulation) {
        simulation.end_window();
    }
    fn report(simulation: &mut Simulation) -> Report {
        simulation.report()
    }
    fn check_memory(room: &mut Room, simulation: &Simulation) -> Result<(), Exhausted> {
        Exhausted::check::<Recorder>(room, simulation)
    }

    fn add_points(&mut self, simulation: &mut Simulation) {
        if self.traces.is_empty() {
            return;
        }
        let mut ports = vec![None; simulation.plan().links.len()];
        for port in simulation.ports() {
            ports[port.link as usize] = Some(port);
        }
        for (_, quantity, _, trace) in &mut self.traces {
            if let Some(value) = quantity.value(simulation, &ports) {
                trace.add(simulation.now(), value);
            }
        }
    }
    fn read(&mut self, simulation: &mut Simulation) {
        simulation.close_full_logs(self.event_limit);
    }

    /// The traces with at least one point.
    fn series(&self) -> Vec<Series> {
        let traces = self.traces.iter().map(|(_, quantity, name, trace)| {
            let (kind, unit) = quantity.kind_and_unit();
            Series::new((kind, unit), name, &trace.points())
        });
        traces.filter(|one| !one.seconds.is_empty()).collect()
    }

    fn events(&self, simulation: &Simulation, limit: usize) -> (Events, u64) {
        events::columns(simulation, limit)
    }
    fn warnings_after(simulation: &mut Simulation, report: &Report, omitted: u64) -> Vec<Warning> {
        warnings::after(simulation, report, omitted)
    }
    fn json(report: Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String {
        summary::json(report, Vec::new(), seed, wall_seconds, warnings)
    }
}

impl Divisible for Recorder {
    type Node = Node;
    const UNITS: &'static str = "packets";

    fn name(simulation: &Simulation, place: Place) -> String {
        let plan = simulation.plan();
        let (links, flows) = (&plan.links, &plan.flows);
        named(place, |link| &links[link].name, |flow| &flows[flow].name)
    }

    fn divide(&mut self, simulation: &Simulation, parts: &[usize], count: usize) -> Vec<Recorder> {
        let empty = || Recorder {
            traces: Vec::new(),
            event_limit: self.event_limit,
        };
        let mut divided: Vec<Recorder> = (0..count).map(|_| empty()).collect();
        for trace in self.traces.drain(..) {
            let part = parts[trace.1.node(simulation.plan())];
            divided[part].traces.push(trace);
        }
        divided
    }

    fn join(&mut self, parts: Vec<Recorder>) {
        self.traces = parts.into_iter().flat_map(|part| part.traces).collect();
        self.traces.sort_by_key(|(number, ..)| *number);
    }

    fn make_due_change(simulation: &mut Simulation) -> Ps {
        simulation.make_due_change()
    }
    fn sample_part(part: &mut Part) {
        part.state().sample();
    }
}
