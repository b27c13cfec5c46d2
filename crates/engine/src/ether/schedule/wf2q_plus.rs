//! Worst-case fair weighted fair queueing, WF2Q+ (Bennett and Zhang 1997, "Hierarchical Packet Fair Queueing
//! Algorithms"): among the frames whose service has begun in the fluid system, the one that ends first there. Names
//! are those of the paper.

use super::heads::MOST_QUEUES;
use super::weights::WeightsConfig;

/// WF2Q+ at one port. Virtual times are exact: whole multiples of an octet over the least common multiple of the
/// weights.
#[derive(Clone, Debug)]
pub struct WorstCaseFair {
    /// Virtual time of an octet on the line.
    line_step: u128,
    /// Virtual time of an octet of each queue at the queue's own rate.
    steps: [u128; MOST_QUEUES],
    /// Virtual start of the first frame of each queue (S_i); of an empty queue, virtual finish of its last (F_i).
    starts: [u128; MOST_QUEUES],
    /// One bit for each queue, set if the queue had a frame at the last decision.
    backlogged: u8,
    /// Virtual time V at the end of the present service.
    now: u128,
}

impl WorstCaseFair {
    /// The discipline of a port with empty queues.
    ///
    /// # Panics
    /// If the check of the parameters has findings.
    pub fn new(config: &WeightsConfig) -> WorstCaseFair {
        let shares = config.shares();
        let sum = shares.sum() as u128;
        WorstCaseFair {
            line_step: shares.multiple(),
            steps: shares.steps().map(|step| step * sum),
            starts: [0; MOST_QUEUES],
            backlogged: 0,
            now: 0,
        }
    }
    /// Notes a frame that comes to an empty queue when the frame in service has `left` octets to go.
    pub fn on_arrival(&mut self, queue: usize, left: u64) {
        self.begin(queue, self.now - left as u128 * self.line_step);
    }
    /// A queue gets its first frame at the virtual time `at`: S_i is the larger of F_i and V.
    fn begin(&mut self, queue: usize, at: u128) {
        self.backlogged |= 1 << queue;
        self.starts[queue] = self.starts[queue].max(at);
    }
    /// The queue whose first frame is served next: of the eligible frames (S_i at most V) the one of the least virtual
    /// finish, the first queue of several; `None` if all queues are empty. A queue that had to wait for a pause begins
    /// anew.
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        let mut earliest = None;
        for (queue, octets) in heads.iter().enumerate() {
            let bit = 1 << queue;
            if *octets == 0 {
                self.backlogged &= !bit;
                continue;
            }
            if self.backlogged & bit == 0 {
                self.begin(queue, self.now);
            }
            let start = self.starts[queue];
            earliest = Some(earliest.map_or(start, |other: u128| other.min(start)));
        }
        // V is at least the least start of all queues with frames.
        self.now = self.now.max(earliest?);
        let waiting = heads.iter().enumerate();
        let eligible =
            waiting.filter(|(queue, octets)| **octets > 0 && self.starts[*queue] <= self.now);
        let first = eligible.min_by_key(|(queue, octets)| self.finish(*queue, **octets));
        first.map(|(queue, _)| queue)
    }
    /// Notes the service of a frame of `octets` in `queue`.
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        self.now += octets as u128 * self.line_step;
        self.starts[queue] = self.finish(queue, octets);
    }
    /// Notes that no frame waits in `queue` any more.
    pub fn on_emptied(&mut self, queue: usize) {
        self.backlogged &= !(1 << queue);
    }
    /// Virtual finish of the first frame of a queue (F_i).
    fn finish(&self, queue: usize, octets: u32) -> u128 {
        self.starts[queue] + octets as u128 * self.steps[queue]
    }
}
