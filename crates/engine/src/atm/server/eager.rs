//! The plain server of the reference engine: one event per completion, no foresight.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Line, Outlet, Queued, Server};
use crate::atm::cell::{Body, Cell};
use crate::control::SwitchControl;
use crate::kernel::Ps;

struct Waiting {
    cell: Queued,
    body: Option<Body>,
}

/// Serves queues in strict priority the textbook way: a cell leaves the queue when its service has
/// completed and only then goes onto the link. Written for plainness; it shares nothing with the
/// lazy servers but the interface.
pub struct EagerServer {
    line: Line,
    queues: Vec<VecDeque<Waiting>>,
    in_service: Option<(usize, Waiting, Ps)>,
    /// Completion and carried fraction of the last service.
    last: (Ps, u64),
    departed: u64,
    integrals: Vec<(u128, Ps)>,
    longest: Vec<u64>,
    accepted: Vec<u64>,
    watched: Option<usize>,
    /// When cells have been waiting while nobody was served.
    idle_since_arrival: Ps,
}

impl EagerServer {
    fn length(&self, queue: usize) -> u64 {
        let serving = self.in_service.as_ref().is_some_and(|(q, _, _)| *q == queue);
        self.queues[queue].len() as u64 + serving as u64
    }
    fn account(&mut self, now: Ps) {
        for queue in 0..self.queues.len() {
            let length = self.length(queue) as u128;
            let (sum, since) = &mut self.integrals[queue];
            *sum += (now.0 - since.0) as u128 * length;
            *since = now;
        }
    }
    fn finish(&mut self, outlet: &mut Outlet<'_>) {
        let Some((_, _, done)) = self.in_service else { return };
        self.account(done);
        if let Some((_, Waiting { cell, body }, done)) = self.in_service.take() {
            self.departed += 1;
            let cell = Cell { at: done + self.line.delay, label: cell.label, info: cell.info };
            outlet.link_was_empty |= outlet.link.push(cell, body.as_ref());
        }
    }
    fn begin(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        let Some(queue) = (0..self.queues.len()).find(|q| !self.queues[*q].is_empty()) else { return };
        let length = self.length(queue);
        let Some(mut waiting) = self.queues[queue].pop_front() else { return };
        if self.watched == Some(queue) {
            outlet.control.on_dequeue(now, &mut waiting.cell.info, length);
        }
        let carry = if self.last.0 == now { self.last.1 } else { 0 };
        self.last = self.line.clock.complete(now, carry);
        self.in_service = Some((queue, waiting, self.last.0));
    }
    fn start_due(&self) -> Ps {
        let waiting = self.queues.iter().any(|queue| !queue.is_empty());
        if waiting && self.in_service.is_none() { self.idle_since_arrival.max(self.last.0) } else { Ps::NEVER }
    }
}

impl Server for EagerServer {
    fn new(line: Line, queues: usize, controlled: usize, marks_at_dequeue: bool) -> Self {
        EagerServer {
            line,
            queues: (0..queues).map(|_| VecDeque::new()).collect(),
            in_service: None,
            last: (Ps::ZERO, 0),
            departed: 0,
            integrals: alloc::vec![(0, Ps::ZERO); queues],
            longest: alloc::vec![0; queues],
            accepted: alloc::vec![0; queues],
            watched: marks_at_dequeue.then_some(controlled),
            idle_since_arrival: Ps::ZERO,
        }
    }
    fn queue_length(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> u64 {
        self.advance(now, outlet);
        self.length(queue)
    }
    fn surely_shorter(&self, _now: Ps, queue: usize, limit: u64) -> bool {
        self.length(queue) < limit
    }
    fn accepted(&self, queue: usize) -> u64 {
        self.accepted[queue]
    }
    fn push(&mut self, now: Ps, queue: usize, cell: Queued, body: Option<&Body>, outlet: &mut Outlet<'_>) {
        self.advance(now, outlet);
        self.account(now);
        if self.start_due() == Ps::NEVER && self.in_service.is_none() {
            self.idle_since_arrival = now;
        }
        self.accepted[queue] += 1;
        self.queues[queue].push_back(Waiting { cell, body: body.copied() });
        self.longest[queue] = self.longest[queue].max(self.length(queue));
    }
    fn advance(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        loop {
            if self.in_service.as_ref().is_some_and(|(_, _, done)| *done <= now) {
                self.finish(outlet);
            }
            let start = self.start_due();
            if start >= now {
                return;
            }
            self.begin(start, outlet);
        }
    }
    fn next_event(&self) -> Ps {
        self.in_service.as_ref().map_or(self.start_due(), |(_, _, done)| *done)
    }
    fn departed(&mut self, now: Ps, outlet: &mut Outlet<'_>) -> u64 {
        self.advance(now, outlet);
        self.departed
    }
    fn backlog_integral(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> f64 {
        self.advance(now, outlet);
        self.account(now);
        self.integrals[queue].0 as f64
    }
    fn longest(&self, queue: usize) -> u64 {
        self.longest[queue]
    }
    fn forget_longest(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        self.advance(now, outlet);
        self.longest = (0..self.queues.len()).map(|queue| self.length(queue)).collect();
    }
    fn held(&self) -> Vec<Queued> {
        let waiting = self.queues.iter().flatten().map(|waiting| waiting.cell);
        waiting.chain(self.in_service.iter().map(|(_, waiting, _)| waiting.cell)).collect()
    }
    fn storage(&self) -> (usize, usize) {
        (0, 0)
    }
}
