//! Round-trip times along links, and the ABR loops of a path.

use super::{FlowPlan, LinkPlan, NodeKind, Plan};
use crate::endsystem::VsVdConfig;
use crate::kernel::Ps;

/// Propagation delay plus one cell time of a link: the least time from an event at its sending node
/// to the effect at its receiving node.
pub fn least_transit(link: &LinkPlan) -> Ps {
    link.delay + link.rate.cell_time_floor()
}

/// Sum of propagation delay and one cell time over the links with the indices `way`; at most
/// `Ps::NEVER`.
pub fn way_time(links: &[LinkPlan], way: &[usize]) -> Ps {
    let times = way.iter().map(|link| {
        links[*link]
            .delay
            .saturating_add(links[*link].rate.cell_time_ceil())
    });
    times.fold(Ps::ZERO, Ps::saturating_add)
}

/// FRTT (fixed round-trip time) of the ABR loop that begins with the first link of `there`. The loop goes to the
/// first node for which `ends` is true, or to the end of the path, and returns over `back`. FRTT is the sum of
/// [`way_time`] both ways. A virtual destination closes a loop (TM 4.0 5.10.6).
pub fn loop_round_trip(
    links: &[LinkPlan],
    there: &[usize],
    back: &[usize],
    ends: impl Fn(usize) -> bool,
) -> Ps {
    let Some(begin) = there.first().map(|link| links[*link].from) else {
        return Ps::ZERO;
    };
    let hops = there
        .iter()
        .position(|link| ends(links[*link].to))
        .map_or(there.len(), |last| last + 1);
    let end = links[there[hops - 1]].to;
    let from = back
        .iter()
        .position(|link| links[*link].from == end)
        .unwrap_or(back.len());
    let to = back
        .iter()
        .position(|link| links[*link].to == begin)
        .map_or(from, |last| last + 1);
    way_time(links, &there[..hops])
        .saturating_add(way_time(links, back.get(from..to).unwrap_or_default()))
}

impl Plan {
    /// Settings of virtual sources and destinations at `node`; `None` if the node has none.
    pub fn vsvd(&self, node: usize) -> Option<&VsVdConfig> {
        match &self.nodes[node].kind {
            NodeKind::Switch(switch) => switch.vsvd.as_ref(),
            NodeKind::Host => None,
        }
    }

    /// Sum of propagation delay and one cell time over all links of the forward and the backward
    /// channel. Without a backward channel, twice the sum over the forward channel.
    pub fn round_trip(&self, flow: &FlowPlan) -> Ps {
        let there = way_time(&self.links, &flow.forward);
        let back = if flow.backward.is_empty() {
            there
        } else {
            way_time(&self.links, &flow.backward)
        };
        there.saturating_add(back)
    }

    /// The ABR loops along the forward channel of `flow`: the index of the first link of each loop, and the
    /// loop's FRTT (fixed round-trip time).
    pub fn loops<'a>(&'a self, flow: &'a FlowPlan) -> impl Iterator<Item = (usize, Ps)> + 'a {
        let begins =
            |hop: &usize| *hop == 0 || self.vsvd(self.links[flow.forward[*hop]].from).is_some();
        (0..flow.forward.len()).filter(begins).map(|hop| {
            let ends = |node: usize| self.vsvd(node).is_some();
            (
                flow.forward[hop],
                loop_round_trip(&self.links, &flow.forward[hop..], &flow.backward, ends),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::kernel::Rate;

    /// One link between each pair of nodes, with 1 ms of delay and a cell time of 1 us.
    fn links(ends: &[(usize, usize)]) -> Vec<LinkPlan> {
        let (rate, delay) = (Rate::from_bps(424_000_000), Ps::from_us(999));
        let link = |(from, to): &(usize, usize)| LinkPlan {
            name: "".into(),
            from: *from,
            to: *to,
            rate,
            delay,
            errors: None,
        };
        ends.iter().map(link).collect()
    }

    /// A chain of nodes 0 - 1 - 2 - 3. The forward links have the lower indices.
    #[test]
    fn a_loop_goes_round_between_two_ends() {
        let links = links(&[(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)]);
        let (there, back) = ([0, 1, 2], [3, 4, 5]);
        let trip = |from: usize, end: usize| {
            loop_round_trip(&links, &there[from..], &back, |node| node == end)
        };
        assert_eq!(
            [trip(0, 9), trip(0, 2), trip(0, 1)],
            [6, 4, 2].map(Ps::from_ms)
        );
        assert_eq!(
            [trip(1, 9), trip(1, 2), trip(2, 2)],
            [4, 2, 2].map(Ps::from_ms)
        );
    }
}
