//! Periodic bursts at a peak rate.

use alloc::format;
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::too_often;
use super::{Bursts, CellSource, Cells, Demand, Load, Source};
use crate::kernel::{CELL_BITS, CellClock, Ps, Rate, Stream};

/// ON-OFF source with fixed periods. Each period begins with an ON part, whose share of the period
/// is `duty_cycle`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOffConfig {
    /// Rate during the ON part; a cell counts 424 bits.
    #[schemars(extend("x-change" = true))]
    pub peak: Rate,
    /// Length of ON and OFF parts together.
    pub period: Ps,
    /// Share of the ON part in a period: above 0, at most 1.
    pub duty_cycle: f64,
}

impl Source for OnOffConfig {
    const OVER_TCP: bool = false;
    const SENDS_PACKETS: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        if self.period == Ps::ZERO {
            return Some(("period", String::from("a period must be above 0 s")));
        }
        let duty = self.duty_cycle;
        if !(duty > 0.0 && duty <= 1.0) {
            return Some((
                "duty_cycle",
                format!("the duty cycle must be above 0 and at most 1, but is {duty}"),
            ));
        }
        // If a cell time is longer than a period, the run skips periods one by one.
        let wrong = too_often(self.period.as_secs_f64(), self.peak.cells_per_second())?;
        Some(("period", wrong))
    }

    fn load(&self) -> Load {
        let peak = self.peak.cells_per_second();
        let on = self.period.as_secs_f64() * self.duty_cycle;
        Load::Own {
            mean: self.duty_cycle * peak,
            peak,
            burst: libm::ceil(peak * on) as u64,
        }
    }

    fn bursts(&self) -> Option<Bursts> {
        Some(Bursts {
            field: "period",
            every: self.period,
            peak: self.peak,
        })
    }

    fn demand(&self, start: Ps, _stream: Stream) -> Demand {
        Demand::Cells(self.units(CELL_BITS, start))
    }

    fn packets(&self, bits: u64, start: Ps, _stream: Stream) -> Option<Cells> {
        Some(self.units(bits, start))
    }
}

impl OnOffConfig {
    /// State of the source from `start` on, with cells or packets of `bits` bits each.
    fn units(&self, bits: u64, start: Ps) -> Cells {
        let on = Ps(libm::round(self.period.0 as f64 * self.duty_cycle) as u64);
        Cells::OnOff(OnOff {
            clock: CellClock::of_bits(self.peak, bits),
            period: self.period,
            on,
            began: start,
            next: start,
            carry: 0,
        })
    }
}

/// State of a source with periodic bursts.
#[derive(Clone, Debug)]
pub struct OnOff {
    clock: CellClock,
    period: Ps,
    on: Ps,
    /// Time at which the present period (ON part and OFF part) began.
    began: Ps,
    next: Ps,
    carry: u64,
}

impl CellSource for OnOff {
    #[inline]
    fn next(&self) -> Ps {
        self.next
    }
    #[inline]
    fn advance(&mut self) {
        (self.next, self.carry) = self.clock.complete(self.next, self.carry);
        self.keep_to_periods();
    }
}

impl OnOff {
    /// Changes the peak rate at `now`. The part of the next cell that is still missing is generated at the new
    /// rate. If all cells of the present ON part have been generated, this part is over.
    pub fn change(&mut self, now: Ps, config: &OnOffConfig) {
        let clock = self.clock.at_rate(config.peak);
        if self.next > self.began {
            (self.next, self.carry) = self.clock.completion_at(&clock, now, self.next, self.carry);
            self.keep_to_periods();
        }
        self.clock = clock;
    }

    /// Moves a cell that would be generated after an ON part to the beginning of the next ON part.
    #[inline]
    fn keep_to_periods(&mut self) {
        if self.next >= self.began + self.on && self.on < self.period {
            self.began += self.period;
            // If a cell time is longer than a period, whole periods are skipped, so that cells do
            // not bunch.
            while self.began < self.next && self.began + self.on <= self.next {
                self.began += self.period;
            }
            (self.next, self.carry) = (self.began.max(self.next), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_of_200_ms_with_duty_one_half_at_80_percent_carries_40_percent() {
        // 124.416 Mbit/s is 293,433.96 cells/s: 29,344 cells in 100 ms, the first at 0.
        let config = OnOffConfig {
            peak: Rate::from_bps(124_416_000),
            period: Ps::from_ms(200),
            duty_cycle: 0.5,
        };
        let Demand::Cells(mut cells) = config.demand(Ps::from_ms(2), Stream::new(1, "", "")) else {
            panic!()
        };
        let mut times = alloc::vec::Vec::new();
        while cells.next() < Ps::from_ms(402) {
            times.push(cells.next());
            cells.advance();
        }
        assert_eq!(times.len(), 2 * 29_344);
        assert_eq!(times[29_344], Ps::from_ms(202));
        assert!(times[29_343] < Ps::from_ms(102));
    }

    #[test]
    fn impossible_sources_are_refused() {
        let found = |period, duty_cycle| {
            OnOffConfig {
                peak: Rate::from_bps(1_000_000),
                period,
                duty_cycle,
            }
            .check()
            .map(|(field, _)| field)
        };
        assert_eq!(found(Ps::from_ns(100), 1.0), None);
        assert_eq!(found(Ps::ZERO, 0.5), Some("period"));
        assert_eq!(found(Ps(1), 0.5), Some("period"));
        assert_eq!(found(Ps::from_ms(1), 0.0), Some("duty_cycle"));
        assert_eq!(found(Ps::from_ms(1), f64::NAN), Some("duty_cycle"));
    }

    #[test]
    fn a_full_duty_cycle_is_constant_bit_rate() {
        let config = OnOffConfig {
            peak: Rate::from_bps(155_520_000),
            period: Ps::from_ms(1),
            duty_cycle: 1.0,
        };
        let Demand::Cells(mut cells) = config.demand(Ps::ZERO, Stream::new(1, "", "")) else {
            panic!()
        };
        (0..155_520).for_each(|_| cells.advance());
        assert_eq!(cells.next(), Ps::from_ms(424));
    }
}
