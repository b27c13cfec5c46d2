//! Equal-cost multipath (RFC 2992): a hash of a packet's flow chooses the next hop, so all packets of a flow
//! take one path. The hash is MurmurHash3, x86, 32 bits (Appleby 2011, public domain).

/// Addresses and ports that all packets of a flow have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowKey {
    /// Source address.
    pub source: u32,
    /// Destination address.
    pub destination: u32,
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
}

impl FlowKey {
    /// MurmurHash3 of 12 octets, which are three little-endian words: source, destination and ports. The
    /// source port is in the lower half of its word.
    pub fn hash(self, seed: u32) -> u32 {
        let ports = self.source_port as u32 | (self.destination_port as u32) << 16;
        let words = [self.source, self.destination, ports];
        let body = words.into_iter().fold(seed, |hash, word| {
            let mixed = word.wrapping_mul(0xCC9E_2D51).rotate_left(15);
            let hash = (hash ^ mixed.wrapping_mul(0x1B87_3593)).rotate_left(13);
            hash.wrapping_mul(5).wrapping_add(0xE654_6B64)
        });
        let mut hash = body ^ size_of_val(&words) as u32;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
        hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
        hash ^ hash >> 16
    }
    /// Number of the next hop among `hops` at a switch with this seed: the hash modulo `hops`.
    ///
    /// # Panics
    /// If there are no hops.
    pub fn next_hop(self, seed: u32, hops: usize) -> usize {
        self.hash(seed) as usize % hops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: FlowKey = FlowKey {
        source: 0x0b00_0001,
        destination: 0x0b00_0101,
        source_port: 10_000,
        destination_port: 100,
    };

    #[test]
    fn known_hashes_hold() {
        assert_eq!(FlowKey::default().hash(0), 3_644_920_907);
        assert_eq!(FLOW.hash(320), 3_940_792_700);
        assert_eq!(FLOW.hash(321), 3_201_060_700);
        let other = FlowKey {
            source_port: 10_001,
            ..FLOW
        };
        assert_eq!(other.hash(320), 231_733_876);
    }

    #[test]
    fn the_next_hop_is_the_hash_modulo_their_number() {
        assert_eq!(FLOW.next_hop(320, 4), 0);
        assert_eq!(FLOW.next_hop(320, 16), 12);
        assert_eq!(FLOW.next_hop(320, 1), 0);
    }

    #[test]
    fn flows_that_differ_in_a_port_spread_evenly() {
        let mut flows = [0_u32; 16];
        for source_port in 0..16_000 {
            let flow = FlowKey {
                source_port,
                ..FLOW
            };
            flows[flow.next_hop(320, 16)] += 1;
        }
        // Each next hop gets 1,000 flows, within five standard deviations of sqrt(16000 * 15 / 256) = 30.6.
        assert!(
            flows.iter().all(|count| count.abs_diff(1_000) < 153),
            "{flows:?}"
        );
    }
}
