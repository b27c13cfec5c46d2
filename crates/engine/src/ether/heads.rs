//! Sizes of the first waiting frames of a port's queues, among which a scheduler chooses the next
//! frame.

/// Greatest number of queues of a port: one for each priority of IEEE 802.1Q.
pub const MOST_QUEUES: usize = 8;

/// Octets of the first waiting frame of each queue; 0 for an empty queue.
pub type Heads = [u32; MOST_QUEUES];
