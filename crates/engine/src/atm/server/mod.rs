//! Servers, which send the cells of an output port's queues onto its link. All servers are exact
//! and agree cell by cell; they differ in the amount of work per cell.
//!
//! Order at one instant (see `docs/explanation/event-order.md`): completions, timers, arrivals by
//! link, service starts. So a queue counts a cell until the last bit of the cell has left. A cell
//! that arrives at the instant of a completion finds the buffer space that is freed then, and
//! competes for the service that starts then.

mod context;
mod eager;
mod fifo;
mod lazy;
mod lossy;
mod marks;
mod priority;
mod prompt;
mod promptness;

pub use context::{Context, LineEnd};
pub use eager::EagerServer;
pub use fifo::{FifoRow, FifoServer, Work};
pub use lazy::LazyServer;
pub use lossy::{LossSettings, LossyServer};
pub use marks::Marks;
pub use priority::PriorityServer;
pub use prompt::PromptServer;
pub use promptness::{
    ChannelSettings, CreditCounts, Departure, Message, NEVER_TOLD, PromptSettings,
};

use alloc::vec::Vec;

use super::cell::{Body, Info};
use super::transport::Outlet;
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

/// A cell to be queued, which will carry `label` on the link.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// Label of the cell at the far end of the link.
    pub label: u32,
    /// Header bits of the cell, and its number.
    pub info: Info,
}

/// A cell as it arrives at a port.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Slot of the cell's channel at the port.
    pub slot: u32,
    /// Slot of the cell's channel in the control scheme, if the cell's class is under control.
    pub control_slot: u32,
    /// Index of the queue of the cell's class.
    pub queue: u32,
    /// True if the cell's class is under control.
    pub controlled: bool,
    /// Label and header of the cell.
    pub cell: Queued,
}

/// Settings of a server.
pub struct ServerSettings {
    /// Properties of the port's line.
    pub line: Line,
    /// Number of queues, of descending priority.
    pub queues: usize,
    /// Index of the queue whose departures the control scheme sees, if there is one.
    pub watched: Option<usize>,
    /// Queue length above which the scheme marks a data cell of that queue as its service starts, if the
    /// scheme does nothing else there, now and later: [`SwitchControl::marks_above`]. A server that marks
    /// need not show departures to the scheme.
    ///
    /// [`SwitchControl::marks_above`]: crate::control::SwitchControl::marks_above
    pub marks_above: Option<u64>,
    /// True if each queue serves its RM cells before its other cells.
    pub rm_first: bool,
    /// Settings of a prompt server, if the port needs one.
    pub prompt: Option<PromptSettings>,
    /// Losses of the link, if the server is not prompt and the link loses cells.
    pub losses: Option<LossSettings>,
}

/// A work-conserving, non-preemptive server of one or more queues. Methods that let time pass show
/// departures of the watched queue to the port's control scheme.
pub trait Server: ServerCounts + Sized {
    /// True if end systems that send through the server notify an observer of the beginnings of
    /// PDUs; false in the fast engine.
    const OBSERVED: bool = false;
    /// Type of the server where departures must be reported.
    type Credited: CreditedServer;
    /// Puts a cell into the queue of its class.
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    );
    /// Processes everything before the context's time, and the completions at that time.
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>);
    /// Time at which [`Server::advance`] must be called next so that no cell leaves late:
    /// `advance(t + 1)` for the time `t` returned. `NEVER` if departures need no event.
    fn next_event(&self) -> Ps;
    /// Advances the server. Returns the number of cells of `queue` whose last bit has not left.
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64;
    /// True if `queue` certainly holds fewer than `limit` cells at `now`; false if only the exact
    /// length would show it. Cheaper than the length itself, and changes nothing.
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool;
    /// The server itself if it is a [`FifoServer`], which computes departures at arrival.
    #[inline]
    fn express(&mut self) -> Option<&mut FifoServer> {
        None
    }
    /// The server itself if it is a [`PriorityServer`].
    #[inline]
    fn priority(&mut self) -> Option<&mut PriorityServer> {
        None
    }
    /// The next cell that the link has lost, if the service of the cell has ended by `until` and
    /// the server does not report departures. The server must have been advanced to `until`.
    fn take_lost(&mut self, _until: Ps) -> Option<Departure> {
        None
    }
    /// The server itself if it reports departures and obeys credit; `None` otherwise.
    fn credited(&self) -> Option<&Self::Credited> {
        None
    }
    /// The server as [`Server::credited`] returns it, mutable.
    fn credited_mut(&mut self) -> Option<&mut Self::Credited> {
        None
    }
}

/// A server that works with any end of a line. [`Server`] puts cells on an [`Outlet`] only.
pub trait LineServer: Server {
    /// Does what [`Server::push`] does, with any end of a line.
    fn push_to(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, impl LineEnd>,
    );
    /// Does what [`Server::advance`] does, with any end of a line.
    fn advance_to(&mut self, context: &mut Context<'_, impl LineEnd>);
}

/// A server that the engine builds from settings.
pub trait BuildServer: Server {
    /// True if [`Server::take_lost`] has the losses of a link without credit control; false if each
    /// loss needs an event.
    const LOSES_AHEAD: bool = false;
    /// Builds a server that is exact for these settings.
    fn build(settings: ServerSettings) -> Self;
}

/// Counters of a server.
pub trait ServerCounts {
    /// Number of cells put into `queue` so far.
    fn accepted(&self, queue: usize) -> u64;
    /// Number of cells whose service has completed. The context's time must not lie before the time
    /// of the last call.
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64;
    /// Time for which the line has served cells so far, as from [`CellClock::served`].
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128;
    /// Time integral of the number of cells in `queue` so far, in cell picoseconds.
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64;
    /// Greatest length of `queue`, arriving cells included, since the last
    /// [`ServerCounts::forget_longest`].
    fn longest(&self, queue: usize) -> u64;
    /// Starts the greatest lengths of all queues anew from the present lengths.
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>);
    /// Cells that the server holds and that are not yet on the link.
    fn held(&self) -> Vec<Queued>;
    /// Bytes of storage for queued cells, and number of cells stored.
    fn storage(&self) -> (usize, usize);
}

/// A server that reports departures to its node, and obeys credit.
pub trait CreditedServer {
    /// Puts in a cell without a body. All other events at the context's time must be done. The cell's service
    /// starts at once if it can. Returns false if [`Server::next_event`] has certainly not become earlier, no
    /// cell has begun to wait, and no departure is to be reported ahead. It may return true although all this
    /// holds.
    fn push_alone(&mut self, arrival: &Arrival, context: &mut Context<'_, Outlet<'_>>) -> bool;
    /// The departure that must be reported and has not been reported yet. The node must call this
    /// at every [`Server::next_event`].
    fn take_departure(&mut self) -> Option<Departure>;
    /// The departure that must be reported and has not been reported yet, if its service has just started and
    /// is reported ahead. The node must call this whenever a service may have started.
    fn take_departure_ahead(&mut self) -> Option<Departure> {
        None
    }
    /// True if the server certainly never reports a departure.
    fn tells_nobody(&self) -> bool {
        false
    }
    /// True if the next completion must be reported.
    fn tells_next(&self) -> bool;
    /// Time at which the next service starts, `NEVER` if none does. A start before
    /// [`Server::next_event`] needs no event, but the server must be advanced past it before the
    /// receiver takes the cell.
    fn next_start(&self) -> Ps;
    /// Sends a message of the credit protocol that will be at the server at `at`; of messages of the same
    /// time the lowest `rank` comes first. For servers that report departures ahead.
    fn tell_at(&mut self, _at: Ps, _rank: u32, _message: Message) {
        unreachable!("it reports no departure ahead");
    }
    /// Sends a message of the credit protocol.
    fn tell(&mut self, message: Message, context: &mut Context<'_, Outlet<'_>>);
    /// Sets the limit of the channel in `slot` ([`Sender::set_limit`]).
    fn set_limit(&mut self, slot: u32, limit: u32, context: &mut Context<'_, Outlet<'_>>);
    /// Number of cells of the channel in `slot` that have left and were not reported. From this call on these
    /// cells count as reported.
    fn take_untold(&mut self, slot: u32, context: &mut Context<'_, Outlet<'_>>) -> u32;
    /// Cells of the channel in `slot` that the server still holds, including the one in service, if
    /// the server is up to date.
    fn queued_of(&self, slot: u32) -> u64;
    /// Largest number of cells of the channel in `slot` that the server has held at once.
    fn longest_of(&self, slot: u32) -> u64;
    /// Credit of the channel in `slot` at this server; `None` without credit control.
    fn sender(&self, slot: u32) -> Option<Sender>;
    /// Number of cells of the credit protocol sent so far, by kind.
    fn credit_counts(&self) -> CreditCounts;
}
