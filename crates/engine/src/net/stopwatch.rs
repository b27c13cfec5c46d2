//! A clock by which a run is measured. The engine has none, so the program that runs it passes one.

/// Called whenever a node has been processed; may read a clock then.
///
/// The time since the call before went into the turn of that node and into choosing it. `()`
/// measures nothing and costs nothing.
pub trait Stopwatch {
    /// Called when the turn of `node` is over.
    fn lap(&mut self, node: usize);
}

impl Stopwatch for () {
    #[inline(always)]
    fn lap(&mut self, _node: usize) {}
}
