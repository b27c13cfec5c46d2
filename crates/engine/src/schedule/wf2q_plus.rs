//! Worst-case fair weighted fair queueing, WF2Q+ (Bennett and Zhang 1997, "Hierarchical Packet Fair Queueing
//! Algorithms"): among the frames whose service has begun in the fluid system, the one that ends first there. Names
//! are those of the paper.

use alloc::vec::Vec;

use super::weights::Shares;

/// WF2Q+ at one port. Virtual times are exact: whole multiples of an octet over the least common multiple of the
/// weights.
#[derive(Clone, Debug)]
pub struct WorstCaseFair {
    /// Virtual time of an octet on the line.
    line_step: u128,
    queues: Vec<Queue>,
    /// Virtual time V at the end of the present service.
    now: u128,
    /// Octets of preamble and gap, which virtual times count.
    around: u32,
}

#[derive(Clone, Debug)]
struct Queue {
    /// Virtual time of an octet at the queue's own rate.
    step: u128,
    /// Virtual start of the first frame (S_i); of an empty queue, virtual finish of its last frame (F_i).
    start: u128,
    /// True if the queue had a frame at the last decision.
    is_backlogged: bool,
}

impl WorstCaseFair {
    /// The discipline of a port with empty queues, whose frames have `around` octets of preamble and gap.
    pub fn new(shares: &Shares, around: u32) -> WorstCaseFair {
        let sum = shares.sum();
        let queue = |step: u128| Queue {
            step: step * sum,
            start: 0,
            is_backlogged: false,
        };
        WorstCaseFair {
            line_step: shares.multiple(),
            queues: shares.steps().map(queue).collect(),
            now: 0,
            around,
        }
    }
    /// Records that a frame arrives at an empty queue while `left` octets of the frame in service have not been sent
    /// yet.
    pub fn on_arrival(&mut self, queue: usize, left: u64) {
        self.queues[queue].begin(self.now - left as u128 * self.line_step);
    }
    /// The queue whose first frame is served next: of the eligible frames (S_i at most V) the one of the least virtual
    /// finish, and among equals that of the first queue; `None` if all queues are empty. A queue that a pause has held
    /// back (0 in `heads`) counts like one that was empty.
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        let mut earliest = None;
        for (queue, octets) in self.queues.iter_mut().zip(heads) {
            if *octets == 0 {
                queue.is_backlogged = false;
                continue;
            }
            if !queue.is_backlogged {
                queue.begin(self.now);
            }
            let start = queue.start;
            earliest = Some(earliest.map_or(start, |other: u128| other.min(start)));
        }
        // V is at least the least start of all queues with frames.
        self.now = self.now.max(earliest?);
        let waiting = self.queues.iter().zip(heads).enumerate();
        let eligible =
            waiting.filter(|(_, (queue, octets))| **octets > 0 && queue.start <= self.now);
        let first =
            eligible.min_by_key(|(_, (queue, octets))| queue.finish(**octets + self.around));
        first.map(|(index, _)| index)
    }
    /// Records the service of a frame of `octets` octets in `queue`.
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        let octets = octets + self.around;
        self.now += octets as u128 * self.line_step;
        let queue = &mut self.queues[queue];
        queue.start = queue.finish(octets);
    }
    /// Records that no frame waits in `queue` any more.
    pub fn on_emptied(&mut self, queue: usize) {
        self.queues[queue].is_backlogged = false;
    }
}

impl Queue {
    /// The queue gets its first frame at the virtual time `at`: S_i is the larger of F_i and V.
    fn begin(&mut self, at: u128) {
        self.is_backlogged = true;
        self.start = self.start.max(at);
    }
    /// Virtual finish of the first frame, which has `octets` on the line (F_i).
    fn finish(&self, octets: u32) -> u128 {
        self.start + octets as u128 * self.step
    }
}
