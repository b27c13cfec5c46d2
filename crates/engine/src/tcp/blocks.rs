//! SACK blocks of an acknowledgement (RFC 2018).

use super::intervals::{Interval, Intervals};

/// Greatest number of SACK blocks in an acknowledgement. So many blocks fit into a header that also has a time
/// stamp option (RFC 2018 section 3).
pub const MOST_BLOCKS: usize = 3;

/// Bytes of a SACK option with [`MOST_BLOCKS`] blocks in the header.
pub const MOST_OPTION_BYTES: u32 = 4 + 8 * MOST_BLOCKS as u32;

/// Largest receive window in bytes with selective acknowledgements: the offset of a block has at
/// most 31 bits.
pub const LARGEST_WINDOW: u64 = (1 << 31) - 1;

const NARROW: u32 = 21;
const WIDE: u32 = 31;

/// SACK blocks of one acknowledgement, stored in 16 bytes as offsets from the acknowledgement number. If all
/// offsets are below 2 MiB there is room for three blocks, otherwise for two. The two lowest bits say which
/// layout is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    low: u64,
    high: u64,
}

impl Blocks {
    /// No SACK blocks.
    pub const NONE: Blocks = Blocks { low: 0, high: 0 };

    /// SACK blocks for the data `held` above the acknowledgement number `ack`: the most recently changed
    /// intervals, the latest first (RFC 2018 section 4).
    pub fn latest(held: &Intervals, ack: u64) -> Blocks {
        let mut latest = [Interval::default(); MOST_BLOCKS];
        for &interval in held.as_slice() {
            let place = latest
                .iter()
                .position(|known| interval.touched > known.touched);
            if let Some(place) = place {
                latest[place..].rotate_right(1);
                latest[place] = interval;
            }
        }
        let blocks = latest.map(|held| {
            if held.is_empty() {
                (0, 0)
            } else {
                (held.from - ack, held.to - ack)
            }
        });
        Blocks::pack(&blocks)
    }

    fn pack(offsets: &[(u64, u64)]) -> Blocks {
        let narrow = offsets.iter().all(|(_, to)| to >> NARROW == 0);
        let (width, most, layout) = if narrow { (NARROW, 3, 1) } else { (WIDE, 2, 2) };
        let words = offsets
            .iter()
            .take(most)
            .flat_map(|(from, to)| [*from, *to]);
        let packed = words.enumerate().fold(0u128, |packed, (place, word)| {
            assert!(
                word <= LARGEST_WINDOW,
                "a block lies beyond the largest window"
            );
            packed | (word as u128) << (2 + place as u32 * width)
        });
        if packed == 0 {
            return Blocks::NONE;
        }
        let bits = packed | layout;
        Blocks {
            low: bits as u64,
            high: (bits >> 64) as u64,
        }
    }
    const fn bits(self) -> u128 {
        self.low as u128 | (self.high as u128) << 64
    }

    /// The blocks as ranges of bytes `from..to`, the latest first. `ack` is the number of the
    /// acknowledgement that carries them.
    pub fn above(self, ack: u64) -> impl Iterator<Item = (u64, u64)> {
        let bits = self.bits();
        let (width, most) = if bits & 3 == 2 {
            (WIDE, 2)
        } else {
            (NARROW, 3)
        };
        let word = move |place: u32| (bits >> (2 + place * width)) as u64 & ((1 << width) - 1);
        let blocks = (0..most).map(move |block| (word(2 * block), word(2 * block + 1)));
        blocks
            .filter(|(_, to)| *to > 0)
            .map(move |(from, to)| (ack + from, ack + to))
    }

    /// Bytes of the SACK option in the header: kind, length, eight bytes for each block, and padding to a
    /// multiple of four bytes; 0 without blocks.
    #[inline]
    pub fn option_bytes(self) -> u32 {
        if self == Blocks::NONE {
            0
        } else {
            4 + 8 * self.count()
        }
    }
    #[inline(never)]
    fn count(self) -> u32 {
        self.above(0).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn blocks(arrived: &[(u64, u64)], ack: u64) -> (Vec<(u64, u64)>, u32) {
        let mut held = Intervals::default();
        arrived.iter().for_each(|(from, to)| {
            held.insert(*from, *to);
        });
        let blocks = Blocks::latest(&held, ack);
        (blocks.above(ack).collect(), blocks.option_bytes())
    }

    /// RFC 2018 section 7, case 2: of eight segments of 500 bytes from byte 5000 on, the first is
    /// lost.
    #[test]
    fn one_hole_is_one_growing_block() {
        for arrived in 1..=7 {
            let segments: Vec<_> = (0..arrived)
                .map(|n| (5_500 + 500 * n, 6_000 + 500 * n))
                .collect();
            assert_eq!(
                blocks(&segments, 5_000),
                (alloc::vec![(5_500, 5_500 + 500 * arrived)], 12)
            );
        }
    }

    /// RFC 2018 section 7, case 3: segments 2, 4, 6 and 8 of the same eight segments are lost.
    #[test]
    fn the_latest_block_comes_first() {
        let arrived = [(6_000, 6_500), (7_000, 7_500), (8_000, 8_500)];
        assert_eq!(
            blocks(&arrived[..1], 5_500),
            (alloc::vec![(6_000, 6_500)], 12)
        );
        assert_eq!(
            blocks(&arrived[..2], 5_500),
            (alloc::vec![(7_000, 7_500), (6_000, 6_500)], 20)
        );
        let all = [(8_000, 8_500), (7_000, 7_500), (6_000, 6_500)];
        assert_eq!(blocks(&arrived, 5_500), (all.to_vec(), 28));
        // The case continues: the fourth segment arrives late and joins two blocks.
        let late = [&arrived[..], &[(6_500, 7_000)]].concat();
        assert_eq!(
            blocks(&late, 5_500),
            (alloc::vec![(6_000, 7_500), (8_000, 8_500)], 20)
        );
    }

    #[test]
    fn a_fourth_block_has_no_room_and_beyond_2_mib_a_third_has_none() {
        let four = [(10, 20), (30, 40), (50, 60), (70, 80)];
        assert_eq!(
            blocks(&four, 0),
            (alloc::vec![(70, 80), (50, 60), (30, 40)], 28)
        );
        let edge = 1u64 << 21;
        let near = [(10, 20), (30, 40), (50, edge - 1)];
        assert_eq!(blocks(&near, 0).0.len(), 3);
        let far = [(10, 20), (30, 40), (50, edge)];
        assert_eq!(blocks(&far, 0), (alloc::vec![(50, edge), (30, 40)], 20));
        let farthest = [(10, 20), (30, 1 << 31)];
        assert_eq!(blocks(&farthest, 1).0, [(30, 1 << 31), (10, 20)]);
    }

    #[test]
    fn no_block_is_no_option() {
        assert_eq!(blocks(&[], 7), (Vec::new(), 0));
        assert_eq!(Blocks::NONE, Blocks::latest(&Intervals::default(), 7));
    }
}
