//! The pairs of hosts between which the flows of a group run.

use cellrate_engine::kernel::{Ps, Stream};

use super::{Graph, MOST_FLOWS};
use crate::ethernet::flow::Pattern;
use crate::ethernet::topology::Topology;
use crate::ethernet::types::Scenario;
use crate::scenario::problem::{Place, Problem, place};
use crate::scenario::suggest::{listed, nearest};

type Pairs = Vec<(usize, usize)>;

/// Adds a host at each side for every flow of a group, in a template with a bottleneck. Returns the
/// pairs of hosts.
pub fn of_template(graph: &mut Graph, scenario: &Scenario, group: usize) -> Result<Pairs, Problem> {
    let flow = &scenario.flows[group];
    let given = [
        ("from", flow.from.is_some()),
        ("to", flow.to.is_some()),
        ("pattern", flow.pattern.is_some()),
    ];
    if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
        let message = format!(
            "`{key}` has no meaning in this template, which makes the hosts of each flow itself"
        );
        return Err(Problem::error(
            place!["flow", group, key],
            message,
            "remove the key",
        ));
    }
    let pairs = (1..=flow.count).map(|index| {
        let name = flow.instance(index);
        let source = graph.add_node(format!("src.{name}"), true);
        match &scenario.topology {
            Topology::NSource(template) => {
                let destination = graph.add_node(format!("dst.{name}"), true);
                graph.add_duplex(source, 0, template.link_rate, template.access.0);
                graph.add_duplex(1, destination, template.link_rate, template.egress.0);
                (source, destination)
            }
            Topology::SingleSwitch(template) => {
                graph.add_duplex(source, 0, template.link_rate, template.access.0);
                (source, 1)
            }
            Topology::LeafSpine(_) | Topology::FatTree(_) | Topology::Graph(_) => {
                unreachable!("their hosts have names")
            }
        }
    });
    Ok(pairs.collect())
}

/// The pairs of a group in a topology with named hosts.
pub fn of_names(graph: &Graph, scenario: &Scenario, group: usize) -> Result<Pairs, Problem> {
    let flow = &scenario.flows[group];
    let Some(pattern) = &flow.pattern else {
        let end = |name: &Option<String>, key: &'static str| match name {
            Some(name) => host(graph, name, place!["flow", group, key]),
            None => {
                let message = format!("the flow has no `{key}`");
                let help =
                    "set `from` and `to`, two hosts, or `pattern`, which chooses pairs of hosts";
                Err(Problem::error(place!["flow", group], message, help))
            }
        };
        let (from, to) = (end(&flow.from, "from")?, end(&flow.to, "to")?);
        if from == to {
            let message = format!("the flow leads from `{}` to itself", graph.nodes[from].name);
            return Err(Problem::error(
                place!["flow", group, "to"],
                message,
                "name another host",
            ));
        }
        return Ok(vec![(from, to); flow.count as usize]);
    };
    if let Some(key) = [("from", &flow.from), ("to", &flow.to)]
        .into_iter()
        .find(|(_, v)| v.is_some())
    {
        let message = format!(
            "`pattern` chooses the hosts of its flows, so `{}` has no meaning",
            key.0
        );
        return Err(Problem::error(
            place!["flow", group, key.0],
            message,
            "remove the key or the pattern",
        ));
    }
    let hosts: Vec<usize> = (0..graph.nodes.len())
        .filter(|node| graph.nodes[*node].is_host)
        .collect();
    let mut stream = Stream::new(scenario.run.seed, &flow.name, "pattern");
    let pairs = match pattern {
        Pattern::Incast { senders, to } => {
            let place = place!["flow", group, "pattern"];
            let to = host(graph, to, place.clone())?;
            let mut others: Vec<usize> = hosts.into_iter().filter(|host| *host != to).collect();
            let senders = *senders as usize;
            if senders > others.len() {
                let message = format!(
                    "the incast has {senders} senders, but the network has only {} other hosts",
                    others.len()
                );
                return Err(Problem::error(
                    place,
                    message,
                    format!("allowed: at most {}", others.len()),
                ));
            }
            shuffle(&mut others, &mut stream);
            others
                .into_iter()
                .take(senders)
                .map(|from| (from, to))
                .collect()
        }
        Pattern::Random(_)
        | Pattern::RingAllReduce(_)
        | Pattern::TreeAllReduce(_)
        | Pattern::ExpertAllToAll(_)
        | Pattern::Steps(_) => unreachable!("their flows are made with their times"),
        Pattern::Permutation => permutation(&hosts, &mut stream),
        Pattern::AllToAll if hosts.len() * hosts.len() > MOST_FLOWS => {
            let message = format!(
                "the pattern `all-to-all` of {} hosts makes too many flows",
                hosts.len()
            );
            let place = place!["flow", group, "pattern"];
            return Err(Problem::error(
                place,
                message,
                format!("allowed: at most {MOST_FLOWS} flows"),
            ));
        }
        Pattern::AllToAll => {
            let to = |from: usize| {
                let others = hosts.iter().filter(move |to| **to != from);
                others.map(move |to| (from, *to))
            };
            hosts.iter().flat_map(|from| to(*from)).collect()
        }
    };
    if pairs.len() * flow.count as usize > MOST_FLOWS {
        let message = format!(
            "the pattern has {} pairs, each with {} flows",
            pairs.len(),
            flow.count
        );
        return Err(Problem::error(
            place!["flow", group, "pattern"],
            message,
            format!("allowed: at most {MOST_FLOWS} flows"),
        ));
    }
    Ok(pairs)
}

/// A random permutation of the hosts as one cycle, so that no host sends to itself.
fn permutation(hosts: &[usize], stream: &mut Stream) -> Pairs {
    let mut order = hosts.to_vec();
    shuffle(&mut order, stream);
    let next = order.iter().cycle().skip(1);
    let mut pairs: Pairs = order.iter().copied().zip(next.copied()).collect();
    pairs.retain(|(from, to)| from != to);
    pairs.sort_unstable();
    pairs
}

/// Shuffles `values` by the algorithm of Fisher and Yates.
fn shuffle(values: &mut [usize], stream: &mut Stream) {
    for last in (1..values.len()).rev() {
        values.swap(last, stream.below(Ps(last as u64 + 1)).0 as usize);
    }
}

/// The index of the host named `name`.
pub(super) fn host(graph: &Graph, name: &str, place: Place) -> Result<usize, Problem> {
    let found = graph.nodes.iter().position(|node| node.name == name);
    let Some(found) = found else {
        let mut known: Vec<&str> = graph
            .nodes
            .iter()
            .filter(|node| node.is_host)
            .map(|node| node.name.as_str())
            .collect();
        known.sort_unstable();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("hosts: {}", listed(&known)),
        };
        return Err(Problem::error(
            place,
            format!("there is no host `{name}`"),
            help,
        ));
    };
    if !graph.nodes[found].is_host {
        let message = format!("`{name}` is a switch");
        return Err(Problem::error(
            place,
            message,
            "flows begin and end at hosts",
        ));
    }
    Ok(found)
}
