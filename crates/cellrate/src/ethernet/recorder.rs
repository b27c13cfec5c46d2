//! Traces of a run over Ethernet.

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::port::Port;
use cellrate_engine::kernel::trace::Trace;

use super::types::TraceKind;
use crate::run::Series;

/// A traced quantity.
enum Quantity {
    /// A queue of a port, both by number.
    Queue(usize, usize),
    Cwnd(usize),
    Sequence(usize),
    Acr(usize),
    /// A port, its busy time at the last sample, and the time of that.
    Utilisation(usize, f64, f64),
}

impl Quantity {
    fn kind_and_unit(&self) -> (&'static str, &'static str) {
        match self {
            Quantity::Queue(..) => ("queue", "bytes"),
            Quantity::Cwnd(_) => ("cwnd", "bytes"),
            Quantity::Sequence(_) => ("sequence", "bytes"),
            Quantity::Utilisation(..) => ("utilisation", "ratio"),
            Quantity::Acr(_) => ("acr", "bit/s"),
        }
    }
    /// The value now; `None` if there is nothing to measure yet.
    fn value(&mut self, simulation: &Simulation, ports: &[&Port]) -> Option<f64> {
        match self {
            Quantity::Queue(port, queue) => Some(ports[*port].held(*queue).octets as f64),
            Quantity::Cwnd(flow) => simulation.tcp_window(*flow).map(|(cwnd, _)| cwnd as f64),
            Quantity::Sequence(flow) => simulation.tcp_window(*flow).map(|(_, acked)| acked as f64),
            Quantity::Acr(flow) => simulation.acr(*flow).map(|octets| 8.0 * octets),
            Quantity::Utilisation(port, busy, since) => {
                let now = simulation.now();
                let busy_now = ports[*port].busy_ps(now);
                let (sent, span) = (busy_now - *busy, now.0 as f64 - *since);
                (*busy, *since) = (busy_now, now.0 as f64);
                (span > 0.0).then(|| sent / span)
            }
        }
    }
}

/// All traces of a run.
pub struct Recorder(Vec<(Quantity, String, Trace)>);

impl Recorder {
    /// Traces of everything that `kinds` asks for, each of at most `points` points.
    pub fn new(simulation: &Simulation, kinds: &[TraceKind], points: usize) -> Recorder {
        let plan = simulation.plan();
        let ports = || simulation.ports().enumerate();
        let name = |link: u32| plan.links[link as usize].name.clone();
        let senders = || {
            let flows = plan.flows.iter().enumerate();
            flows.filter(|(_, flow)| flow.source.over_tcp())
        };
        let mut traces = Vec::new();
        let mut add = |quantity, name| traces.push((quantity, name, Trace::new(points)));
        for kind in kinds {
            match kind {
                TraceKind::Queue => ports().for_each(|(number, port)| {
                    for queue in 0..port.queue_count() {
                        let name = format!("{}/{}", name(port.link), queue + 1);
                        add(Quantity::Queue(number, queue), name);
                    }
                }),
                TraceKind::Utilisation => ports().for_each(|(number, port)| {
                    add(Quantity::Utilisation(number, 0.0, 0.0), name(port.link));
                }),
                TraceKind::Acr => {
                    let flows = plan.flows.iter().enumerate();
                    let controlled = flows.filter(|(_, flow)| flow.rates.is_some());
                    controlled.for_each(|(number, flow)| {
                        add(Quantity::Acr(number), flow.name.clone());
                    });
                }
                TraceKind::Cwnd => senders().for_each(|(number, flow)| {
                    add(Quantity::Cwnd(number), flow.name.clone());
                }),
                TraceKind::Sequence => senders().for_each(|(number, flow)| {
                    add(Quantity::Sequence(number), flow.name.clone());
                }),
            }
        }
        Recorder(traces)
    }

    /// Samples everything now.
    pub fn sample(&mut self, simulation: &Simulation) {
        let ports: Vec<&Port> = simulation.ports().collect();
        for (quantity, _, trace) in &mut self.0 {
            if let Some(value) = quantity.value(simulation, &ports) {
                trace.add(simulation.now(), value);
            }
        }
    }

    /// The traces with at least one point.
    pub fn series(&self) -> Vec<Series> {
        let series = |(quantity, name, trace): &(Quantity, String, Trace)| {
            let (kind, unit) = quantity.kind_and_unit();
            let points = trace.points();
            Series {
                kind: kind.into(),
                entity: name.clone(),
                unit: unit.into(),
                seconds: points.iter().map(|point| point.at.as_secs_f64()).collect(),
                low: points.iter().map(|point| point.low).collect(),
                high: points.iter().map(|point| point.high).collect(),
            }
        };
        self.0
            .iter()
            .map(series)
            .filter(|one| !one.seconds.is_empty())
            .collect()
    }
}
