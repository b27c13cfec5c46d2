//! Sizes of the objects of Web pages.

use crate::kernel::Stream;

/// A distribution of the sizes of objects, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ObjectSizes {
    /// The mix of the SPECweb96 benchmark (its workload description, tables 1 and 2): four classes
    /// of nine files each. Within a class, accesses are Poisson distributed about the middle file.
    SpecWeb96,
    /// A Pareto distribution, cut off at `largest`.
    Pareto {
        /// Exponent `a` of the distribution: P(size > x) falls as x^-a.
        shape: f64,
        /// Smallest size in bytes.
        smallest: u64,
        /// Largest size in bytes.
        largest: u64,
    },
}

/// Classes of SPECweb96: the cumulative share of accesses up to each class, and the size of its
/// smallest file in bytes.
const CLASSES: [(f64, f64); 4] = [
    (0.35, 102.4),
    (0.85, 1_024.0),
    (0.99, 10_240.0),
    (1.0, 102_400.0),
];
/// Cumulative probabilities P(at most n), n = 1 to 9, of a Poisson variable of mean 5 restricted to
/// 1 to 9: the number of the file within its class.
const FILES: [f64; 9] = cumulative();

const fn cumulative() -> [f64; 9] {
    let (mut weights, mut weight, mut sum, mut n) = ([0.0; 9], 1.0, 0.0, 0);
    while n < 9 {
        weight *= 5.0 / (n as f64 + 1.0);
        sum += weight;
        weights[n] = sum;
        n += 1;
    }
    n = 0;
    while n < 9 {
        weights[n] /= sum;
        n += 1;
    }
    weights
}

impl ObjectSizes {
    /// Size of the next object in bytes, at least one.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match *self {
            ObjectSizes::SpecWeb96 => {
                let class = stream.uniform();
                let unit = CLASSES
                    .iter()
                    .find(|(share, _)| class < *share)
                    .map_or(102_400.0, |(_, unit)| *unit);
                let file = stream.uniform();
                let number = FILES.iter().position(|share| file < *share).unwrap_or(8) + 1;
                libm::round(unit * number as f64) as u64
            }
            ObjectSizes::Pareto {
                shape,
                smallest,
                largest,
            } => {
                // The inverse of the distribution function, which is cut off at `largest`.
                let tail = libm::pow(smallest as f64 / largest as f64, shape);
                let share = 1.0 - stream.uniform() * (1.0 - tail);
                let size = smallest as f64 / libm::pow(share, 1.0 / shape);
                (libm::ceil(size) as u64).clamp(smallest, largest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn draws(sizes: ObjectSizes, count: usize) -> Vec<u64> {
        let mut stream = Stream::new(1, "test", "sizes");
        (0..count).map(|_| sizes.draw(&mut stream)).collect()
    }

    fn share(sizes: &[u64], from: u64, to: u64) -> f64 {
        sizes
            .iter()
            .filter(|size| (from..to).contains(*size))
            .count() as f64
            / sizes.len() as f64
    }

    #[test]
    fn specweb96_has_its_classes() {
        let sizes = draws(ObjectSizes::SpecWeb96, 100_000);
        let classes = [
            (1, 1_000, 0.35),
            (1_000, 10_000, 0.5),
            (10_000, 100_000, 0.14),
            (100_000, 1_000_000, 0.01),
        ];
        for (from, to, expected) in classes {
            assert!(
                (share(&sizes, from, to) - expected).abs() < 0.008,
                "{from} to {to}"
            );
        }
        // 5^5 / 5! divided by the sum of 5^n / n! for n = 1 to 9: 26.04 of 142.7 of the accesses
        // are in the middle of a class.
        assert!((share(&sizes, 5_120, 5_121) / 0.5 - 0.1825).abs() < 0.01);
        let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
        // 3,005.4 bytes times the mean number of a file, 4.846; the standard error is 0.5 %.
        assert!((mean / 14_566.0 - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn pareto_falls_by_its_shape_between_its_bounds() {
        let sizes = draws(
            ObjectSizes::Pareto {
                shape: 1.2,
                smallest: 1_000,
                largest: 1_000_000,
            },
            100_000,
        );
        assert!(sizes.iter().all(|size| (1_000..=1_000_000).contains(size)));
        let tail = 1_000f64.powf(-1.2);
        for above in [2_000u64, 10_000, 100_000] {
            let expected = ((above as f64 / 1_000.0).powf(-1.2) - tail) / (1.0 - tail);
            let found = share(&sizes, above, u64::MAX);
            assert!(
                (found - expected).abs() < 5.0 * (expected / 1e5).sqrt() + 1e-4,
                "{above}: {found} {expected}"
            );
        }
    }
}
