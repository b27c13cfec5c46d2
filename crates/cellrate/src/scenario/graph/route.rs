//! The route of a flow through an explicit graph, forward and backward.

use std::collections::HashMap;

use cellrate_engine::atm::cell::ServiceClass;

use super::Graph;
use super::explicit::{Names, node};
use super::search::{fewest_hops, leaving};
use crate::scenario::flow::Flow;
use crate::scenario::problem::{Place, Problem, Step, place};

/// Finds the paths of flows in one graph: the path that the scenario lists, or a shortest path.
pub struct Routes<'a> {
    pub(super) graph: &'a Graph,
    pub(super) names: &'a Names,
    leaving: Vec<Vec<usize>>,
    /// Index of the link from a first to a second node; the graph has at most one such link.
    between: HashMap<(usize, usize), usize>,
}

/// Links of the forward and the backward channel.
type Ways = (Vec<usize>, Vec<usize>);

/// Problem of a key that only templates use, set in a flow of an explicit graph.
fn no_template(index: usize, flow: &Flow) -> Option<Problem> {
    let delays = (
        "whose links have their own delays",
        "set `delay` of the link",
    );
    let ways = (
        "whose flows lead from host to host",
        "set `from`, `to` or `route`",
    );
    let keys = [
        ("access", flow.access.is_some(), delays),
        ("egress", flow.egress.is_some(), delays),
        ("enters", flow.enters.is_some(), ways),
        ("hops", flow.hops.is_some(), ways),
        ("reverse", flow.reverse, ways),
    ];
    let (key, _, (why, instead)) = keys.into_iter().find(|(_, is_set, _)| *is_set)?;
    let message = format!("`{key}` has no meaning in the template `graph`, {why}");
    Some(Problem::error(place!["flow", index, key], message, instead))
}

impl<'a> Routes<'a> {
    /// Finder of routes in `graph`; `names` has the index of each node by its name.
    pub fn new(graph: &'a Graph, names: &'a Names) -> Routes<'a> {
        Routes {
            graph,
            names,
            leaving: leaving(graph),
            between: graph
                .links
                .iter()
                .enumerate()
                .map(|(index, link)| ((link.from, link.to), index))
                .collect(),
        }
    }

    /// The forward and backward links of the flow number `index`.
    pub fn of(&self, index: usize, flow: &Flow) -> Result<Ways, Problem> {
        if let Some(problem) = no_template(index, flow) {
            return Err(problem);
        }
        let from = self.end(
            flow.from.as_deref(),
            flow.route.as_deref().and_then(<[_]>::first),
            index,
            "from",
        )?;
        let to = self.end(
            flow.to.as_deref(),
            flow.route.as_deref().and_then(<[_]>::last),
            index,
            "to",
        )?;
        if from == to {
            let message = format!("the flow leads from `{}` to itself", self.name(from));
            return Err(Problem::error(
                place!["flow", index, "to"],
                message,
                "name another host",
            ));
        }
        let forward = self.forward(index, flow, from, to)?;
        let backward = self.backward(index, flow, &forward, (from, to))?;
        Ok((forward, backward))
    }

    fn name(&self, node: usize) -> &str {
        &self.graph.nodes[node].name
    }

    /// The host at one end of a flow: the value of the key `from` or `to`, or, if the key is
    /// absent, the end of the flow's `route`.
    fn end(
        &self,
        named: Option<&str>,
        on_route: Option<&String>,
        flow: usize,
        key: &str,
    ) -> Result<usize, Problem> {
        let Some(name) = named.or(on_route.map(String::as_str)) else {
            let message = format!("the flow has no `{key}`");
            return Err(Problem::error(
                place!["flow", flow],
                message,
                format!("set `{key}` to a host of the graph"),
            ));
        };
        let place = if named.is_some() {
            place!["flow", flow, key]
        } else {
            place!["flow", flow, "route"]
        };
        let end = node(self.names, name, place.clone())?;
        if !self.graph.nodes[end].is_host() {
            return Err(Problem::error(
                place,
                format!("`{name}` is a switch"),
                "flows begin and end at hosts",
            ));
        }
        Ok(end)
    }

    fn forward(
        &self,
        index: usize,
        flow: &Flow,
        from: usize,
        to: usize,
    ) -> Result<Vec<usize>, Problem> {
        match &flow.route {
            Some(route) => self.listed(route, place!["flow", index, "route"], from, to),
            None => self.shortest(place!["flow", index, "to"], from, to),
        }
    }

    /// The route with the fewest hops. Such routes from one host to several never meet again once they have parted.
    pub(super) fn shortest(
        &self,
        place: Place,
        from: usize,
        to: usize,
    ) -> Result<Vec<usize>, Problem> {
        fewest_hops(self.graph, &self.leaving, from, to)
            .ok_or_else(|| self.unreachable(place, from, to))
    }

    fn backward(
        &self,
        index: usize,
        flow: &Flow,
        forward: &[usize],
        (from, to): (usize, usize),
    ) -> Result<Vec<usize>, Problem> {
        let place = place!["flow", index, "return_route"];
        if let Some(route) = &flow.return_route {
            let back = self.listed(route, place.clone(), to, from)?;
            if flow.service == ServiceClass::Abr && self.opposite(forward).as_ref() != Some(&back) {
                return Err(self.other_way(place, forward));
            }
            return Ok(back);
        }
        if !flow.needs_backward() {
            return Ok(Vec::new());
        }
        if let Some(back) = self.opposite(forward) {
            return Ok(back);
        }
        if flow.service == ServiceClass::Abr {
            return Err(self.other_way(place!["flow", index], forward));
        }
        fewest_hops(self.graph, &self.leaving, to, from)
            .ok_or_else(|| self.unreachable(place!["flow", index], to, from))
    }

    /// The links that lead back along `links`; `None` if a link has no opposite.
    pub(super) fn opposite(&self, links: &[usize]) -> Option<Vec<usize>> {
        let back = links.iter().rev().map(|link| {
            let link = &self.graph.links[*link];
            self.link(link.to, link.from)
        });
        back.collect()
    }

    fn link(&self, from: usize, to: usize) -> Option<usize> {
        self.between.get(&(from, to)).copied()
    }

    /// The links of the route through the listed nodes.
    fn listed(
        &self,
        route: &[String],
        place: Place,
        from: usize,
        to: usize,
    ) -> Result<Vec<usize>, Problem> {
        let nodes = self.nodes(route, &place)?;
        for (end, expected, found) in [("begins", from, nodes.first()), ("ends", to, nodes.last())]
        {
            if found != Some(&expected) {
                let found = found.map_or("nowhere", |node| self.name(*node));
                let message = format!(
                    "the route {end} at `{found}`, not at `{}`",
                    self.name(expected)
                );
                return Err(Problem::error(
                    place,
                    message,
                    "a route lists all nodes of the path, from the source to the destination",
                ));
            }
        }
        let hop = |(i, pair): (usize, &[usize])| {
            self.link(pair[0], pair[1]).ok_or_else(|| {
                let message = format!(
                    "no link leads from `{}` to `{}`",
                    self.name(pair[0]),
                    self.name(pair[1])
                );
                Problem::error(at(&place, i + 1), message, "a route follows links")
            })
        };
        nodes.windows(2).enumerate().map(hop).collect()
    }

    /// The nodes of a route: each must exist, none may occur twice, and hosts may be only at the
    /// ends.
    fn nodes(&self, route: &[String], place: &Place) -> Result<Vec<usize>, Problem> {
        let mut nodes: Vec<usize> = Vec::with_capacity(route.len());
        for (i, name) in route.iter().enumerate() {
            let found = node(self.names, name, at(place, i))?;
            if nodes.contains(&found) {
                let message = format!("the route visits `{name}` twice");
                return Err(Problem::error(
                    at(place, i),
                    message,
                    "allowed: each node at most once",
                ));
            }
            if self.graph.nodes[found].is_host() && i > 0 && i + 1 < route.len() {
                let message = format!("the route crosses the host `{name}`");
                return Err(Problem::error(
                    at(place, i),
                    message,
                    "only switches forward cells",
                ));
            }
            nodes.push(found);
        }
        Ok(nodes)
    }

    fn unreachable(&self, place: Place, from: usize, to: usize) -> Problem {
        let message = format!(
            "`{}` cannot be reached from `{}`",
            self.name(to),
            self.name(from)
        );
        Problem::error(
            place,
            message,
            "add links through switches; a host does not forward",
        )
    }

    pub(super) fn other_way(&self, place: Place, forward: &[usize]) -> Problem {
        let ends = |link: &usize| (self.graph.links[*link].to, self.graph.links[*link].from);
        let missing = forward
            .iter()
            .rev()
            .map(ends)
            .find(|(from, to)| self.link(*from, *to).is_none());
        let help = match missing {
            Some((from, to)) => format!(
                "no link leads back from `{}` to `{}`",
                self.name(from),
                self.name(to)
            ),
            None => format!("the way back is {}", self.way_back(forward)),
        };
        let help = format!(
            "{help}: backward RM cells must cross the switches that the forward RM cells crossed"
        );
        Problem::error(
            place,
            "an ABR flow must return over the nodes of its way out, but returns over others",
            help,
        )
    }

    /// Names of the nodes of `forward` in reverse order.
    fn way_back(&self, forward: &[usize]) -> String {
        let ends = forward.iter().rev().map(|link| self.graph.links[*link].to);
        let begin = forward.first().map(|link| self.graph.links[*link].from);
        ends.chain(begin)
            .map(|node| self.name(node))
            .collect::<Vec<_>>()
            .join(" -> ")
    }
}

fn at(place: &Place, index: usize) -> Place {
    let mut place = place.clone();
    place.push(Step::Index(index));
    place
}
