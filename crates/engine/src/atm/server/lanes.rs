//! The cells of one queue of a port, and which of them is served next.

use alloc::vec;
use alloc::vec::Vec;

use super::Queued;
use super::queue_order::{ByPriority, ByPriorityOrWeight, QueueOrder};
use crate::atm::cell::{Body, Info};
use crate::kernel::Ring;
use crate::schedule::Schedule;
use crate::schedule::channels::CELL_OCTETS;

/// Cells that leave in the order of their arrivals.
#[derive(Clone, Default)]
pub struct Lane {
    /// The cells.
    pub cells: Ring<Queued>,
    /// The bodies of those cells that have one.
    pub bodies: Ring<Body>,
}

impl Lane {
    /// Appends a cell.
    pub fn push(&mut self, cell: Queued, body: Option<&Body>) {
        self.cells.push(cell);
        if let Some(body) = body {
            self.bodies.push(*body);
        }
    }
}

/// The cells that wait in one queue.
pub trait Lanes: Clone {
    /// Order of service of the queues of a port that has such queues.
    type Between: QueueOrder;
    /// Number of waiting cells.
    fn waiting(&self) -> u64;
    /// The lane whose first cell is served now. The caller takes this cell from the lane.
    fn next_lane(&mut self) -> &mut Lane;
    /// The lane to which a cell of the channel with index `slot` is appended. `left` returns how many octets of the cell
    /// in service have not been sent yet; 0 if that cell is of another queue.
    fn lane_for(&mut self, slot: u32, info: Info, left: impl FnOnce() -> u64) -> &mut Lane;
    /// All lanes.
    fn all(&self) -> impl Iterator<Item = &Lane>;
}

/// Cells in the order of their arrivals; if wanted, RM cells before all others.
#[derive(Clone, Default)]
pub struct InOrder {
    /// RM cells, if they are served before other cells.
    first: Lane,
    lane: Lane,
    rm_first: bool,
}

impl InOrder {
    /// An empty queue, which with `rm_first` serves RM cells before all others.
    pub fn new(rm_first: bool) -> InOrder {
        InOrder {
            rm_first,
            ..InOrder::default()
        }
    }
}

impl Lanes for InOrder {
    type Between = ByPriority;
    #[inline]
    fn waiting(&self) -> u64 {
        (self.lane.cells.len() + self.first.cells.len()) as u64
    }
    #[inline(always)]
    fn next_lane(&mut self) -> &mut Lane {
        if self.first.cells.is_empty() {
            &mut self.lane
        } else {
            &mut self.first
        }
    }
    #[inline(always)]
    fn lane_for(&mut self, _: u32, info: Info, _: impl FnOnce() -> u64) -> &mut Lane {
        if self.rm_first && !info.is_data() {
            &mut self.first
        } else {
            &mut self.lane
        }
    }
    fn all(&self) -> impl Iterator<Item = &Lane> {
        [&self.first, &self.lane].into_iter()
    }
}

/// The orders of service at a port whose queues have a lane for each channel.
#[derive(Clone)]
pub struct PortOrder {
    /// For each queue, the order of service of its channels.
    pub channels: Vec<ChannelOrder>,
    /// Order of service of the queues; `None` for strict priority.
    pub classes: Option<Schedule>,
}

/// The order of service of the channels of one queue.
#[derive(Clone)]
pub struct ChannelOrder {
    /// Order of service of the lanes.
    pub schedule: Schedule,
    /// For each channel, by its index at the port (slot): index of its lane. Without use for a channel that sends no
    /// cells through the queue.
    pub lanes: Vec<u32>,
    /// Number of lanes.
    pub count: usize,
}

/// A lane for each channel; a discipline decides which lane is next.
#[derive(Clone)]
pub struct ByChannel {
    order: ChannelOrder,
    lanes: Vec<Lane>,
    /// For each lane, the octets of its first cell; 0 if the lane is empty.
    heads: Vec<u32>,
    waiting: u64,
}

impl ByChannel {
    /// An empty queue with the order of service `order`.
    pub fn new(order: ChannelOrder) -> ByChannel {
        ByChannel {
            lanes: vec![Lane::default(); order.count],
            heads: vec![0; order.count],
            order,
            waiting: 0,
        }
    }
}

impl Lanes for ByChannel {
    type Between = ByPriorityOrWeight;
    fn waiting(&self) -> u64 {
        self.waiting
    }
    fn next_lane(&mut self) -> &mut Lane {
        let schedule = &mut self.order.schedule;
        let next = schedule.next(&self.heads);
        let next = next.expect("a queue that is served has a cell");
        schedule.on_service(next, CELL_OCTETS);
        if self.lanes[next].cells.len() == 1 {
            self.heads[next] = 0;
            schedule.on_emptied(next);
        }
        self.waiting -= 1;
        &mut self.lanes[next]
    }
    fn lane_for(&mut self, slot: u32, _: Info, left: impl FnOnce() -> u64) -> &mut Lane {
        let index = self.order.lanes[slot as usize] as usize;
        if self.heads[index] == 0 {
            self.heads[index] = CELL_OCTETS;
            if self.order.schedule.notes_arrivals() {
                self.order.schedule.on_arrival(index, left());
            }
        }
        self.waiting += 1;
        &mut self.lanes[index]
    }
    fn all(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter()
    }
}
