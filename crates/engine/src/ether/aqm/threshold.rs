//! Marks by the instantaneous queue: a packet is marked if it meets a queue longer than K (Alizadeh et al.
//! 2010, "Data Center TCP", section 3.1; RFC 8257 section 3.1).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::length::{Held, Length};
use super::policy::{AqmAlgorithm, AqmParameters, At, Decision, QueueFacts, reachable};
use crate::kernel::{Finding, Ps, Stream};

/// Parameters of the threshold K, above which a queue marks every packet (DCTCP).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThresholdConfig {
    /// Queue length above which packets are marked (K). Alizadeh et al. 2010 take 20 packets at 1 Gbit/s and
    /// 65 packets at 10 Gbit/s. K should exceed a seventh of the product of rate and round-trip time
    /// (equation 13 of that paper).
    #[schemars(extend("x-search" = { "low": "5 packets", "high": "1000 packets", "scale": "log" }))]
    pub k: Length,
    /// Instant of the comparison. Alizadeh et al. 2010, 3.1, compare at arrival.
    pub at: At,
}

impl Default for ThresholdConfig {
    fn default() -> ThresholdConfig {
        ThresholdConfig {
            k: Length::Packets(65),
            at: At::Enqueue,
        }
    }
}

impl AqmParameters for ThresholdConfig {
    /// A warning if the queue never exceeds the threshold.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        reachable("k", self.k, facts).into_iter().collect()
    }
    fn marks(&self) -> bool {
        true
    }
}

/// The marking by the threshold K at one queue. The algorithm has no state.
#[derive(Clone, Debug)]
pub struct Threshold(ThresholdConfig);

impl Threshold {
    /// The algorithm at any queue: it needs neither the queue's facts nor random numbers.
    pub fn new(config: &ThresholdConfig, _: QueueFacts, _: Stream) -> Threshold {
        Threshold(config.clone())
    }
    /// Uses the threshold of `config` from now on.
    pub fn change(&mut self, _: Ps, config: &ThresholdConfig) {
        self.0 = config.clone();
    }
    #[inline]
    fn decide(&self, at: At, queue: Held) -> Decision {
        let k = self.0.k;
        if self.0.at == at && k.count(queue) > k.amount() {
            Decision::Mark
        } else {
            Decision::Pass
        }
    }
}

impl AqmAlgorithm for Threshold {
    #[inline]
    fn on_enqueue(&mut self, _: Ps, _: u32, queue: Held) -> Decision {
        self.decide(At::Enqueue, queue)
    }
    #[inline]
    fn on_dequeue(&mut self, _: Ps, _: Ps, queue: Held) -> Decision {
        self.decide(At::Dequeue, queue)
    }
    fn acts_on_arrival_alone(&self) -> bool {
        self.0.at == At::Enqueue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Rate, Severity};

    const FACTS: QueueFacts = QueueFacts {
        rate: Rate::from_bps(10_000_000_000),
        limit: 100_000,
        largest: 1_518,
    };

    fn threshold(k: Length, at: At) -> Threshold {
        let stream = Stream::new(1, "test", "threshold");
        Threshold::new(&ThresholdConfig { k, at }, FACTS, stream)
    }

    fn packets(packets: u64) -> Held {
        Held {
            octets: 1_500 * packets,
            packets,
        }
    }

    #[test]
    fn a_queue_of_k_marks_nothing_and_one_more_packet_marks() {
        use Decision::{Mark, Pass};
        // 20 packets of 1,500 octets are 30,000 octets.
        for k in [Length::Packets(20), Length::Octets(30_000)] {
            let found = |at, held| {
                let mut threshold = threshold(k, at);
                let arriving = threshold.on_enqueue(Ps::ZERO, 1_500, packets(held));
                (
                    arriving,
                    threshold.on_dequeue(Ps::ZERO, Ps::ZERO, packets(held)),
                )
            };
            assert_eq!(found(At::Enqueue, 20), (Pass, Pass));
            assert_eq!(found(At::Enqueue, 21), (Mark, Pass));
            assert_eq!(found(At::Dequeue, 20), (Pass, Pass));
            assert_eq!(found(At::Dequeue, 21), (Pass, Mark));
        }
        let one_octet_more = Held {
            octets: 30_001,
            packets: 20,
        };
        let mut octets = threshold(Length::Octets(30_000), At::Enqueue);
        assert_eq!(octets.on_enqueue(Ps::ZERO, 1_500, one_octet_more), Mark);
    }

    #[test]
    fn a_threshold_beyond_the_buffer_is_warned_of() {
        let check = |k| ThresholdConfig { k, at: At::Enqueue }.check(FACTS);
        assert_eq!(check(Length::Octets(99_999)), []);
        let findings = check(Length::Octets(100_000));
        assert_eq!(findings[0].severity, Severity::Warning);
        assert_eq!(
            findings[0].message,
            "100000 bytes are never exceeded in a buffer of 100000 bytes"
        );
    }
}
