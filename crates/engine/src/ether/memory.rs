//! The packet memory that the queues of a switch share, with dynamic thresholds (Choudhury and Hahne 1998,
//! "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches"). The shared part has B octets. A
//! queue may grow while its octets in the shared part are fewer than T = alpha (B - used).
//!
//! Alpha is a power of two, so thresholds are exact in whole octets. The paper computes T by a shift for this
//! reason.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Finding;
use crate::kernel::units::Bytes;

/// Allowed exponents of alpha as a power of two: 1/128 to 128.
const EXPONENTS: core::ops::RangeInclusive<i32> = -7..=7;

/// Parameters of a memory that all queues of a switch share, with dynamic thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Size of the memory, reserved parts included.
    #[schemars(extend("x-change" = true, "x-search" = { "low": "100 kB", "high": "100 MB", "scale": "log" }))]
    pub total: Bytes,
    /// Octets that a queue may hold beyond its reserve, per free octet of the shared part (alpha): a power of
    /// two from 1/128 to 128.
    #[serde(default = "one")]
    #[schemars(extend("x-change" = true, "x-search" = { "low": 0.0078125, "high": 128, "scale": "powers-of-two" }))]
    pub alpha: f64,
    /// Octets that each queue has for itself. A port that no flow uses has no queue and no reserve: the
    /// shared part has these octets.
    #[serde(default = "nothing")]
    #[schemars(extend("x-change" = true, "x-search" = { "low": "1518 bytes", "high": "1 MB", "scale": "log" }))]
    pub reserved: Bytes,
}

fn one() -> f64 {
    1.0
}
fn nothing() -> Bytes {
    Bytes(0)
}

impl MemoryConfig {
    /// Exponent of alpha as a power of two; `None` if alpha is not one of the allowed powers.
    fn exponent(&self) -> Option<i32> {
        EXPONENTS
            .into_iter()
            .find(|exponent| libm::ldexp(1.0, *exponent) == self.alpha)
    }
    /// Findings if alpha is not an allowed power of two, or the reserves of `queues` are larger than the
    /// memory.
    pub fn check(&self, queues: usize) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.exponent().is_none() {
            let message = format!("{} is not a power of two from 1/128 to 128", self.alpha);
            findings.push(Finding::impossible("alpha", message));
        }
        if self.reserved.0.saturating_mul(queues as u64) > self.total.0 {
            let message = format!(
                "{} for each of {queues} queues are more than {}",
                self.reserved, self.total
            );
            findings.push(Finding::impossible("reserved", message));
        }
        findings
    }
}

/// The shared memory of a switch.
#[derive(Clone, Debug)]
pub struct SharedMemory {
    /// Exponent of alpha as a power of two.
    exponent: i32,
    /// Octets that each queue has for itself.
    reserved: u64,
    /// Size in octets of the shared part: the memory without the reserves of the queues.
    shared: u64,
    /// Octets of the shared part that queues hold. After a change this may be more than the size of the
    /// shared part.
    used: u64,
    /// Octets that each queue holds, in its reserve and in the shared part.
    held: Vec<u64>,
}

impl SharedMemory {
    /// An empty memory for `queues` queues.
    ///
    /// # Panics
    /// If [`MemoryConfig::check`] has findings.
    pub fn new(config: &MemoryConfig, queues: usize) -> SharedMemory {
        let mut memory = SharedMemory {
            exponent: 0,
            reserved: 0,
            shared: 0,
            used: 0,
            held: alloc::vec![0; queues],
        };
        memory.change(config);
        memory
    }
    /// Replaces the parameters. Octets beyond a smaller memory stay until they are released.
    ///
    /// # Panics
    /// If [`MemoryConfig::check`] has findings.
    pub fn change(&mut self, config: &MemoryConfig) {
        self.exponent = config.exponent().expect("alpha is a power of two");
        let reserved = config.reserved.0 * self.held.len() as u64;
        assert!(reserved <= config.total.0, "reserves fit into the memory");
        (self.reserved, self.shared) = (config.reserved.0, config.total.0 - reserved);
        let beyond = |held: &u64| held.saturating_sub(self.reserved);
        self.used = self.held.iter().map(beyond).sum();
    }

    /// Greatest number of octets of the shared part that a queue may hold now: alpha (B - used), rounded
    /// down.
    #[inline]
    pub fn threshold(&self) -> u64 {
        match self.exponent {
            0.. => self.free().saturating_mul(1 << self.exponent),
            _ => self.free() >> -self.exponent,
        }
    }
    /// True if `queue` may take `octets` more: they fit into its reserve, or its octets in the shared part
    /// stay within the present threshold and the free octets.
    #[inline]
    pub fn admit(&self, queue: usize, octets: u32) -> bool {
        let (before, after) = self.in_shared(queue, octets);
        after == 0 || after <= self.threshold() && after - before <= self.free()
    }
    /// Octets of `queue` in the shared part, before and after it takes `octets` more.
    #[inline]
    fn in_shared(&self, queue: usize, octets: u32) -> (u64, u64) {
        let beyond = |held: u64| held.saturating_sub(self.reserved);
        let held = self.held[queue];
        (beyond(held), beyond(held + octets as u64))
    }
    /// Adds `octets` to `queue`, after [`SharedMemory::admit`] has returned true for them.
    #[inline]
    pub fn take(&mut self, queue: usize, octets: u32) {
        let (before, after) = self.in_shared(queue, octets);
        self.used += after - before;
        self.held[queue] += octets as u64;
    }
    /// Removes `octets` from `queue`.
    #[inline]
    pub fn release(&mut self, queue: usize, octets: u32) {
        self.held[queue] -= octets as u64;
        let (after, before) = self.in_shared(queue, octets);
        self.used -= before - after;
    }
    /// Octets that `queue` holds.
    pub fn held(&self, queue: usize) -> u64 {
        self.held[queue]
    }
    /// Free octets of the shared part.
    #[inline]
    pub fn free(&self) -> u64 {
        self.shared.saturating_sub(self.used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Ps, Stream};

    const B: u64 = 33_554_432;

    fn memory(alpha: f64, reserved: u64, queues: usize) -> SharedMemory {
        let config = MemoryConfig {
            total: Bytes(B),
            alpha,
            reserved: Bytes(reserved),
        };
        assert_eq!(config.check(queues), []);
        SharedMemory::new(&config, queues)
    }

    /// Fills the memory: the `queues` take one octet each in turn, until no queue may take another octet.
    fn fill(memory: &mut SharedMemory, queues: usize) {
        let mut grows = true;
        while grows {
            grows = false;
            for queue in 0..queues {
                if memory.admit(queue, 1) {
                    memory.take(queue, 1);
                    grows = true;
                }
            }
        }
    }

    #[test]
    fn greedy_queues_share_what_the_paper_says() {
        // Each queue ends at alpha B / (1 + n alpha), and B / (1 + n alpha) stay free. With alpha = 1/8 these
        // are: for n = 1, B / 9 = 3,728,270.2 and 8 B / 9 = 29,826,161.8. For n = 8, B / 16 = 2,097,152 and B
        // / 2. For n = 64, B / 72 = 466,033.8 and B / 9.
        for (queues, limit, free) in [
            (1, 3_728_270, 29_826_162),
            (8, 2_097_152, 16_777_216),
            (64, 466_033, 3_728_270),
        ] {
            let mut memory = memory(0.125, 0, queues);
            fill(&mut memory, queues);
            for queue in 0..queues {
                // Queues may differ by one octet, since the first queues get the octets of the fraction.
                assert!(memory.held(queue).abs_diff(limit) <= (queues == 64) as u64);
            }
            let held: u64 = (0..queues).map(|queue| memory.held(queue)).sum();
            assert_eq!(held + memory.free(), B);
            assert!(
                memory.free().abs_diff(free) <= 1,
                "{queues}: {}",
                memory.free()
            );
        }
    }

    #[test]
    fn a_packet_is_admitted_up_to_the_threshold_and_not_beyond() {
        let mut memory = memory(0.125, 0, 2);
        assert_eq!(memory.threshold(), 4_194_304);
        memory.take(0, 4_192_804);
        // (B - 4,192,804) / 8 = 3,670,203.5. Queue 0 is above this threshold, and queue 1 may take just this
        // number.
        assert_eq!(memory.threshold(), 3_670_203);
        assert!(!memory.admit(0, 1) && memory.admit(1, 3_670_203) && !memory.admit(1, 3_670_204));
        memory.release(0, 4_192_804);
        assert_eq!((memory.free(), memory.held(0)), (B, 0));
    }

    #[test]
    fn what_is_reserved_is_admitted_whatever_others_hold() {
        let mut memory = memory(128.0, 10_000, 4);
        memory.take(0, 10_000);
        assert_eq!(memory.free(), B - 40_000);
        // With alpha = 128 one queue takes the whole shared part.
        let shared = (B - 40_000) as u32;
        assert!(memory.admit(0, shared) && !memory.admit(0, shared + 1));
        memory.take(0, shared);
        assert_eq!((memory.free(), memory.threshold()), (0, 0));
        assert!(memory.admit(3, 10_000) && !memory.admit(3, 10_001));
        memory.take(3, 10_000);
        memory.release(0, shared);
        // The reserve has room for 500 of the 1,500 octets. The other 1,000 octets use the shared part.
        memory.release(3, 500);
        memory.take(3, 1_500);
        assert_eq!(memory.free(), B - 40_000 - 1_000);
        memory.release(3, 1_500);
        assert_eq!(memory.free(), B - 40_000);
    }

    #[test]
    fn the_memory_is_never_exceeded_and_all_comes_back() {
        for (alpha, reserved) in [(0.0078125, 0), (0.125, 3_000), (1.0, 0), (8.0, 1_518)] {
            let config = MemoryConfig {
                total: Bytes(200_000),
                alpha,
                reserved: Bytes(reserved),
            };
            let mut memory = SharedMemory::new(&config, 8);
            let mut stream = Stream::new(1, "test", "memory");
            let mut packets: Vec<(usize, u32)> = Vec::new();
            for _ in 0..20_000 {
                let queue = stream.below(Ps(8)).0 as usize;
                let octets = 64 + stream.below(Ps(1_455)).0 as u32;
                if stream.uniform() < 0.6 && memory.admit(queue, octets) {
                    memory.take(queue, octets);
                    packets.push((queue, octets));
                } else if let Some((queue, octets)) = packets.pop() {
                    memory.release(queue, octets);
                }
                let held: u64 = (0..8).map(|queue| memory.held(queue)).sum();
                let waiting: u64 = packets.iter().map(|(_, octets)| *octets as u64).sum();
                assert!(held == waiting && held <= 200_000);
            }
            for (queue, octets) in packets {
                memory.release(queue, octets);
            }
            assert_eq!(memory.free(), 200_000 - 8 * reserved);
        }
    }

    #[test]
    fn wrong_parameters_are_found() {
        let config = MemoryConfig {
            total: Bytes(10_000),
            alpha: 0.3,
            reserved: Bytes(1_518),
        };
        let findings = config.check(8);
        let messages: Vec<&str> = findings.iter().map(|finding| &*finding.message).collect();
        assert_eq!(
            messages,
            [
                "0.3 is not a power of two from 1/128 to 128",
                "1518 bytes for each of 8 queues are more than 10000 bytes"
            ]
        );
        assert_eq!(config.check(6).len(), 1);
    }
}
