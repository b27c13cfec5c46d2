//! Random streams. Each stream belongs to one component and one purpose. So adding a component does not change
//! the random numbers of other components, and control schemes can be compared under common random numbers.

use rand_core::Rng;
use rand_pcg::Pcg64Dxsm;

use super::digest::Digest;
use super::time::Ps;

/// A stream of random numbers that is the same on every platform.
#[derive(Clone, Debug)]
pub struct Stream(Pcg64Dxsm);

impl Stream {
    /// The random stream of `component` for `purpose` in a run with `seed`.
    pub fn new(seed: u64, component: &str, purpose: &str) -> Stream {
        let hash = |salt: u64| {
            let mut digest = Digest::default();
            digest.add(salt);
            digest.add_bytes(component.as_bytes());
            digest.add_bytes(purpose.as_bytes());
            digest.value()
        };
        let state = (seed as u128) << 64 | hash(1) as u128;
        let increment = (hash(2) as u128) << 64 | hash(3) as u128;
        Stream(Pcg64Dxsm::new(state, increment))
    }
    /// A new stream for a part of a component, seeded by numbers of this stream.
    pub fn branch(&mut self) -> Stream {
        let mut wide = || (self.0.next_u64() as u128) << 64 | self.0.next_u64() as u128;
        let (state, increment) = (wide(), wide());
        Stream(Pcg64Dxsm::new(state, increment))
    }
    /// A random number, uniform in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
    /// A random time, uniform in [0, `span`); zero if `span` is zero.
    pub fn below(&mut self, span: Ps) -> Ps {
        Ps(((self.0.next_u64() as u128 * span.0 as u128) >> 64) as u64)
    }
    /// An exponentially distributed number with the given mean, in the unit of `mean`.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.uniform())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_apart_and_repeat() {
        let first =
            |seed, component, purpose| Stream::new(seed, component, purpose).uniform().to_bits();
        let base = first(1, "a", "x");
        assert_eq!(base, first(1, "a", "x"));
        for other in [first(2, "a", "x"), first(1, "b", "x"), first(1, "a", "y")] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn branches_are_apart() {
        let mut stream = Stream::new(1, "a", "x");
        let (mut one, mut two) = (stream.branch(), stream.branch());
        let bits = |stream: &mut Stream| stream.uniform().to_bits();
        let first = [bits(&mut stream), bits(&mut one), bits(&mut two)];
        assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
        let twin = Stream::new(1, "a", "x").branch().uniform().to_bits();
        assert_eq!(twin, first[1]);
    }

    #[test]
    fn the_exponential_has_its_mean() {
        let mut stream = Stream::new(1, "test", "exponential");
        let draws = 100_000;
        let mean = (0..draws).map(|_| stream.exponential(2.0)).sum::<f64>() / draws as f64;
        // The standard error is 2/sqrt(1e5) = 0.0063; the tolerance is five standard errors.
        assert!((mean - 2.0).abs() < 0.032, "{mean}");
    }

    #[test]
    fn known_bits_hold_on_every_platform() {
        let mut stream = Stream::new(42, "component", "purpose");
        insta::assert_debug_snapshot!((
            stream.uniform().to_bits(),
            stream.exponential(1.0).to_bits(),
            stream.below(Ps(1_000))
        ));
    }
}
