//! A server of queues in strict priority, or by weight, which processes departures only when its methods are called,
//! without events. A cell may be held until a time that is known at its arrival.

use alloc::vec::Vec;

use super::lanes::{ByChannel, InOrder, Lanes, PortOrder};
use super::queue_order::{ByPriority, ByPriorityOrWeight, QueueOrder};
use super::{Arrival, Context, Line, LineServer, PromptServer, Queued, Server, ServerCounts};
use crate::atm::cell::{Body, Cell};
use crate::atm::server::LineEnd;
use crate::atm::transport::Outlet;
use crate::kernel::{Ps, Stays};
use crate::schedule::channels::CELL_OCTETS;

#[derive(Clone)]
struct Queue<L> {
    lanes: L,
    /// Number of cells of the queue whose service has ended.
    departed: u64,
    stays: Stays,
    longest: u64,
}

impl<L> Queue<L> {
    fn new(lanes: L) -> Queue<L> {
        Queue {
            lanes,
            departed: 0,
            stays: Stays::default(),
            longest: 0,
        }
    }
    /// Counts a cell that arrives at `now`, when the queue has `length` cells.
    #[inline(always)]
    fn arrive(&mut self, now: Ps, length: u64) {
        self.stays.arrive(now);
        self.longest = self.longest.max(length + 1);
    }
}

/// A non-preemptive server of queues, in strict priority or by weight. Between two calls nothing can change the order of
/// service. So the server needs no departure event: each call processes the services up to the time of the call.
///
/// `L` is the order of the cells of a queue: [`InOrder`] of their arrivals, or [`ByChannel`].
#[derive(Clone)]
pub struct PriorityServer<L: Lanes = InOrder> {
    line: Line,
    queues: Vec<Queue<L>>,
    order: L::Between,
    waiting: u64,
    /// One bit for each queue, set if cells wait there. The lowest bit is the queue of the highest
    /// priority.
    occupied: u32,
    /// Index of the queue of the cell in service; `None` after the end of the service has been counted.
    in_service: Option<u32>,
    /// End of the present service; if no cell is in service, end of the last one.
    free_at: Ps,
    carry: u64,
    /// Earliest time of the next service start, which is not before a cell has arrived, even if the line is free
    /// earlier.
    ready_at: Ps,
    /// Time of the next release of a held cell; `NEVER` without one.
    release_at: Ps,
    watched: Option<u32>,
}

impl PriorityServer {
    /// A server of `queues` queues in descending priority. The control scheme gets the departures
    /// of queue `watched`. With `rm_first` each queue serves its RM cells before its other cells.
    ///
    /// # Panics
    /// If there are more than 32 queues.
    pub fn new(line: Line, queues: usize, watched: Option<usize>, rm_first: bool) -> Self {
        let lanes = (0..queues).map(|_| InOrder::new(rm_first));
        PriorityServer::of_lanes(line, lanes, ByPriority, watched)
    }
}

impl PriorityServer<ByChannel> {
    /// A server of queues, each with its order of channels. The control scheme gets the departures of queue `watched`.
    ///
    /// # Panics
    /// If there are more than 32 queues.
    pub fn by_channel(line: Line, orders: PortOrder, watched: Option<usize>) -> Self {
        let PortOrder { channels, classes } = orders;
        let between = ByPriorityOrWeight::new(classes, channels.len());
        let lanes = channels.into_iter().map(ByChannel::new);
        PriorityServer::of_lanes(line, lanes, between, watched)
    }
}

impl<L: Lanes> PriorityServer<L> {
    fn of_lanes(
        line: Line,
        lanes: impl Iterator<Item = L>,
        order: L::Between,
        watched: Option<usize>,
    ) -> Self {
        let queues: Vec<Queue<L>> = lanes.map(Queue::new).collect();
        assert!(queues.len() <= 32, "a bit for each queue");
        PriorityServer {
            line,
            queues,
            order,
            waiting: 0,
            occupied: 0,
            in_service: None,
            free_at: Ps::ZERO,
            carry: 0,
            ready_at: Ps::ZERO,
            release_at: Ps::NEVER,
            watched: watched.map(|queue| queue as u32),
        }
    }
    #[inline]
    fn length(&self, queue: usize) -> u64 {
        self.queues[queue].lanes.waiting() + (self.in_service == Some(queue as u32)) as u64
    }
    fn next_start(&self) -> Ps {
        if self.waiting == 0 {
            Ps::NEVER
        } else {
            self.free_at.max(self.ready_at)
        }
    }
    #[inline(always)]
    fn complete(&mut self) {
        if let Some(queue) = self.in_service.take() {
            let queue = &mut self.queues[queue as usize];
            queue.stays.leave(self.free_at);
            queue.departed += 1;
        }
    }
    #[inline(always)]
    fn start(&mut self, context: &mut Context<'_, impl LineEnd>) {
        let at = context.now;
        let index = self.order.next(self.occupied);
        let watched = self.watched == Some(index);
        let Some(queue) = self.queues.get_mut(index as usize) else {
            return;
        };
        let (length, ready) = (queue.lanes.waiting(), queue.lanes.ready());
        let lane = queue.lanes.next_lane();
        let Some(mut cell) = lane.cells.pop() else {
            return;
        };
        if ready == 1 {
            self.occupied &= !(1 << index);
            self.order.on_emptied(index);
        }
        if watched {
            // The line is free, so `length` counts no cell in service.
            context.show_start(&mut cell.info, length);
        }
        if at > self.free_at {
            self.carry = 0;
        }
        (self.free_at, self.carry) = self.line.clock.complete(at, self.carry);
        self.waiting -= 1;
        self.in_service = Some(index);
        let cell = Cell {
            at: self.free_at + self.line.delay,
            label: cell.label,
            info: cell.info,
        };
        // Few cells have a body. The branch keeps the copy of a body off the path of all other
        // cells.
        if cell.info.has_body() {
            context.out.put(cell, lane.bodies.pop().as_ref());
        } else {
            context.out.put(cell, None);
        }
    }
    /// Appends a cell to the queue with the index `queue`, for [`LineServer::push_to`].
    #[inline(always)]
    fn add(
        &mut self,
        (queue, slot, cell): (u32, u32, Queued),
        body: Option<&Body>,
        context: &mut Context<'_, impl LineEnd>,
    ) {
        let now = context.now;
        self.advance_to(context);
        let length = self.length(queue as usize);
        if L::HOLDS && self.hold(now, (queue, slot, cell), body, length) {
            return;
        }
        let left = self.note_ready(now, queue);
        let queue = &mut self.queues[queue as usize];
        queue.arrive(now, length);
        queue.lanes.lane_for(slot, cell.info, left).push(cell, body);
    }
    /// Appends a cell to the queue with the index `queue` if the cell must be held. Returns true if so. `length` is the
    /// length of the queue.
    fn hold(
        &mut self,
        now: Ps,
        (queue, slot, cell): (u32, u32, Queued),
        body: Option<&Body>,
        length: u64,
    ) -> bool {
        let queue = &mut self.queues[queue as usize];
        let Some((lane, at)) = queue.lanes.hold(now, slot) else {
            return false;
        };
        lane.push(cell, body);
        queue.arrive(now, length);
        self.release_at = self.release_at.min(at);
        true
    }
    /// Records that a cell of the queue with the index `queue` may be served from `now` on. Returns a function that
    /// computes how many octets of the cell in service have not been sent yet; 0 if that cell is of another queue.
    #[inline(always)]
    fn note_ready(&mut self, now: Ps, queue: u32) -> impl FnOnce() -> u64 + use<L> {
        if self.waiting == 0 {
            self.ready_at = now;
        }
        let (clock, free_at) = (self.line.clock, self.free_at);
        let left_of_cell = move || clock.parts_in(free_at - now, CELL_OCTETS);
        if self.occupied & (1 << queue) == 0 {
            self.order.on_arrival(queue, self.in_service, left_of_cell);
        }
        self.occupied |= 1 << queue;
        self.waiting += 1;
        let is_served = self.in_service == Some(queue);
        move || if is_served { left_of_cell() } else { 0 }
    }
    /// Releases the held cells whose time has come, each at its time.
    fn release_until(&mut self, context: &mut Context<'_, impl LineEnd>) {
        while self.release_at <= context.now {
            let at = self.release_at;
            self.serve_until(&mut context.at(at));
            let mut queues = self.queues.iter();
            let queue = queues.position(|queue| queue.lanes.next_release() == at);
            let queue = queue.expect("a queue with the cell that is released next");
            let left = self.note_ready(at, queue as u32);
            self.queues[queue].lanes.release(left);
            let releases = self.queues.iter().map(|queue| queue.lanes.next_release());
            self.release_at = releases.min().unwrap_or(Ps::NEVER);
        }
    }
    /// Processes all service starts before the context's time, and the service ends up to that time.
    #[inline(always)]
    fn serve_until(&mut self, context: &mut Context<'_, impl LineEnd>) {
        let now = context.now;
        loop {
            if self.free_at <= now {
                self.complete();
            }
            let start = self.next_start();
            if start >= now {
                return;
            }
            self.start(&mut context.at(start));
        }
    }
}

impl PriorityServer {
    /// Puts a cell without a body into its queue, as [`Server::push`] does.
    #[inline(always)]
    pub fn push_plain(&mut self, queue: u32, cell: Queued, context: &mut Context<'_, Outlet<'_>>) {
        self.add((queue, 0, cell), None, context);
    }
}

impl<L: Lanes> Server for PriorityServer<L> {
    type Credited = PromptServer;
    #[inline]
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.length(queue)
    }
    #[inline]
    fn surely_shorter(&self, _now: Ps, queue: usize, limit: u64) -> bool {
        // This is the length at the last call. Since that call, cells can only have left.
        self.length(queue) < limit
    }
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        self.push_to(arrival, body, context);
    }
    // This is a separate function because, inlined, it would need more registers than ports with one queue can
    // spare.
    #[inline(never)]
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        self.advance_to(context);
    }
    #[inline]
    fn next_event(&self) -> Ps {
        if L::HOLDS {
            return self.next_start().min(self.release_at);
        }
        self.next_start()
    }
}

impl<L: Lanes> LineServer for PriorityServer<L> {
    fn push_to(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, impl LineEnd>,
    ) {
        self.add((arrival.queue, arrival.slot, arrival.cell), body, context);
    }
    #[inline(always)]
    fn advance_to(&mut self, context: &mut Context<'_, impl LineEnd>) {
        if L::HOLDS {
            self.release_until(context);
        }
        self.serve_until(context);
    }
}

impl<L: Lanes> ServerCounts for PriorityServer<L> {
    fn accepted(&self, queue: usize) -> u64 {
        self.queues[queue].departed + self.length(queue)
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.queues.iter().map(|queue| queue.departed).sum()
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        let now = context.now;
        let begun = self.departed(context) + self.in_service.is_some() as u64;
        let (last, carry) = (self.free_at, self.carry);
        self.line.clock.served(begun, now, last, carry)
    }
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        let now = context.now;
        self.advance(context);
        let length = self.length(queue);
        self.queues[queue].stays.until(now, length)
    }
    fn longest(&self, queue: usize) -> u64 {
        self.queues[queue].longest
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        self.advance(context);
        for queue in 0..self.queues.len() {
            self.queues[queue].longest = self.length(queue);
        }
    }
    fn held(&self) -> Vec<Queued> {
        let lanes = self.queues.iter().flat_map(|queue| queue.lanes.all());
        lanes.flat_map(|lane| lane.cells.iter().copied()).collect()
    }
    fn storage(&self) -> (usize, usize) {
        let lanes = self.queues.iter().flat_map(|queue| queue.lanes.all());
        let bytes = lanes
            .map(|lane| lane.cells.bytes() + lane.bodies.bytes())
            .sum();
        let cells = self.queues.iter().map(|queue| queue.lanes.waiting());
        (bytes, cells.sum::<u64>() as usize)
    }
}
