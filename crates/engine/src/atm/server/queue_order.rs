//! The order of service of a port's queues: strict priority, or by weights.

use alloc::vec;
use alloc::vec::Vec;

use crate::schedule::Schedule;
use crate::schedule::channels::CELL_OCTETS;

/// The order of service of a port's queues.
pub trait QueueOrder: Clone {
    /// Index of the queue that is served now. `occupied` has a bit for each queue, set if cells wait there; at least one
    /// bit is set.
    fn next(&mut self, occupied: u32) -> u32;
    /// Records that a cell arrives at a queue in which no cell waits. `serving` is the queue of the cell in service, of which
    /// `left` returns how many octets have not been sent yet.
    fn on_arrival(&mut self, queue: u32, serving: Option<u32>, left: impl FnOnce() -> u64);
    /// Records that the service of the last cell of a queue has begun.
    fn on_emptied(&mut self, queue: u32);
}

/// Strict priority: the first queue that has a cell is served.
#[derive(Clone, Default)]
pub struct ByPriority;

impl QueueOrder for ByPriority {
    #[inline(always)]
    fn next(&mut self, occupied: u32) -> u32 {
        occupied.trailing_zeros()
    }
    #[inline(always)]
    fn on_arrival(&mut self, _: u32, _: Option<u32>, _: impl FnOnce() -> u64) {}
    #[inline(always)]
    fn on_emptied(&mut self, _: u32) {}
}

/// Strict priority, or a discipline that shares the line among the queues by weight.
#[derive(Clone)]
pub struct ByPriorityOrWeight(Option<ByWeight>);

#[derive(Clone)]
struct ByWeight {
    schedule: Schedule,
    /// For each queue, the octets of its first cell; 0 if the queue is empty.
    heads: Vec<u32>,
}

impl ByPriorityOrWeight {
    /// The order of service of `queues` empty queues; strict priority without a schedule.
    pub fn new(schedule: Option<Schedule>, queues: usize) -> ByPriorityOrWeight {
        let by_weight = |schedule| ByWeight {
            schedule,
            heads: vec![0; queues],
        };
        ByPriorityOrWeight(schedule.map(by_weight))
    }
}

impl QueueOrder for ByPriorityOrWeight {
    fn next(&mut self, occupied: u32) -> u32 {
        let Some(ByWeight { schedule, heads }) = &mut self.0 else {
            return occupied.trailing_zeros();
        };
        let next = schedule.next(heads);
        let next = next.expect("a port that serves a cell has a queue with a cell");
        schedule.on_service(next, CELL_OCTETS);
        next as u32
    }
    fn on_arrival(&mut self, queue: u32, serving: Option<u32>, left: impl FnOnce() -> u64) {
        let Some(ByWeight { schedule, heads }) = &mut self.0 else {
            return;
        };
        heads[queue as usize] = CELL_OCTETS;
        if schedule.notes_arrivals() {
            // The cells of strict queues are no part of the service that the others share.
            let shared = serving.is_some_and(|serving| !schedule.is_strict(serving as usize));
            schedule.on_arrival(queue as usize, if shared { left() } else { 0 });
        }
    }
    fn on_emptied(&mut self, queue: u32) {
        if let Some(ByWeight { schedule, heads }) = &mut self.0 {
            heads[queue as usize] = 0;
            schedule.on_emptied(queue as usize);
        }
    }
}
