//! A stream of evenly spaced cells whose rate is constant in each of many pieces of time.

use super::{Piece, PieceSource};
use crate::kernel::{CELL_PS_BITS, CellClock, Ps, Rate};

/// The cells of one stream. A cell is sent at the time when the integral of the rate reaches a whole cell,
/// rounded down to a picosecond. At the end of a piece (a span of time with a constant rate), the part of a cell
/// is kept for the next piece. So the number of cells up to any time is the integral of the rate, rounded down.
#[derive(Clone, Debug)]
pub struct Line<P> {
    pieces: P,
    rate: Rate,
    clock: CellClock,
    next: Ps,
    carry: u64,
    /// Time at which the present piece ends.
    ends: Ps,
    /// While the rate is zero, the part of the next cell that is still to be generated, in units of
    /// [`CELL_PS_BITS`].
    lacking: u128,
}

impl<P: PieceSource> Line<P> {
    /// A stream that plays `pieces` from `start` on. The share `gathered` (at least 0, below 1) of its first cell
    /// is already generated at the start.
    pub fn new(pieces: P, start: Ps, gathered: f64) -> Line<P> {
        let lacking = ((1.0 - gathered) * CELL_PS_BITS as f64) as u128;
        let clock = CellClock::new(Rate(1));
        let mut line = Line {
            pieces,
            rate: Rate(0),
            clock,
            next: Ps::NEVER,
            carry: 0,
            ends: start,
            lacking,
        };
        line.skip();
        line
    }
    /// Time at which the next cell is sent.
    #[inline]
    pub fn next(&self) -> Ps {
        self.next
    }
    /// Sends the cell whose time is [`Line::next`].
    #[inline]
    pub fn advance(&mut self) {
        (self.next, self.carry) = self.clock.complete(self.next, self.carry);
        self.skip();
    }
    /// Processes the ends of pieces that come before the next cell.
    #[inline]
    fn skip(&mut self) {
        while self.next > self.ends {
            self.turn();
        }
    }
    fn turn(&mut self) {
        let now = self.ends;
        if self.rate.0 > 0 {
            self.lacking = (self.next - now).0 as u128 * self.rate.0 as u128 + self.carry as u128;
        }
        let endless = Piece {
            lasts: Ps::NEVER,
            rate: Rate(0),
        };
        let Piece { lasts, rate } = self.pieces.next_piece().unwrap_or(endless);
        self.ends = now.saturating_add(lasts);
        self.rate = rate;
        (self.next, self.carry) = (Ps::NEVER, 0);
        if rate.0 > 0 {
            self.clock = CellClock::new(rate);
            let whole = u64::try_from(self.lacking / rate.0 as u128).unwrap_or(u64::MAX);
            self.next = now.saturating_add(Ps(whole));
            self.carry = (self.lacking % rate.0 as u128) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Listed, Pieces};
    use super::*;

    fn line(pieces: &[(u64, u64)], repeat: bool) -> Line<Listed> {
        let piece = |&(ms, bps): &(u64, u64)| Piece {
            lasts: Ps::from_ms(ms),
            rate: Rate::from_bps(bps),
        };
        Line::new(
            Listed::new(Pieces::new(pieces.iter().map(piece).collect()), repeat),
            Ps::from_ms(1),
            0.0,
        )
    }

    fn times(line: &mut Line<Listed>, count: usize) -> alloc::vec::Vec<u64> {
        let step = |_| {
            let at = line.next().0 / 1_000_000;
            if at < Ps::NEVER.0 / 1_000_000 {
                line.advance();
            }
            at
        };
        (0..count).map(step).collect()
    }

    #[test]
    fn cells_are_evenly_spaced_and_fractions_are_kept() {
        // 424 kbit/s is one cell per ms, so 2.5 ms of it make 2.5 cells. The half cell waits during the pause;
        // its other half takes 0.25 ms at twice the rate. Of the piece, 2.25 cells remain, one every 0.5 ms.
        let us = [(5, 212_000), (4, 0), (10, 848_000)];
        let found = times(&mut line(&us, false), 30);
        let mut expected = alloc::vec![3_000, 5_000, 10_250];
        expected.extend(
            (1..)
                .map(|i| 10_250 + 500 * i)
                .take_while(|at| *at <= 20_000),
        );
        let never = Ps::NEVER.0 / 1_000_000;
        assert_eq!(found[..expected.len()], expected);
        assert!(
            found[expected.len()..].iter().all(|at| *at == never),
            "{found:?}"
        );
    }

    #[test]
    fn a_list_may_begin_again() {
        // 1.5 cells in each round of 3 ms: three cells in two rounds.
        let found = times(&mut line(&[(1, 424_000), (1, 212_000), (1, 0)], true), 7);
        assert_eq!(found, [2_000, 4_500, 6_000, 8_000, 10_500, 12_000, 14_000]);
    }

    #[test]
    fn as_many_cells_as_the_integral_of_the_rate() {
        // Rates and times without common divisors. After each piece the number of cells is the
        // integral, rounded down.
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) % below
        };
        let piece = |_| Piece {
            lasts: Ps(random(400_000_000_000)),
            rate: Rate(random(15_000_000_007)),
        };
        let pieces: alloc::vec::Vec<Piece> = (0..300).map(piece).collect();
        let mut line = Line::new(
            Listed::new(Pieces::new(pieces.clone()), false),
            Ps(123),
            0.0,
        );
        let (mut end, mut integral, mut cells) = (123, 0u128, 0u128);
        for Piece { lasts, rate } in pieces {
            end += lasts.0;
            integral += lasts.0 as u128 * rate.0 as u128;
            while line.next() <= Ps(end) {
                line.advance();
                cells += 1;
            }
            // A cell may be sent less than a picosecond before it is complete.
            let most = (integral + rate.0 as u128) / CELL_PS_BITS as u128;
            assert!(
                cells == integral / CELL_PS_BITS as u128 || cells == most,
                "{cells} of {integral}"
            );
        }
        assert!(cells > 50_000, "{cells}");
    }
}
