//! The ATM workloads of the bench, built directly as plans of the network.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, LinkPlan, NodeKind, NodePlan, Plan, SwitchPlan};
use cellrate_engine::control::ControlConfig;
use cellrate_engine::control::erica::EricaConfig;
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;

/// Line rate of the access links, in bit/s.
pub const LINE: u64 = 155_520_000;
/// Number of sources of W2 and of the smallest W1, as in Table 8.2 of Kalyanaraman 1997. With 15
/// sources the bottleneck has the rate of an access link; with more, its rate grows in proportion
/// to their number.
pub const PLAIN_SOURCES: usize = 15;
/// Buffer of every port of W1, in cells.
pub const BUFFER: u64 = 20_000;

/// The time from one cell to the next of source `i` of `n`, in picoseconds. All sources together
/// load the bottleneck with 95 %. Their periods differ by up to 2 %, so that the order of arrivals
/// never repeats.
pub fn period(i: usize, n: usize) -> f64 {
    let mean = 424.0 / (0.95 * LINE as f64 * n as f64 / PLAIN_SOURCES as f64) * n as f64 * 1e12;
    mean * (1.0 + 0.02 * (i as f64 / n as f64 - 0.5))
}

fn switch(control: ControlConfig, buffer: Buffer) -> SwitchPlan {
    SwitchPlan {
        control,
        ..SwitchPlan::new(buffer)
    }
}

/// A network of sources, switch A, bottleneck, switch B and destinations, in which every link has
/// the same delay.
struct Dumbbell {
    nodes: Vec<NodePlan>,
    links: Vec<LinkPlan>,
}

impl Dumbbell {
    fn new(n: usize, delay: Ps, switch: &SwitchPlan) -> Dumbbell {
        let host = |name: String| NodePlan {
            name,
            kind: NodeKind::Host,
        };
        let mut nodes: Vec<NodePlan> = (0..n).map(|i| host(format!("src.{i}"))).collect();
        nodes.extend((0..n).map(|i| host(format!("dst.{i}"))));
        nodes.extend(["A", "B"].map(|name| NodePlan {
            name: name.into(),
            kind: NodeKind::Switch(switch.clone()),
        }));
        let (a, b) = (2 * n, 2 * n + 1);
        let access = Rate::from_bps(LINE);
        let bottleneck = Rate(LINE * 1_000 / PLAIN_SOURCES as u64 * n as u64);
        let mut links = Vec::new();
        let mut duplex = |from: usize, to: usize, rate: Rate| {
            for (from, to) in [(from, to), (to, from)] {
                links.push(LinkPlan {
                    name: format!("{}->{}", nodes[from].name, nodes[to].name),
                    from,
                    to,
                    rate,
                    delay,
                    errors: None,
                });
            }
        };
        (0..n).for_each(|i| duplex(i, a, access));
        duplex(a, b, bottleneck);
        (0..n).for_each(|i| duplex(b, n + i, access));
        Dumbbell { nodes, links }
    }
}

fn flow(n: usize, i: usize, source: SourceConfig, service: ServiceClass, start: Ps) -> FlowPlan {
    let forward = vec![2 * i, 2 * n, 2 * n + 2 + 2 * i];
    FlowPlan {
        group: "flow".into(),
        index: i as u32 + 1,
        start,
        ..FlowPlan::new(&format!("flow.{}", i + 1), service, source, forward)
    }
}

/// W1: `n` CBR sources at 95 % of a bottleneck of `n / 15` line rates.
pub fn cbr(n: usize, delay: Ps) -> Plan {
    let Dumbbell { nodes, links } =
        Dumbbell::new(n, delay, &switch(ControlConfig::default(), Buffer(BUFFER)));
    let flows = (0..n).map(|i| {
        let rate = Rate::from_cells_per_second(1e12 / period(i, n));
        let start = Ps((period(i, n) * i as f64 / n as f64) as u64);
        flow(
            n,
            i,
            SourceConfig::Cbr(CbrConfig { rate }),
            ServiceClass::Cbr,
            start,
        )
    });
    Plan::new(nodes, links, flows.collect())
}

/// W2: 15 greedy TCP sources over ABR with ERICA, as in Table 8.2 of Kalyanaraman 97.
pub fn tcp_over_erica(delay: Ps) -> Plan {
    let n = PLAIN_SOURCES;
    let erica = ControlConfig::Erica(EricaConfig::default());
    let Dumbbell { nodes, links } = Dumbbell::new(n, delay, &switch(erica, Buffer::INFINITE));
    let flows = (0..n).map(|i| {
        let mut flow = flow(
            n,
            i,
            SourceConfig::Greedy(GreedyConfig {}),
            ServiceClass::Abr,
            Ps::ZERO,
        );
        flow.backward = flow.forward.iter().rev().map(|link| link + 1).collect();
        flow.tcp.recovery = cellrate_engine::tcp::Recovery::TimeoutOnly;
        flow.tcp.window = Bytes(1 << 20);
        flow.tcp.granularity = Ps::from_ms(100);
        flow.tcp.min_rto = Ps::from_ms(200);
        flow.abr.icr = Some(Rate::from_bps(10_000_000));
        flow.abr.rif = 1.0;
        flow.abr.rdf = 1.0 / 512.0;
        flow.abr.cdf = 0.5;
        flow.abr.crm = Some(16);
        flow
    });
    Plan::new(nodes, links, flows.collect())
}
