//! Constant bit rate: a raw cell (without TCP) for every 424 bits of the rate.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CellSource, Cells, Demand, Load, Source};
use crate::kernel::{CELL_BITS, CellClock, Ps, Rate, Stream};

/// A source of raw cells at a constant bit rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CbrConfig {
    /// Rate of the cells; a cell counts 424 bits.
    #[schemars(extend("x-change" = true))]
    pub rate: Rate,
}

impl Source for CbrConfig {
    const OVER_TCP: bool = false;
    const SENDS_PACKETS: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        None
    }

    fn load(&self) -> Load {
        let rate = self.rate.cells_per_second();
        Load::Own {
            mean: rate,
            peak: rate,
            burst: 1,
        }
    }

    fn demand(&self, start: Ps, _stream: Stream) -> Demand {
        Demand::Cells(self.units(CELL_BITS, start))
    }

    fn packets(&self, bits: u64, start: Ps, _stream: Stream) -> Option<Cells> {
        Some(self.units(bits, start))
    }
}

impl CbrConfig {
    /// State of the source from `start` on, with cells or packets of `bits` bits each.
    fn units(&self, bits: u64, start: Ps) -> Cells {
        Cells::Cbr(Cbr {
            clock: CellClock::of_bits(self.rate, bits),
            start,
            next: start,
            carry: 0,
        })
    }
}

/// State of a source with a constant rate, which generates the first cell at its start.
#[derive(Clone, Debug)]
pub struct Cbr {
    clock: CellClock,
    start: Ps,
    next: Ps,
    carry: u64,
}

impl Cbr {
    /// Changes the rate at `now`. The part of the next cell that is still missing is generated at the new rate.
    pub fn change(&mut self, now: Ps, config: &CbrConfig) {
        let clock = self.clock.at_rate(config.rate);
        if self.next > self.start {
            (self.next, self.carry) = self.clock.completion_at(&clock, now, self.next, self.carry);
        }
        self.clock = clock;
    }
}

impl CellSource for Cbr {
    #[inline]
    fn next(&self) -> Ps {
        self.next
    }
    #[inline]
    fn advance(&mut self) {
        (self.next, self.carry) = self.clock.complete(self.next, self.carry);
    }
}
