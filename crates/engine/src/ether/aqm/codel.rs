//! Controlled delay (CoDel, RFC 8289): a queue drops packets at its head once the waiting time has been above
//! a target for an interval. The frequency of the drops grows. Names are those of the pseudo-code of RFC 8289
//! section 5. Each call of `on_dequeue` is one iteration of the loop of that pseudo-code.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::length::Held;
use super::policy::{AqmAlgorithm, AqmParameters, Decision, QueueFacts, lasting, signal};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Stream};

/// Parameters of controlled delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CoDelConfig {
    /// Acceptable standing delay (TARGET): 5 ms (RFC 8289 section 5.3).
    #[schemars(extend("x-search" = { "low": "0.01 ms", "high": "50 ms", "scale": "log" }))]
    pub target: Ps,
    /// Time for which the delay must be above the target (INTERVAL): 100 ms (RFC 8289 section 5.3).
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "500 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Size of the largest packet, in octets from header to FCS (`maxpacket_`). No packet is dropped while at
    /// most this number of octets stays in the queue.
    #[schemars(extend("x-not-searched" = "a property of the line"))]
    pub max_packet: Bytes,
    /// Mark packets whose transport understands marks, rather than drop them.
    pub ecn: bool,
}

impl Default for CoDelConfig {
    /// TARGET and INTERVAL of RFC 8289; `max_packet` is the largest frame, with an IP packet of 1,500 octets.
    fn default() -> CoDelConfig {
        CoDelConfig {
            target: Ps::from_ms(5),
            interval: Ps::from_ms(100),
            max_packet: Bytes(1_518),
            ecn: false,
        }
    }
}

impl AqmParameters for CoDelConfig {
    /// Findings about times that are zero or in the wrong order, and about a `max_packet` below the largest
    /// frame at the queue.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let is_ordered = self.target < self.interval;
        let message = format!(
            "{} are less than a frame of {} bytes",
            self.max_packet, facts.largest
        );
        let is_small = self.max_packet.0 < facts.largest as u64;
        [
            lasting("target", self.target),
            lasting("interval", self.interval),
            (!is_ordered).then(|| {
                let message = format!("{} is not below `interval`", self.target);
                Finding::warning("target", message)
            }),
            is_small.then(|| Finding::warning("max_packet", message)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn marks(&self) -> bool {
        self.ecn
    }
}

/// State of controlled delay (CoDel) at one queue.
#[derive(Clone, Debug)]
pub struct CoDel {
    config: CoDelConfig,
    /// Instant from which the waiting time counts as too long, if it stays above the target; `None` while the
    /// waiting time is below the target.
    first_above_time: Option<Ps>,
    /// Instant of the next drop.
    drop_next: Ps,
    /// Number of the present drop, by which `control_law` shortens the distance to the next drop. It starts
    /// at 1, or continues from the previous dropping state.
    count: u32,
    /// `count` when the dropping state was entered.
    last_count: u32,
    /// True in the dropping state.
    dropping: bool,
    /// True if the last packet was dropped in the dropping state and `drop_next` does not yet account for
    /// this drop.
    has_dropped: bool,
}

impl CoDel {
    /// The state of the algorithm at an empty queue.
    pub fn new(config: &CoDelConfig, _: QueueFacts, _: Stream) -> CoDel {
        CoDel {
            config: config.clone(),
            first_above_time: None,
            drop_next: Ps::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            has_dropped: false,
        }
    }
    /// Replaces the parameters; the state stays.
    pub fn change(&mut self, _: Ps, config: &CoDelConfig) {
        self.config = config.clone();
    }

    /// `control_law`: t + INTERVAL / sqrt(count) (RFC 8289 section 5.6).
    fn control_law(&self, t: Ps) -> Ps {
        let span = self.config.interval.0 as f64 / libm::sqrt(self.count as f64);
        t.saturating_add(Ps(libm::round(span) as u64))
    }
    /// `ok_to_drop` of `dodequeue` for a packet that arrived at `since` (RFC 8289 section 5.6).
    fn is_ok_to_drop(&mut self, now: Ps, since: Ps, queue: Held) -> bool {
        let is_below = now.saturating_sub(since) < self.config.target;
        if is_below || queue.octets <= self.config.max_packet.0 {
            self.first_above_time = None;
            return false;
        }
        let above = now.saturating_add(self.config.interval);
        now >= *self.first_above_time.get_or_insert(above)
    }
    /// Enters the dropping state at `now`. If the previous dropping state ended less than 16 intervals ago,
    /// the count continues with the drops of that state (RFC 8289 section 5.5).
    fn enter(&mut self, now: Ps) {
        let delta = self.count.wrapping_sub(self.last_count);
        let interval = self.config.interval.0;
        let is_recent = now.saturating_sub(self.drop_next).0 < interval.saturating_mul(16);
        self.count = if delta > 1 && is_recent { delta } else { 1 };
        self.last_count = self.count;
        self.drop_next = self.control_law(now);
        (self.dropping, self.has_dropped) = (true, false);
    }
}

impl AqmAlgorithm for CoDel {
    /// `dequeue` of RFC 8289 section 5.5. The packet after the drop that enters the dropping state passes,
    /// since the next drop is not due. With `ecn` the next mark is scheduled at once, since a marked packet
    /// ends the loop of the pseudo-code.
    fn on_dequeue(&mut self, now: Ps, since: Ps, queue: Held) -> Decision {
        let is_ok = self.is_ok_to_drop(now, since, queue);
        if !self.dropping {
            if !is_ok {
                return Decision::Pass;
            }
            self.enter(now);
            return signal(self.config.ecn);
        }
        if !is_ok {
            self.dropping = false;
            return Decision::Pass;
        }
        if core::mem::take(&mut self.has_dropped) {
            self.drop_next = self.control_law(self.drop_next);
        }
        if now < self.drop_next {
            return Decision::Pass;
        }
        self.count = self.count.saturating_add(1);
        if self.config.ecn {
            self.drop_next = self.control_law(self.drop_next);
        } else {
            self.has_dropped = true;
        }
        signal(self.config.ecn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Rate;

    const FACTS: QueueFacts = QueueFacts {
        rate: Rate::from_bps(10_000_000),
        limit: u64::MAX,
        largest: 1_518,
    };
    const LONG: Held = Held {
        octets: 100_000,
        packets: 100,
    };

    fn codel(config: &CoDelConfig) -> CoDel {
        CoDel::new(config, FACTS, Stream::new(1, "test", "codel"))
    }

    /// Offers a packet every microsecond from the time `from` to the time `to`, both in milliseconds. Each
    /// has waited for 10 ms. Returns the instants, in microseconds, of packets that did not pass. After a
    /// drop the next packet follows at once.
    fn chosen(codel: &mut CoDel, from: u64, to: u64) -> Vec<u64> {
        let mut found = Vec::new();
        for us in 1_000 * from..1_000 * to {
            let (now, since) = (Ps::from_us(us), Ps::from_us(us - 10_000));
            while codel.on_dequeue(now, since, LONG) != Decision::Pass {
                found.push(us);
            }
        }
        found
    }

    #[test]
    fn drops_follow_one_another_by_the_interval_over_the_root_of_their_number() {
        let mut codel = codel(&CoDelConfig::default());
        // The delay is above the target from 50 ms on. The first drop is at 150 ms. The next drops follow
        // after 100, 70.711, 57.735, 50 and 44.721 ms, which are 100 ms over the roots of 1 to 5. Each drop
        // is at the next microsecond.
        let expected = [150_000, 250_000, 320_711, 378_446, 428_446, 473_168];
        assert_eq!(chosen(&mut codel, 50, 500), expected);
    }

    #[test]
    fn a_delay_below_the_target_or_a_short_queue_ends_the_dropping_state() {
        let mut dropping = codel(&CoDelConfig::default());
        assert_eq!(chosen(&mut dropping, 50, 260).len(), 2);
        let now = Ps::from_ms(300);
        let since = |ps| Ps(now.0 - ps);
        let target = Ps::from_ms(5).0;
        let queue = |octets| Held { octets, packets: 2 };
        let after = |since, queue| {
            let mut codel = dropping.clone();
            assert_eq!(codel.on_dequeue(now, since, queue), Decision::Pass);
            codel.dropping
        };
        assert!(after(since(target), queue(1_519)));
        assert!(!after(since(target - 1), queue(1_519)));
        assert!(!after(since(target), queue(1_518)));
    }

    #[test]
    fn the_count_goes_on_in_a_dropping_state_soon_after_the_last() {
        let mut codel = codel(&CoDelConfig::default());
        assert_eq!(chosen(&mut codel, 50, 500).len(), 6);
        let end = Ps::from_ms(500);
        assert_eq!(codel.on_dequeue(end, end, LONG), Decision::Pass);
        let mut later = codel.clone();
        // The dropping state had six drops, and its first drop set the count to 1. So the difference is 5.
        // The delay is above the target again from 600 ms on. One drop is at 700 ms. The next drops follow
        // after 100 ms / sqrt(5) = 44.721 ms and 100 ms / sqrt(6) = 40.825 ms.
        assert_eq!(chosen(&mut codel, 600, 800), [700_000, 744_722, 785_547]);
        // The next drop would have been at 473.168 + 40.825 ms, 16 intervals before 2,113.993 ms.
        assert_eq!(chosen(&mut later, 2_100, 2_310), [2_200_000, 2_300_000]);
    }

    #[test]
    fn with_marks_the_schedule_is_the_same() {
        let config = CoDelConfig {
            ecn: true,
            ..CoDelConfig::default()
        };
        let mut marking = codel(&config);
        let since = |us| Ps::from_us(us - 10_000);
        let mut found = Vec::new();
        for us in 50_000..400_000 {
            if marking.on_dequeue(Ps::from_us(us), since(us), LONG) == Decision::Mark {
                found.push(us);
            }
        }
        assert_eq!(found, [150_000, 250_000, 320_711, 378_446]);
    }

    #[test]
    fn several_drops_are_due_at_once_after_a_long_service() {
        let mut codel = codel(&CoDelConfig::default());
        assert_eq!(chosen(&mut codel, 50, 151), [150_000]);
        // At 400 ms the drops of 250, 320.711 and 378.446 ms are due.
        let now = Ps::from_ms(400);
        let decide = |_| codel.on_dequeue(now, Ps::from_ms(1), LONG);
        let decisions: Vec<Decision> = (0..4).map(decide).collect();
        use Decision::{Drop, Pass};
        assert_eq!(decisions, [Drop, Drop, Drop, Pass]);
    }

    #[test]
    fn wrong_parameters_are_found() {
        let config = CoDelConfig {
            target: Ps::ZERO,
            max_packet: Bytes(500),
            ..CoDelConfig::default()
        };
        let findings = config.check(FACTS);
        let fields: Vec<&str> = findings.iter().map(|finding| finding.field).collect();
        assert_eq!(fields, ["target", "max_packet"]);
        assert_eq!(CoDelConfig::default().check(FACTS), []);
    }
}
