//! Records of the Extensible Record Format of DAG cards, one for each cell or AAL5 PDU. A file
//! consists of records only.

use cellrate_engine::kernel::Ps;

/// Type field of a record in the capture format ERF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Type {
    /// Record of a cell: its header without HEC, and its payload.
    Atm = 3,
    /// Record of a PDU: the header without HEC of its last cell, and the whole CPCS-PDU.
    Aal5 = 4,
}

/// Octets of a record before its contents.
pub const HEADER: usize = 16;

/// Flag: records of the file may have different lengths.
const VARYING: u8 = 1 << 2;

/// Picoseconds in 2^-12 s, by which times are converted to units of 2^-32 s.
const PS_PER_4096TH: u64 = 244_140_625;

/// Largest number of octets that a record keeps, since its length field has 16 bits. A longer PDU
/// is cut, as a capture card with this snap length cuts it.
pub const MOST: usize = u16::MAX as usize - HEADER;

/// The header of a record for `octets` octets of contents, of which the record keeps at most
/// [`MOST`]. `interface` is the number of the card's interface that captured them.
pub fn header(at: Ps, kind: Type, interface: u8, octets: usize) -> [u8; HEADER] {
    let most = |octets: usize| u16::try_from(octets).unwrap_or(u16::MAX);
    let contents = most(octets);
    let [high, low] = most(octets.min(MOST) + HEADER).to_be_bytes();
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&time_stamp(at).to_le_bytes());
    header[8..12].copy_from_slice(&[kind as u8, VARYING | interface & 3, high, low]);
    header[14..].copy_from_slice(&contents.to_be_bytes());
    header
}

/// The time `at` in units of 2^-32 s, rounded down.
fn time_stamp(at: Ps) -> u64 {
    let second = PS_PER_4096TH << 12;
    let fraction = ((at.0 % second) << 20) / PS_PER_4096TH;
    ((at.0 / second) << 32) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stamp_is_a_fixed_point_number() {
        assert_eq!(time_stamp(Ps(0)), 0);
        assert_eq!(time_stamp(Ps::from_s(3)), 3 << 32);
        assert_eq!(time_stamp(Ps::from_ms(1_500)), 1 << 32 | 1 << 31);
        assert_eq!(time_stamp(Ps(999_999_999_999)), u64::from(u32::MAX));
        assert_eq!(
            [0, 232, 233, 465, 466].map(|ps| time_stamp(Ps(ps))),
            [0, 0, 1, 1, 2]
        );
    }

    #[test]
    fn the_header_of_a_cell_is_known() {
        let header = header(Ps::from_ms(250), Type::Atm, 1, 52);
        assert_eq!(
            header,
            [0, 0, 0, 0x40, 0, 0, 0, 0, 3, 5, 0, 68, 0, 0, 0, 52]
        );
    }

    /// 65,535 octets of payload fill 1,366 cells, trailer included; with the header of a cell they are
    /// 65,572 octets.
    #[test]
    fn the_longest_pdu_is_cut() {
        let header = header(Ps::ZERO, Type::Aal5, 0, 1_366 * 48 + 4);
        assert_eq!(
            (header[10..12].to_vec(), header[14..].to_vec()),
            (vec![255; 2], vec![255; 2])
        );
        assert_eq!(MOST + HEADER, 65_535);
    }
}
