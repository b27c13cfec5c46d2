//! The order among cells that arrive at a node at one instant.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::kernel::{Ps, Stream};

/// Which of the cells that arrive at a node at one instant comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SimultaneousCells {
    /// That of the link which is written first. Sources in step on lines of one rate then keep their ranks for ever:
    /// the last link loses whatever overflows.
    #[default]
    AsWritten,
    /// Any of them: the order is drawn anew at each instant, by seed, link and instant alone, so that it does
    /// not depend on what else is in the network.
    Drawn,
}

/// The order in which links go at each instant.
pub struct Order {
    /// What tells the links of a node apart, and one seed from another.
    keys: Vec<u64>,
}

impl Order {
    /// The order of `links`, which end at one node; none if it is that in which they are written.
    pub fn of(plan: &Plan, links: &[u32]) -> Option<Order> {
        let key = |link: &u32| {
            Stream::new(
                plan.seed,
                &plan.links[*link as usize].name,
                "simultaneous cells",
            )
            .below(Ps::NEVER)
            .0
        };
        let is_drawn = plan.simultaneous_cells == SimultaneousCells::Drawn && links.len() > 1;
        is_drawn.then(|| Order {
            keys: links.iter().map(key).collect(),
        })
    }
    /// The input that is lowest goes first at `at`; two of 2^64 values agree about never, and then the number decides.
    #[inline]
    pub fn rank(&self, at: Ps, input: usize) -> (u64, usize) {
        // SplitMix64 (Steele, Lea and Flood 2014): a step for each picosecond, then its output function, in which a change
        // of any bit changes every other one with probability 1/2.
        let mut z = self.keys[input].wrapping_add(at.0.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31), input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_three_links_has_each_place_as_often() {
        let stream = |link| {
            Stream::new(1, link, "simultaneous cells")
                .below(Ps::NEVER)
                .0
        };
        let order = Order {
            keys: ["a", "b", "c"].map(stream).to_vec(),
        };
        let mut places = [[0u32; 3]; 3];
        // Instants a cell time of 155.52 Mbit/s apart, as sources in step have them.
        for cell in 0..60_000u64 {
            let at = Ps(cell * 2_726_337);
            let mut inputs = [0, 1, 2];
            inputs.sort_by_key(|input| order.rank(at, *input));
            inputs
                .iter()
                .enumerate()
                .for_each(|(place, input)| places[*input][place] += 1);
        }
        // Binomial, 20,000 with a deviation of 115: five of them.
        assert!(
            places
                .iter()
                .flatten()
                .all(|count| count.abs_diff(20_000) < 577),
            "{places:?}"
        );
    }
}
