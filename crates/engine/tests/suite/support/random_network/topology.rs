//! The graph: switches, the links between them, hosts, and the routes of flows.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, SwitchPlan};
use cellrate_engine::policing::PolicerConfig;
use proptest::sample::Index;

use super::flows::{FlowDraft, HostDraft, WayBack};
use super::links::Lines;
use crate::support::plans::{Graph, back};

/// The graph while flows are added to it.
pub struct Draft<'a> {
    pub graph: Graph,
    lines: &'a Lines,
    /// Neighbours of each switch, with the links to them.
    neighbours: Vec<Vec<(usize, usize)>>,
    /// The shared host of each switch, with the link to it.
    of_switch: Vec<Option<(usize, usize)>>,
    /// The hub, if there is one. `to_hub` has the links to it from each switch.
    hub: Option<usize>,
    to_hub: Vec<Option<usize>>,
}

impl<'a> Draft<'a> {
    pub fn new(switches: &[SwitchPlan], chords: &[(Index, Index)], lines: &'a Lines) -> Draft<'a> {
        let mut graph = Graph::default();
        for (number, settings) in switches.iter().enumerate() {
            graph.switch(&format!("s{number}"), settings.clone());
        }
        let count = switches.len();
        let mut draft = Draft {
            graph,
            lines,
            neighbours: vec![Vec::new(); count],
            of_switch: vec![None; count],
            hub: None,
            to_hub: vec![None; count],
        };
        for next in 1..count {
            draft.join(next - 1, next);
        }
        for (from, to) in chords {
            let (from, to) = (from.index(count), to.index(count));
            if from != to
                && draft.neighbours[from]
                    .iter()
                    .all(|(neighbour, _)| *neighbour != to)
            {
                draft.join(from, to);
            }
        }
        draft
    }

    fn join(&mut self, from: usize, to: usize) {
        let link = self.duplex(from, to);
        self.neighbours[from].push((to, link));
        self.neighbours[to].push((from, link + 1));
    }

    fn duplex(&mut self, from: usize, to: usize) -> usize {
        let pair = self.graph.links.len() / 2;
        let Lines { rates, delays, .. } = self.lines;
        self.graph.duplex(
            from,
            to,
            rates[pair % rates.len()],
            delays[pair % delays.len()],
        )
    }

    /// A host at `switch` and the link from the switch to it.
    fn host(&mut self, switch: usize, draft: HostDraft) -> (usize, usize) {
        match draft {
            HostDraft::Own => self.new_host(switch),
            HostDraft::OfSwitch => {
                let found = self.of_switch[switch].unwrap_or_else(|| self.new_host(switch));
                *self.of_switch[switch].insert(found)
            }
            HostDraft::Hub => {
                let hub = self.hub.unwrap_or_else(|| self.graph.host("hub"));
                self.hub = Some(hub);
                let link = self.to_hub[switch].unwrap_or_else(|| self.duplex(switch, hub));
                (hub, *self.to_hub[switch].insert(link))
            }
        }
    }

    fn new_host(&mut self, switch: usize) -> (usize, usize) {
        let host = self.graph.host(&format!("h{}", self.graph.nodes.len()));
        (host, self.duplex(switch, host))
    }

    fn walk(&self, flow: &FlowDraft) -> (Vec<usize>, Vec<usize>) {
        let mut visited = vec![flow.first_switch.index(self.neighbours.len())];
        let mut links = Vec::new();
        for step in &flow.steps {
            let open: Vec<_> = self.neighbours[visited[visited.len() - 1]]
                .iter()
                .filter(|(to, _)| !visited.contains(to))
                .collect();
            if open.is_empty() {
                break;
            }
            let (to, link) = *open[step.index(open.len())];
            visited.push(to);
            links.push(link);
        }
        (visited, links)
    }

    /// The shortest route between two switches, by number of links.
    fn shortest(&self, from: usize, to: usize) -> Vec<usize> {
        let mut ways = vec![(from, Vec::new())];
        let mut next = 0;
        while next < ways.len() {
            let (at, links) = ways[next].clone();
            if at == to {
                return links;
            }
            for (neighbour, link) in &self.neighbours[at] {
                if ways.iter().all(|(seen, _)| seen != neighbour) {
                    ways.push((*neighbour, [&links[..], &[*link]].concat()));
                }
            }
            next += 1;
        }
        unreachable!("all switches hang together")
    }

    pub fn place(&mut self, number: usize, flow: &FlowDraft) -> FlowPlan {
        let (visited, between) = self.walk(flow);
        let (first, last) = (visited[0], visited[visited.len() - 1]);
        let (source, to_source) = self.host(first, flow.hosts.0);
        let found = self.host(last, flow.hosts.1);
        // A flow leads from one host to another.
        let (_, to_destination) = if found.0 == source {
            self.new_host(last)
        } else {
            found
        };
        let forward = [&[to_source ^ 1], &between[..], &[to_destination]].concat();
        let backward = match flow.way_back {
            WayBack::Same => back(&forward),
            WayBack::Shortest => [
                &[to_destination ^ 1],
                &self.shortest(last, first)[..],
                &[to_source],
            ]
            .concat(),
            WayBack::None => Vec::new(),
        };
        let abr = flow.service == ServiceClass::Abr || flow.ack_service == ServiceClass::Abr;
        let backward = if abr || (flow.source.over_tcp() && backward.is_empty()) {
            back(&forward)
        } else {
            backward
        };
        let NodeKind::Switch(settings) = &self.graph.nodes[first].kind else {
            unreachable!("a flow enters at a switch");
        };
        let follows =
            flow.service == ServiceClass::Abr && flow.abr.follows_tm4() && settings.vsvd.is_none();
        let policer = flow.policer.clone().filter(|_| forward.len() > 1);
        let may_be_gfr =
            forward.len() > 1 && flow.service == ServiceClass::Ubr && flow.source.over_tcp();
        let policer = policer.map(|policer| PolicerConfig {
            dynamic: policer.dynamic.clone().filter(|_| follows),
            ..policer
        });
        FlowPlan {
            sends: true,
            name: format!("f{number}"),
            group: "f".into(),
            index: number as u32 + 1,
            service: flow.service,
            ack_service: flow.ack_service,
            forward,
            backward,
            weight: flow.weight,
            start: flow.start,
            gfr: flow.gfr.clone().filter(|_| may_be_gfr && policer.is_none()),
            policer,
            shaper: flow.shaper.clone().filter(|_| !abr),
            port_shaper: flow.port_shaper.clone().filter(|_| !abr),
            source: flow.source.clone(),
            tcp: flow.tcp.clone(),
            abr: flow.abr.clone(),
            encapsulation: flow.encapsulation,
            source_queue: flow.source_queue,
            source_queue_refuses: flow.source_queue_refuses,
            branch: None,
        }
    }
}
