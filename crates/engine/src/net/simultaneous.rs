//! The order of units that arrive at a node at the same picosecond.

use alloc::vec::Vec;

use crate::kernel::{Ps, Stream};

/// A random order of the incoming links of a node, drawn anew for each picosecond.
#[derive(Clone)]
pub struct Order {
    /// For each incoming link a key of 64 bits, which depends on the link's name and the seed.
    keys: Vec<u64>,
}

impl Order {
    /// The random order of the links named `links`, which end at one node. The keys come from the
    /// random streams of `purpose` and `seed`. `None` if the node has a single link.
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
    /// Sort key of the link `input` at the instant `at`. The link with the lowest key comes first. If the 64-bit
    /// values of two links are equal, which is very rare, the link with the lower index `input` comes first.
    #[inline]
    pub fn rank(&self, at: Ps, input: usize) -> (u64, usize) {
        // SplitMix64 (Steele, Lea and Flood 2014): one step per picosecond, then the output
        // function. A change of any input bit changes each output bit with probability 1/2.
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
        // Instants one cell time of 155.52 Mbit/s apart, as from synchronised sources.
        for cell in 0..60_000u64 {
            let at = Ps(cell * 2_726_337);
            let mut inputs = [0, 1, 2];
            inputs.sort_by_key(|input| order.rank(at, *input));
            inputs
                .iter()
                .enumerate()
                .for_each(|(place, input)| places[*input][place] += 1);
        }
        // Binomial distribution: mean 20,000, standard deviation 115. The tolerance is five standard deviations.
        assert!(
            places
                .iter()
                .flatten()
                .all(|count| count.abs_diff(20_000) < 577),
            "{places:?}"
        );
    }
}
