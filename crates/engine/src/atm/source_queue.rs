//! The queue of an end system: cells of PDUs that the channel has not sent yet.

mod row;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atm::aal5::{CELL_PAYLOAD as CELL_PAYLOAD_BYTES, Encapsulation, cells_for};
use crate::atm::cell::{Info, Pdu};
use crate::kernel::{Ps, Ring, Stays};
use crate::tcp::Segment;

const CELL_PAYLOAD: u32 = CELL_PAYLOAD_BYTES as u32;

/// The part of a PDU that a source queue refuses if the PDU does not fit. TCP hands over a PDU at
/// one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Refuses {
    /// The queue refuses the whole PDU.
    #[default]
    Pdu,
    /// The queue refuses the cells that do not fit: the first cells are sent, the others are
    /// dropped, among them the last. So the PDU arrives damaged, and so does the next PDU, which is
    /// reassembled with its cells (Kalyanaraman 97 section 8.15.5).
    Cell,
    /// The queue refuses the whole PDU, and TCP learns of the refusal at once: its cwnd becomes one segment, as
    /// in Net/3 (ip_output returns ENOBUFS, tcp_quench).
    PduToldToTcp,
}

#[derive(Clone, Copy)]
struct Waiting {
    segment: Segment,
    /// Number of cells of the PDU, including cells that the queue refused.
    cells: u32,
    /// Number of leading cells of the PDU that the queue admitted.
    taken: u32,
    sent: u32,
    first: u32,
}

/// The queue of an end system: PDUs in order, sent cell by cell. Raw cells (of sources without TCP, not part of a
/// PDU) are only counted.
#[derive(Clone)]
pub struct SourceQueue {
    pdus: Ring<Waiting>,
    /// Number of waiting cells: cells of PDUs, and raw cells.
    cells: u64,
    limit: u64,
    refuses: Refuses,
    /// Bytes of headers and encapsulation in a PDU before the payload of its segment.
    header: u32,
    number: u32,
    longest: u64,
    stays: Stays,
    dropped: Refused,
}

/// A saved state of a source queue, to which [`SourceQueue::resume`] returns.
#[derive(Clone, Copy)]
pub struct Mark {
    /// Values of `sent` and `first` of the first PDU in the queue, if there is one.
    pdu: Option<(u32, u32)>,
    cells: u64,
    number: u32,
    stays: Stays,
}

/// Numbers of PDUs, cells and bytes that a source queue has refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Application bytes in the refused cells.
    pub bytes: u64,
    /// Refused PDUs. PDUs of which the queue admitted only the leading cells count, too.
    pub packets: u64,
    /// Refused cells: cells of PDUs, and raw cells.
    pub cells: u64,
}

impl SourceQueue {
    /// An empty queue. `limit` is in cells; `refuses` says what happens to a PDU that does not fit;
    /// `header_bytes` are the TCP/IP headers of a segment.
    pub fn new(
        limit: u64,
        refuses: Refuses,
        header_bytes: u32,
        encapsulation: Encapsulation,
    ) -> SourceQueue {
        SourceQueue {
            pdus: Ring::default(),
            cells: 0,
            limit,
            refuses,
            header: header_bytes + encapsulation.bytes(),
            number: 0,
            longest: 0,
            stays: Stays::default(),
            dropped: Refused::default(),
        }
    }
    /// True if TCP learns at once of a PDU that is refused.
    pub fn tells_tcp(&self) -> bool {
        self.refuses == Refuses::PduToldToTcp
    }
    /// Queues the PDU of a segment. If the PDU does not fit, the queue refuses all of it or admits
    /// its leading cells. Returns true if the whole PDU was queued.
    pub fn push(&mut self, now: Ps, segment: Segment) -> bool {
        let cells = cells_for((self.header + segment.option_bytes() + segment.payload()) as u64);
        let room = self.limit - self.cells;
        if cells as u64 > room {
            let taken = if self.refuses == Refuses::Cell {
                room as u32
            } else {
                0
            };
            self.dropped.bytes += (segment.payload() - self.payload_before(taken, &segment)) as u64;
            self.dropped.packets += 1;
            self.dropped.cells += (cells - taken) as u64;
            if taken > 0 {
                self.take(
                    now,
                    Waiting {
                        segment,
                        cells,
                        taken,
                        sent: 0,
                        first: 0,
                    },
                );
            }
            return false;
        }
        self.take(
            now,
            Waiting {
                segment,
                cells,
                taken: cells,
                sent: 0,
                first: 0,
            },
        );
        true
    }
    fn take(&mut self, now: Ps, pdu: Waiting) {
        self.stays.arrive_together(now, pdu.taken as u64);
        self.pdus.push(pdu);
        self.cells += pdu.taken as u64;
        self.longest = self.longest.max(self.cells);
    }
    /// Application bytes of `segment` that are in the first `cells` cells of its PDU.
    fn payload_before(&self, cells: u32, segment: &Segment) -> u32 {
        (cells * CELL_PAYLOAD)
            .saturating_sub(self.header)
            .min(segment.payload())
    }
    /// Queues a raw cell (without a PDU). Returns false if the queue is full.
    pub fn push_bare(&mut self, now: Ps) -> bool {
        if self.cells >= self.limit {
            self.dropped.cells += 1;
            return false;
        }
        self.stays.arrive(now);
        self.cells += 1;
        self.longest = self.longest.max(self.cells);
        true
    }
    /// True if a raw cell that arrives now would be admitted and would be the only cell in the queue.
    #[inline]
    pub fn takes_bare_at_once(&self) -> bool {
        self.cells == 0 && self.limit > 0
    }
    /// Counts a raw cell that enters and leaves the empty queue at one instant; returns the cell.
    #[inline]
    pub fn pass_bare(&mut self) -> Info {
        self.longest = self.longest.max(1);
        Info::data(self.next_number())
    }
    /// Number of cells that wait in the queue.
    #[inline]
    pub fn cells(&self) -> u64 {
        self.cells
    }
    /// Returns the sequence number of the next data cell of this channel, and raises it for the cell after that.
    #[inline]
    pub fn next_number(&mut self) -> u32 {
        let number = self.number;
        self.number = (number + 1) % Info::NUMBERS;
        number
    }
    /// The number that the next call of [`SourceQueue::next_number`] will return.
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }
    /// Raises the sequence number of the next data cell by `count`.
    #[inline]
    pub fn skip(&mut self, count: u64) {
        self.number = ((self.number as u64 + count) % Info::NUMBERS as u64) as u32;
    }
    /// The PDU whose first cell is the next cell of the queue: its segment, the number of its first
    /// cell, its number of cells, and the number of cells that are sent. `None` if the next cell
    /// begins no PDU.
    pub fn beginning(&self) -> Option<(Segment, u32, u16, u16)> {
        let pdu = self.pdus.front().filter(|pdu| pdu.sent == 0)?;
        Some((pdu.segment, self.number, pdu.cells as u16, pdu.taken as u16))
    }
    /// Number of waiting cells of the first PDU without the last cell that the queue admitted.
    #[inline]
    pub fn cells_before_last(&self) -> u32 {
        self.pdus
            .front()
            .map_or(0, |pdu| (pdu.taken - pdu.sent).saturating_sub(1))
    }
    /// Saves the present state of the queue, for [`SourceQueue::resume`].
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            pdu: self.pdus.front().map(|pdu| (pdu.sent, pdu.first)),
            cells: self.cells,
            number: self.number,
            stays: self.stays,
        }
    }
    /// Returns the queue to the state `mark`: puts the cells back that have left since. Since then no PDU may
    /// have been queued, and no last cell of a PDU may have left.
    pub fn resume(&mut self, mark: Mark) {
        if let (Some(pdu), Some((sent, first))) = (self.pdus.front_mut(), mark.pdu) {
            (pdu.sent, pdu.first) = (sent, first);
        }
        self.cells = mark.cells;
        self.number = mark.number;
        self.stays = mark.stays;
    }
    /// Removes the next cell of a PDU. After the last cell of a whole PDU, [`SourceQueue::pop_pdu`]
    /// must follow.
    #[inline]
    pub fn pop(&mut self, now: Ps) -> Option<Info> {
        let info = self.pop_of_pdu(now)?;
        let pdu = self.pdus.front()?;
        if pdu.sent < pdu.taken {
            return Some(info);
        }
        if pdu.sent < pdu.cells {
            self.pdus.discard(1);
            return Some(info);
        }
        Some(Info::end_of_message(info.number()).with_payload(info.payload()))
    }
    /// Removes the first PDU, whose last cell has left at `now`.
    #[inline]
    pub fn pop_pdu(&mut self, now: Ps) -> Pdu {
        let waiting = self
            .pdus
            .front()
            .expect("a PDU stays until its end is sent");
        let pdu = Pdu {
            segment: waiting.segment,
            sent: now,
            first: waiting.first,
            // A packet has at most 65,535 bytes, which are 1,366 cells.
            cells: waiting.cells as u16,
            hit: false,
            errored: false,
        };
        self.pdus.discard(1);
        pdu
    }
    /// Removes the next cell of the first PDU, but keeps the PDU itself. The last admitted cell of the PDU must
    /// not be removed this way ([`SourceQueue::cells_before_last`]). `None` if the queue has no PDU.
    #[inline(always)]
    pub fn pop_of_pdu(&mut self, now: Ps) -> Option<Info> {
        let (number, header) = (self.number, self.header);
        let pdu = self.pdus.front_mut()?;
        if pdu.sent == 0 {
            pdu.first = number;
        }
        let begin = pdu.sent * CELL_PAYLOAD;
        pdu.sent += 1;
        let payload = payload(begin, header, header + pdu.segment.payload());
        self.number = (number + 1) % Info::NUMBERS;
        self.cells -= 1;
        self.stays.leave(now);
        Some(Info::data(number).with_payload(payload))
    }
    /// Removes a raw cell (without a PDU).
    #[inline]
    pub fn pop_bare(&mut self, now: Ps) -> Info {
        self.stays.leave(now);
        self.cells -= 1;
        Info::data(self.next_number())
    }
    /// Application bytes in the waiting cells.
    pub fn bytes(&self) -> u64 {
        let before = |cells: u32, pdu: &Waiting| self.payload_before(cells, &pdu.segment) as u64;
        let left = |pdu: &Waiting| before(pdu.taken, pdu) - before(pdu.sent, pdu);
        self.pdus.iter().map(left).sum()
    }
    /// Greatest number of cells in the queue since the last [`SourceQueue::forget_longest`].
    pub fn longest(&self) -> u64 {
        self.longest
    }
    /// Begins a new measurement of the greatest number of cells, with the present number.
    pub fn forget_longest(&mut self) {
        self.longest = self.cells;
    }
    /// Time integral of the number of cells up to `now`, in cells times picoseconds.
    pub fn integral(&self, now: Ps) -> f64 {
        self.stays.until(now, self.cells)
    }
    /// Numbers of refused PDUs, cells and bytes.
    pub fn dropped(&self) -> Refused {
        self.dropped
    }
    /// Bytes allocated for the queue.
    pub fn storage(&self) -> usize {
        self.pdus.bytes()
    }
}

/// Application bytes in one cell. The cell begins with byte `begin` of the PDU; the headers end before byte
/// `header`, the segment before byte `end`.
#[inline(always)]
fn payload(begin: u32, header: u32, end: u32) -> u32 {
    (begin + CELL_PAYLOAD)
        .min(end)
        .saturating_sub(begin.max(header))
}

#[cfg(test)]
mod tests;
