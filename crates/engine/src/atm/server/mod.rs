//! Servers, which send the cells of an output port's queues onto its link. All servers are exact
//! and agree cell by cell; they differ in the amount of work per cell.
//!
//! Order at one instant (see `docs/explanation/event-order.md`): completions, timers, arrivals by
//! link, service starts. So a queue counts a cell until its last bit has left, and a cell that
//! arrives at the instant of a completion finds the buffer space that it freed, and competes for
//! the service that starts then.

mod eager;
mod fifo;
mod lazy;
mod priority;
mod prompt;
mod promptness;

pub use eager::EagerServer;
pub use fifo::FifoServer;
pub use lazy::LazyServer;
pub use priority::PriorityServer;
pub use prompt::PromptServer;
pub use promptness::{
    ChannelSettings, CreditCounts, Departure, Message, NEVER_TOLD, PromptSettings,
};

use alloc::vec::Vec;

use super::cell::{Body, Info};
use super::link::Link;
use crate::control::Control;
use crate::credit::Sender;
use crate::kernel::{CellClock, Ps};

/// Properties of a port's line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Cell times of the link.
    pub clock: CellClock,
    /// Propagation delay of the link.
    pub delay: Ps,
}

/// A cell to be queued: it will carry `label` on the link.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// Label at the far end.
    pub label: u32,
    /// Header bits.
    pub info: Info,
}

/// The link of a server, and the control scheme that observes departures.
pub struct Outlet<'a> {
    /// The link.
    pub link: &'a mut Link,
    /// The port's control scheme, which is notified of departures from `controlled`.
    pub control: &'a mut Control,
    /// Set when a cell enters an empty link.
    pub link_was_empty: bool,
}

/// A work-conserving, non-preemptive server of one or more queues.
pub trait Server: Sized {
    /// True if end systems that send through the server notify an observer of the beginnings of
    /// PDUs; false in the fast engine.
    const OBSERVED: bool = false;
    /// A server for `queues` queues of descending priority; departures from queue `controlled` are
    /// reported to the control scheme if it `marks_at_dequeue`. With `rm_first` each queue serves
    /// its RM cells before its other cells.
    fn new(
        line: Line,
        queues: usize,
        controlled: usize,
        marks_at_dequeue: bool,
        rm_first: bool,
    ) -> Self;
    /// A server that reports departures and obeys credit; departures from queue `watched` are
    /// reported to the control scheme.
    fn prompt(_line: Line, _watched: Option<usize>, _settings: PromptSettings) -> Self {
        unreachable!("a server that works departures out when somebody looks cannot tell them")
    }
    /// Cells of `queue` whose last bit has not left at `now`. Advances the server to `now`.
    fn queue_length(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> u64;
    /// True if `queue` certainly holds fewer than `limit` cells at `now`; false if only the exact
    /// length would show it. Cheaper than the length itself, and changes nothing.
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool;
    /// Number of cells put into `queue` so far.
    fn accepted(&self, queue: usize) -> u64;
    /// The server itself if it is a [`FifoServer`], which knows departures at arrival.
    #[inline]
    fn express(&mut self) -> Option<&mut FifoServer> {
        None
    }
    /// Puts a cell into `queue` at `now`.
    fn push(
        &mut self,
        now: Ps,
        queue: usize,
        cell: Queued,
        body: Option<&Body>,
        outlet: &mut Outlet<'_>,
    );
    /// Processes everything before `now`, and the completions at `now`.
    fn advance(&mut self, now: Ps, outlet: &mut Outlet<'_>);
    /// Time at which [`Server::advance`] must be called next so that no cell leaves late:
    /// `advance(t + 1)` for the time `t` returned. `NEVER` if departures need no event.
    fn next_event(&self) -> Ps;
    /// Cells whose service has completed by `now`; `now` must not lie before the last call.
    fn departed(&mut self, now: Ps, outlet: &mut Outlet<'_>) -> u64;
    /// Time integral of the number of cells in `queue` up to `now`, in cell picoseconds.
    fn backlog_integral(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> f64;
    /// Greatest length of `queue` since the last [`Server::forget_longest`], arriving cells
    /// counted.
    fn longest(&self, queue: usize) -> u64;
    /// Starts a new maximum at `now` from the lengths of that moment.
    fn forget_longest(&mut self, now: Ps, outlet: &mut Outlet<'_>);
    /// Cells held here that are not yet on the link.
    fn held(&self) -> Vec<Queued>;
    /// Bytes of storage for queued cells, and cells held there.
    fn storage(&self) -> (usize, usize);
    /// Puts in a cell of the channel in `slot`, whose queue a prompt server knows.
    #[inline]
    fn push_of(
        &mut self,
        now: Ps,
        queue: usize,
        _slot: u32,
        cell: Queued,
        body: Option<&Body>,
        outlet: &mut Outlet<'_>,
    ) {
        self.push(now, queue, cell, body, outlet);
    }
    /// The same if all other events at `now` are done: if a service can start it starts at once.
    #[inline]
    fn push_alone(&mut self, now: Ps, slot: u32, cell: Queued, outlet: &mut Outlet<'_>) {
        self.push_of(now, 0, slot, cell, None, outlet);
        self.advance(Ps(now.0 + 1), outlet);
    }
    /// The departure that must be reported and has not been reported yet. It must be asked for at
    /// every [`Server::next_event`] of a prompt server.
    #[inline]
    fn take_departure(&mut self) -> Option<Departure> {
        None
    }
    /// True if the next completion must be reported.
    #[inline]
    fn tells_next(&self) -> bool {
        true
    }
    /// Sends a message of the credit protocol.
    fn tell(&mut self, _now: Ps, _message: Message, _outlet: &mut Outlet<'_>) {}
    /// Sets a new limit for the channel in `slot`.
    fn set_limit(&mut self, _now: Ps, _slot: u32, _limit: u32, _outlet: &mut Outlet<'_>) {}
    /// Number of cells of the channel in `slot` that have left by `now` and were not reported; they
    /// count as reported from now on.
    fn take_untold(&mut self, _now: Ps, _slot: u32, _outlet: &mut Outlet<'_>) -> u32 {
        0
    }
    /// Cells of the channel in `slot` that are still here, including the one in service, if the
    /// server is up to date.
    fn queued_of(&self, _slot: u32) -> u64 {
        0
    }
    /// Largest number of cells of the channel in `slot` that were here at once.
    fn longest_of(&self, _slot: u32) -> u64 {
        0
    }
    /// The credit of the channel in `slot`; `None` without credit control.
    fn sender(&self, _slot: u32) -> Option<Sender> {
        None
    }
    /// Cells of the credit protocol sent so far.
    fn credit_counts(&self) -> CreditCounts {
        CreditCounts::default()
    }
}
