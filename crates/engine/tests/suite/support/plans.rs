//! Plans by hand: nodes and links by name, flows with defaults.

use cellrate_engine::atm::Refuses;
use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan::{
    FlowPlan, LinkPlan, MeasurePlan, NodeKind, NodePlan, Plan, SwitchPlan,
};
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::control::efci::EfciConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::kernel::units::{Buffer, Bytes, Cells};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;

/// A line on which a cell takes exactly `us` microseconds.
pub const fn cell_time_us(us: u64) -> Rate {
    Rate(424_000_000_000 / us)
}

/// A switch with one queue for all classes, without a limit and without control.
pub fn plain_switch() -> SwitchPlan {
    SwitchPlan {
        buffer: Buffer::INFINITE,
        clp_threshold: None,
        priority: vec![ServiceClass::ALL.to_vec()],
        control: ControlConfig::default(),
        discard: DiscardConfig::default(),
        vsvd: None,
        rm_first: false,
        schedule: None,
    }
}

/// A plan's nodes and links, to which a test adds.
#[derive(Default)]
pub struct Graph {
    pub nodes: Vec<NodePlan>,
    pub links: Vec<LinkPlan>,
}

impl Graph {
    pub fn host(&mut self, name: &str) -> usize {
        self.nodes.push(NodePlan {
            name: name.into(),
            kind: NodeKind::Host,
        });
        self.nodes.len() - 1
    }
    pub fn switch(&mut self, name: &str, settings: SwitchPlan) -> usize {
        self.nodes.push(NodePlan {
            name: name.into(),
            kind: NodeKind::Switch(settings),
        });
        self.nodes.len() - 1
    }
    /// Adds two links, there and back. The second has the number of the first plus one.
    pub fn duplex(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) -> usize {
        let there = self.links.len();
        for (from, to) in [(from, to), (to, from)] {
            let name = format!("{}->{}", self.nodes[from].name, self.nodes[to].name);
            self.links.push(LinkPlan {
                name,
                from,
                to,
                rate,
                delay,
                errors: None,
            });
        }
        there
    }
    /// The plan of `flows` over this graph.
    pub fn plan(self, flows: Vec<FlowPlan>) -> Plan {
        let (measure, errors) = (MeasurePlan::default(), LinkErrors::default());
        Plan {
            changes: Vec::new(),
            port_controls: Vec::new(),
            seed: 1,
            nodes: self.nodes,
            links: self.links,
            flows,
            fcvc: None,
            errors,
            simultaneous_cells: SimultaneousCells::AsWritten,
            measure,
        }
    }
}

/// Links in the opposite direction to those of `forward`, all of which are duplex.
pub fn back(forward: &[usize]) -> Vec<usize> {
    forward.iter().rev().map(|link| link ^ 1).collect()
}

/// A flow without a backward channel, everything else at its default.
pub fn flow(
    name: &str,
    service: ServiceClass,
    source: SourceConfig,
    forward: Vec<usize>,
) -> FlowPlan {
    FlowPlan {
        sends: true,
        name: name.into(),
        group: name.into(),
        index: 1,
        service,
        ack_service: service,
        forward,
        backward: Vec::new(),
        start: Ps::ZERO,
        weight: 1,
        policer: None,
        gfr: None,
        shaper: None,
        port_shaper: None,
        source,
        tcp: TcpConfig::default(),
        abr: AbrConfig::default(),
        encapsulation: Encapsulation::default(),
        source_queue: Buffer::INFINITE,
        source_queue_refuses: Refuses::default(),
        branch: None,
    }
}

/// One TCP segment at a time, of two cells, from a host through a switch to another. A cell takes
/// 10 us on the line of the source and 20 us on that of the destination; both lines are 5 us long.
pub fn stop_and_wait() -> Plan {
    let mut graph = Graph::default();
    let (from, switch, to) = (
        graph.host("a"),
        graph.switch("s", plain_switch()),
        graph.host("b"),
    );
    let access = graph.duplex(from, switch, cell_time_us(10), Ps::from_us(5));
    let out = graph.duplex(switch, to, cell_time_us(20), Ps::from_us(5));
    let source = SourceConfig::Greedy(GreedyConfig {});
    let mut tcp = flow("tcp", ServiceClass::Ubr, source, vec![access, out]);
    tcp.backward = back(&tcp.forward);
    // 40 + 40 (TCP/IP) + 8 (LLC/SNAP) + 8 (trailer) = 96 bytes.
    (tcp.tcp.mss, tcp.tcp.window) = (Bytes(40), Bytes(40));
    graph.plan(vec![tcp])
}

/// Sources and destinations of their own around two switches A and B, joined by one link.
pub struct Dumbbell {
    pub graph: Graph,
    pub paths: Vec<Vec<usize>>,
}

impl Dumbbell {
    /// `pairs` pairs of hosts; every line has the same rate and delay.
    pub fn new(pairs: usize, rate: Rate, delay: Ps, settings: &SwitchPlan) -> Dumbbell {
        let mut graph = Graph::default();
        let (a, b) = (
            graph.switch("A", settings.clone()),
            graph.switch("B", settings.clone()),
        );
        let bottleneck = graph.duplex(a, b, rate, delay);
        let mut paths = Vec::new();
        for number in 1..=pairs {
            let (source, destination) = (
                graph.host(&format!("src.{number}")),
                graph.host(&format!("dst.{number}")),
            );
            paths.push(vec![
                graph.duplex(source, a, rate, delay),
                bottleneck,
                graph.duplex(b, destination, rate, delay),
            ]);
        }
        Dumbbell { graph, paths }
    }
}

/// Three ABR sources that always have cells around two switches that mark cells as they leave, whose
/// queue crosses the threshold time and again.
pub fn marked_bottleneck(threshold: u64) -> Plan {
    let switch = SwitchPlan {
        control: marking_above(threshold),
        ..plain_switch()
    };
    let rate = cell_time_us(10);
    let Dumbbell { graph, paths } = Dumbbell::new(3, rate, Ps::from_us(60), &switch);
    let flows = paths.into_iter().enumerate().map(|(number, forward)| {
        let mut abr = flow(
            &format!("abr.{number}"),
            ServiceClass::Abr,
            SourceConfig::Persistent(PersistentConfig {}),
            forward,
        );
        abr.backward = back(&abr.forward);
        abr.abr.pcr = Some(rate);
        abr.abr.icr = Some(cell_time_us(20));
        abr.start = Ps::from_us(7 * number as u64);
        abr
    });
    let flows = flows.collect();
    graph.plan(flows)
}

/// EFCI by one threshold in cells that leave.
pub fn marking_above(threshold: u64) -> ControlConfig {
    ControlConfig::Efci(EfciConfig {
        threshold: Some(Cells(threshold)),
        ..EfciConfig::default()
    })
}
