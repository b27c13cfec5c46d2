//! The unit that links carry, a cell or a frame: an arrival time, a label and a word.

use crate::kernel::Ps;

/// A unit on a link or in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<W> {
    /// Time at which its last bit arrives at the far end of its link.
    pub at: Ps,
    /// Index into the table of the receiving node, rewritten at every hop.
    pub label: u32,
    /// The word of the link layer.
    pub info: W,
}

/// The word of a unit, 32 bits that the link layer defines. A record may follow a unit with what does
/// not fit into them. The records of a link lie in a ring of their own.
pub trait Word: Copy + Default {
    /// Data that may follow a unit.
    type Record: Copy;

    /// True if a record follows the unit.
    fn has_record(self) -> bool;
    /// True if no node acts on what the unit carries, so that it may be handled in a row with others.
    /// The record of a plain unit, if it has one, is a stamp: its sending time.
    fn is_plain(self) -> bool;
    /// True for a plain unit with a stamp.
    #[inline(always)]
    fn is_stamped(self) -> bool {
        self.is_plain() && self.has_record()
    }
    /// A stamp.
    fn stamp(sent: Ps) -> Self::Record;
    /// The sending time in a record that is a stamp; `None` for other records.
    fn stamp_in(record: &Self::Record) -> Option<Ps>;
}
