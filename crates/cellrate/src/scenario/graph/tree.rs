//! The tree of a flow to several hosts: the route to each host, and the branch of each.

use cellrate_engine::atm::plan::BranchPlan;

use super::explicit::node;
use super::route::Routes;
use crate::scenario::flow::Flow;
use crate::scenario::multipoint::Multipoint;
use crate::scenario::problem::{Problem, place};

/// The way to one leaf of a flow. A flow to one host has one leaf.
pub struct Leaf {
    /// Links of the forward channel; for a leaf in `also_to`, only those behind its branch point.
    pub forward: Vec<usize>,
    /// Links of the backward channel; for a leaf in `also_to`, only those up to its branch point.
    pub backward: Vec<usize>,
    /// Branch of a leaf in `also_to`. `of` is the number of an earlier leaf of this flow.
    pub branch: Option<BranchPlan>,
}

impl Routes<'_> {
    /// The leaves of the flow number `index`, in the order of their names in the scenario.
    pub fn leaves(&self, index: usize, flow: &Flow) -> Result<Vec<Leaf>, Problem> {
        let (forward, backward) = self.of(index, flow)?;
        let mut whole = vec![forward.clone()];
        let mut leaves = vec![Leaf {
            forward,
            backward,
            branch: None,
        }];
        let Some(multipoint) = &flow.multipoint else {
            return Ok(leaves);
        };
        for number in 0..multipoint.also_to.len() {
            let way = self.way_to(index, multipoint, number, &whole)?;
            leaves.push(self.leaf(index, multipoint, &way, &whole)?);
            whole.push(way);
        }
        Ok(leaves)
    }

    /// The route to the host `number` of `also_to`. `before` are the routes to the earlier leaves.
    fn way_to(
        &self,
        index: usize,
        multipoint: &Multipoint,
        number: usize,
        before: &[Vec<usize>],
    ) -> Result<Vec<usize>, Problem> {
        let place = place!["flow", index, "multipoint", "also_to", number];
        let name = &multipoint.also_to[number];
        let links = &self.graph.links;
        let to = node(self.names, name, place.clone())?;
        let from = links[before[0][0]].from;
        let is_known = |way: &Vec<usize>| way.last().is_some_and(|link| links[*link].to == to);
        if !self.graph.nodes[to].is_host() {
            let message = format!("`{name}` is a switch");
            Err(Problem::error(
                place,
                message,
                "flows begin and end at hosts",
            ))
        } else if to == from || before.iter().any(is_known) {
            let message = format!("the flow already has an end at `{name}`");
            Err(Problem::error(place, message, "name another host"))
        } else {
            self.shortest(place, from, to)
        }
    }

    /// The branch over which the route `way` leaves the routes `before` to the earlier leaves.
    fn leaf(
        &self,
        index: usize,
        multipoint: &Multipoint,
        way: &[usize],
        before: &[Vec<usize>],
    ) -> Result<Leaf, Problem> {
        let shared = |other: &Vec<usize>| {
            let pairs = way.iter().zip(other);
            pairs.take_while(|(one, other)| one == other).count()
        };
        let most = before.iter().map(shared).max().unwrap_or(0);
        if most == 0 {
            let message =
                "the routes of the flow part at its source, but only a switch copies cells";
            let help = "join the source to one switch only";
            return Err(Problem::error(place!["flow", index, "from"], message, help));
        }
        // The first of these leaves has its own branch before this one.
        let of = before.iter().position(|other| shared(other) == most);
        let forward = way[most..].to_vec();
        let backward = self
            .opposite(&forward)
            .ok_or_else(|| self.other_way(place!["flow", index], &forward))?;
        let branch = BranchPlan {
            of: of.unwrap_or(0),
            consolidation: multipoint.consolidation,
        };
        Ok(Leaf {
            forward,
            backward,
            branch: Some(branch),
        })
    }
}
