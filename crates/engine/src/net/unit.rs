//! The unit that links carry, a cell or a frame: an arrival time, a label and a header word of 32 bits.

use crate::kernel::Ps;

/// A cell or frame on a link or in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<W> {
    /// Time at which the last bit of the unit arrives at the far end of its link.
    pub at: Ps,
    /// Index of the unit's channel in the table of the receiving node. Each node writes the label
    /// of the next node.
    pub label: u32,
    /// Header word of 32 bits, whose contents the link layer defines.
    pub info: W,
}

/// The header word of a unit (cell or frame): 32 bits whose contents the link layer defines. Data that do not fit
/// into the header word follow as a record. Each link stores the records in a separate ring buffer.
pub trait Word: Copy + Default {
    /// Type of the record: the data that may follow the header word of a unit.
    type Record: Copy;

    /// True if a record follows the unit on its link.
    fn has_record(self) -> bool;
    /// True if no node acts on the contents of the unit, so that nodes may process such units many at a time.
    /// Such a unit is called plain. The only possible record of a plain unit is a stamp: the sending time of the
    /// unit.
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
