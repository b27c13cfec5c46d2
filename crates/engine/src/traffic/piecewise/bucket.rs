//! A bucket that delays cells above a peak rate.

use super::{Piece, PieceSource};
use crate::kernel::{Ps, Rate};

/// A sequence of pieces (spans of time with a constant rate) behind a bucket that leaks at a peak rate. Cells
/// that come faster wait and are sent later at the peak rate, so no cell is lost (Kalyanaraman 1997, section
/// 8.17.3: 15 Mbit/s behind each video source).
#[derive(Clone, Debug)]
pub struct PeakBucket<P> {
    pieces: P,
    peak: Rate,
    /// Backlog of the bucket in picoseconds times thousandths of a bit per second.
    backlog: u128,
    /// The rest of the piece during which the bucket became empty, from this time on.
    rest: Option<Piece>,
}

impl<P: PieceSource> PeakBucket<P> {
    /// An empty bucket that leaks at the rate `peak`, which is above zero.
    pub fn new(pieces: P, peak: Rate) -> PeakBucket<P> {
        PeakBucket {
            pieces,
            peak,
            backlog: 0,
            rest: None,
        }
    }

    /// The first piece of constant output rate while `piece` enters the bucket.
    fn leave(&mut self, piece: Piece) -> Piece {
        let lasts = piece.lasts.0 as u128;
        if piece.rate >= self.peak {
            self.backlog += lasts * (piece.rate.0 - self.peak.0) as u128;
            return Piece {
                rate: self.peak,
                ..piece
            };
        }
        let room = (self.peak.0 - piece.rate.0) as u128;
        let empties = self.backlog / room;
        if empties == 0 {
            // If the backlog is less than a picosecond at the peak rate, it stays in the bucket.
            return piece;
        }
        if empties >= lasts {
            self.backlog -= lasts * room;
            return Piece {
                rate: self.peak,
                ..piece
            };
        }
        self.backlog -= empties * room;
        let first = Ps(empties as u64);
        self.rest = Some(Piece {
            lasts: piece.lasts - first,
            ..piece
        });
        Piece {
            lasts: first,
            rate: self.peak,
        }
    }
}

impl<P: PieceSource> PieceSource for PeakBucket<P> {
    fn next_piece(&mut self) -> Option<Piece> {
        if let Some(piece) = self.rest.take().or_else(|| self.pieces.next_piece()) {
            return Some(self.leave(piece));
        }
        let lasts = u64::try_from(self.backlog / self.peak.0 as u128).unwrap_or(u64::MAX);
        self.backlog = 0;
        (lasts > 0).then_some(Piece {
            lasts: Ps(lasts),
            rate: self.peak,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Listed, Pieces};
    use super::*;
    use alloc::vec::Vec;

    fn played(peak: u64, pieces: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let piece = |&(lasts, rate): &(u64, u64)| Piece {
            lasts: Ps(lasts),
            rate: Rate(rate),
        };
        let listed = Listed::new(Pieces::new(pieces.iter().map(piece).collect()), false);
        let mut bucket = PeakBucket::new(listed, Rate(peak));
        core::iter::from_fn(|| bucket.next_piece())
            .map(|piece| (piece.lasts.0, piece.rate.0))
            .collect()
    }

    #[test]
    fn what_exceeds_the_peak_is_sent_later() {
        // 4 ps at 5 above the peak of 10 leave a backlog of 20. Then 5 ps at 4 below the peak remove this
        // backlog.
        assert_eq!(played(10, &[(4, 15), (8, 6)]), [(4, 10), (5, 10), (3, 6)]);
        // A backlog may last longer than a piece, and longer than the list.
        assert_eq!(
            played(10, &[(4, 15), (2, 6), (1, 12)]),
            [(4, 10), (2, 10), (1, 10), (1, 10)]
        );
        assert_eq!(played(10, &[(4, 10), (2, 0)]), [(4, 10), (2, 0)]);
    }

    #[test]
    fn nothing_is_lost_nor_faster_than_the_peak() {
        let pieces: Vec<(u64, u64)> = (0..200u64).map(|i| (1 + i * 7 % 13, i * i % 29)).collect();
        let work =
            |pieces: &[(u64, u64)]| pieces.iter().map(|(lasts, rate)| lasts * rate).sum::<u64>();
        let found = played(17, &pieces);
        assert!(found.iter().all(|(_, rate)| *rate <= 17));
        // A backlog of less than one picosecond at the peak is never sent.
        assert!(
            work(&pieces) - work(&found) < 17,
            "{} {}",
            work(&pieces),
            work(&found)
        );
    }
}
