//! Computing time of a run by task: processing of events by kind of node, samples, report. Each call
//! that lets a node process the events that are due is timed.

use std::fmt;
use std::time::{Duration, Instant};

use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::net::Stopwatch;

/// A task on which a run spends computing time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Making the plan of the network, the bound on its memory, and warnings.
    Plan,
    /// Building nodes, channels and links in memory.
    Network,
    /// Processing events at hosts that send over TCP: TCP, AAL5, source queue, ABR source, port.
    TcpSenders,
    /// Processing events at hosts that send without TCP.
    OtherSenders,
    /// Processing events at hosts that only receive: AAL5, ABR destination, TCP receiver.
    Receivers,
    /// Processing events at switches: ports, control scheme, discard policy.
    Switches,
    /// Processing events at switches with virtual sources and destinations.
    VirtualSources,
    /// Processing events at switches under credit control.
    CreditSwitches,
    /// Work in the pauses of the run: ending transmissions that cause no further event, and reading
    /// the free memory.
    Pauses,
    /// Samples of the lengths of queues, for the report.
    Samples,
    /// Samples of the traces.
    Traces,
    /// Work at both ends of the measuring window, and making the report.
    Report,
    /// Sorting events by time, and writing traces and the report as text.
    Results,
}

impl Task {
    /// All tasks, in the order of a run.
    pub const ALL: [Task; 13] = [
        Task::Plan,
        Task::Network,
        Task::TcpSenders,
        Task::OtherSenders,
        Task::Receivers,
        Task::Switches,
        Task::VirtualSources,
        Task::CreditSwitches,
        Task::Pauses,
        Task::Samples,
        Task::Traces,
        Task::Report,
        Task::Results,
    ];

    /// For each node of an ATM network, the task to which the processing of its events belongs.
    pub fn of_nodes(plan: &Plan) -> Vec<Task> {
        let kind = |kind: &NodeKind| match kind {
            NodeKind::Host => Task::Receivers,
            NodeKind::Switch(_) if plan.fcvc.is_some() => Task::CreditSwitches,
            NodeKind::Switch(switch) if switch.vsvd.is_some() => Task::VirtualSources,
            NodeKind::Switch(_) => Task::Switches,
        };
        let tasks = plan.nodes.iter().map(|node| kind(&node.kind)).collect();
        let begin = |flow: &FlowPlan| (plan.links[flow.forward[0]].from, flow.source.over_tcp());
        Task::with_senders(tasks, plan.flows.iter().map(begin))
    }

    /// Sets the task of each sending host in `tasks`, which has one task for each node. `flows`
    /// has, for each flow, its sending host, and true if the flow is over TCP.
    pub fn with_senders(
        mut tasks: Vec<Task>,
        flows: impl Iterator<Item = (usize, bool)>,
    ) -> Vec<Task> {
        for (host, over_tcp) in flows {
            // A host with flows of both kinds counts as one with TCP, which takes more time.
            if over_tcp {
                tasks[host] = Task::TcpSenders;
            } else if tasks[host] != Task::TcpSenders {
                tasks[host] = Task::OtherSenders;
            }
        }
        tasks
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Task::Plan => "plan, bound on the memory, warnings",
            Task::Network => "building the network",
            Task::TcpSenders => "hosts that send by TCP",
            Task::OtherSenders => "hosts that send without TCP",
            Task::Receivers => "hosts that receive",
            Task::Switches => "switches",
            Task::VirtualSources => "switches with virtual sources",
            Task::CreditSwitches => "switches under credit control",
            Task::Pauses => "pauses of the run",
            Task::Samples => "samples of queues",
            Task::Traces => "traces",
            Task::Report => "ends of the window, report",
            Task::Results => "results as text",
        })
    }
}

/// Is called at the end of each task of a run, and may measure the task's time.
pub trait Watch: Stopwatch {
    /// Is called at the end of `task`, which began at the end of the task before.
    fn done(&mut self, task: Task);
}

impl Watch for () {
    #[inline(always)]
    fn done(&mut self, _task: Task) {}
}

/// Time that a run spent on one task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// The task.
    pub task: Task,
    /// Computing time spent on the task, less the computing time for reading the clock.
    pub time: Duration,
    /// Number of times that the task was done: for nodes, the number of calls that let a node
    /// process the events that are due.
    pub laps: u64,
}

/// The computing time of a run by task.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Time of each task that the run had, in the order of [`Task::ALL`].
    pub spent: Vec<Spent>,
    /// Time of one reading of the clock, which has been subtracted for each time that a task was
    /// done.
    pub reading: Duration,
}

/// Measures the computing time of each task in a run. The time between two readings of the clock is
/// charged to the task that ends at the later reading.
pub struct Laps {
    of_nodes: Vec<Task>,
    last: Instant,
    spent: [(Duration, u64); Task::ALL.len()],
}

impl Laps {
    /// Starts the clock; `of_nodes` has the task of each node.
    pub fn new(of_nodes: Vec<Task>) -> Laps {
        Laps {
            of_nodes,
            spent: Default::default(),
            last: Instant::now(),
        }
    }

    /// The time of the run by task.
    pub fn finish(self) -> Profile {
        let reading = reading();
        let spent = Task::ALL.into_iter().zip(self.spent);
        let spent = spent.filter(|(_, (_, laps))| *laps > 0);
        let spent = spent.map(|(task, (time, laps))| Spent {
            task,
            time: time.saturating_sub(Duration::from_nanos(
                (reading.as_secs_f64() * 1e9 * laps as f64) as u64,
            )),
            laps,
        });
        Profile {
            spent: spent.collect(),
            reading,
        }
    }
}

impl Stopwatch for Laps {
    #[inline]
    fn lap(&mut self, node: usize) {
        self.done(self.of_nodes[node]);
    }
}

impl Watch for Laps {
    #[inline]
    fn done(&mut self, task: Task) {
        let now = Instant::now();
        let (time, laps) = &mut self.spent[task as usize];
        *time += now - self.last;
        *laps += 1;
        self.last = now;
    }
}

/// Time of one reading of the clock: the least mean of several series of readings, which nothing
/// has interrupted.
fn reading() -> Duration {
    const READINGS: u32 = 1000;
    let mean = |_| {
        let began = Instant::now();
        let mut last = began;
        for _ in 0..READINGS {
            last = std::hint::black_box(Instant::now());
        }
        (last - began) / READINGS
    };
    (0..20).map(mean).min().unwrap_or_default()
}
