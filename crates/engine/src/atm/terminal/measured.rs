//! Measurements of a terminal, read for the report.

use super::{App, Shaper, Terminal, TerminalCounts};
use crate::atm::source_queue::SourceQueue;
use crate::endsystem::AbrSource;
use crate::kernel::{Digest, Ps, Summary};

impl Terminal {
    /// Begins a new measurement window at `now`.
    pub fn begin_window(&mut self, now: Ps) {
        for integral in [
            &mut self.rate_limited,
            &mut self.window_limited,
            &mut self.acr_mean,
        ] {
            integral.restart(now);
        }
        self.acr_range.restart();
        self.packet_delay.reset();
        self.cell_delay.reset();
        self.queue.forget_longest();
    }
    /// Counters of the terminal since the start of the run.
    pub fn counts(&self) -> TerminalCounts {
        self.counts
    }
    /// True if the terminal has a source queue in which cells may wait.
    pub fn may_wait(&self) -> bool {
        !matches!(
            (&self.shaper, &self.app),
            (Shaper::None, _) | (_, App::Persistent)
        )
    }
    /// Source queue of the terminal.
    pub fn queue(&self) -> &SourceQueue {
        &self.queue
    }
    /// Application of the terminal.
    pub fn app(&self) -> &App {
        &self.app
    }
    /// The ABR source of the channel, if the channel has RM cells.
    pub fn abr(&self) -> Option<&AbrSource> {
        self.shaper.abr()
    }
    /// The ABR source of the channel, mutable, if the channel has RM cells.
    pub fn abr_mut(&mut self) -> Option<&mut AbrSource> {
        self.shaper.abr_mut()
    }
    /// Number of cells that the channel may send by its credit at the source; `None` without credit
    /// control.
    pub fn credit_balance(&self) -> Option<u32> {
        match &self.shaper {
            Shaper::Credited(source) => Some(source.balance()),
            _ => None,
        }
    }
    /// Time at which the last byte of the transfer was acknowledged; `None` before that.
    pub fn completed(&self) -> Option<Ps> {
        self.completed
    }
    /// Number of PDUs discarded because cells of an earlier PDU were merged with them.
    pub fn merges(&self) -> u64 {
        self.reassembler.merges()
    }
    /// Sequence number of the data cell that arrives next if no cell is lost.
    pub fn next_number(&self) -> u32 {
        self.reassembler.next_number()
    }
    /// Application bytes in the PDU that is being reassembled, and in segments that wait for the host's
    /// processor.
    pub fn unfinished_bytes(&self) -> u64 {
        let processing = self.processing.as_ref();
        self.partial_bytes
            + processing.map_or(0, |p| {
                p.segments.iter().map(|(_, s)| s.payload() as u64).sum()
            })
    }
    /// Three values over the last `window`: the share of time in which the rate was the limit, the share in which
    /// TCP's window was the limit, and mean ACR in cells/s.
    pub fn shares(&self, now: Ps, window: Ps) -> (f64, f64, f64) {
        (
            self.rate_limited.mean(now, window),
            self.window_limited.mean(now, window),
            self.acr_mean.mean(now, window),
        )
    }
    /// Least and greatest ACR in the measurement window so far, in cells/s; `None` if the channel is not ABR.
    pub fn acr_range(&self) -> Option<(f64, f64)> {
        self.abr().map(|_| self.acr_range.range())
    }
    /// Delays of packets and of cells that arrived at the terminal, in picoseconds.
    pub fn delays(&self) -> (&Summary, &Summary) {
        (&self.packet_delay, &self.cell_delay)
    }
    /// Hash over all arrivals at the terminal.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}
