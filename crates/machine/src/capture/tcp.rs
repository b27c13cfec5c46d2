//! The TCP header with its options (RFC 9293, RFC 7323, RFC 2018).

use cellrate_engine::tcp::Stamps;
use cellrate_engine::tcp::blocks::MOST_OPTION_BYTES;

/// Octets of the TCP header without options.
pub const HEADER: usize = 20;
/// Largest number of octets of options.
pub const MOST_OPTIONS: usize = 40;

/// Flag FIN: no more data follow.
pub const FIN: u8 = 1;
/// Flag SYN: synchronise sequence numbers.
pub const SYN: u8 = 1 << 1;
/// Flag ACK: the acknowledgement field is valid.
pub const ACK: u8 = 1 << 4;
/// Flag ECE: ECN-Echo (RFC 3168 section 6.1).
pub const ECE: u8 = 1 << 6;
/// Flag CWR: the congestion window was reduced (RFC 3168 section 6.1).
pub const CWR: u8 = 1 << 7;

const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIME_STAMPS: u8 = 8;

/// Options of a TCP header, in whole words of 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    octets: [u8; MOST_OPTIONS],
    len: usize,
}

impl Options {
    /// A header without options.
    pub const NONE: Options = Options {
        octets: [NO_OPERATION; MOST_OPTIONS],
        len: 0,
    };

    /// Appends options, and no-operation options up to a whole word of 32 bits.
    ///
    /// # Panics
    /// If the header has no space left for them.
    fn add(&mut self, options: &[u8]) {
        self.octets[self.len..self.len + options.len()].copy_from_slice(options);
        self.len = (self.len + options.len()).next_multiple_of(4);
    }
    /// Adds `octets` octets of no-operation options.
    pub fn fill(&mut self, octets: usize) {
        self.add(&[NO_OPERATION; MOST_OPTIONS][..octets]);
    }
    /// Adds the option with the largest segment that the sender of a SYN accepts.
    pub fn maximum_segment_size(&mut self, bytes: u16) {
        let [high, low] = bytes.to_be_bytes();
        self.add(&[MAXIMUM_SEGMENT_SIZE, 4, high, low]);
    }
    /// Adds the option with the number of bits by which the sender of a SYN shifts its windows.
    pub fn window_scale(&mut self, shift: u8) {
        self.add(&[NO_OPERATION, WINDOW_SCALE, 3, shift]);
    }
    /// Adds the option by which the sender of a SYN permits SACK blocks.
    pub fn sack_permitted(&mut self) {
        self.add(&[NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]);
    }
    /// Adds the time stamps option. SACK-permitted takes the place of its padding, as in Linux.
    pub fn time_stamps(&mut self, stamps: Stamps, sack_permitted: bool) {
        let mut option = [NO_OPERATION; 12];
        if sack_permitted {
            option[..2].copy_from_slice(&[SACK_PERMITTED, 2]);
        }
        option[2..4].copy_from_slice(&[TIME_STAMPS, 10]);
        option[4..8].copy_from_slice(&stamps.value.to_be_bytes());
        option[8..].copy_from_slice(&stamps.echo.to_be_bytes());
        self.add(&option);
    }
    /// Adds the option with the SACK blocks, each as its first sequence number and the number after
    /// its last. Without blocks no option is added.
    pub fn sack(&mut self, blocks: impl Iterator<Item = (u32, u32)>) {
        let mut option = [NO_OPERATION; MOST_OPTION_BYTES as usize];
        let mut len = 4;
        for (from, to) in blocks {
            option[len..len + 4].copy_from_slice(&from.to_be_bytes());
            option[len + 4..len + 8].copy_from_slice(&to.to_be_bytes());
            len += 8;
        }
        if len > 4 {
            option[2..4].copy_from_slice(&[SACK, len as u8 - 2]);
            self.add(&option[..len]);
        }
    }
    /// Octets of all options.
    pub fn octets(&self) -> &[u8] {
        &self.octets[..self.len]
    }
}

/// The fields of a captured segment's TCP header.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Source and destination port.
    pub ports: [u16; 2],
    /// Sequence number of the segment's first byte.
    pub sequence: u32,
    /// Acknowledgement number; valid only with [`ACK`].
    pub acknowledgement: u32,
    /// Control bits (flags) of the segment.
    pub flags: u8,
    /// Window as in the header's field, that is after the shift.
    pub window: u16,
    /// Options of the header.
    pub options: Options,
}

impl Header {
    /// Length of the header in octets.
    pub fn len(&self) -> usize {
        HEADER + self.options.len
    }
    /// Appends the header to `out`, with a checksum of zero.
    pub fn write(&self, out: &mut Vec<u8>) {
        let [source, destination] = self.ports;
        out.extend(source.to_be_bytes());
        out.extend(destination.to_be_bytes());
        out.extend(self.sequence.to_be_bytes());
        out.extend(self.acknowledgement.to_be_bytes());
        out.extend([(self.len() as u8 / 4) << 4, self.flags]);
        out.extend(self.window.to_be_bytes());
        out.extend([0; 4]);
        out.extend_from_slice(self.options.octets());
    }
}

/// Position of the checksum in the octets of the header.
pub const CHECKSUM: core::ops::Range<usize> = 16..18;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syn_has_its_options_in_whole_words() {
        let mut options = Options::NONE;
        options.maximum_segment_size(1_460);
        options.sack_permitted();
        options.window_scale(3);
        assert_eq!(options.octets(), [2, 4, 5, 0xB4, 1, 1, 4, 2, 1, 3, 3, 3]);
    }

    /// RFC 7323 appendix A: two NOPs, kind 8, length 10, TSval, TSecr.
    #[test]
    fn time_stamps_take_three_words() {
        let stamps = Stamps {
            value: 0x0102_0304,
            echo: 5,
        };
        for (sack_permitted, padding) in [(false, [1, 1]), (true, [4, 2])] {
            let mut options = Options::NONE;
            options.time_stamps(stamps, sack_permitted);
            let expected = [&padding[..], &[8, 10, 1, 2, 3, 4, 0, 0, 0, 5]].concat();
            assert_eq!(options.octets(), expected);
        }
    }

    #[test]
    fn blocks_are_one_option() {
        let mut options = Options::NONE;
        options.sack(core::iter::empty());
        assert!(options.octets().is_empty());
        options.fill(4);
        options.sack([(0xFFFF_FF00, 0x100), (1, 2)].into_iter());
        let expected = [
            1, 1, 1, 1, 1, 1, 5, 18, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 2,
        ];
        assert_eq!(options.octets(), expected);
    }

    #[test]
    fn every_field_has_its_place() {
        let mut options = Options::NONE;
        options.fill(8);
        let header = Header {
            ports: [0x0102, 0x0304],
            sequence: 0x0506_0708,
            acknowledgement: 0x090A_0B0C,
            flags: ACK,
            window: 0x0D0E,
            options,
        };
        let mut out = Vec::new();
        header.write(&mut out);
        assert_eq!(
            out[..16],
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x70, 0x10, 13, 14]
        );
        assert_eq!(out[16..], [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    }
}
