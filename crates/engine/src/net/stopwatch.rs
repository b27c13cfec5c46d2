//! Measurement of the processor time of each node. The engine reads no clock, so the calling
//! program passes a stopwatch.

/// Notified after each turn of a node, so that an implementation can read a clock.
///
/// The time since the notification before was spent on choosing the node and on its turn. The
/// implementation for `()` measures nothing and costs nothing.
pub trait Stopwatch {
    /// Notification that the turn of the node with index `node` has ended.
    fn lap(&mut self, node: usize);
}

impl Stopwatch for () {
    #[inline(always)]
    fn lap(&mut self, _node: usize) {}
}
