//! The cells of one queue of a port, and which of them is served next.

use alloc::vec;
use alloc::vec::Vec;

use super::Queued;
use super::port_shaper::PortShaper;
use super::queue_order::{ByPriority, ByPriorityOrWeight, QueueOrder};
use crate::atm::cell::{Body, Info};
use crate::kernel::{Ps, Ring};
use crate::policing::Contract;
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
    /// True if a cell may be held, although the line is free.
    const HOLDS: bool = false;
    /// Number of waiting cells, held cells included.
    fn waiting(&self) -> u64;
    /// The lane whose first cell is served now. The caller takes this cell from the lane.
    fn next_lane(&mut self) -> &mut Lane;
    /// The lane to which a cell of the channel with index `slot` is appended if it must be held, and the time of its release;
    /// `None` if the cell that arrives at `now` need not be held.
    fn hold(&mut self, _now: Ps, _slot: u32) -> Option<(&mut Lane, Ps)> {
        None
    }
    /// Time of the next release of a held cell; `NEVER` without one.
    fn next_release(&self) -> Ps {
        Ps::NEVER
    }
    /// Releases the next held cell. `left` is that of [`Lanes::lane_for`].
    fn release(&mut self, _left: impl FnOnce() -> u64) {}
    /// Number of cells that are not held.
    #[inline(always)]
    fn ready(&self) -> u64 {
        self.waiting()
    }
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
    /// For each lane, the contract to which its cells are shaped; `None` without a shaper.
    pub contracts: Vec<Option<Contract>>,
}

/// A lane for each channel; a discipline decides which lane is next.
#[derive(Clone)]
pub struct ByChannel {
    order: ChannelOrder,
    lanes: Vec<Lane>,
    /// For each lane, the octets of its first cell; 0 if the lane is empty.
    heads: Vec<u32>,
    /// For each lane, its shaper; empty if no lane has one.
    shapers: Vec<Option<PortShaper>>,
    waiting: u64,
    held: u64,
    next_release: Ps,
}

impl ByChannel {
    /// An empty queue with the order of service `order`.
    pub fn new(order: ChannelOrder) -> ByChannel {
        let contracts = order.contracts.iter();
        let shapers = contracts.map(|contract| contract.as_ref().map(PortShaper::new));
        let mut shapers: Vec<Option<PortShaper>> = shapers.collect();
        if shapers.iter().all(Option::is_none) {
            shapers.clear();
        }
        ByChannel {
            lanes: vec![Lane::default(); order.contracts.len()],
            heads: vec![0; order.contracts.len()],
            shapers,
            order,
            waiting: 0,
            held: 0,
            next_release: Ps::NEVER,
        }
    }
    /// Records that a cell of a lane may be served from now on.
    fn note_ready(&mut self, lane: usize, left: impl FnOnce() -> u64) {
        if self.heads[lane] == 0 {
            self.heads[lane] = CELL_OCTETS;
            if self.order.schedule.notes_arrivals() {
                self.order.schedule.on_arrival(lane, left());
            }
        }
    }
    /// Number of held cells of a lane.
    fn held_in(&self, lane: usize) -> usize {
        let shaper = self.shapers.get(lane).and_then(Option::as_ref);
        shaper.map_or(0, PortShaper::held)
    }
}

impl Lanes for ByChannel {
    type Between = ByPriorityOrWeight;
    const HOLDS: bool = true;
    fn waiting(&self) -> u64 {
        self.waiting
    }
    fn next_lane(&mut self) -> &mut Lane {
        let next = self.order.schedule.next(&self.heads);
        let next = next.expect("a queue that is served has a cell");
        self.order.schedule.on_service(next, CELL_OCTETS);
        if self.lanes[next].cells.len() == 1 + self.held_in(next) {
            self.heads[next] = 0;
            self.order.schedule.on_emptied(next);
        }
        self.waiting -= 1;
        &mut self.lanes[next]
    }
    fn lane_for(&mut self, slot: u32, _: Info, left: impl FnOnce() -> u64) -> &mut Lane {
        let index = self.order.lanes[slot as usize] as usize;
        self.note_ready(index, left);
        self.waiting += 1;
        &mut self.lanes[index]
    }
    fn hold(&mut self, now: Ps, slot: u32) -> Option<(&mut Lane, Ps)> {
        let index = self.order.lanes[slot as usize] as usize;
        let at = self.shapers.get_mut(index)?.as_mut()?.hold(now)?;
        self.next_release = self.next_release.min(at);
        self.waiting += 1;
        self.held += 1;
        Some((&mut self.lanes[index], at))
    }
    fn next_release(&self) -> Ps {
        self.next_release
    }
    fn release(&mut self, left: impl FnOnce() -> u64) {
        let due = |shaper: &Option<PortShaper>| {
            let next = shaper.as_ref().map(PortShaper::next);
            next == Some(self.next_release)
        };
        let lane = self.shapers.iter().position(due);
        let lane = lane.expect("a lane with the cell that is released next");
        if let Some(shaper) = &mut self.shapers[lane] {
            shaper.release();
        }
        self.held -= 1;
        self.note_ready(lane, left);
        let releases = self.shapers.iter().flatten().map(PortShaper::next);
        self.next_release = releases.min().unwrap_or(Ps::NEVER);
    }
    fn ready(&self) -> u64 {
        self.waiting - self.held
    }
    fn all(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter()
    }
}
