//! A single queue whose departures are known at arrival: no departure event, no queue in memory.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use super::{Arrival, Line, PromptServer, Queued, Server, ServerCounts};
use crate::atm::cell::{Body, Cell};
use crate::atm::link::Outlet;
use crate::control::Control;
use crate::kernel::Ps;

/// A first-in first-out server by Lindley's recursion: a cell that arrives at `t` starts at `max(t,
/// free_at)`, so it enters the link at once, with the time at which it will arrive at the far end.
/// The queue length follows from `free_at` alone.
#[derive(Clone)]
pub struct FifoServer {
    line: Line,
    free_at: Ps,
    carry: u64,
    accepted: u64,
    sojourns: u128,
    /// Longest backlog so far: time until the line is free, and the fraction carried then.
    longest: (u64, u64),
}

impl FifoServer {
    /// A server of one queue that serves its cells in order, and whose departures nobody watches.
    pub fn new(line: Line) -> FifoServer {
        FifoServer {
            line,
            free_at: Ps::ZERO,
            carry: 0,
            accepted: 0,
            sojourns: 0,
            longest: (0, 0),
        }
    }
    /// Time until the line is free.
    #[inline]
    pub fn backlog(&self, now: Ps) -> Ps {
        self.free_at.saturating_sub(now)
    }
    /// Sends a cell at `now`.
    #[inline(always)]
    pub fn send(&mut self, now: Ps, cell: Queued, body: Option<&Body>, out: &mut Outlet<'_>) {
        // Near full load it is unpredictable if the line is free.
        let idle = now > self.free_at;
        let start = select_unpredictable(idle, now, self.free_at);
        let carry = select_unpredictable(idle, 0, self.carry);
        (self.free_at, self.carry) = self.line.clock.complete(start, carry);
        let backlog = self.free_at.0 - now.0;
        self.accepted += 1;
        self.sojourns += backlog as u128;
        self.longest = self.longest.max((backlog, self.carry));
        out.push(
            Cell {
                at: self.free_at + self.line.delay,
                label: cell.label,
                info: cell.info,
            },
            body,
        );
    }
    #[inline]
    fn length(&self, now: Ps) -> u64 {
        self.line.clock.cells_until(now, self.free_at, self.carry)
    }
}

impl Server for FifoServer {
    type Credited = PromptServer;
    #[inline]
    fn queue_length(
        &mut self,
        now: Ps,
        _queue: usize,
        _control: &mut Control,
        _out: &mut Outlet<'_>,
    ) -> u64 {
        self.length(now)
    }
    #[inline]
    fn surely_shorter(&self, now: Ps, _queue: usize, limit: u64) -> bool {
        // `limit - 1` whole cells take longer than the time until the line is free.
        self.free_at.saturating_sub(now).0
            < limit
                .saturating_sub(1)
                .saturating_mul(self.line.clock.floor().0)
    }
    #[inline(always)]
    fn push(
        &mut self,
        now: Ps,
        arrival: &Arrival,
        body: Option<&Body>,
        _control: &mut Control,
        out: &mut Outlet<'_>,
    ) {
        self.send(now, arrival.cell, body, out);
    }
    #[inline]
    fn advance(&mut self, _now: Ps, _control: &mut Control, _out: &mut Outlet<'_>) {}
    #[inline]
    fn next_event(&self) -> Ps {
        Ps::NEVER
    }
}

impl ServerCounts for FifoServer {
    fn accepted(&self, _queue: usize) -> u64 {
        self.accepted
    }
    fn departed(&mut self, now: Ps, _control: &mut Control, _out: &mut Outlet<'_>) -> u64 {
        self.accepted - self.length(now)
    }
    fn backlog_integral(
        &mut self,
        now: Ps,
        _queue: usize,
        _control: &mut Control,
        _out: &mut Outlet<'_>,
    ) -> f64 {
        // For cells that are still here, the part of their stay after `now` does not count yet.
        (self.sojourns - self.line.clock.time_left(now, self.free_at, self.carry)) as f64
    }
    fn longest(&self, _queue: usize) -> u64 {
        self.line
            .clock
            .cells_until(Ps::ZERO, Ps(self.longest.0), self.longest.1)
    }
    fn forget_longest(&mut self, now: Ps, _control: &mut Control, _out: &mut Outlet<'_>) {
        self.longest = (self.free_at.saturating_sub(now).0, self.carry);
    }
    fn held(&self) -> Vec<Queued> {
        Vec::new()
    }
    fn storage(&self) -> (usize, usize) {
        (0, 0)
    }
}
