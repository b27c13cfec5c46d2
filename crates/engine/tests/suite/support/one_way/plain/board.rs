//! Data that arrived out of order, as a set of packets.

use std::collections::BTreeSet;

/// The scoreboard of a plain sender.
#[derive(Default)]
pub struct Board {
    sacked: BTreeSet<u64>,
    /// One above the highest packet sent again in this recovery.
    high: u64,
    rescued: bool,
    /// Packets outstanding when the first duplicate came.
    pub out_at_first: u64,
    /// Number of packets on their way, as ns-2 counts them.
    pub counted: u64,
}

impl Board {
    /// Adds blocks above `una`; returns true if they contained new information.
    pub fn update(&mut self, una: u64, blocks: impl Iterator<Item = (u64, u64)>) -> bool {
        self.sacked = self.sacked.split_off(&una);
        let known = self.sacked.len();
        self.sacked.extend(blocks.flat_map(|(from, to)| from..to));
        self.sacked.len() > known
    }
    /// Empties the scoreboard.
    pub fn forget(&mut self) {
        self.sacked.clear();
    }
    /// Begins a recovery with the outstanding packets.
    pub fn begin(&mut self, una: u64, max: u64) {
        (self.high, self.rescued) = (una, false);
        self.counted = max - una - 3;
    }
    /// Accounts for a partial acknowledgement: ns-2 counts it twice, for the packet lost and for
    /// its copy.
    pub fn partly(&mut self) {
        self.counted = self.counted.saturating_sub(1);
    }
    /// Accounts for `packet`, which was sent in a recovery; ns-2 counts all but the first.
    pub fn sent(&mut self, packet: u64, una: u64, max: u64, counts: bool) {
        if packet < max && self.hole(una) == Some(packet) {
            self.high = packet + 1;
        } else if packet < max {
            self.rescued = true;
        }
        self.counted += counts as u64;
    }
    /// Packet below which all that is missing has three packets above it: three blocks are three
    /// packets at least.
    pub fn lost_below(&self) -> u64 {
        self.sacked.iter().rev().nth(2).copied().unwrap_or(0)
    }
    /// Packets on their way (RFC 6675 SetPipe): missing and not lost, and retransmitted.
    pub fn pipe(&self, una: u64, max: u64) -> u64 {
        let lost = self.lost_below();
        let missing = (una..max).filter(|packet| !self.sacked.contains(packet));
        missing
            .map(|packet| (packet >= lost) as u64 + (packet < self.high) as u64)
            .sum()
    }
    /// The first missing packet that was not retransmitted and has arrived packets above it.
    pub fn hole(&self, una: u64) -> Option<u64> {
        let hole = self.skip(una.max(self.high));
        self.sacked
            .last()
            .filter(|last| hole < **last)
            .map(|_| hole)
    }
    /// True if `packet` was retransmitted in this recovery.
    pub fn again(&self, packet: u64) -> bool {
        packet < self.high
    }
    /// The last missing packet, at most once in a recovery.
    pub fn rescue(&self, una: u64, max: u64) -> Option<u64> {
        (una..max)
            .rev()
            .find(|packet| !self.sacked.contains(packet))
            .filter(|_| !self.rescued)
    }
    /// The first missing packet from `packet` on.
    pub fn skip(&self, packet: u64) -> u64 {
        (packet..)
            .find(|packet| !self.sacked.contains(packet))
            .unwrap_or(packet)
    }
    /// Number of packets below `packet` that have arrived.
    pub fn below(&self, packet: u64) -> u64 {
        self.sacked.range(..packet).count() as u64
    }
}
