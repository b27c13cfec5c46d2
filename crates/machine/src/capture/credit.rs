//! A credit cell as octets. No standard defines the layout; cellrate defines its own.

use cellrate_engine::credit::{CreditCell, Purpose};

use super::aal5::CELL_PAYLOAD;
use super::atm::Vc;

/// Channel on which neighbouring nodes exchange credit cells; its VCI is below those of users.
pub const VC: Vc = Vc { vpi: 0, vci: 31 };

/// Octets of the credit of one channel: 28 bits for the channel, 28 bits for the count.
const RECORD: usize = 7;
const COUNT_BITS: u32 = 28;

/// Payload of a credit cell: its purpose (1 credit, 2 mark, 3 reduction, 4 confirmation, see
/// [`Purpose`]), the number of channels, number and count of each channel, then zeros.
pub fn payload(cell: &CreditCell) -> [u8; CELL_PAYLOAD] {
    let mut payload = [0; CELL_PAYLOAD];
    let purpose = match cell.purpose {
        Purpose::Credit => 1,
        Purpose::Mark => 2,
        Purpose::Reduction => 3,
        Purpose::Confirmation => 4,
    };
    let mut count = 0;
    for (place, record) in payload[2..].chunks_exact_mut(RECORD).zip(cell.records()) {
        let packed = u64::from(record.channel) << COUNT_BITS | u64::from(record.count);
        place.copy_from_slice(&packed.to_be_bytes()[1..]);
        count += 1;
    }
    payload[..2].copy_from_slice(&[purpose, count]);
    payload
}

#[cfg(test)]
mod tests {
    use cellrate_engine::credit::{MOST_RECORDS, Record};

    use super::*;

    #[test]
    fn records_stand_one_behind_the_other() {
        let mut cell = CreditCell::new(Purpose::Mark);
        cell.push(Record {
            channel: 0xABC_DEF0,
            count: 0x123_4567,
        });
        cell.push(Record {
            channel: 1,
            count: 2,
        });
        let expected = [
            2, 2, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0, 0, 0, 0x10, 0, 0, 2, 0,
        ];
        assert_eq!(payload(&cell)[..17], expected);
        (2..MOST_RECORDS).for_each(|_| {
            cell.push(Record {
                channel: (1 << 28) - 1,
                count: (1 << 28) - 1,
            })
        });
        assert_eq!(
            (payload(&cell)[1], &payload(&cell)[42..]),
            (6, &[0xFF, 0xFF, 0, 0, 0, 0][..])
        );
    }
}
