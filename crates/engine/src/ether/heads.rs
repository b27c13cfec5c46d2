//! Sizes of the first frames in the queues of a port, of which the port serves one next.

/// Most queues of a port: one for each priority of IEEE 802.1Q.
pub const MOST_QUEUES: usize = 8;

/// Octets of the first waiting frame of each queue; 0 for an empty queue.
pub type Heads = [u32; MOST_QUEUES];
