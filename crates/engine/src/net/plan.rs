//! The plan of a link, whatever units it carries.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::kernel::{Ps, Rate};

/// A directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPlan {
    /// Unique name, for instance `A->B`.
    pub name: String,
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Line rate of the link.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Ps,
}

/// For each link the index of its opposite; of several parallel links the one with the same number.
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
        });
        assert_eq!(
            opposites(&links),
            [Some(2), Some(4), Some(0), None, Some(1), None]
        );
    }
}
