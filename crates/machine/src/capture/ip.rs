//! The IPv4 header (RFC 791).

use super::checksum::{fold, sum};

/// Octets of the IPv4 header without options.
pub const HEADER: usize = 20;

/// Protocol number of TCP.
pub const TCP: u8 = 6;
/// Protocol number of UDP.
pub const UDP: u8 = 17;
const DO_NOT_FRAGMENT: u8 = 0x40;
/// Time to live of a host's packets. ATM switches forward cells, so no router decrements it.
const TTL: u8 = 64;
const NO_OPERATION: u8 = 1;

/// The code point ECT(0) of a packet that may be marked (RFC 3168 section 5).
pub const ECT_0: u8 = 0b10;
/// The code point CE of a marked packet.
pub const CE: u8 = 0b11;

/// The fields of the IPv4 header that differ between packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// IPv4 address of the sender.
    pub from: [u8; 4],
    /// IPv4 address of the receiver.
    pub to: [u8; 4],
    /// Identification of the packet.
    pub id: u16,
    /// Octets of options, all of them no-operation; a multiple of four, at most 40.
    pub options: usize,
    /// The traffic class: six bits of DSCP, then the code point of ECN.
    pub class: u8,
    /// Protocol of the payload.
    pub protocol: u8,
    /// Number of octets after the header.
    pub payload: usize,
}

impl Packet {
    /// Appends the IPv4 header of the packet to `out`.
    pub fn write_header(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        let length = (HEADER + self.options + self.payload) as u16;
        let words = (HEADER + self.options) / 4;
        out.extend([0x40 | words as u8, self.class]);
        out.extend(length.to_be_bytes());
        out.extend(self.id.to_be_bytes());
        out.extend([DO_NOT_FRAGMENT, 0, TTL, self.protocol, 0, 0]);
        out.extend(self.from);
        out.extend(self.to);
        out.resize(out.len() + self.options, NO_OPERATION);
        let checksum = fold(sum(&out[begin..]));
        out[begin + 10..begin + 12].copy_from_slice(&checksum.to_be_bytes());
    }

    /// Sum of the pseudo-header, which TCP's checksum covers (RFC 9293 section 3.1).
    pub fn pseudo_header_sum(&self) -> u64 {
        sum(&self.from) + sum(&self.to) + u64::from(self.protocol) + self.payload as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_without_payload() {
        let packet = Packet {
            from: [10, 0, 0, 1],
            to: [10, 0, 0, 2],
            id: 1,
            options: 0,
            class: 0,
            protocol: TCP,
            payload: 20,
        };
        let mut out = Vec::new();
        packet.write_header(&mut out);
        // 4500 + 0028 = 4528; + 0001 = 4529; + 4000 = 8529; + 4006 = c52f; + 0a00 = cf2f; + 0001 =
        // cf30; + 0a00 = d930; + 0002 = d932; its complement is 26cd.
        let expected = [
            0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 6, 0x26, 0xCD, 10, 0, 0, 1, 10, 0, 0, 2,
        ];
        assert_eq!(out, expected);
        assert_eq!(fold(sum(&out)), 0);
        assert_eq!(
            packet.pseudo_header_sum(),
            0x0A00_0001 + 0x0A00_0002 + 6 + 20
        );
    }

    #[test]
    fn options_fill_the_header() {
        let packet = Packet {
            from: [10, 0, 0, 1],
            to: [10, 0, 0, 2],
            id: 65_535,
            options: 40,
            class: 0,
            protocol: TCP,
            payload: 1_000,
        };
        let mut out = b"LLC".to_vec();
        packet.write_header(&mut out);
        assert_eq!((out.len(), out[3], &out[5..7]), (63, 0x4F, &[4, 36][..]));
        assert_eq!(fold(sum(&out[3..])), 0);
    }
}
