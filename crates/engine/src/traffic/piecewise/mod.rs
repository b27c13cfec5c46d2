//! Raw cells (without TCP) at a piecewise constant rate, for video, traces and transport streams.

mod bucket;
mod line;
mod listed;

use alloc::boxed::Box;

use super::CellSource;
use crate::kernel::{Ps, Rate, Tournament};

pub use bucket::PeakBucket;
pub use line::Line;
pub use listed::{Listed, Pieces};

/// A piece: a span of time with a constant rate of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Duration of the piece.
    pub lasts: Ps,
    /// Rate of the cells; a cell counts 424 bits. If zero, the piece is a pause.
    pub rate: Rate,
}

/// A sequence of pieces of constant rate.
pub trait PieceSource {
    /// The next piece; `None` after the last piece.
    fn next_piece(&mut self) -> Option<Piece>;
}

/// State of a source with several streams (lines), whose cells are merged by time. Of cells with equal times, the
/// cell of the earlier line is first.
#[derive(Clone, Debug)]
pub struct Piecewise<P> {
    lines: Box<[Line<P>]>,
    first: Tournament,
}

impl<P: PieceSource> Piecewise<P> {
    /// The cells of all `lines` together; at least one line.
    pub fn new(lines: impl IntoIterator<Item = Line<P>>) -> Piecewise<P> {
        let lines: Box<[Line<P>]> = lines.into_iter().collect();
        let mut first = Tournament::new(lines.len());
        lines
            .iter()
            .enumerate()
            .for_each(|(i, line)| first.put(i, line.next()));
        first.rebuild();
        Piecewise { lines, first }
    }
}

impl<P: PieceSource> CellSource for Piecewise<P> {
    #[inline]
    fn next(&self) -> Ps {
        self.first.first().0
    }
    #[inline]
    fn advance(&mut self) {
        let (_, line) = self.first.first();
        self.lines[line].advance();
        self.first.set(line, self.lines[line].next());
    }
}
