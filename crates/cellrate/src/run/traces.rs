//! Traces: sampled quantities and their recording.

use cellrate_engine::atm::{Plan, PortState, Simulation, SwitchPort};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::trace::{Point, Trace};
use cellrate_engine::net::ChannelId;

use crate::scenario::TraceKind;

/// A recorded trace as the results store it: name, unit, times and values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Traced quantity: `queue`, `acr`, `cwnd`, `sequence`, `source-queue` or `utilisation`.
    pub kind: String,
    /// Name of the queue, channel, flow or port.
    pub entity: String,
    /// Unit of the values.
    pub unit: String,
    /// Start of the interval that each point covers, in seconds.
    pub seconds: Vec<f64>,
    /// Least value sampled in each interval.
    pub low: Vec<f64>,
    /// Greatest value sampled in each interval.
    pub high: Vec<f64>,
}

impl Series {
    /// Makes the series of a quantity and its unit from recorded points.
    pub(crate) fn new((kind, unit): (&str, &str), entity: &str, points: &[Point]) -> Series {
        Series {
            kind: kind.into(),
            entity: entity.into(),
            unit: unit.into(),
            seconds: points.iter().map(|point| point.at.as_secs_f64()).collect(),
            low: points.iter().map(|point| point.low).collect(),
            high: points.iter().map(|point| point.high).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Quantity {
    Queue {
        port: usize,
        queue: usize,
    },
    VcQueues {
        port: usize,
    },
    Acr {
        flow: usize,
    },
    /// ACR of the virtual source at the end of `link`.
    VirtualAcr {
        flow: usize,
        link: usize,
    },
    Cwnd {
        flow: usize,
    },
    Sequence {
        flow: usize,
    },
    SourceQueue {
        flow: usize,
    },
    Utilisation {
        port: usize,
        cells_per_second: f64,
        departed: u64,
        since: Ps,
    },
}

impl Quantity {
    fn kind_and_unit(&self) -> (&'static str, &'static str) {
        match self {
            Quantity::Queue { .. } | Quantity::VcQueues { .. } => ("queue", "cells"),
            Quantity::Acr { .. } | Quantity::VirtualAcr { .. } => ("acr", "cells/s"),
            Quantity::Cwnd { .. } => ("cwnd", "bytes"),
            Quantity::Sequence { .. } => ("sequence", "bytes"),
            Quantity::SourceQueue { .. } => ("source-queue", "cells"),
            Quantity::Utilisation { .. } => ("utilisation", "ratio"),
        }
    }

    /// The part of the network that samples the quantity. `parts` has the number of the part of
    /// each node, `of_ports` that of each port.
    fn part(&self, plan: &Plan, parts: &[usize], of_ports: &[usize]) -> usize {
        match self {
            Quantity::Queue { port, .. }
            | Quantity::VcQueues { port }
            | Quantity::Utilisation { port, .. } => of_ports[*port],
            Quantity::VirtualAcr { link, .. } => parts[plan.links[*link].to],
            Quantity::Acr { flow }
            | Quantity::Cwnd { flow }
            | Quantity::Sequence { flow }
            | Quantity::SourceQueue { flow } => {
                parts[plan.links[plan.flows[*flow].forward[0]].from]
            }
        }
    }

    /// Value of the quantity now, given the states of the ports; `None` if nothing can be measured
    /// yet.
    fn value<'a>(
        &mut self,
        simulation: &Simulation,
        port_state: impl Fn(usize) -> &'a PortState,
    ) -> Option<f64> {
        match self {
            Quantity::Queue { port, queue } => Some(port_state(*port).lengths[*queue] as f64),
            Quantity::VcQueues { port } => port_state(*port).in_front.map(|cells| cells as f64),
            Quantity::Acr { flow } => simulation.acr(*flow),
            Quantity::VirtualAcr { flow, link } => simulation.virtual_acr(*flow, *link),
            Quantity::Cwnd { flow } => simulation.tcp_window(*flow).map(|(cwnd, _)| cwnd as f64),
            Quantity::Sequence { flow } => {
                simulation.tcp_window(*flow).map(|(_, acked)| acked as f64)
            }
            Quantity::SourceQueue { flow } => {
                simulation.source_queue(*flow).map(|cells| cells as f64)
            }
            Quantity::Utilisation {
                port,
                cells_per_second,
                departed,
                since,
            } => {
                let (cells, now) = (port_state(*port).departed, simulation.now());
                let span = (now - *since).as_secs_f64();
                let sent = cells - std::mem::replace(departed, cells);
                *since = now;
                (span > 0.0).then(|| sent as f64 / (*cells_per_second * span))
            }
        }
    }
}

/// Stands for the index of a port that belongs to another part of the network.
const ELSEWHERE: usize = usize::MAX;

/// All traces of a run, while points are added during the run.
#[derive(Debug, Default)]
pub struct Recorder {
    traces: Vec<(Quantity, String, Trace)>,
    /// True if at least one trace needs the states of ports.
    looks_at_ports: bool,
    /// Set for the traces of one part of the network: the number of each trace among all traces,
    /// and the index of each port among the ports of the part.
    of_part: Option<(Vec<usize>, Vec<usize>)>,
}

impl Recorder {
    /// Prepares traces of all quantities of `kinds`, each with at most `points` points.
    pub fn new(simulation: &Simulation, kinds: &[TraceKind], points: usize) -> Recorder {
        let mut recorder = Recorder::default();
        for kind in kinds {
            let wanted = match kind {
                TraceKind::Queue => queues(simulation),
                TraceKind::Utilisation => lines(simulation),
                TraceKind::Acr | TraceKind::Cwnd | TraceKind::Sequence | TraceKind::SourceQueue => {
                    flows(simulation, *kind)
                }
            };
            recorder.looks_at_ports |= matches!(kind, TraceKind::Queue | TraceKind::Utilisation);
            recorder.traces.extend(
                wanted
                    .into_iter()
                    .map(|(what, name)| (what, name, Trace::new(points))),
            );
        }
        recorder
    }

    /// Adds a sample of each quantity at the present time.
    pub fn sample(&mut self, simulation: &mut Simulation) {
        let ports = if self.looks_at_ports {
            simulation.port_states()
        } else {
            Vec::new()
        };
        let places = self.of_part.as_ref().map(|(_, places)| &places[..]);
        let state = |port: usize| &ports[places.map_or(port, |places| places[port])];
        for (quantity, _, trace) in &mut self.traces {
            if let Some(value) = quantity.value(simulation, state) {
                trace.add(simulation.now(), value);
            }
        }
    }

    /// Divides the traces among `count` parts of the network; `parts` has the number of the part of
    /// each node.
    pub fn divide(
        &mut self,
        simulation: &Simulation,
        parts: &[usize],
        count: usize,
    ) -> Vec<Recorder> {
        let plan = simulation.plan();
        let ports = simulation.switch_ports();
        let of_port = |port: &SwitchPort| parts[plan.links[port.link].from];
        let of_ports: Vec<usize> = ports.iter().map(of_port).collect();
        let recorder = |part: usize| {
            let mut place = 0;
            let places = of_ports.iter().map(|of_port| {
                if *of_port != part {
                    return ELSEWHERE;
                }
                place += 1;
                place - 1
            });
            Recorder {
                traces: Vec::new(),
                looks_at_ports: self.looks_at_ports && of_ports.contains(&part),
                of_part: Some((Vec::new(), places.collect())),
            }
        };
        let mut divided: Vec<Recorder> = (0..count).map(recorder).collect();
        for (number, trace) in self.traces.drain(..).enumerate() {
            let recorder = &mut divided[trace.0.part(plan, parts, &of_ports)];
            recorder.traces.push(trace);
            if let Some((numbers, _)) = &mut recorder.of_part {
                numbers.push(number);
            }
        }
        divided
    }

    /// Joins the traces of all parts again.
    pub fn join(&mut self, parts: Vec<Recorder>) {
        let numbered = parts.into_iter().flat_map(|part| {
            let (numbers, _) = part.of_part.unwrap_or_default();
            numbers.into_iter().zip(part.traces)
        });
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_by_key(|(number, _)| *number);
        self.traces = numbered.into_iter().map(|(_, trace)| trace).collect();
    }

    /// The recorded traces, in the order of the scenario's list.
    pub fn series(&self) -> Vec<Series> {
        self.traces
            .iter()
            .map(|(quantity, entity, trace)| {
                Series::new(quantity.kind_and_unit(), entity, &trace.points())
            })
            .collect()
    }

    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.traces.iter().map(|(_, _, trace)| trace.bytes()).sum()
    }
}

/// The queues of all ports with their names. A port with one queue gives `A->B`; with several
/// queues, `A->B/1` and so on in order of priority. `A->B/vc` is the sum of the channel queues in
/// front of virtual sources.
fn queues(simulation: &Simulation) -> Vec<(Quantity, String)> {
    let mut found = Vec::new();
    for (port, facts) in simulation.switch_ports().into_iter().enumerate() {
        let name = &simulation.plan().links[facts.link].name;
        for queue in 0..facts.queues.len() {
            let entity = if facts.queues.len() == 1 {
                name.clone()
            } else {
                format!("{name}/{}", queue + 1)
            };
            found.push((Quantity::Queue { port, queue }, entity));
        }
        if facts.virtual_sources {
            found.push((Quantity::VcQueues { port }, format!("{name}/vc")));
        }
    }
    found
}

fn lines(simulation: &Simulation) -> Vec<(Quantity, String)> {
    let line = |(port, facts): (usize, SwitchPort)| {
        let link = &simulation.plan().links[facts.link];
        let cells_per_second = link.rate.cells_per_second();
        (
            Quantity::Utilisation {
                port,
                cells_per_second,
                departed: 0,
                since: Ps::ZERO,
            },
            link.name.clone(),
        )
    };
    simulation
        .switch_ports()
        .into_iter()
        .enumerate()
        .map(line)
        .collect()
}

/// Flows that have a quantity of this kind, with the names of their traces. The name of a channel that begins at
/// a router ends with `@ROUTER`, since a flow may have several such channels.
fn flows(simulation: &Simulation, kind: TraceKind) -> Vec<(Quantity, String)> {
    let names = simulation
        .plan()
        .flows
        .iter()
        .map(|flow| &flow.name)
        .enumerate();
    let at = |flow: usize| {
        let router = simulation.router(ChannelId::forward(flow));
        router.map_or(String::new(), |router| format!("@{router}"))
    };
    let quantity = |(flow, name): (usize, &String)| match kind {
        TraceKind::Acr => simulation.acr(flow).map(|_| {
            (
                Quantity::Acr { flow },
                format!("{name}/forward{}", at(flow)),
            )
        }),
        TraceKind::SourceQueue => simulation.source_queue(flow).map(|_| {
            (
                Quantity::SourceQueue { flow },
                format!("{name}{}", at(flow)),
            )
        }),
        TraceKind::Cwnd => simulation
            .tcp_window(flow)
            .map(|_| (Quantity::Cwnd { flow }, name.clone())),
        _ => simulation
            .tcp_window(flow)
            .map(|_| (Quantity::Sequence { flow }, name.clone())),
    };
    let mut found: Vec<(Quantity, String)> = names.clone().filter_map(quantity).collect();
    if kind == TraceKind::Acr {
        found.extend(names.flat_map(|(flow, name)| virtual_sources(simulation, flow, name)));
    }
    found
}

/// The virtual sources of a flow's forward channel, named `FLOW/forward@SWITCH`.
fn virtual_sources(simulation: &Simulation, flow: usize, name: &str) -> Vec<(Quantity, String)> {
    let plan = simulation.plan();
    let links = simulation.links_to_virtual_sources(flow).into_iter();
    links
        .map(|link| {
            let at = &plan.nodes[plan.links[link].to].name;
            (
                Quantity::VirtualAcr { flow, link },
                format!("{name}/forward@{at}"),
            )
        })
        .collect()
}
