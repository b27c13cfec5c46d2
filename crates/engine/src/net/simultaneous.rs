//! The order of units that arrive at a node at one instant.

use alloc::vec::Vec;

use crate::kernel::{Ps, Stream};

/// The random order of the links of a node, drawn anew at each instant.
#[derive(Clone)]
pub struct Order {
    /// Keys that differ between the links of a node, and between seeds.
    keys: Vec<u64>,
}

impl Order {
    /// The random order of the links with the names `links`, which end at one node, from the streams of
    /// `purpose` in a run with `seed`; `None` for a single link.
    pub fn drawn<'a>(
        seed: u64,
        purpose: &str,
        links: impl ExactSizeIterator<Item = &'a str>,
    ) -> Option<Order> {
        let key = |link: &str| Stream::new(seed, link, purpose).below(Ps::NEVER).0;
        (links.len() > 1).then(|| Order {
            keys: links.map(key).collect(),
        })
    }
    /// Rank of an input at the instant `at`; the lowest goes first. Two equal values of 2^64 are
    /// practically impossible; the number of the input then decides.
    #[inline]
    pub fn rank(&self, at: Ps, input: usize) -> (u64, usize) {
        // SplitMix64 (Steele, Lea and Flood 2014): a step for each picosecond, then its output
        // function, in which a change of any bit changes every other one with probability 1/2.
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
            Stream::new(1, link, "simultaneous units")
                .below(Ps::NEVER)
                .0
        };
        let order = Order {
            keys: ["a", "b", "c"].map(stream).to_vec(),
        };
        let mut places = [[0u32; 3]; 3];
        // Instants a cell time of 155.52 Mbit/s apart, as for sources in step.
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
