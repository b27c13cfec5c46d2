//! Self-clocked fair queueing (Golestani 1994, "A Self-Clocked Fair Queueing Scheme for Broadband Applications"):
//! the virtual time is the service tag of the frame in service. Names are those of the paper.

use super::heads::MOST_QUEUES;
use super::weights::WeightsConfig;

/// Self-clocked fair queueing at one port. Tags are exact: whole multiples of an octet over the least common multiple
/// of the weights.
#[derive(Clone, Debug)]
pub struct SelfClocked {
    /// Virtual time of an octet of each queue (1 / r_k).
    steps: [u128; MOST_QUEUES],
    /// Virtual time at which the first frame of each queue begins: the larger of the tag of the queue's frame before it
    /// and the virtual time when it arrived.
    begins: [u128; MOST_QUEUES],
    /// One bit for each queue, set if the queue had a frame at the last decision.
    backlogged: u8,
    /// Service tag of the frame in service, or of the last one (v(t)).
    now: u128,
}

impl SelfClocked {
    /// The discipline of a port with empty queues.
    ///
    /// # Panics
    /// If the check of the parameters has findings.
    pub fn new(config: &WeightsConfig) -> SelfClocked {
        SelfClocked {
            steps: config.shares().steps(),
            begins: [0; MOST_QUEUES],
            backlogged: 0,
            now: 0,
        }
    }
    /// The queue whose first frame is served next: the frame of the least tag, the first queue of several; `None` if
    /// all queues are empty.
    ///
    /// The virtual time changes only when a service begins, so a queue that has been empty gets the same beginning
    /// here as at the arrival of its frame.
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        let mut least: Option<(u128, usize)> = None;
        for (queue, octets) in heads.iter().enumerate() {
            let bit = 1 << queue;
            if *octets == 0 {
                self.backlogged &= !bit;
                continue;
            }
            if self.backlogged & bit == 0 {
                self.backlogged |= bit;
                self.begins[queue] = self.begins[queue].max(self.now);
            }
            let tag = self.tag(queue, *octets);
            if least.is_none_or(|(other, _)| tag < other) {
                least = Some((tag, queue));
            }
        }
        least.map(|(_, queue)| queue)
    }
    /// Notes the service of a frame of `octets` in `queue`.
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        self.now = self.tag(queue, octets);
        self.begins[queue] = self.now;
    }
    /// Notes that no frame waits in `queue` any more.
    pub fn on_emptied(&mut self, queue: usize) {
        self.backlogged &= !(1 << queue);
    }
    /// The service tag of the first frame of a queue (F).
    fn tag(&self, queue: usize, octets: u32) -> u128 {
        self.begins[queue] + octets as u128 * self.steps[queue]
    }
}
