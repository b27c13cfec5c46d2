//! The cells of the credit protocol: records of counters, several to a cell.

/// A record: one counter of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The channel, as the receiver of the record numbers it: its slot at the port that is given
    /// credit, or the label under which its cells arrive there.
    pub channel: u32,
    /// A counter modulo [`super::MODULUS`].
    pub count: u32,
}

/// Most records of a cell, as in the switch of Harvard and BNR.
pub const MOST_RECORDS: usize = 6;

/// Meaning of the records of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To the sender, each record for one channel: the count up to which cells may be sent.
    Credit,
    /// To the receiver, for one channel: the number of cells sent.
    Mark,
    /// To the sender, for one channel: a limit that may be behind the last one, and the number of
    /// this reduction.
    Reduction,
    /// To the receiver, for one channel: the number of cells sent, the limit in force, the number
    /// of the reduction.
    Confirmation,
}

/// Contents of a cell of the protocol: up to six records of 28 bits for the channel and 28 for the
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditCell {
    len: u8,
    /// Meaning of the records.
    pub purpose: Purpose,
    records: [[u8; 7]; MOST_RECORDS],
}

const BITS: u32 = super::MODULUS.trailing_zeros();

impl CreditCell {
    /// A cell without records.
    pub const fn new(purpose: Purpose) -> CreditCell {
        CreditCell {
            len: 0,
            purpose,
            records: [[0; 7]; MOST_RECORDS],
        }
    }
    /// Adds a record to a cell of fewer than [`MOST_RECORDS`].
    #[inline]
    pub fn push(&mut self, record: Record) {
        debug_assert!(record.channel < super::MODULUS && record.count < super::MODULUS);
        let [packed @ .., _] =
            ((record.channel as u64) << BITS | record.count as u64).to_le_bytes();
        self.records[self.len as usize] = packed;
        self.len += 1;
    }
    /// The records, in the order in which they were added.
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
