//! A periodic clock, whose ticks are computed when needed and cause no events.

use crate::kernel::Ps;

/// A clock that ticks at `phase + k * granularity`, k = 0, 1, 2, ...
#[derive(Clone, Copy, Debug)]
pub struct Ticks {
    granularity: u64,
    phase: u64,
}

impl Ticks {
    /// A clock that ticks every `granularity`, which must be above zero. `phase` is taken modulo
    /// `granularity`.
    pub fn new(granularity: Ps, phase: Ps) -> Ticks {
        Ticks {
            granularity: granularity.0,
            phase: phase.0 % granularity.0,
        }
    }
    /// Number of ticks at or before `now`.
    #[inline]
    pub fn count(&self, now: Ps) -> u64 {
        if now.0 < self.phase {
            0
        } else {
            (now.0 - self.phase) / self.granularity + 1
        }
    }
    /// Time of the `k`-th tick after `now`, `k >= 1`: a counter that is set to `k` at `now` reaches zero at this
    /// time. The time lies `k - 1` to `k` granularities after `now`.
    #[inline]
    pub fn after(&self, now: Ps, k: u64) -> Ps {
        let boundary = self.count(now).saturating_add(k - 1);
        Ps(self
            .phase
            .saturating_add(boundary.saturating_mul(self.granularity)))
    }
    /// Duration of `ticks` ticks.
    pub fn span(&self, ticks: u64) -> Ps {
        Ps(ticks.saturating_mul(self.granularity))
    }
    /// Least number of ticks that last at least `span`; at least one.
    pub fn covering(&self, span: Ps) -> u64 {
        span.0.div_ceil(self.granularity).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kth_boundary_lies_between_k_minus_1_and_k_granularities_ahead() {
        let ticks = Ticks::new(Ps(100), Ps(30));
        // Ticks at 30, 130, 230, ...
        assert_eq!(ticks.after(Ps(0), 1), Ps(30));
        assert_eq!(ticks.after(Ps(29), 2), Ps(130));
        // A tick at `now` is not counted.
        assert_eq!(ticks.after(Ps(30), 1), Ps(130));
        assert_eq!(ticks.after(Ps(229), 3), Ps(430));
        assert_eq!(
            [
                ticks.count(Ps(29)),
                ticks.count(Ps(30)),
                ticks.count(Ps(229))
            ],
            [0, 1, 2]
        );
    }

    #[test]
    fn a_span_is_covered_by_whole_ticks_and_never_by_none() {
        let ticks = Ticks::new(Ps(100), Ps(0));
        assert_eq!(
            [0, 1, 100, 101].map(|span| ticks.covering(Ps(span))),
            [1, 1, 1, 2]
        );
    }

    #[test]
    fn a_boundary_beyond_the_clock_is_never() {
        assert_eq!(Ticks::new(Ps(100), Ps(0)).after(Ps(1), u64::MAX), Ps::NEVER);
    }
}
