//! The cheapest exact server for a port.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{
    CreditCounts, Departure, FifoServer, Line, Message, Outlet, PriorityServer, PromptServer,
    PromptSettings, Queued, Server,
};
use crate::atm::cell::Body;
use crate::credit::Sender;
use crate::kernel::Ps;

/// [`FifoServer`] if departures are known at arrival, [`PromptServer`] if departures must be
/// reported, otherwise [`PriorityServer`].
pub enum LazyServer {
    /// One queue, whose departures cause nothing else.
    Fifo(FifoServer),
    /// Several queues, RM cells before others, or marking at departure.
    Priority(PriorityServer),
    /// Credit control, or a link that loses cells.
    Prompt(Box<PromptServer>),
}

macro_rules! whichever {
    ($self:ident, $server:ident => $call:expr) => {
        match $self {
            LazyServer::Fifo($server) => $call,
            LazyServer::Priority($server) => $call,
            LazyServer::Prompt($server) => $call,
        }
    };
}

impl Server for LazyServer {
    fn new(
        line: Line,
        queues: usize,
        controlled: usize,
        marks_at_dequeue: bool,
        rm_first: bool,
    ) -> Self {
        if queues == 1 && !marks_at_dequeue && !rm_first {
            LazyServer::Fifo(FifoServer::new(
                line,
                queues,
                controlled,
                marks_at_dequeue,
                rm_first,
            ))
        } else {
            LazyServer::Priority(PriorityServer::new(
                line,
                queues,
                controlled,
                marks_at_dequeue,
                rm_first,
            ))
        }
    }
    fn prompt(line: Line, watched: Option<usize>, settings: PromptSettings) -> Self {
        LazyServer::Prompt(Box::new(PromptServer::prompt(line, watched, settings)))
    }
    #[inline]
    fn queue_length(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> u64 {
        whichever!(self, server => server.queue_length(now, queue, outlet))
    }
    #[inline(always)]
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool {
        whichever!(self, server => server.surely_shorter(now, queue, limit))
    }
    fn accepted(&self, queue: usize) -> u64 {
        whichever!(self, server => server.accepted(queue))
    }
    #[inline(always)]
    fn express(&mut self) -> Option<&mut FifoServer> {
        match self {
            LazyServer::Fifo(server) => Some(server),
            LazyServer::Priority(_) | LazyServer::Prompt(_) => None,
        }
    }
    #[inline]
    fn push(
        &mut self,
        now: Ps,
        queue: usize,
        cell: Queued,
        body: Option<&Body>,
        outlet: &mut Outlet<'_>,
    ) {
        whichever!(self, server => server.push(now, queue, cell, body, outlet))
    }
    #[inline]
    fn advance(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        whichever!(self, server => server.advance(now, outlet))
    }
    #[inline(always)]
    fn next_event(&self) -> Ps {
        whichever!(self, server => server.next_event())
    }
    fn departed(&mut self, now: Ps, outlet: &mut Outlet<'_>) -> u64 {
        whichever!(self, server => server.departed(now, outlet))
    }
    fn backlog_integral(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> f64 {
        whichever!(self, server => server.backlog_integral(now, queue, outlet))
    }
    fn longest(&self, queue: usize) -> u64 {
        whichever!(self, server => server.longest(queue))
    }
    fn forget_longest(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        whichever!(self, server => server.forget_longest(now, outlet));
    }
    fn held(&self) -> Vec<Queued> {
        whichever!(self, server => server.held())
    }
    fn storage(&self) -> (usize, usize) {
        whichever!(self, server => server.storage())
    }
    #[inline]
    fn push_of(
        &mut self,
        now: Ps,
        queue: usize,
        slot: u32,
        cell: Queued,
        body: Option<&Body>,
        outlet: &mut Outlet<'_>,
    ) {
        whichever!(self, server => server.push_of(now, queue, slot, cell, body, outlet));
    }
    #[inline]
    fn push_alone(&mut self, now: Ps, slot: u32, cell: Queued, outlet: &mut Outlet<'_>) {
        whichever!(self, server => server.push_alone(now, slot, cell, outlet));
    }
    #[inline]
    fn take_departure(&mut self) -> Option<Departure> {
        whichever!(self, server => server.take_departure())
    }
    #[inline]
    fn tells_next(&self) -> bool {
        whichever!(self, server => server.tells_next())
    }
    fn tell(&mut self, now: Ps, message: Message, outlet: &mut Outlet<'_>) {
        whichever!(self, server => server.tell(now, message, outlet));
    }
    fn set_limit(&mut self, now: Ps, slot: u32, limit: u32, outlet: &mut Outlet<'_>) {
        whichever!(self, server => server.set_limit(now, slot, limit, outlet));
    }
    fn take_untold(&mut self, now: Ps, slot: u32, outlet: &mut Outlet<'_>) -> u32 {
        whichever!(self, server => server.take_untold(now, slot, outlet))
    }
    fn queued_of(&self, slot: u32) -> u64 {
        whichever!(self, server => server.queued_of(slot))
    }
    fn longest_of(&self, slot: u32) -> u64 {
        whichever!(self, server => server.longest_of(slot))
    }
    fn sender(&self, slot: u32) -> Option<Sender> {
        whichever!(self, server => server.sender(slot))
    }
    fn credit_counts(&self) -> CreditCounts {
        whichever!(self, server => server.credit_counts())
    }
}
