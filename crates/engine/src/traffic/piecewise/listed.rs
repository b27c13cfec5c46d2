//! Pieces of constant rate that are known in advance, such as those of a file.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Piece, PieceSource};
use crate::kernel::{CELL_PS_BITS, Ps, Rate};

/// The pieces (spans of time with a constant rate) of a file, shared by all sources that play the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces(Arc<[Piece]>);

impl Pieces {
    /// Stores the pieces of a file, in order.
    pub fn new(pieces: Vec<Piece>) -> Pieces {
        Pieces(pieces.into())
    }
    /// All pieces in order.
    pub fn all(&self) -> &[Piece] {
        &self.0
    }
    /// Sum of the durations of all pieces.
    pub fn lasts(&self) -> Ps {
        self.0
            .iter()
            .fold(Ps::ZERO, |sum, piece| sum.saturating_add(piece.lasts))
    }
    /// Number of cells in all pieces together.
    pub fn cells(&self) -> f64 {
        self.0.iter().map(Piece::work).sum::<u128>() as f64 / CELL_PS_BITS as f64
    }
    /// Mean rate over all pieces in cells/s.
    pub fn mean(&self) -> f64 {
        self.cells() / self.lasts().as_secs_f64()
    }
    /// Greatest rate of all pieces.
    pub fn peak(&self) -> Rate {
        self.0
            .iter()
            .map(|piece| piece.rate)
            .max()
            .unwrap_or(Rate(0))
    }
    /// Greatest number of cells by which any consecutive pieces exceed what the mean rate gives in the same time.
    pub fn largest_burst(&self) -> f64 {
        let mean = self.mean();
        let (mut over, mut largest) = (0.0, 0.0f64);
        for piece in self.0.iter() {
            let change = (piece.rate.cells_per_second() - mean) * piece.lasts.as_secs_f64();
            over = f64::max(over + change, 0.0);
            largest = largest.max(over);
        }
        largest
    }
}

impl Piece {
    /// Amount of the piece: its duration times its rate, in picoseconds times thousandths of a bit per second.
    fn work(&self) -> u128 {
        self.lasts.0 as u128 * self.rate.0 as u128
    }
}

/// Plays a list of pieces, once or repeatedly.
#[derive(Clone, Debug)]
pub struct Listed {
    pieces: Pieces,
    at: usize,
    repeat: bool,
    /// The rest of the piece with which playing begins, if it begins within a piece; `None` after this rest has
    /// been played.
    entered: Option<Piece>,
}

impl Listed {
    /// Plays `pieces` once; if `repeat` is true, again and again without end.
    pub fn new(pieces: Pieces, repeat: bool) -> Listed {
        Listed {
            pieces,
            at: 0,
            repeat,
            entered: None,
        }
    }
    /// Changes the start of playing to the time `offset` after the beginning of the list.
    pub fn entered_at(mut self, offset: Ps) -> Listed {
        let mut left = offset;
        while let Some(piece) = self.pieces.0.get(self.at) {
            self.at += 1;
            if left < piece.lasts {
                self.entered = Some(Piece {
                    lasts: piece.lasts - left,
                    ..*piece
                });
                break;
            }
            left = left - piece.lasts;
        }
        self
    }
}

impl PieceSource for Listed {
    fn next_piece(&mut self) -> Option<Piece> {
        if let Some(piece) = self.entered.take() {
            return Some(piece);
        }
        if self.repeat && self.at == self.pieces.0.len() {
            self.at = 0;
        }
        let piece = self.pieces.0.get(self.at).copied()?;
        self.at += 1;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces() -> Pieces {
        let piece = |(ms, bps)| Piece {
            lasts: Ps::from_ms(ms),
            rate: Rate::from_bps(bps),
        };
        // 1, 3 and 0 cells/ms for 2, 1 and 2 ms: 5 cells in 5 ms.
        Pieces::new([(2, 424_000), (1, 1_272_000), (2, 0)].map(piece).to_vec())
    }

    #[test]
    fn a_list_knows_its_mean_peak_and_burst() {
        let pieces = pieces();
        assert_eq!(
            (pieces.lasts(), pieces.cells(), pieces.mean()),
            (Ps::from_ms(5), 5.0, 1_000.0)
        );
        assert_eq!(pieces.peak(), Rate::from_bps(1_272_000));
        assert_eq!(pieces.largest_burst(), 2.0);
        // Two cells above a mean of 1 cell/ms, with one cell below the mean before and after. So the pieces
        // together never exceed the mean by more than two cells.
        let piece = |(ms, bps)| Piece {
            lasts: Ps::from_ms(ms),
            rate: Rate::from_bps(bps),
        };
        let pieces = Pieces::new([(1, 0), (1, 1_272_000), (1, 0)].map(piece).to_vec());
        assert_eq!((pieces.mean(), pieces.largest_burst()), (1_000.0, 2.0));
    }

    #[test]
    fn a_list_can_be_entered_anywhere() {
        let mut listed = Listed::new(pieces(), true).entered_at(Ps::from_us(2_400));
        let lasts: Vec<u64> = (0..4)
            .map(|_| listed.next_piece().unwrap().lasts.0 / 1_000_000)
            .collect();
        assert_eq!(lasts, [600, 2_000, 2_000, 1_000]);
    }
}
