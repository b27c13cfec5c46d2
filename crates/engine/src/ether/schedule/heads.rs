//! The first frames of the class queues of a port, one of which is served next.

/// Most queues of a port: one for each priority of IEEE 802.1Q.
pub const MOST_QUEUES: usize = 8;

/// Octets of the first frame that waits in each queue; 0 for an empty queue.
pub type Heads = [u32; MOST_QUEUES];
