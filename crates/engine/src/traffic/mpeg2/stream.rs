//! The encoder of one MPEG-2 stream, which generates the rates between its clock references.

use alloc::vec::Vec;

use super::{Bound, Mpeg2Config, Noise, Rates};
use crate::kernel::{Ps, Rate, Stream};
use crate::traffic::piecewise::{Piece, PieceSource};

/// State of the encoder of one stream: the block of rates that is being played. When all rates of a block have
/// been played, after thousands of clock references, a new block is drawn.
#[derive(Clone, Debug)]
pub struct Encoder {
    noise: Noise,
    bound: Bound,
    rates: Rates,
    /// Sum of negative rates that has not been subtracted yet, in bit/s.
    debt: f64,
    /// Random stream for the rates. The intervals have another random stream, so that they do not depend on the
    /// bounds of the rates.
    values: Stream,
    intervals: Stream,
    shortest: Ps,
    /// Length of the range of the intervals: longest interval less the shortest, plus one picosecond.
    span: Ps,
    block: Vec<Rate>,
    at: usize,
}

impl Encoder {
    /// An encoder whose rates come from `noise`, with random numbers from `stream`.
    pub fn new(config: &Mpeg2Config, noise: Noise, mut stream: Stream) -> Encoder {
        let (values, intervals) = (stream.branch(), stream.branch());
        Encoder {
            noise,
            bound: config.bound,
            rates: config.line_rates(),
            debt: 0.0,
            values,
            intervals,
            shortest: config.interval_low,
            span: config.interval_high - config.interval_low + Ps(1),
            block: Vec::new(),
            at: 0,
        }
    }

    fn draw(&mut self) {
        let noise = self.noise.sequence(&mut self.values);
        let rates = self.bound.apply(&noise, &self.rates, &mut self.debt);
        self.block.clear();
        self.block.extend(
            rates
                .into_iter()
                .map(|rate| Rate(libm::round(rate * 1e3) as u64)),
        );
        self.at = 0;
    }
}

impl PieceSource for Encoder {
    fn next_piece(&mut self) -> Option<Piece> {
        // The loop nearly always ends after one block. A block without a value within the bounds is nearly
        // impossible: at least a twentieth of the values is expected to be within.
        while self.at == self.block.len() {
            self.draw();
        }
        let rate = self.block[self.at];
        self.at += 1;
        Some(Piece {
            lasts: self.shortest + self.intervals.below(self.span),
            rate,
        })
    }
}
