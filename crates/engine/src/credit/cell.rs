//! The cells of the credit protocol: each carries several records of counters.

/// A record in a credit cell: one counter of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number that identifies the channel at the node that receives the cell. For [`Purpose::Credit`] and
    /// [`Purpose::Reduction`]: index of the channel at a port of this node. For the other purposes: label
    /// (VPI/VCI) of the channel's cells that arrive at this node.
    pub channel: u32,
    /// A count of units modulo [`super::MODULUS`].
    pub count: u32,
}

/// Greatest number of records in a cell, as in the switch of Harvard and BNR.
pub const MOST_RECORDS: usize = 6;

/// Purpose of a credit cell, which defines the meaning of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// From the downstream node to the sender. Each record is the limit of one channel: the total number of units
    /// that the sender may have sent.
    Credit,
    /// From the sender to the downstream node, for one channel: the number of units sent.
    Mark,
    /// From the downstream node to the sender, for one channel: a limit that may be lower than the previous one,
    /// and the sequence number of this reduction.
    Reduction,
    /// From the sender to the downstream node, for one channel: the number of units sent, the present limit, and
    /// the number of the confirmed reduction.
    Confirmation,
}

/// Contents of a credit cell: up to six records, each with 28 bits for the channel and 28 bits for
/// the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditCell {
    len: u8,
    /// Purpose of the cell, which defines the meaning of its records.
    pub purpose: Purpose,
    records: [[u8; 7]; MOST_RECORDS],
}

const BITS: u32 = super::MODULUS.trailing_zeros();

impl CreditCell {
    /// A credit cell without records.
    pub const fn new(purpose: Purpose) -> CreditCell {
        CreditCell {
            len: 0,
            purpose,
            records: [[0; 7]; MOST_RECORDS],
        }
    }
    /// Adds a record. The cell must have fewer than [`MOST_RECORDS`] records.
    #[inline]
    pub fn push(&mut self, record: Record) {
        debug_assert!(record.channel < super::MODULUS && record.count < super::MODULUS);
        let [packed @ .., _] =
            ((record.channel as u64) << BITS | record.count as u64).to_le_bytes();
        self.records[self.len as usize] = packed;
        self.len += 1;
    }
    /// The records of the cell, in the order in which they were added.
    #[inline]
    pub fn records(&self) -> impl Iterator<Item = Record> + use<> {
        self.records
            .into_iter()
            .take(self.len as usize)
            .map(|[a, b, c, d, e, f, g]| {
                let packed = u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
                Record {
                    channel: (packed >> BITS) as u32,
                    count: packed as u32 % super::MODULUS,
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credit::MODULUS;

    #[test]
    fn records_come_out_as_they_went_in() {
        let records = [
            (0, 0),
            (MODULUS - 1, 1),
            (1, MODULUS - 1),
            (12_345, 54_321),
            (7, 0),
            (0, 7),
        ];
        let records = records.map(|(channel, count)| Record { channel, count });
        let mut cell = CreditCell::new(Purpose::Credit);
        records.into_iter().for_each(|record| cell.push(record));
        assert!(cell.records().eq(records));
        assert_eq!(CreditCell::new(Purpose::Mark).records().count(), 0);
    }
}
