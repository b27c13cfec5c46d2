//! Records of the pcap format with time stamps in nanoseconds.

use cellrate_engine::kernel::Ps;

/// Link type of the records of a file (the registry of link types of tcpdump.org).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum LinkType {
    /// Ethernet frames without preamble and FCS.
    Ethernet = 1,
    /// IPv4 or IPv6 packets.
    Raw = 101,
    /// AAL5 PDUs with flags, VPI and VCI before them, as in SunATM.
    SunAtm = 123,
    /// Cells of 53 octets, with the first of the link types for private use.
    User0 = 147,
}

const NANOSECOND_MAGIC: u32 = 0xA1B2_3C4D;
const VERSION: u32 = 2 | 4 << 16;
const LONGEST: u32 = 1 << 18;

/// The header of a file.
pub fn file_header(link_type: LinkType) -> [u8; 24] {
    let mut header = [0; 24];
    let words = [NANOSECOND_MAGIC, VERSION, 0, 0, LONGEST, link_type as u32];
    for (place, word) in header.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    header
}

/// The header of a pcap record with `octets` octets of contents.
pub fn header(at: Ps, octets: usize) -> [u8; 16] {
    let mut header = [0; 16];
    let length = octets as u32;
    let (second, nanosecond) = (at.0 / 1_000_000_000_000, at.0 / 1_000 % 1_000_000_000);
    for (place, word) in header.as_chunks_mut::<4>().0.iter_mut().zip([
        second as u32,
        nanosecond as u32,
        length,
        length,
    ]) {
        *place = word.to_le_bytes();
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_known() {
        let file = file_header(LinkType::SunAtm);
        assert_eq!(file[..8], [0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0]);
        assert_eq!(file[16..], [0, 0, 4, 0, 123, 0, 0, 0]);
        let record = header(Ps(5_000_000_000_000 + 1_999), 300);
        assert_eq!(record, [5, 0, 0, 0, 1, 0, 0, 0, 44, 1, 0, 0, 44, 1, 0, 0]);
    }
}
