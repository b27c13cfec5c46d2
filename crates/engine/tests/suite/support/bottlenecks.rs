//! Random networks with several bottlenecks, and the max-min fair rates of their flows.

use super::plans::{Graph, back, flow, plain_switch};
use super::schemes::Scheme;
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan, SwitchPlan};
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;
use proptest::prelude::*;
use proptest::sample::Index;

/// Relative difference up to which two rates that were computed count as equal.
const EQUAL: f64 = 1e-9;

/// Switches in a row with links that may skip some, and flows from left to right: so forward links
/// carry data and FRMs, backward links BRMs alone.
#[derive(Debug)]
pub struct Draft {
    switches: usize,
    /// Rates of the links in Mbit/s and their delays in us, first those of the row.
    links: Vec<(u64, u64)>,
    skips: Vec<(Index, Index)>,
    /// First switch of each flow, and its choices among the links onward.
    flows: Vec<(Index, Vec<Index>)>,
}

pub fn drafts() -> impl Strategy<Value = Draft> {
    let links = prop::collection::vec((30..150u64, 1..500u64), 6);
    let skips = prop::collection::vec(any::<(Index, Index)>(), 0..2);
    let flows = prop::collection::vec(
        (any::<Index>(), prop::collection::vec(any::<Index>(), 1..5)),
        2..9,
    );
    (3..=5usize, links, skips, flows).prop_map(|(switches, links, skips, flows)| Draft {
        switches,
        links,
        skips,
        flows,
    })
}

/// Links onward from each switch, with the switches that they lead to.
type Ways = Vec<Vec<(usize, usize)>>;

impl Draft {
    fn ways(&self, graph: &mut Graph) -> Ways {
        let mut ways = vec![Vec::new(); self.switches];
        let row = (1..self.switches).map(|to| (to - 1, to));
        let skips = self
            .skips
            .iter()
            .map(|(from, to)| (from.index(self.switches - 2), to.index(self.switches)));
        let skips = skips.filter(|(from, to)| from + 1 < *to);
        for ((from, to), (rate, delay)) in row.chain(skips).zip(&self.links) {
            ways[from].push((
                to,
                graph.duplex(
                    from,
                    to,
                    Rate::from_bps(rate * 1_000_000),
                    Ps::from_us(*delay),
                ),
            ));
        }
        ways
    }

    /// The plan with `control` at every switch.
    pub fn plan(&self, control: &ControlConfig) -> Plan {
        let mut graph = Graph::default();
        for number in 0..self.switches {
            graph.switch(
                &format!("s{number}"),
                SwitchPlan {
                    control: control.clone(),
                    ..plain_switch()
                },
            );
        }
        let ways = self.ways(&mut graph);
        let flows = (0..self.flows.len())
            .map(|number| self.flow(&mut graph, &ways, number))
            .collect();
        graph.plan(flows)
    }

    fn flow(&self, graph: &mut Graph, ways: &Ways, number: usize) -> FlowPlan {
        let (first, steps) = &self.flows[number];
        let mut at = first.index(self.switches - 1);
        let mut path = vec![access(graph, at) ^ 1];
        for step in steps {
            if !ways[at].is_empty() {
                let (to, link) = ways[at][step.index(ways[at].len())];
                path.push(link);
                at = to;
            }
        }
        path.push(access(graph, at));
        greedy(number, path)
    }
}

/// A flow that always has cells and follows an explicit rate at once.
pub fn greedy(number: usize, path: Vec<usize>) -> FlowPlan {
    let source = SourceConfig::Persistent(PersistentConfig {});
    let mut flow = FlowPlan {
        backward: back(&path),
        start: Ps::from_us(137 * number as u64),
        ..flow(&format!("f{number}"), ServiceClass::Abr, source, path)
    };
    flow.abr.icr = Some(Rate::from_bps(5_000_000));
    flow.abr.rif = 1.0;
    flow
}

/// Adds a host at `switch`, and returns the link from the host.
pub fn access(graph: &mut Graph, switch: usize) -> usize {
    let host = graph.host(&format!("h{}", graph.nodes.len()));
    graph.duplex(switch, host, Rate::from_bps(155_520_000), Ps::from_us(5))
}

/// Mean rate of each flow in cells/s, over 200 ms from the time at which `scheme` is steady.
pub fn steady_rates(plan: Plan, scheme: &Scheme) -> Vec<f64> {
    let mut run: Simulation<LazyServer> = Simulation::new(plan).unwrap();
    let mut from = scheme.settled;
    if scheme.drains {
        drain(&mut run, from);
        from = run.now() + scheme.settled;
    }
    let end = from + Ps::from_ms(200);
    let report = run.measure(from, end, end);
    let forward = report.vcs.iter().filter(|vc| vc.name.ends_with("forward"));
    forward
        .map(|vc| vc.cells_sent as f64 / report.window_seconds)
        .collect()
}

/// Runs on from `start` until no port of a switch holds more cells than there are flows, of which
/// each may have one there at a time.
fn drain(run: &mut Simulation<LazyServer>, start: Ps) {
    let most = run.plan().flows.len() as u64;
    run.run_until(start);
    while run
        .port_states()
        .iter()
        .any(|port| port.lengths.iter().sum::<u64>() > most)
    {
        let next = run.now() + Ps::from_ms(10);
        assert!(next < Ps::from_ms(10_000), "a queue stays");
        run.run_until(next);
    }
}

/// True if `link` comes from a host.
fn is_access(plan: &Plan, link: usize) -> bool {
    matches!(plan.nodes[plan.links[link].from].kind, NodeKind::Host)
}

/// Max-min fair rates in cells/s: all rates rise together; a link whose target is reached stops
/// those that cross it (Bertsekas and Gallager, Data Networks, section 6.5.2). Switches allocate
/// `target` of a link, of which `idle` times the rate of a flow that the link stops must remain
/// (Phantom; zero for others).
pub fn max_min(plan: &Plan, target: f64, idle: f64) -> Vec<f64> {
    // No switch controls the link from a host.
    let is_access = |link: usize| is_access(plan, link);
    let capacity = |link: usize| {
        plan.links[link].rate.cells_per_second() * if is_access(link) { 1.0 } else { target }
    };
    let mut rates: Vec<Option<f64>> = vec![None; plan.flows.len()];
    while rates.contains(&None) {
        let level = |link: usize| {
            let users = || {
                plan.flows
                    .iter()
                    .zip(&rates)
                    .filter(move |(flow, _)| flow.forward.contains(&link))
            };
            let open = users().filter(|(_, rate)| rate.is_none()).count();
            let taken: f64 = users().filter_map(|(_, rate)| *rate).sum();
            let shares = open as f64 + if is_access(link) { 0.0 } else { idle };
            (open > 0).then(|| (capacity(link) - taken) / shares)
        };
        let levels =
            (0..plan.links.len()).filter_map(|link| level(link).map(|level| (level, link)));
        let (level, link) = levels
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("an open flow crosses a link");
        for (flow, rate) in plan.flows.iter().zip(&mut rates) {
            if rate.is_none() && flow.forward.contains(&link) {
                *rate = Some(level);
            }
        }
    }
    rates.into_iter().flatten().collect()
}

/// The least rate that consistent marking offers each flow at its max-min rates `fair`, of which
/// switches allocate `target` of a link.
///
/// A link leaves `free` to the n flows that it stops; it marks the others, with rates r. To one of
/// these, while its RM cell passes, it leaves (free + r) / (n + 1), and it removes the marks above
/// that: most for the slowest. Until they are set again their flows share with the next one, which
/// so loses at most to those of them that are below the mean of all.
pub fn least_of_consistent_marking(plan: &Plan, target: f64, fair: &[f64]) -> Vec<f64> {
    let mut least = fair.to_vec();
    for link in (0..plan.links.len()).filter(|link| !is_access(plan, *link)) {
        let users = || (0..fair.len()).filter(|flow| plan.flows[*flow].forward.contains(&link));
        let capacity = target * plan.links[link].rate.cells_per_second();
        let is_full = users().map(|flow| fair[flow]).sum::<f64>() > capacity * (1.0 - EQUAL);
        let highest = users().map(|flow| fair[flow]).fold(0.0, f64::max);
        let is_stopped = |flow: usize| is_full && fair[flow] > highest * (1.0 - EQUAL);
        let mut marked: Vec<usize> = users().filter(|flow| !is_stopped(*flow)).collect();
        marked.sort_by(|a, b| fair[*a].total_cmp(&fair[*b]));
        let Some(slowest) = marked.first() else {
            continue;
        };
        let free = capacity - marked.iter().map(|flow| fair[*flow]).sum::<f64>();
        let stopped = (users().count() - marked.len()) as f64;
        let left = (free + fair[*slowest]) / (stopped + 1.0);
        let removed = |flow: usize| fair[flow] > left * (1.0 + EQUAL);
        for flow in users() {
            let (mut shared, mut sharing) = (free, stopped);
            if !is_stopped(flow) {
                (shared, sharing) = (shared + fair[flow], sharing + 1.0);
            }
            for other in marked.iter().filter(|other| **other != flow) {
                if removed(*other) && fair[*other] < shared / sharing {
                    (shared, sharing) = (shared + fair[*other], sharing + 1.0);
                }
            }
            least[flow] = least[flow].min(shared / sharing);
        }
    }
    least
}
