//! The plan of a link, which is the same for links of cells and of frames.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::bit_errors::BitErrorConfig;
use crate::kernel::{Ps, Rate};

/// A directed link between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPlan {
    /// Unique name, for instance `A->B`.
    pub name: String,
    /// Index of the sending node.
    pub from: usize,
    /// Index of the receiving node.
    pub to: usize,
    /// Line rate of the link.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Ps,
    /// Bit errors of the link; `None` if the link has the bit errors of the whole network, if any.
    pub errors: Option<BitErrorConfig>,
}

/// For each link, the index of the link in the opposite direction. Of several parallel links, the first one is
/// opposite to the first one, the second to the second. `None` if no link leads in the opposite direction.
pub fn opposites(links: &[LinkPlan]) -> Vec<Option<usize>> {
    let mut between: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        between.entry((link.from, link.to)).or_default().push(index);
    }
    let opposite = |(index, link): (usize, &LinkPlan)| {
        let number = between[&(link.from, link.to)].binary_search(&index).ok()?;
        between.get(&(link.to, link.from))?.get(number).copied()
    };
    links.iter().enumerate().map(opposite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_parallel_links_each_has_its_own_opposite() {
        let ends = [(0, 1), (0, 1), (1, 0), (1, 2), (1, 0), (0, 1)];
        let links = ends.map(|(from, to)| LinkPlan {
            name: "".into(),
            from,
            to,
            rate: Rate::from_bps(1),
            delay: Ps::ZERO,
            errors: None,
        });
        assert_eq!(
            opposites(&links),
            [Some(2), Some(4), Some(0), None, Some(1), None]
        );
    }
}
