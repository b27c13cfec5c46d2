//! Selective drop: above a threshold, a channel with more than its allowed share of the queue may
//! not begin a PDU (Goyal et al. 1997).

use super::fair_share::{FairShare, Share};

/// Allowed share of a channel: Z times an equal part of the queue.
#[derive(Clone, Debug)]
pub struct OfQueue;

/// State of selective drop at one queue.
pub type SelectiveDrop = FairShare<OfQueue>;

impl Share for OfQueue {
    const EXISTS_WITHOUT_LIMIT: bool = true;

    /// Y_i N_a / q > Z (Goyal et al.), with the units Y_i of the channel, N_a active channels and
    /// the queue q.
    #[inline]
    fn is_exceeded(weighted: f64, z: f64, queue: u64, _threshold: u64, _buffer: u64) -> bool {
        weighted > z * queue as f64
    }
}
