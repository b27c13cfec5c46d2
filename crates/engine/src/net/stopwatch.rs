//! Measurement of the processor time of each node. The engine reads no clock, so the calling
//! program passes a stopwatch.

/// Notified each time a node has been processed, so that an implementation can read a clock.
///
/// The time since the previous notification was spent on choosing the node and processing the node. The
/// implementation for `()` measures nothing and costs nothing.
pub trait Stopwatch {
    /// Notification that the node with index `node` has been processed.
    fn lap(&mut self, node: usize);
}

impl Stopwatch for () {
    #[inline(always)]
    fn lap(&mut self, _node: usize) {}
}
