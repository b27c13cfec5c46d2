//! The unit that links carry, a cell or a frame: an arrival time, a label and a word of 32 bits.

use crate::kernel::Ps;

/// A cell or frame on a link or in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<W> {
    /// Time at which the last bit of the unit arrives at the far end of its link.
    pub at: Ps,
    /// Index of the unit's channel in the table of the receiving node. Each node writes the label
    /// of the next node.
    pub label: u32,
    /// Word of 32 bits, whose contents the link layer defines.
    pub info: W,
}

/// The word of a unit: 32 bits whose contents the link layer defines. Data that do not fit into the
/// word follow as a record, in a ring buffer for the records of the link.
pub trait Word: Copy + Default {
    /// Type of the record that may follow a unit.
    type Record: Copy;

    /// True if a record follows the unit on its link.
    fn has_record(self) -> bool;
    /// True if no node acts on the contents of the unit, so that nodes may process such units many
    /// at a time. The record of a plain unit, if any, is a stamp: the sending time of the unit.
    fn is_plain(self) -> bool;
    /// True for a plain unit that has a stamp, its sending time.
    #[inline(always)]
    fn is_stamped(self) -> bool {
        self.is_plain() && self.has_record()
    }
    /// Number of further records behind the first, for a unit that is not plain.
    #[inline(always)]
    fn further(self) -> usize {
        0
    }
    /// A record that is a stamp with the sending time `sent`.
    fn stamp(sent: Ps) -> Self::Record;
    /// The sending time, if the record is a stamp; `None` for other records.
    fn stamp_in(record: &Self::Record) -> Option<Ps>;
}
