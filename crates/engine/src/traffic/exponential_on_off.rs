//! Exponential ON-OFF source: bursts at a constant rate, with random lengths and gaps.

use alloc::boxed::Box;
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::too_often;
use super::mmdp::{Mmdp, exponential_burst};
use super::{Cells, Demand, Load, Source};
use crate::kernel::{CELL_BITS, Ps, Rate, Stream};

/// ON-OFF source with exponential periods and a constant rate while ON. Such sources are the
/// background of Ajmone Marsan et al. 1997 (section 3: ON for 2/3 of the time, so that the peak is
/// 3/2 of the mean) and the sources of Anick, Mitra and Sondhi 1982. The source begins in its
/// stationary state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExponentialOnOffConfig {
    /// Rate during ON periods; a cell counts 424 bits. The mean rate is `peak mean_on / (mean_on +
    /// mean_off)`.
    pub peak: Rate,
    /// Mean length of the exponential ON periods, above 0 s.
    pub mean_on: Ps,
    /// Mean length of the exponential OFF periods, above 0 s.
    pub mean_off: Ps,
}

impl Source for ExponentialOnOffConfig {
    const OVER_TCP: bool = false;
    const SENDS_PACKETS: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        let periods = [("mean_on", self.mean_on), ("mean_off", self.mean_off)];
        if let Some((field, _)) = periods.into_iter().find(|(_, mean)| *mean == Ps::ZERO) {
            return Some((field, String::from("a mean period must be longer than 0 s")));
        }
        let (on, off) = (self.mean_on.as_secs_f64(), self.mean_off.as_secs_f64());
        let wrong = too_often(
            (on + off) / 2.0,
            self.peak.cells_per_second() * on / (on + off),
        )?;
        Some(("mean_on", wrong))
    }

    fn load(&self) -> Load {
        let peak = self.peak.cells_per_second();
        let (on, off) = (self.mean_on.as_secs_f64(), self.mean_off.as_secs_f64());
        Load::Own {
            mean: peak * on / (on + off),
            peak,
            burst: exponential_burst(peak, self.mean_on),
        }
    }

    fn demand(&self, start: Ps, stream: Stream) -> Demand {
        Demand::Cells(self.units(CELL_BITS, start, stream))
    }

    fn packets(&self, bits: u64, start: Ps, stream: Stream) -> Option<Cells> {
        Some(self.units(bits, start, stream))
    }
}

impl ExponentialOnOffConfig {
    /// State of the source from `start` on, with cells or packets of `bits` bits each.
    fn units(&self, bits: u64, start: Ps, stream: Stream) -> Cells {
        let mean = (self.mean_on.0 as f64, self.mean_off.0 as f64);
        Cells::Mmdp(Box::new(Mmdp::new(1, self.peak, mean, bits, start, stream)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::CellSource;

    #[test]
    fn cells_of_a_burst_come_at_the_peak_and_never_faster() {
        // 424 kbit/s is one cell per millisecond. ON periods have a mean of 30 ms, OFF periods of
        // 10 ms.
        let config = ExponentialOnOffConfig {
            peak: Rate::from_bps(424_000),
            mean_on: Ps::from_ms(30),
            mean_off: Ps::from_ms(10),
        };
        let Demand::Cells(mut cells) = config.demand(Ps::from_ms(5), Stream::new(1, "a", "source"))
        else {
            panic!()
        };
        let mut gaps = alloc::vec::Vec::new();
        let mut last = cells.next();
        assert!(last > Ps::from_ms(5));
        let first = last;
        for _ in 0..60_000 {
            cells.advance();
            gaps.push(cells.next() - last);
            last = cells.next();
        }
        assert!(gaps.iter().all(|gap| *gap >= Ps::from_ms(1)));
        // The probability that no burst ends in a gap is exp(-1/30) = 0.9672.
        let within = gaps.iter().filter(|gap| **gap == Ps::from_ms(1)).count() as f64 / 6e4;
        assert!((within - 0.9672).abs() < 0.005, "{within}");
        // 0.75 cells per millisecond; the standard error over some 2,000 cycles is 0.8 %.
        let mean = 60_000.0 / ((last - first).as_secs_f64() * 1e3);
        assert!((mean - 0.75).abs() < 0.019, "{mean}");
        assert_eq!(
            config.load(),
            Load::Own {
                mean: 750.0,
                peak: 1_000.0,
                // The number of cells in twenty mean ON periods.
                burst: 600,
            }
        );
    }

    #[test]
    fn periods_are_longer_than_nothing() {
        let peak = Rate::from_bps(10_000_000);
        let config = |on, off| ExponentialOnOffConfig {
            peak,
            mean_on: Ps::from_ns(on),
            mean_off: Ps::from_ns(off),
        };
        let field = |on, off| config(on, off).check().map(|(field, _)| field);
        assert_eq!(
            (field(0, 100), field(100, 0), field(100, 100)),
            (Some("mean_on"), Some("mean_off"), None)
        );
        assert_eq!(field(100, 99), Some("mean_on"));
    }
}
