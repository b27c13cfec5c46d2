//! The scoreboard of a sender: the data known to have arrived out of order, and the choice of the
//! next segment (RFC 6675 section 4).
//!
//! Positions are bytes. `high_rxt` and the end of a range are the position after the last byte, where the RFC
//! uses the last byte.

use super::blocks::Blocks;
use super::intervals::Intervals;

/// DupThresh of RFC 6675: number of duplicates, or of blocks above a hole, that indicate a loss.
pub const DUP_THRESH: u32 = 3;

/// A range of bytes that [`Scoreboard::next_seg`] chooses to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// Position of the first byte.
    pub seq: u64,
    /// Position after the last byte.
    pub end: u64,
    /// True for the rescue retransmission, which does not change HighRxt (NextSeg() rule 4).
    pub rescue: bool,
}

/// Bytes of one sender that selective acknowledgements have reported, and state of retransmission (RFC 6675).
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sacked: Intervals,
    high_rxt: u64,
    rescued: bool,
}

impl Scoreboard {
    /// Update() of RFC 6675: adds the blocks of an acknowledgement with the number `una`. Blocks beyond `snd_max`
    /// are invalid and ignored. Returns true if the blocks report new data. Only in this case does the
    /// acknowledgement count as a duplicate (RFC 6675 section 2).
    pub fn update(&mut self, una: u64, snd_max: u64, blocks: Blocks) -> bool {
        self.sacked.forget_below(una);
        let known = blocks
            .above(una)
            .filter(|(from, to)| from < to && *to <= snd_max);
        known
            .map(|(from, to)| self.sacked.insert(from, to))
            .sum::<u64>()
            > 0
    }

    /// Calls `take` for each range of `from..to` that is not known to have arrived.
    pub fn each_missing(&self, from: u64, to: u64, mut take: impl FnMut(u64, u64)) {
        let mut seq = self.skip(from);
        while seq < to {
            let end = self.next_block(seq).map_or(to, |block| block.min(to));
            take(seq, end);
            seq = self.skip(end);
        }
    }
    /// Number of missing bytes between `from` and the position below which missing data count as lost (IsLost()
    /// of RFC 6675).
    pub fn lost_above(&self, from: u64, mss: u64) -> u64 {
        let lost = self.lost_below(mss);
        if lost > from {
            self.missing(from, lost)
        } else {
            0
        }
    }

    /// Clears the scoreboard at a timeout: a receiver may discard data that it has reported (RFC
    /// 2018 section 8).
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.high_rxt = 0;
    }

    /// Begins a recovery, in which no data have been sent again yet.
    pub fn begin(&mut self, una: u64) {
        (self.high_rxt, self.rescued) = (una, false);
    }

    /// Position below which all missing data count as lost (IsLost() of RFC 6675). Above lost data there are
    /// DupThresh blocks, or blocks with more than (DupThresh - 1) SMSS bytes.
    pub fn lost_below(&self, mss: u64) -> u64 {
        let (mut count, mut bytes) = (0, 0);
        for block in self.sacked.as_slice().iter().rev() {
            count += 1;
            bytes += block.len();
            if count >= DUP_THRESH || bytes > (DUP_THRESH as u64 - 1) * mss {
                return block.from;
            }
        }
        0
    }

    /// SetPipe() of RFC 6675: estimated number of bytes in flight. A missing byte counts once unless it is lost
    /// (a), and once more if it was sent again (b).
    pub fn pipe(&self, una: u64, snd_max: u64, mss: u64) -> u64 {
        let lost = self.lost_below(mss).clamp(una, snd_max);
        let again = self.high_rxt.clamp(una, snd_max);
        self.missing(lost, snd_max) + self.missing(una, again) // (a) + (b)
    }

    /// SetPipe() of RFC 6675 after a timeout, while `una` is below `recover`, the snd_max at the timeout. Data
    /// that were outstanding then count as lost, whatever is reported above them (a), and as sent again up to
    /// `snd_nxt` (b).
    pub fn pipe_after_timeout(
        &self,
        una: u64,
        snd_nxt: u64,
        recover: u64,
        snd_max: u64,
        mss: u64,
    ) -> u64 {
        let lost = self.lost_below(mss).clamp(recover, snd_max);
        let again = snd_nxt.clamp(una, recover);
        self.missing(lost, snd_max) + self.missing(una, again) // (a) + (b)
    }

    fn missing(&self, from: u64, to: u64) -> u64 {
        to - from - self.sacked.covered(from, to)
    }

    /// NextSeg() of RFC 6675 without its rule (2). The result is the first hole that is lost and was not sent
    /// again (rule 1). If there is none and no new data can be sent, the result is the first hole that was not
    /// sent again (rule 3). If there is none, the result is once in a recovery the last missing bytes (rule 4).
    pub fn next_seg(&self, una: u64, snd_max: u64, mss: u64, new_data: bool) -> Option<Again> {
        // Rule (1). If there are no new data, rule (3), which does not require the hole to be lost.
        let first = self.first_hole(una.max(self.high_rxt), mss);
        if let Some(hole) = first.filter(|hole| hole.seq < self.lost_below(mss) || !new_data) {
            return Some(hole);
        }
        if new_data || self.rescued {
            None
        } else {
            self.last_missing(una, snd_max, mss) // Rule (4)
        }
    }

    /// The first missing bytes at or above `from`, at most one segment. `None` if no data above them have
    /// arrived.
    fn first_hole(&self, from: u64, mss: u64) -> Option<Again> {
        let seq = self.skip(from);
        let next = self.sacked.after(seq)?;
        Some(Again {
            seq,
            end: next.from.min(seq + mss),
            rescue: false,
        })
    }

    fn last_missing(&self, una: u64, snd_max: u64, mss: u64) -> Option<Again> {
        let last = self.sacked.as_slice().last();
        // The bytes after the last block. If this block reaches snd_max, the bytes before the block instead.
        let (from, end) = match last {
            Some(block) if block.to >= snd_max => {
                let below = self.sacked.as_slice().iter().rev().nth(1);
                (below.map_or(una, |block| block.to), block.from)
            }
            Some(block) => (block.to, snd_max),
            None => (una, snd_max),
        };
        (from < end).then(|| Again {
            seq: from.max(end.saturating_sub(mss)),
            end,
            rescue: true,
        })
    }

    /// Records that the range `again` has been sent again.
    pub fn sent_again(&mut self, again: Again) {
        if again.rescue {
            self.rescued = true;
        } else {
            self.high_rxt = again.end;
        }
    }

    /// Position of the first missing byte at or above `position`.
    pub fn skip(&self, position: u64) -> u64 {
        self.sacked.at(position).map_or(position, |block| block.to)
    }
    /// Position of the first byte of the next SACK block above `position`.
    pub fn next_block(&self, position: u64) -> Option<u64> {
        self.sacked.after(position).map(|block| block.from)
    }
    /// Number of bytes below `position` that are known to have arrived out of order.
    pub fn sacked_below(&self, position: u64) -> u64 {
        self.sacked.covered(0, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 10;

    /// A scoreboard of segments of ten bytes. The segments with the numbers in `arrived` have arrived.
    fn board(arrived: &[u64]) -> Scoreboard {
        let mut board = Scoreboard::default();
        arrived.iter().for_each(|n| {
            board.sacked.insert(n * MSS, (n + 1) * MSS);
        });
        board
    }

    fn next(board: &Scoreboard, new_data: bool) -> Option<(u64, u64, bool)> {
        board
            .next_seg(0, 10 * MSS, MSS, new_data)
            .map(|a| (a.seq / MSS, a.end / MSS, a.rescue))
    }

    #[test]
    fn three_blocks_or_more_than_two_segments_above_a_hole_mean_that_it_is_lost() {
        assert_eq!(board(&[1, 2]).lost_below(MSS), 0);
        assert_eq!(board(&[1, 2, 3]).lost_below(MSS), 10);
        // There are three blocks, so data below the lowest block are lost. The bytes of two blocks are not more
        // than two segments.
        assert_eq!(board(&[1, 3, 5]).lost_below(MSS), 10);
        assert_eq!(board(&[1, 3, 5, 6]).lost_below(MSS), 30);
    }

    #[test]
    fn the_pipe_counts_what_is_missing_and_not_lost_and_what_was_sent_again() {
        // Of ten segments, 0 and 2 are missing below three blocks or more; 4, 6, 8 and 9 may be in
        // flight.
        let mut board = board(&[1, 3, 5, 7]);
        // The upper three blocks show that 2 is lost, too.
        assert_eq!(board.lost_below(MSS), 30);
        assert_eq!(board.pipe(0, 100, MSS), 40);
        board.begin(0);
        board.sent_again(Again {
            seq: 0,
            end: 10,
            rescue: false,
        });
        assert_eq!(board.pipe(0, 100, MSS), 50);
    }

    #[test]
    fn a_timeout_forgets_what_was_sent_again_before() {
        let mut board = board(&[3, 4, 5]);
        board.begin(0);
        board.sent_again(Again {
            seq: 0,
            end: 10,
            rescue: false,
        });
        // In flight are segment 0, which was sent again, and segments 6 to 9 of ten.
        assert_eq!(board.pipe(0, 100, MSS), 50);
        board.clear();
        assert_eq!(board.pipe(0, 100, MSS), 100);
    }

    #[test]
    fn after_a_timeout_the_pipe_has_the_copies_and_new_data() {
        let mut board = Scoreboard::default();
        // Ten segments were outstanding at the timeout. None of them is in flight. Later the copies of 0 and 1
        // are.
        assert_eq!(board.pipe_after_timeout(0, 0, 100, 100, MSS), 0);
        assert_eq!(board.pipe_after_timeout(0, 20, 100, 100, MSS), 20);
        // Segments 3 to 5 are reported. This does not show that the copies below are lost. Segments 2 and 6 are
        // sent again.
        board.sacked.insert(30, 60);
        assert_eq!(board.pipe_after_timeout(0, 20, 100, 100, MSS), 20);
        assert_eq!(board.pipe_after_timeout(0, 70, 100, 100, MSS), 40);
        // Segments 0 to 6 have arrived. In flight are the copies of 7 to 9, and after them new data, 10 to 14.
        board.sacked.forget_below(70);
        assert_eq!(board.pipe_after_timeout(70, 100, 100, 100, MSS), 30);
        assert_eq!(board.pipe_after_timeout(70, 150, 100, 150, MSS), 80);
        // Segments 12 to 14 are reported, so 10 and 11 are lost.
        board.sacked.insert(120, 150);
        assert_eq!(board.pipe_after_timeout(70, 150, 100, 150, MSS), 30);
    }

    #[test]
    fn lost_holes_come_first_then_new_data_then_other_holes_then_one_rescue() {
        let mut board = board(&[1, 3, 5, 7]);
        board.begin(0);
        for hole in [0, 2] {
            assert_eq!(next(&board, true), Some((hole, hole + 1, false)));
            board.sent_again(Again {
                seq: hole * MSS,
                end: (hole + 1) * MSS,
                rescue: false,
            });
        }
        // The sender applies rule 2. If there are no new data, rule 3 chooses segments 4 and 6, and rule 4 the
        // last segment.
        assert_eq!(next(&board, true), None);
        for hole in [4, 6] {
            assert_eq!(next(&board, false), Some((hole, hole + 1, false)));
            board.sent_again(Again {
                seq: hole * MSS,
                end: (hole + 1) * MSS,
                rescue: false,
            });
        }
        assert_eq!(next(&board, false), Some((9, 10, true)));
        board.sent_again(Again {
            seq: 90,
            end: 100,
            rescue: true,
        });
        assert_eq!(next(&board, false), None);
    }

    #[test]
    fn the_rescue_has_the_last_missing_bytes_wherever_they_are() {
        let mut last_arrived = board(&[1, 9]);
        last_arrived.begin(80);
        assert_eq!(next(&last_arrived, false), Some((8, 9, false)));
        last_arrived.begin(90);
        assert_eq!(next(&last_arrived, false), Some((8, 9, true)));
        assert_eq!(next(&board(&[]), false), Some((9, 10, true)));
    }
}
