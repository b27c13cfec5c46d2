//! The clocks of at most 64 components, in a plain list.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use super::time::Ps;

/// Stores one time (clock) per component, for at most [`FewClocks::MOST`] components. To set a time costs one
/// store. A search compares all times, which takes a few dozen cycles without a branch. If several times are set
/// or found per search, this is cheaper than a [`super::Tournament`] (winner tree).
#[derive(Clone)]
pub struct FewClocks {
    /// Times of the components, padded with `NEVER` to whole cache lines, so that a search needs no
    /// code for a remainder.
    times: Vec<Ps>,
}

impl FewClocks {
    /// Greatest number of components: the number of bits in a [`Few`].
    pub const MOST: usize = 64;

    /// Clocks at the given times.
    ///
    /// # Panics
    /// If there are more times than [`FewClocks::MOST`].
    pub fn new(times: impl Iterator<Item = Ps>) -> FewClocks {
        let mut times: Vec<Ps> = times.collect();
        assert!(times.len() <= Self::MOST);
        times.resize(times.len().next_multiple_of(8), Ps::NEVER);
        FewClocks { times }
    }
    /// The earliest time of all clocks; `NEVER` if no clock is set.
    #[inline]
    pub fn first(&self) -> Ps {
        let mut least = [Ps::NEVER; 4];
        for four in self.times.chunks_exact(4) {
            for (least, at) in least.iter_mut().zip(four) {
                *least = select_unpredictable(*at < *least, *at, *least);
            }
        }
        let [a, b, c, d] = least;
        a.min(b).min(c.min(d))
    }
    /// The components whose clocks show a time before `bound`, as a set.
    #[inline]
    pub fn before(&self, bound: Ps) -> Few {
        let mut bits = 0;
        for eight in self.times.rchunks_exact(8) {
            let bit = |i: usize| ((eight[i] < bound) as u64) << i;
            let [a, b, c, d] = [0, 2, 4, 6].map(|i| bit(i) | bit(i + 1));
            bits = bits << 8 | (a | b | c | d);
        }
        Few(bits)
    }
    /// Time of the clock of `component`.
    #[inline]
    pub fn get(&self, component: usize) -> Ps {
        self.times[component]
    }
    /// Sets the clock of `component` to `at`; `NEVER` for no event.
    #[inline]
    pub fn set(&mut self, component: usize, at: Ps) {
        self.times[component] = at;
    }
}

/// A set of component indices below 64, as bits; iterates in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Few(u64);

impl Iterator for Few {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let component = self.0.trailing_zeros() as usize;
        if self.0 == 0 {
            return None;
        }
        self.0 &= self.0 - 1;
        Some(component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Stream;

    #[test]
    fn finds_the_earliest_and_all_before_a_time() {
        let mut stream = Stream::new(1, "clocks", "test");
        for components in [0, 1, 3, 8, 9, 33, FewClocks::MOST] {
            let mut clocks = FewClocks::new((0..components).map(|_| Ps::NEVER));
            let mut model = alloc::vec![Ps::NEVER; components];
            for _ in 0..200 {
                for (component, modelled) in model.iter_mut().enumerate() {
                    *modelled = stream.below(Ps(40));
                    clocks.set(component, *modelled);
                    assert_eq!(clocks.get(component), *modelled);
                }
                assert_eq!(
                    clocks.first(),
                    model.iter().copied().min().unwrap_or(Ps::NEVER)
                );
                let bound = stream.below(Ps(40));
                let before = (0..components).filter(|i| model[*i] < bound);
                assert!(clocks.before(bound).eq(before));
            }
        }
    }
}
