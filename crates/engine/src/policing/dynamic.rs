//! The rate that an ABR source may have at a policer, for the dynamic GCRA (TM 4.0 section 4.5.4).
//!
//! A backward RM cell passes the policer on its way to the source. Cells at the rate that this RM cell allows reach the
//! policer between `tau_3` and `tau_2` later. So a rate may be in force from `tau_3` after its RM cell until `tau_2`
//! after the next one, and a cell must conform to the greatest rate that may be in force.

use alloc::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Finding, Ps};

/// Bounds of the delay, for the dynamic GCRA, from a backward RM cell at the policer to the first cell there at the rate
/// that this RM cell allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DynamicConfig {
    /// Upper bound tau_2 of the delay: a lower rate need not be kept earlier.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this delay"))]
    pub tau_2: Ps,
    /// Lower bound tau_3 of the delay: a higher rate may not be used earlier. At most `tau_2`.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this delay"))]
    pub tau_3: Ps,
}

impl DynamicConfig {
    /// Findings about delays that contradict each other.
    pub fn check(&self) -> Option<Finding> {
        let DynamicConfig { tau_2, tau_3 } = self;
        (tau_3 > tau_2).then(|| {
            let message = alloc::format!("must be at most `tau_2`, {tau_2}, but is {tau_3}");
            Finding::impossible("dynamic.tau_3", message)
        })
    }
}

/// The rates that a source may have, in units/s.
#[derive(Clone, Debug)]
pub struct AllowedRate {
    config: DynamicConfig,
    /// Rates, each with the time of its RM cell, in order. The first is the oldest that may be in force.
    rates: VecDeque<(Ps, f64)>,
    /// The greatest rate that may be in force before the time `until`.
    greatest: f64,
    until: Ps,
}

impl AllowedRate {
    /// State for a source that begins with the rate `first` in units/s.
    pub fn new(config: &DynamicConfig, first: f64) -> AllowedRate {
        AllowedRate {
            config: config.clone(),
            rates: VecDeque::from([(Ps::ZERO, first)]),
            greatest: first,
            until: Ps::NEVER,
        }
    }

    /// An RM cell that allows `rate` (units/s) passes at `now`. Calls must be in order of time.
    pub fn tell(&mut self, now: Ps, rate: f64) {
        if self.rates.back().is_some_and(|(_, last)| *last == rate) {
            return;
        }
        self.rates.push_back((now, rate));
        self.until = self.until.min(now.saturating_add(self.config.tau_3));
    }

    /// The greatest rate that may be in force at `now`, in units/s; `None` if it has not changed since the last call.
    /// Calls must be in order of time.
    #[inline]
    pub fn change(&mut self, now: Ps) -> Option<f64> {
        if now < self.until {
            return None;
        }
        self.renew(now);
        Some(self.greatest)
    }

    fn renew(&mut self, now: Ps) {
        let DynamicConfig { tau_2, tau_3 } = self.config;
        let due = |from: Ps, delay: Ps| from.saturating_add(delay);
        while self
            .rates
            .get(1)
            .is_some_and(|(next, _)| due(*next, tau_2) <= now)
        {
            self.rates.pop_front();
        }
        // The first rate is always in force: it began before the second one, which may not have begun.
        let begun =
            |(index, (from, _)): &(usize, &(Ps, f64))| *index == 0 || due(*from, tau_3) <= now;
        let in_force = self.rates.iter().enumerate().filter(begun);
        self.greatest = in_force.map(|(_, (_, rate))| *rate).fold(0.0, f64::max);
        let ends = self.rates.get(1).map(|(next, _)| due(*next, tau_2));
        let mut begins = self.rates.iter().map(|(from, _)| due(*from, tau_3));
        let begins = begins.find(|begin| *begin > now);
        self.until = ends.into_iter().chain(begins).fold(Ps::NEVER, Ps::min);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn config(tau_2: u64, tau_3: u64) -> DynamicConfig {
        DynamicConfig {
            tau_2: Ps(tau_2),
            tau_3: Ps(tau_3),
        }
    }

    /// tau_2 = 10 and tau_3 = 4. A rise from 10 to 20 at time 100 counts from 104 on. A fall to 5 at time 120 counts
    /// from 130 on. A rise to 8 at 125 begins at 129, but 8 is lower than 20, which is in force until 130.
    #[test]
    fn a_rise_counts_after_tau_3_and_a_fall_after_tau_2() {
        let mut rate = AllowedRate::new(&config(10, 4), 10.0);
        let told = [(100, 20.0), (120, 5.0), (125, 8.0)];
        let mut next = told.iter().peekable();
        let mut greatest = 10.0;
        let mut seen = Vec::new();
        for now in 90..140 {
            while let Some((at, to)) = next.next_if(|(at, _)| *at == now) {
                rate.tell(Ps(*at), *to);
            }
            if let Some(changed) = rate.change(Ps(now))
                && changed != greatest
            {
                greatest = changed;
                seen.push((now, changed));
            }
        }
        // 5 would be in force alone from 130 to 129, so never: 8 has begun before 20 ends.
        assert_eq!(seen, [(104, 20.0), (130, 8.0)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

        /// The rate is the greatest of those that may be in force: each from tau_3 after its RM cell to tau_2 after the
        /// next RM cell.
        #[test]
        fn the_rate_is_the_greatest_that_may_be_in_force(
            told in prop::collection::vec((0..9u64, 1..6u32), 0..40),
            tau_3 in 0..12u64,
            more in 0..12u64,
        ) {
            let tau_2 = tau_3 + more;
            let mut rate = AllowedRate::new(&config(tau_2, tau_3), 3.0);
            let mut history = Vec::from([(0, 3.0)]);
            let (mut at, mut found) = (0, 3.0);
            for (gap, to) in told {
                for now in at..at + gap {
                    found = rate.change(Ps(now)).unwrap_or(found);
                    let spans = history.iter().enumerate().map(|(index, (from, rate))| {
                        let end = history.get(index + 1).map_or(u64::MAX, |(next, _): &(u64, f64)| next + tau_2);
                        let begin = if index == 0 { 0 } else { from + tau_3 };
                        (begin, end, *rate)
                    });
                    let spans = spans.filter(|(begin, end, _)| *begin <= now && now < *end);
                    let expected = spans.map(|(_, _, rate)| rate).fold(0.0, f64::max);
                    prop_assert_eq!(found, expected, "at {}", now);
                }
                at += gap;
                if history.last().is_some_and(|(_, last)| *last != f64::from(to)) {
                    history.push((at, f64::from(to)));
                }
                rate.tell(Ps(at), f64::from(to));
            }
        }
    }
}
