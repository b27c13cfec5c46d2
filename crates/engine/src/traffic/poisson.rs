//! A source of raw cells (without TCP) with exponential gaps.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CellSource, Cells, Demand, Load, Source};
use crate::kernel::time::CELL_PS_BITS;
use crate::kernel::{CELL_BITS, Ps, Rate, Stream};

/// Poisson cells, which Romanow and Floyd add to avoid phase effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoissonConfig {
    /// Mean rate; a cell counts 424 bits.
    #[schemars(extend("x-change" = true))]
    pub rate: Rate,
}

impl Source for PoissonConfig {
    const OVER_TCP: bool = false;
    const SENDS_PACKETS: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        None
    }

    fn load(&self) -> Load {
        let rate = self.rate.cells_per_second();
        // Any number of cells may come at once. The burst is taken as ten standard deviations of the number of
        // cells in a second.
        Load::Own {
            mean: rate,
            peak: f64::INFINITY,
            burst: (10.0 * libm::sqrt(rate)) as u64 + 10,
        }
    }

    fn demand(&self, start: Ps, stream: Stream) -> Demand {
        Demand::Cells(self.units(CELL_BITS, start, stream))
    }

    fn packets(&self, bits: u64, start: Ps, stream: Stream) -> Option<Cells> {
        Some(self.units(bits, start, stream))
    }
}

impl PoissonConfig {
    /// State of the source from `start` on, with cells or packets of `bits` bits each.
    fn units(&self, bits: u64, start: Ps, stream: Stream) -> Cells {
        let cells = bits as f64 / CELL_BITS as f64;
        let mut source = Poisson {
            mean: mean_gap(self.rate) * cells,
            cells,
            stream,
            start,
            next: start,
        };
        source.advance();
        Cells::Poisson(source)
    }
}

/// State of a Poisson source, whose first gap begins at the start.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Mean gap between cells or packets in picoseconds.
    mean: f64,
    /// Bits of a packet divided by the bits of a cell; 1 if cells are sent.
    cells: f64,
    stream: Stream,
    start: Ps,
    next: Ps,
}

impl Poisson {
    /// Changes the mean rate at `now`. The rest of an exponential gap is also exponential, so the
    /// rest of the present gap is scaled.
    pub fn change(&mut self, now: Ps, config: &PoissonConfig) {
        let mean = mean_gap(config.rate) * self.cells;
        if mean == self.mean {
            return;
        }
        let since = now.max(self.start);
        let rest = self.next.saturating_sub(since).0 as f64 * (mean / self.mean);
        self.next = since.saturating_add(Ps(libm::round(rest) as u64));
        self.mean = mean;
    }
}

/// Mean gap in picoseconds between cells at the mean `rate`.
fn mean_gap(rate: Rate) -> f64 {
    CELL_PS_BITS as f64 / rate.0 as f64
}

impl CellSource for Poisson {
    #[inline]
    fn next(&self) -> Ps {
        self.next
    }
    #[inline]
    fn advance(&mut self) {
        self.next += Ps(libm::round(self.stream.exponential(self.mean)) as u64);
    }
}
