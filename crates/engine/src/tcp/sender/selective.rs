//! Loss recovery from a scoreboard (RFC 6675 section 5). Steps are those of the RFC.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::scoreboard::{Again, DUP_THRESH, Scoreboard};
use crate::tcp::segment::Segment;

impl TcpSender {
    /// What the blocks of an acknowledgement tell anew, if there is a scoreboard.
    pub(super) fn update_board(&mut self, segment: &Segment) -> Option<bool> {
        let board = self.board.as_mut()?;
        Some(board.update(segment.ack, self.snd_max, segment.blocks()))
    }

    /// Steps (1) to (4): an acknowledgement of nothing more is a duplicate if its blocks bring `news`.
    pub(super) fn on_selective_duplicate(
        &mut self,
        now: Ps,
        segment: &Segment,
        news: bool,
    ) -> Option<TcpEvent> {
        self.window.rwnd = segment.window as u64;
        if !news {
            return None;
        }
        self.stats.dup_acks += 1;
        self.dup_acks += 1;
        if self.dup_acks == 1 {
            self.flight_end = self.snd_max;
        }
        let board = self.board.as_ref()?;
        let lost = self.dup_acks >= DUP_THRESH || board.lost_below(self.window.mss) > self.snd_una;
        // Section 5.1: what was out at a timeout is not the reason for a second reaction.
        let reacted = self.recovering || self.recover.is_some_and(|recover| self.snd_una < recover);
        if !lost || reacted {
            None
        } else {
            Some(self.recover_selectively(now))
        }
    }

    /// Step (4): the window is halved, and the oldest hole filled whatever the pipe.
    fn recover_selectively(&mut self, now: Ps) -> TcpEvent {
        self.policy
            .get()
            .on_selective_loss(&mut self.window, self.flight_end - self.snd_una);
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

    /// What is sent next, if anything may be.
    pub(super) fn selected(&self, board: &Scoreboard) -> Option<Again> {
        let mss = self.window.mss;
        if self.resend {
            return self.piece(board, self.snd_una);
        }
        if !self.recovering {
            return self.in_order(board);
        }
        // Step (C); all that is sent again lies below snd_nxt.
        if board.pipe(self.snd_una, self.snd_max, mss) + mss > self.window.cwnd {
            return None;
        }
        let new = self
            .piece(board, self.snd_max)
            .filter(|piece| piece.end <= self.snd_una + self.window.rwnd);
        board
            .next_seg(self.snd_una, self.snd_max, mss, new.is_some())
            .or(new)
    }

    /// Outside of a recovery: the next data, passing over what has arrived. What arrived out of order leaves room
    /// for more: step (3.3) after the first duplicates, section 5.1 after a timeout.
    fn in_order(&self, board: &Scoreboard) -> Option<Again> {
        let piece = self.piece(board, board.skip(self.snd_nxt))?;
        let usable = self
            .window
            .rwnd
            .min(self.window.cwnd + board.sacked_below(piece.seq));
        (piece.end <= self.snd_una + usable).then_some(piece)
    }

    /// At most a segment from `seq` on, to the next block.
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
