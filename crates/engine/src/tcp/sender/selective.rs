//! Loss recovery by a scoreboard (RFC 6675 section 5). Step numbers in the comments are those of
//! that section.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::scoreboard::{Again, DUP_THRESH, Scoreboard};
use crate::tcp::segment::Segment;

impl TcpSender {
    /// Adds the blocks of an acknowledgement to the scoreboard. Returns true if the blocks report
    /// new data; `None` without a scoreboard.
    pub(super) fn update_board(&mut self, segment: &Segment) -> Option<bool> {
        let board = self.board.as_mut()?;
        if let Some(records) = &mut self.records {
            let blocks = segment.blocks().above(segment.ack());
            for (from, to) in blocks.filter(|(from, to)| from < to && *to <= self.snd_max) {
                board.each_missing(from, to, |from, to| records.on_arrived(from, to));
            }
        }
        // Update(), section 4
        Some(board.update(segment.ack(), self.snd_max, segment.blocks()))
    }

    /// Steps (1) to (4) of RFC 6675 section 5. An acknowledgement that does not advance snd_una counts as a
    /// duplicate if its blocks report new data (`news`; section 2).
    pub(super) fn on_selective_duplicate(
        &mut self,
        now: Ps,
        segment: &Segment,
        news: bool,
    ) -> Option<TcpEvent> {
        self.window.rwnd = self.advertised(segment);
        if !news {
            return None;
        }
        self.stats.dup_acks += 1;
        self.dup_acks += 1;
        if self.dup_acks == 1 {
            self.flight_end = self.snd_max;
        }
        let board = self.board.as_ref()?;
        // Step (1): DupAcks >= DupThresh; step (2): IsLost(HighACK + 1).
        let lost = self.dup_acks >= DUP_THRESH || board.lost_below(self.window.mss) > self.snd_una;
        // Section 5.1: the sender does not react a second time to losses of data that were outstanding at a
        // timeout.
        let reacted = self.recovering || self.recover.is_some_and(|recover| self.snd_una < recover);
        if !lost || reacted {
            None
        } else {
            Some(self.recover_selectively(now))
        }
    }

    /// Step (4) of RFC 6675 section 5: halves the window (4.2) and sends the oldest hole (4.3),
    /// whatever the number of bytes in flight.
    fn recover_selectively(&mut self, now: Ps) -> TcpEvent {
        let loss = self.loss(now, self.flight_end - self.snd_una);
        self.policy.get().on_selective_loss(&mut self.window, &loss);
        if let Some(board) = &mut self.board {
            board.begin(self.snd_una);
        }
        self.resend = true;
        self.begin_recovery(now, true)
    }

    pub(super) fn poll_selective(&mut self, now: Ps) -> Option<Segment> {
        if !self.recovering {
            self.restart_after_idle(now);
        }
        let chosen = self.selected(self.board.as_ref()?)?;
        let new = chosen.seq >= self.snd_max;
        let segment = self.emit(now, chosen.seq, chosen.end - chosen.seq);
        if let Some(board) = self.board.as_mut().filter(|_| self.recovering && !new) {
            board.sent_again(chosen);
        }
        self.resend = false;
        Some(segment)
    }

    /// The data to send next during a recovery; `None` if no data may be sent.
    pub(super) fn selected(&self, board: &Scoreboard) -> Option<Again> {
        let mss = self.window.mss;
        if self.resend {
            return self.piece(board, self.snd_una);
        }
        if !self.recovering {
            return self.in_order(board);
        }
        // Step (C): only if cwnd - pipe >= 1 SMSS.
        if board.pipe(self.snd_una, self.snd_max, mss) + mss > self.window.cwnd {
            return None;
        }
        // NextSeg() rule (2): new data within the receive window.
        let new = self
            .piece(board, self.snd_max)
            .filter(|piece| piece.end <= self.snd_una + self.window.rwnd)
            .filter(|piece| !self.waits_for_more(piece.seq, piece.end - piece.seq));
        board
            .next_seg(self.snd_una, self.snd_max, mss, new.is_some())
            .or(new)
    }

    /// The data to send next outside a recovery: the first data from snd_nxt on that have not arrived. Data that
    /// arrived out of order do not count against cwnd. This follows step (3.3) after the first duplicates, and
    /// section 5.1 after a timeout.
    fn in_order(&self, board: &Scoreboard) -> Option<Again> {
        let piece = self.piece(board, board.skip(self.snd_nxt))?;
        let usable = self
            .window
            .rwnd
            .min(self.window.cwnd + board.sacked_below(piece.seq));
        let waits = self.waits_for_more(piece.seq, piece.end - piece.seq);
        (piece.end <= self.snd_una + usable && !waits).then_some(piece)
    }

    /// Data from `seq` on, at most one segment, and not beyond the start of the next SACK block.
    fn piece(&self, board: &Scoreboard, seq: u64) -> Option<Again> {
        let full = seq + self.len_at(seq);
        let end = board.next_block(seq).map_or(full, |block| full.min(block));
        (end > seq).then_some(Again {
            seq,
            end,
            rescue: false,
        })
    }
}
