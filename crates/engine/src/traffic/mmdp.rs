//! Markov-modulated deterministic process: ON-OFF sources with exponential periods on one line.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::too_often;
use super::{CellSource, Cells, Demand, Load, Source};
use crate::kernel::time::PS_PER_BIT;
use crate::kernel::{CELL_BITS, CellClock, Ps, Rate, Stream};

/// Superposition of identical ON-OFF sources with exponential periods. Gerla et al. 1995 generate
/// guaranteed traffic this way (section III.A: 14 sources of 10 Mbit/s and 4.8 Kbytes, which is
/// 3.84 ms). While k sources are ON, cells are evenly spaced at k times the peak rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MmdpConfig {
    /// Number of sources: 1 to 10,000.
    #[schemars(range(min = 1, max = 10_000))]
    pub sources: u32,
    /// Rate of one source during its ON periods; a cell counts 424 bits.
    pub peak: Rate,
    /// Mean length of the exponential ON periods, above 0 s: mean burst length divided by peak
    /// rate.
    pub mean_on: Ps,
    /// Peak rate divided by mean rate, above 1. OFF periods have the mean `(burstiness - 1)
    /// mean_on`.
    pub burstiness: f64,
}

impl Source for MmdpConfig {
    const OVER_TCP: bool = false;

    fn check(&self) -> Option<(&'static str, String)> {
        if !(1..=10_000).contains(&self.sources) {
            return Some((
                "sources",
                format!("{} sources are not 1 to 10,000", self.sources),
            ));
        }
        if self.sources as u64 > u64::MAX / self.peak.0 {
            return Some((
                "peak",
                String::from("all sources together exceed the largest rate, 1.8e16 bit/s"),
            ));
        }
        if self.mean_on == Ps::ZERO {
            return Some((
                "mean_on",
                String::from("the mean ON period must be longer than 0 s"),
            ));
        }
        let burstiness = self.burstiness;
        if !(burstiness > 1.0 && burstiness <= 1e6) {
            return Some((
                "burstiness",
                format!("the burstiness must be above 1 and at most 1e6, but is {burstiness}"),
            ));
        }
        let cycle = self.mean_on.as_secs_f64() * burstiness;
        let wrong = too_often(cycle / 2.0, self.peak.cells_per_second() / burstiness)?;
        Some(("mean_on", wrong))
    }

    fn load(&self) -> Load {
        let peak = self.sources as f64 * self.peak.cells_per_second();
        Load::Own {
            mean: peak / self.burstiness,
            peak,
            burst: exponential_burst(peak, self.mean_on),
        }
    }

    fn demand(&self, start: Ps, stream: Stream) -> Demand {
        let on = self.mean_on.0 as f64;
        let off = on * (self.burstiness - 1.0);
        Demand::Cells(Cells::Mmdp(Box::new(Mmdp::new(
            self.sources,
            self.peak,
            (on, off),
            CELL_BITS,
            start,
            stream,
        ))))
    }
}

/// Number of cells of the longest burst to be expected, at `peak` cells/s: an exponential ON period that lasts
/// twenty times its mean `mean_on`. A longer period has the probability 2e-9.
pub(super) fn exponential_burst(peak: f64, mean_on: Ps) -> u64 {
    libm::ceil(20.0 * peak * mean_on.as_secs_f64()) as u64
}

/// State of the superposition, which is stationary from the start. Each source is ON with its stationary
/// probability, and the part of the first cell that is already generated is uniform. At the end of a period, the
/// part of a cell that was generated is kept for the next period, so that the mean rate is exact.
#[derive(Clone, Debug)]
pub struct Mmdp {
    sources: u32,
    /// Number of sources that are now ON.
    active: u32,
    peak: Rate,
    /// Mean lengths of ON and of OFF periods, in picoseconds.
    mean: (f64, f64),
    /// Number of bits of a cell, or of a packet if packets are sent.
    bits: u64,
    stream: Stream,
    clock: CellClock,
    /// Time at which the next source changes between ON and OFF.
    change: Ps,
    next: Ps,
    carry: u64,
    /// Part of the next cell that is still to be generated when no source is ON, in picoseconds
    /// times thousandths of a bit per second.
    lacking: u128,
}

impl Mmdp {
    pub(super) fn new(
        sources: u32,
        peak: Rate,
        mean: (f64, f64),
        bits: u64,
        start: Ps,
        mut stream: Stream,
    ) -> Mmdp {
        let on = mean.0 / (mean.0 + mean.1);
        let active = (0..sources).filter(|_| stream.uniform() < on).count() as u32;
        let lacking = ((1.0 - stream.uniform()) * (bits as u128 * PS_PER_BIT) as f64) as u128;
        let clock = CellClock::of_bits(peak, bits);
        let mut source = Mmdp {
            sources,
            active,
            peak,
            mean,
            bits,
            stream,
            clock,
            change: start,
            next: start,
            carry: 0,
            lacking,
        };
        source.settle(start, lacking);
        source.skip();
        source
    }

    /// Sets the time of the next cell from `now` and its missing part `lacking`, and draws the
    /// time of the next change of a source.
    fn settle(&mut self, now: Ps, lacking: u128) {
        self.lacking = lacking;
        self.next = Ps::NEVER;
        if self.active > 0 {
            let rate = Rate(self.peak.0 * self.active as u64);
            self.clock = CellClock::of_bits(rate, self.bits);
            self.next = now.saturating_add(Ps((lacking / rate.0 as u128) as u64));
            self.carry = (lacking % rate.0 as u128) as u64;
        }
        let (off, on) = self.turns();
        self.change = now.saturating_add(Ps(
            libm::round(self.stream.exponential(1.0 / (off + on))) as u64,
        ));
    }

    /// Rate of changes from ON to OFF, and rate of changes from OFF to ON, over all sources, in changes per
    /// picosecond.
    fn turns(&self) -> (f64, f64) {
        (
            self.active as f64 / self.mean.0,
            (self.sources - self.active) as f64 / self.mean.1,
        )
    }

    /// Processes the changes of sources that come before the next cell.
    #[inline]
    fn skip(&mut self) {
        while self.change < self.next {
            self.turn();
        }
    }

    fn turn(&mut self) {
        let now = self.change;
        let rate = (self.peak.0 * self.active as u64) as u128;
        let lacking = if rate == 0 {
            self.lacking
        } else {
            (self.next - now).0 as u128 * rate + self.carry as u128
        };
        let (off, on) = self.turns();
        if self.stream.uniform() * (off + on) < off {
            self.active -= 1
        } else {
            self.active += 1
        }
        self.settle(now, lacking);
    }
}

impl CellSource for Mmdp {
    #[inline]
    fn next(&self) -> Ps {
        self.next
    }
    #[inline]
    fn advance(&mut self) {
        (self.next, self.carry) = self.clock.complete(self.next, self.carry);
        self.skip();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gerla(burstiness: f64) -> MmdpConfig {
        let peak = Rate(10_714_285_714);
        MmdpConfig {
            sources: 14,
            peak,
            mean_on: Ps::from_us(3_840),
            burstiness,
        }
    }

    fn cells(config: &MmdpConfig, seed: u64) -> Mmdp {
        let Demand::Cells(Cells::Mmdp(source)) =
            config.demand(Ps::ZERO, Stream::new(seed, "test", "mmdp"))
        else {
            panic!()
        };
        *source
    }

    #[test]
    fn what_gerla_leaves_of_150_mbit_s() {
        // Figure 3: at a burstiness of 1.1, 1.2 and 1.3, there remain 13.6, 25 and 34.6 of 150 Mbit/s.
        for (burstiness, left) in [(1.1, 13.6), (1.2, 25.0), (1.3, 34.6)] {
            let Load::Own { mean, peak, .. } = gerla(burstiness).load() else {
                panic!()
            };
            assert!((peak * 424e-6 - 150.0).abs() < 1e-6, "{peak}");
            assert!(
                (150.0 - mean * 424e-6 - left).abs() < 0.05,
                "{burstiness}: {mean}"
            );
        }
    }

    /// The integral of the rate between two cells is one cell, exact to a picosecond.
    #[test]
    fn cells_are_the_integral_of_the_rate() {
        let mut source = cells(&gerla(1.2), 1);
        let mut twin = source.clone();
        let (mut at, mut gathered, mut seen) = (Ps::ZERO, 0u128, 0u64);
        let whole = crate::kernel::CELL_PS_BITS as u128;
        gathered += whole
            - twin.next.0 as u128 * (twin.peak.0 * twin.active as u64) as u128
            - twin.carry as u128;
        while at < Ps::from_ms(50) {
            // The copy `twin` processes the changes one by one; its rate is constant between them.
            let until = twin.change;
            let rate = (twin.peak.0 * twin.active as u64) as u128;
            let end = gathered + rate * (until - at).0 as u128;
            while source.next <= until {
                // A cell is complete less than a picosecond before its sending time.
                let had = gathered + rate * (source.next - at).0 as u128;
                let due = (seen as u128 + 1) * whole;
                assert!(
                    had <= due && due < had + rate,
                    "cell {seen} at {}",
                    source.next
                );
                seen += 1;
                source.advance();
            }
            (at, gathered) = (until, end);
            while twin.next <= until {
                (twin.next, twin.carry) = twin.clock.complete(twin.next, twin.carry);
            }
            twin.turn();
        }
        assert!(seen > 10_000, "{seen}");
    }

    /// Mean and variance of the number of cells in `span`. With a = 1/on + 1/off and p = on/(on +
    /// off), the variance is 2 n p (1 - p) peak^2 (a t - 1 + exp(-a t)) / a^2. Counting whole cells
    /// adds 1/6.
    fn counts(config: &MmdpConfig, span: f64) {
        let runs = 4_000;
        let count = |seed| {
            let mut source = cells(config, seed);
            let mut count = 0.0;
            while source.next() < Ps::from_secs_f64(span) {
                source.advance();
                count += 1.0;
            }
            count
        };
        let found: alloc::vec::Vec<f64> = (0..runs).map(count).collect();
        let mean = found.iter().sum::<f64>() / runs as f64;
        let variance =
            found.iter().map(|n| (n - mean) * (n - mean)).sum::<f64>() / (runs - 1) as f64;
        let (peak, p) = (config.peak.cells_per_second(), 1.0 / config.burstiness);
        let on = config.mean_on.as_secs_f64();
        let a = 1.0 / on + 1.0 / (on * (config.burstiness - 1.0));
        let n = config.sources as f64;
        let shape = (a * span - 1.0 + libm::exp(-a * span)) / (a * a);
        let expected = 2.0 * n * p * (1.0 - p) * peak * peak * shape + 1.0 / 6.0;
        let error = libm::sqrt(variance / runs as f64);
        assert!(
            (mean - n * p * peak * span).abs() < 4.0 * error,
            "mean {mean} of {}",
            n * p * peak * span
        );
        // The relative standard error of a variance is sqrt(2/runs), if counts are normal: 2.2 %.
        assert!(
            (variance / expected - 1.0).abs() < 0.12,
            "variance {variance} of {expected}"
        );
    }

    #[test]
    fn counts_have_their_mean_and_variance() {
        counts(&gerla(1.2), 5e-3);
        let peak = Rate::from_bps(1_000_000);
        counts(
            &MmdpConfig {
                sources: 2,
                peak,
                mean_on: Ps::from_ms(2),
                burstiness: 3.0,
            },
            20e-3,
        );
    }

    #[test]
    fn impossible_sources_are_refused() {
        let found = |change: fn(&mut MmdpConfig)| {
            let mut config = gerla(1.2);
            change(&mut config);
            config.check().map(|(field, _)| field)
        };
        assert_eq!(found(|_| {}), None);
        assert_eq!(found(|c| c.sources = 0), Some("sources"));
        assert_eq!(found(|c| c.peak = Rate(u64::MAX / 13)), Some("peak"));
        assert_eq!(found(|c| c.mean_on = Ps::ZERO), Some("mean_on"));
        assert_eq!(found(|c| c.mean_on = Ps(1)), Some("mean_on"));
        assert_eq!(found(|c| c.burstiness = 1.0), Some("burstiness"));
        assert_eq!(found(|c| c.burstiness = f64::NAN), Some("burstiness"));
    }
}
