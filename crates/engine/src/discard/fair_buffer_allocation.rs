//! Fair buffer allocation: as selective drop, but the share that a channel may hold falls as the
//! queue grows from the threshold to the buffer (Heinanen and Kilkki 1998).

use super::fair_share::{FairShare, Share};

/// Share of a channel: Z times an equal part of the queue, times a factor (K - R) / (q - R) that
/// grows with the free buffer.
#[derive(Clone, Debug)]
pub struct OfRoom;

/// Fair buffer allocation at one queue.
pub type FairBufferAllocation = FairShare<OfRoom>;

impl Share for OfRoom {
    /// Y_i N_a / q > Z (K - R) / (q - R) (Heinanen and Kilkki), multiplied out: q = R divides by
    /// zero otherwise.
    #[inline]
    fn is_exceeded(weighted: f64, z: f64, queue: u64, threshold: u64, buffer: u64) -> bool {
        let (above, span) = (
            (queue - threshold) as f64,
            buffer.saturating_sub(threshold) as f64,
        );
        weighted * above > z * queue as f64 * span
    }
}
