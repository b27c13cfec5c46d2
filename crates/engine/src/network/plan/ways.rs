//! Links in the other direction, and the loops of control that they close.

use super::{FlowPlan, LinkPlan, NodeKind, Plan};
use crate::endsystem::VsVdConfig;
use crate::kernel::Ps;

/// The link in the other direction; of several in parallel the one with the same number.
pub fn opposite(links: &[LinkPlan], link: usize) -> Option<usize> {
    let between =
        |from: usize, to: usize| (0..links.len()).filter(move |l| links[*l].from == from && links[*l].to == to);
    let (from, to) = (links[link].from, links[link].to);
    let number = between(from, to).position(|parallel| parallel == link)?;
    between(to, from).nth(number)
}

/// Propagation and one cell time on every link of a way; at most `Ps::NEVER`.
pub fn way_time(links: &[LinkPlan], way: &[usize]) -> Ps {
    let times = way.iter().map(|link| links[*link].delay.saturating_add(links[*link].rate.cell_time_ceil()));
    times.fold(Ps::ZERO, Ps::saturating_add)
}

/// FRTT of the loop of ABR control that begins with the first link of `there`: [`way_time`] up to the first node that
/// `ends` loops, or else to the end of the way, and from there on `back` (TM 4.0 5.10.6 closes a loop at a virtual
/// destination).
pub fn loop_round_trip(links: &[LinkPlan], there: &[usize], back: &[usize], ends: impl Fn(usize) -> bool) -> Ps {
    let Some(begin) = there.first().map(|link| links[*link].from) else { return Ps::ZERO };
    let hops = there.iter().position(|link| ends(links[*link].to)).map_or(there.len(), |last| last + 1);
    let end = links[there[hops - 1]].to;
    let from = back.iter().position(|link| links[*link].from == end).unwrap_or(back.len());
    let to = back.iter().position(|link| links[*link].to == begin).map_or(from, |last| last + 1);
    way_time(links, &there[..hops]).saturating_add(way_time(links, back.get(from..to).unwrap_or_default()))
}

impl Plan {
    /// How a node ends loops of ABR control and begins new ones, if it does.
    pub fn vsvd(&self, node: usize) -> Option<&VsVdConfig> {
        match &self.nodes[node].kind {
            NodeKind::Switch(switch) => switch.vsvd.as_ref(),
            NodeKind::Host => None,
        }
    }

    /// The loops of ABR control along the forward channel of `flow`: the link with which each begins, and its FRTT.
    pub fn loops<'a>(&'a self, flow: &'a FlowPlan) -> impl Iterator<Item = (usize, Ps)> + 'a {
        let begins = |hop: &usize| *hop == 0 || self.vsvd(self.links[flow.forward[*hop]].from).is_some();
        (0..flow.forward.len()).filter(begins).map(|hop| {
            let ends = |node: usize| self.vsvd(node).is_some();
            (flow.forward[hop], loop_round_trip(&self.links, &flow.forward[hop..], &flow.backward, ends))
        })
    }
}
