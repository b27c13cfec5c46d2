//! The unit that links carry, a cell or a frame: an arrival time, a label and a word.

use crate::kernel::Ps;

/// A unit on a link or in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<W> {
    /// Time at which the last bit of the unit arrives at the far end of its link.
    pub at: Ps,
    /// Label: index into the table of the receiving node, rewritten at every hop.
    pub label: u32,
    /// Word of the unit, which the link layer defines.
    pub info: W,
}

/// The word of a unit, 32 bits that the link layer defines. A record may follow a unit with what does not fit
/// into them. The records of a link lie in a ring buffer of their own.
pub trait Word: Copy + Default {
    /// Type of the data that may follow a unit.
    type Record: Copy;

    /// True if a record follows the unit.
    fn has_record(self) -> bool;
    /// True if no node acts on the contents of the unit, so that it may be handled in a row with others. If a
    /// plain unit has a record, the record is a stamp: the sending time of the unit.
    fn is_plain(self) -> bool;
    /// True for a plain unit that has a stamp.
    #[inline(always)]
    fn is_stamped(self) -> bool {
        self.is_plain() && self.has_record()
    }
    /// The record that is a stamp with the sending time `sent`.
    fn stamp(sent: Ps) -> Self::Record;
    /// The sending time in a record that is a stamp; `None` for other records.
    fn stamp_in(record: &Self::Record) -> Option<Ps>;
}
