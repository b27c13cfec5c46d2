//! Servers: they send the cells of an output port's queues onto the link. All servers are exact and
//! agree cell by cell; only the work per cell differs.
//!
//! Order at one instant (see `docs/explanation/event-order.md`): service ends, timers, arrivals by
//! link, service starts. So a queue counts a cell until the last bit of the cell has left. A cell
//! that arrives when a service ends finds the buffer place free, and competes for the service that
//! starts then.

mod context;
mod eager;
mod fifo;
mod lanes;
mod lazy;
mod lossy;
mod marks;
mod port_shaper;
mod priority;
mod prompt;
mod promptness;
mod queue_order;

pub use context::{Context, LineEnd};
pub use eager::EagerServer;
pub use fifo::{FifoRow, FifoServer, Work};
pub use lanes::{ChannelOrder, PortOrder};
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

/// Rate and delay of the line that a port feeds.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Transmission times of cells on the line.
    pub clock: CellClock,
    /// Propagation delay of the line.
    pub delay: Ps,
}

/// A cell in a queue, with the label (VPI/VCI) that the cell will carry on the outgoing link.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// Label (VPI/VCI) of the cell for the node at the far end of the link.
    pub label: u32,
    /// Header bits and number of the cell.
    pub info: Info,
}

/// A cell as it arrives at a port.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Index of the cell's channel among the channels of the port.
    pub slot: u32,
    /// Index by which the control scheme knows the cell's channel; used only if `controlled` is true.
    pub control_slot: u32,
    /// Index of the queue for the cell's class.
    pub queue: u32,
    /// True if the control scheme controls the class of the cell.
    pub controlled: bool,
    /// Outgoing label and header bits of the cell.
    pub cell: Queued,
}

/// Settings from which a port's server is built.
pub struct ServerSettings {
    /// Rate and delay of the port's line.
    pub line: Line,
    /// Number of queues, in the order of descending priority.
    pub queues: usize,
    /// Index of the queue whose departures are passed to the control scheme; `None` if no departures are.
    pub watched: Option<usize>,
    /// Queue length above which the scheme marks a data cell of the watched queue at the start of its service:
    /// [`SwitchControl::marks_above`]. Set only if the scheme does nothing else at departures. A server that
    /// marks cells itself need not pass departures to the scheme.
    ///
    /// [`SwitchControl::marks_above`]: crate::control::SwitchControl::marks_above
    pub marks_above: Option<u64>,
    /// True if each queue serves its RM cells before its other cells.
    pub rm_first: bool,
    /// Orders of service of channels and queues; `None` if the cells of a queue leave in the order of their arrivals, and
    /// queues are served in strict priority.
    pub orders: Option<PortOrder>,
    /// Settings of an event-driven server, if the port needs one.
    pub prompt: Option<PromptSettings>,
    /// Losses of the link, if the link loses cells and the server is not event-driven.
    pub losses: Option<LossSettings>,
}

/// A work-conserving, non-preemptive server of one or more queues. Each method with a context first processes the
/// services up to the context's time, and passes departures of the watched queue ([`ServerSettings::watched`]) to
/// the control scheme.
pub trait Server: ServerCounts + Sized {
    /// True in the plain engine: an end system that sends through the server then reports the first cell of each
    /// PDU to an observer.
    const OBSERVED: bool = false;
    /// Type of the server for ports that must report departures.
    type Credited: CreditedServer;
    /// Puts a cell into the queue `arrival.queue`.
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    );
    /// Processes all service starts and ends before the context's time, and the service ends at
    /// that time.
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>);
    /// Time `t` of the next event: [`Server::advance`] must be called with `t + 1`, so that
    /// no cell leaves late. `NEVER` if departures need no event.
    fn next_event(&self) -> Ps;
    /// Advances the server to the context's time. Returns the number of cells of `queue` whose last
    /// bit has not left.
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64;
    /// True if `queue` certainly holds fewer than `limit` cells at `now`. If false, only the exact length would
    /// decide. This method is cheaper than the exact length, and changes nothing.
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool;
    /// This server if it is a [`FifoServer`], which computes departures at arrival; `None`
    /// otherwise.
    #[inline]
    fn express(&mut self) -> Option<&mut FifoServer> {
        None
    }
    /// This server if it is a [`PriorityServer`]; `None` otherwise.
    #[inline]
    fn priority(&mut self) -> Option<&mut PriorityServer> {
        None
    }
    /// The next cell that the link has lost and whose service has ended by `until`; `None` if no such cell is
    /// left. Only a server that does not report departures returns such cells. The server must have been advanced
    /// to `until`.
    fn take_lost(&mut self, _until: Ps) -> Option<Departure> {
        None
    }
    /// This server if it reports departures and obeys credit; `None` otherwise.
    fn credited(&self) -> Option<&Self::Credited> {
        None
    }
    /// This server, mutable, if it reports departures and obeys credit; `None` otherwise.
    fn credited_mut(&mut self) -> Option<&mut Self::Credited> {
        None
    }
}

/// A server that can put cells on any [`LineEnd`]. A plain [`Server`] can put cells on an [`Outlet`] only.
pub trait LineServer: Server {
    /// Does the work of [`Server::push`] with any line end.
    fn push_to(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, impl LineEnd>,
    );
    /// Does the work of [`Server::advance`] with any line end.
    fn advance_to(&mut self, context: &mut Context<'_, impl LineEnd>);
}

/// A server that the engine can build from settings.
pub trait BuildServer: Server {
    /// True if [`Server::take_lost`] returns the cells lost on links without credit control. False if each loss
    /// needs an event.
    const LOSES_AHEAD: bool = false;
    /// Builds a server that is exact for these settings.
    fn build(settings: ServerSettings) -> Self;
}

/// Counters of a server since the start of the run.
pub trait ServerCounts {
    /// Number of cells put into `queue`.
    fn accepted(&self, queue: usize) -> u64;
    /// Number of cells whose service has ended by the context's time. This time must not be earlier than the time
    /// of the last call.
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64;
    /// Busy time of the line up to the context's time, in the units of [`CellClock::served`].
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128;
    /// Time integral of the number of cells in `queue`, in cells times picoseconds.
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64;
    /// Greatest length of `queue` in cells, including the arriving cell, since the last
    /// [`ServerCounts::forget_longest`].
    fn longest(&self, queue: usize) -> u64;
    /// Begins new measurements of the greatest lengths of all queues, with the present lengths.
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>);
    /// Cells in the server's own queues, which are not stored in the ring buffer of the link.
    fn held(&self) -> Vec<Queued>;
    /// Bytes allocated for queued cells, and number of cells stored.
    fn storage(&self) -> (usize, usize);
}

/// An event-driven server: it reports departures to its node, and obeys credit.
pub trait CreditedServer {
    /// Puts a cell without a body into its queue, after all other events at the context's time. The service of
    /// the cell begins at once if possible. Returns false only if three conditions hold: [`Server::next_event`]
    /// has not become earlier, no cell has begun to wait, and no departure must be reported at its start.
    fn push_alone(&mut self, arrival: &Arrival, context: &mut Context<'_, Outlet<'_>>) -> bool;
    /// The departure that has ended and that the node must process; each is returned once. `None` if there is
    /// none. The node must call this method at every [`Server::next_event`].
    fn take_departure(&mut self) -> Option<Departure>;
    /// The departure whose service has just started and that the node must process; each is returned once. `None`
    /// if there is none, or if the server does not report departures at their start. The node must call this
    /// method whenever a service may have started.
    fn take_departure_ahead(&mut self) -> Option<Departure> {
        None
    }
    /// True if the server never reports a departure.
    fn tells_nobody(&self) -> bool {
        false
    }
    /// True if the departure of the cell in service must be reported to the node.
    fn tells_next(&self) -> bool;
    /// Time of the next service start; `NEVER` if no cell waits. A start before [`Server::next_event`] needs no
    /// event. But before the receiving node processes the cell, the server must be advanced beyond this start.
    fn next_start(&self) -> Ps;
    /// Queues a message of the credit protocol that enters the server at the later time `at`. Of messages with
    /// equal times, the message with the lowest `rank` is first. Only for servers that report departures at their
    /// start.
    fn tell_at(&mut self, _at: Ps, _rank: u32, _message: Message) {
        unreachable!("it reports no departure ahead");
    }
    /// Queues a message of the credit protocol at the context's time.
    fn tell(&mut self, message: Message, context: &mut Context<'_, Outlet<'_>>);
    /// Sets the credit limit of the channel with index `slot` ([`Sender::set_limit`]).
    fn set_limit(&mut self, slot: u32, limit: u32, context: &mut Context<'_, Outlet<'_>>);
    /// Number of departed cells of the channel with index `slot` that the server has not reported to its node.
    /// After the call these cells count as reported.
    fn take_untold(&mut self, slot: u32, context: &mut Context<'_, Outlet<'_>>) -> u32;
    /// Number of cells of the channel with index `slot` that the server holds, including the cell in service. The
    /// server must have been advanced to the present instant.
    fn queued_of(&self, slot: u32) -> u64;
    /// Largest number of cells of the channel with index `slot` that have been in the server at once.
    fn longest_of(&self, slot: u32) -> u64;
    /// State of the credit of the channel with index `slot` at this server; `None` without credit control.
    fn sender(&self, slot: u32) -> Option<Sender>;
    /// Numbers of cells of the credit protocol that the server has sent, by kind.
    fn credit_counts(&self) -> CreditCounts;
}
