//! An account of cells that entered a port and left its link, independent of the port's own
//! counters.

use std::collections::VecDeque;

use cellrate_engine::atm::cell::{Body, Cell, Info, Pdu, RmCell};
use cellrate_engine::atm::port::QueueCounts;
use cellrate_engine::discard::Cause;
use cellrate_engine::kernel::{Digest, Ps};

use super::super::marks::{Seen, allowed};
use super::setting::Setting;

/// An admitted cell, with the contents that the port gave it.
struct Taken {
    label: u32,
    at: Ps,
    info: Info,
    body: Option<Body>,
}

/// Account of one queue of a port.
#[derive(Default)]
struct Page {
    waiting: VecDeque<Taken>,
    taken: u64,
    refused: u64,
    left: u64,
    longest: u64,
}

/// The model's account of a port: the cells that arrived, left and were lost, by queue and slot.
pub struct Books {
    pages: Vec<Page>,
    /// Number of refused cells, by slot.
    lost: Vec<u64>,
    buffer: u64,
    /// True if cells are refused only by a full buffer.
    tail_drop: bool,
    floor: Ps,
    last_left: Option<Ps>,
    labels: u32,
    digest: Digest,
}

impl Books {
    pub fn new(setting: &Setting) -> Books {
        Books {
            pages: setting.queues().iter().map(|_| Page::default()).collect(),
            lost: vec![0; setting.abr_channels() + 1],
            buffer: setting.buffer(),
            tail_drop: setting.policy().name() == "tail-drop",
            floor: setting.scheme.rate.cell_time_floor(),
            last_left: None,
            labels: 0,
            digest: Digest::default(),
        }
    }

    /// A label that no other cell has.
    pub fn next_label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// Records that the cell labelled last was admitted; `came` and `body` are its contents before
    /// and after.
    pub fn taken(
        &mut self,
        at: Ps,
        queue: usize,
        info: Info,
        (came, body): (Option<Body>, Option<Body>),
    ) {
        self.passed((info, rm_of(came)), (info, rm_of(body)));
        assert_eq!(unhit(came), unhit(body), "the body of a PDU was changed");
        let page = &mut self.pages[queue];
        page.taken += 1;
        page.waiting.push_back(Taken {
            label: self.labels,
            at,
            info,
            body,
        });
    }

    /// Enters a refused cell, and checks that the port was allowed to refuse it.
    pub fn refused(&mut self, queue: usize, slot: u32, of_data: bool, cause: Cause) {
        let page = &mut self.pages[queue];
        let full = page.taken - page.left >= self.buffer;
        assert!(
            full || (of_data && cause != Cause::Overflow && !self.tail_drop),
            "refused with room left"
        );
        page.refused += 1;
        self.lost[slot as usize] += 1;
        self.digest.add(cause as u64);
    }

    /// Records a cell that passed the port, in either direction.
    pub fn passed(&mut self, before: Seen, after: Seen) {
        allowed(before, after, &mut self.digest);
    }

    /// Records that the last bit of a cell left at `at`.
    pub fn left(&mut self, at: Ps, cell: Cell, body: Option<Body>) {
        let first = |page: &Page| {
            page.waiting
                .front()
                .is_some_and(|taken| taken.label == cell.label)
        };
        let page = self
            .pages
            .iter_mut()
            .find(|page| first(page))
            .expect("a cell that is not the first of its queue");
        let Taken {
            at: came,
            info,
            body: expected,
            ..
        } = page.waiting.pop_front().expect("a cell");
        page.left += 1;
        assert_eq!(
            body, expected,
            "what a cell carries was changed on its way out"
        );
        let earliest = self.last_left.map_or(came, |last| last.max(came)).0 + self.floor.0;
        assert!(
            at.0 >= earliest,
            "a cell left at {at}, before its line had time for it"
        );
        self.last_left = Some(at);
        self.digest
            .add(at.0 ^ u64::from(cell.label).rotate_left(40));
        self.passed((info, None), (cell.info, None));
    }

    /// Records the length of a queue right after an arrival.
    pub fn note(&mut self, queue: usize, length: u64) {
        let page = &mut self.pages[queue];
        page.longest = page.longest.max(length);
    }

    /// Checks that the length of a queue is the difference of the cells that entered and left, and
    /// within its buffer.
    pub fn balances(&self, queue: usize, length: u64) {
        let page = &self.pages[queue];
        assert_eq!(length, page.taken - page.left, "queue is not in - out");
        assert!(
            length <= self.buffer,
            "a queue of {length} cells in a buffer of {}",
            self.buffer
        );
    }

    /// Checks that the counters of the port agree with this account.
    pub fn agree(&self, counts: &[QueueCounts], departed: u64, longest: &[u64]) {
        for (page, count) in self.pages.iter().zip(counts) {
            assert_eq!(
                (count.arrived, count.dropped),
                (page.taken + page.refused, page.refused),
                "arrived and dropped"
            );
        }
        assert_eq!(
            departed,
            self.pages.iter().map(|page| page.left).sum::<u64>(),
            "departed"
        );
        let noted: Vec<u64> = self.pages.iter().map(|page| page.longest).collect();
        assert_eq!(longest, noted, "the longest queues");
    }

    /// Checks that the port has counted this number of losses of a channel.
    pub fn lost(&self, slot: usize, cells: u64) {
        assert_eq!(cells, self.lost[slot], "lost of channel {slot}");
    }

    /// Number of cells that have not left the port.
    pub fn waiting(&self) -> u64 {
        self.pages.iter().map(|page| page.taken - page.left).sum()
    }

    pub fn hash(&self) -> u64 {
        self.digest.value()
    }
}

fn rm_of(body: Option<Body>) -> Option<RmCell> {
    match body {
        Some(Body::Rm(rm)) => Some(rm),
        _ => None,
    }
}

/// A PDU without the flag that a switch has refused a cell of it.
fn unhit(body: Option<Body>) -> Option<Pdu> {
    match body {
        Some(Body::Pdu(pdu)) => Some(Pdu { hit: false, ..pdu }),
        _ => None,
    }
}
