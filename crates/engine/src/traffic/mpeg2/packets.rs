//! Number of bits on the line for MPEG-2 transport packets in ATM cells.

use crate::atm::aal5::cells_for;
use crate::kernel::time::CELL_BITS;

/// Bytes of an MPEG-2 transport packet (ISO/IEC 13818-1, 2.4.3).
pub const TRANSPORT_PACKET_BYTES: u64 = 188;

/// Bits on the line for each bit of transport packets, as numerator and denominator, if `per_pdu` transport
/// packets fill an AAL5 PDU. Two packets fill eight cells without padding: the ratio is 53/47.
pub fn line_bits_per_bit(per_pdu: u32) -> (u64, u64) {
    let bytes = per_pdu as u64 * TRANSPORT_PACKET_BYTES;
    (cells_for(bytes) as u64 * CELL_BITS, 8 * bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_packets_travel_in_eight_cells() {
        assert_eq!(line_bits_per_bit(2), (8 * 424, 2 * 188 * 8));
        // One packet and the trailer have 196 bytes: five cells, of which the last is nearly empty.
        assert_eq!(line_bits_per_bit(1), (5 * 424, 188 * 8));
    }
}
