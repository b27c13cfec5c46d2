//! Fair buffer allocation: as selective drop, but the allowed share of a channel falls as the queue
//! grows from the threshold to the buffer (Heinanen and Kilkki 1998).

use super::fair_share::{FairShare, Share};

/// Allowed share of a channel: Z times an equal part of the queue, times the factor (K - R) / (q -
/// R), which falls as the queue q grows from the threshold R to the buffer K.
#[derive(Clone, Debug)]
pub struct OfRoom;

/// State of fair buffer allocation at one queue.
pub type FairBufferAllocation = FairShare<OfRoom>;

impl Share for OfRoom {
    /// Y_i N_a / q > Z (K - R) / (q - R) (Heinanen and Kilkki), multiplied out, so that q = R does
    /// not divide by zero.
    #[inline]
    fn is_exceeded(weighted: f64, z: f64, queue: u64, threshold: u64, buffer: u64) -> bool {
        let (above, span) = (
            (queue - threshold) as f64,
            buffer.saturating_sub(threshold) as f64,
        );
        weighted * above > z * queue as f64 * span
    }
}
