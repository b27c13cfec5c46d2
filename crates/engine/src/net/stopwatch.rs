//! A clock that a run is measured by. The engine has none, so whoever runs it hands one in.

/// Is told whenever a node has been processed, and may read a clock then.
///
/// The time since the last lap went into the turn of that node and into choosing it. `()` measures
/// nothing and costs nothing.
pub trait Stopwatch {
    /// The turn of `node` is over.
    fn lap(&mut self, node: usize);
}

impl Stopwatch for () {
    #[inline(always)]
    fn lap(&mut self, _node: usize) {}
}
