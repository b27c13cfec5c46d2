//! Self-clocked fair queueing (Golestani 1994, "A Self-Clocked Fair Queueing Scheme for Broadband Applications"):
//! the virtual time is the service tag of the frame in service. Names are those of the paper.

use alloc::vec::Vec;

use super::weights::Shares;

/// Self-clocked fair queueing at one port. Tags are exact: whole multiples of an octet over the least common multiple
/// of the weights.
#[derive(Clone, Debug)]
pub struct SelfClocked {
    queues: Vec<Queue>,
    /// Service tag of the frame in service, or of the last one (v(t)).
    now: u128,
    /// Octets of preamble and gap, which tags count.
    around: u32,
}

#[derive(Clone, Debug)]
struct Queue {
    /// Virtual time of an octet (1 / r_k).
    step: u128,
    /// Virtual time at which the first frame begins: the larger of the tag of the queue's previous frame and the
    /// virtual time when the first frame arrived.
    begins: u128,
    /// True if the queue had a frame at the last decision.
    is_backlogged: bool,
}

impl SelfClocked {
    /// The discipline of a port with empty queues, whose frames have `around` octets of preamble and gap.
    pub fn new(shares: &Shares, around: u32) -> SelfClocked {
        let queue = |step: u128| Queue {
            step,
            begins: 0,
            is_backlogged: false,
        };
        SelfClocked {
            queues: shares.steps().map(queue).collect(),
            now: 0,
            around,
        }
    }
    /// The queue whose first frame is served next: the frame of the least tag, and among equals that of the first
    /// queue; `None` if all queues are empty.
    ///
    /// The virtual time changes only when a service begins, so the first frame of a queue that was empty gets the
    /// same `begins` here as it would have got at its arrival.
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        let mut least: Option<(u128, usize)> = None;
        for (index, (queue, octets)) in self.queues.iter_mut().zip(heads).enumerate() {
            if *octets == 0 {
                queue.is_backlogged = false;
                continue;
            }
            if !queue.is_backlogged {
                queue.is_backlogged = true;
                queue.begins = queue.begins.max(self.now);
            }
            let tag = queue.tag(octets + self.around);
            if least.is_none_or(|(other, _)| tag < other) {
                least = Some((tag, index));
            }
        }
        least.map(|(_, queue)| queue)
    }
    /// Records the service of a frame of `octets` octets in `queue`.
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        let queue = &mut self.queues[queue];
        self.now = queue.tag(octets + self.around);
        queue.begins = self.now;
    }
    /// Records that no frame waits in `queue` any more.
    pub fn on_emptied(&mut self, queue: usize) {
        self.queues[queue].is_backlogged = false;
    }
}

impl Queue {
    /// The service tag of the first frame, which has `octets` on the line (F).
    fn tag(&self, octets: u32) -> u128 {
        self.begins + octets as u128 * self.step
    }
}
