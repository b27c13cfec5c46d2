//! The largest sample of the last rounds (round trips).

/// A windowed maximum (draft-cardwell section 4.1.1.2; Kathleen Nichols' algorithm). The filter keeps three
/// samples: the best of the window, the best after that one, and the best after the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxFilter {
    /// Value and round of the three samples, the largest first.
    best: [(f64, u64); 3],
}

impl MaxFilter {
    /// Adds a sample of the round number `round`. Samples that are more than `window` rounds older are removed.
    pub fn take(&mut self, value: f64, round: u64, window: u64) {
        let sample = (value, round);
        if value >= self.best[0].0 || round - self.best[2].1 > window {
            self.best = [sample; 3];
            return;
        }
        if value >= self.best[1].0 {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if value >= self.best[2].0 {
            self.best[2] = sample;
        }
        self.age(sample, window);
    }

    fn age(&mut self, sample: (f64, u64), window: u64) {
        let passed = sample.1 - self.best[0].1;
        if passed > window {
            self.best = [self.best[1], self.best[2], sample];
            if sample.1 - self.best[0].1 > window {
                self.best = [self.best[1], self.best[2], sample];
            }
        } else if self.best[1].1 == self.best[0].1 && passed > window / 4 {
            // A quarter of the window has passed without a second-best sample.
            (self.best[1], self.best[2]) = (sample, sample);
        } else if self.best[2].1 == self.best[1].1 && passed > window / 2 {
            self.best[2] = sample;
        }
    }

    /// The largest sample; 0 before the first.
    pub fn max(&self) -> f64 {
        self.best[0].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_lasts_as_long_as_the_window() {
        let mut filter = MaxFilter::default();
        filter.take(9.0, 0, 10);
        for round in 1..=10 {
            filter.take(5.0, round, 10);
            assert_eq!(filter.max(), 9.0);
        }
        filter.take(4.0, 11, 10);
        assert_eq!(filter.max(), 5.0);
    }

    #[test]
    fn a_larger_sample_counts_at_once() {
        let mut filter = MaxFilter::default();
        for (value, round) in [(5.0, 0), (3.0, 4), (7.0, 5), (6.0, 12)] {
            filter.take(value, round, 10);
        }
        assert_eq!(filter.max(), 7.0);
        filter.take(1.0, 16, 10);
        assert_eq!(filter.max(), 6.0);
    }
}
