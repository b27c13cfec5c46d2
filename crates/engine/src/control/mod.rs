//! What a switch port does about congestion. A scheme is a file here, its parameters one serde
//! struct in it, and one line in the registry below.

use crate::atm::cell::{Info, RmCell};
use crate::kernel::{Ps, Rate};

/// What a scheme may know of its port when it is built.
#[derive(Clone, Copy, Debug)]
pub struct PortFacts {
    /// Rate of the outgoing link.
    pub rate: Rate,
    /// Channels that the port carries; the slots of the hooks count them from 0.
    pub channels: usize,
}

/// A congestion control scheme at one output port: a pure state machine that is told facts and
/// `now`. `queue` is always the number of cells in the controlled queue, the one in service
/// included. Every hook has a default that does nothing.
pub trait SwitchControl {
    /// An ABR cell of channel `slot` arrives for this port, before it is queued or dropped. `rm`
    /// holds the contents of an RM cell, which the scheme may mark.
    #[inline]
    fn on_forward(&mut self, _now: Ps, _slot: u32, _info: &mut Info, _rm: Option<&mut RmCell>, _queue: u64) {}
    /// A cell of another class arrives for this port.
    #[inline]
    fn on_background(&mut self, _now: Ps) {}
    /// A backward RM cell of channel `slot` passes in the other direction.
    #[inline]
    fn on_backward(&mut self, _now: Ps, _slot: u32, _rm: &mut RmCell, _queue: u64) {}
    /// A cell of the controlled queue starts its service; called only if [`Self::marks_at_dequeue`].
    #[inline]
    fn on_dequeue(&mut self, _now: Ps, _info: &mut Info, _queue: u64) {}
    /// Whether departures matter to the scheme. It decides how lazy the port may be, so it must
    /// not change over time.
    fn marks_at_dequeue(&self) -> bool {
        false
    }
    /// Next time at which [`Self::wake`] is due, or `NEVER`.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// The time of [`Self::wake_at`] has come.
    #[inline]
    fn wake(&mut self, _now: Ps, _queue: u64) {}
}
