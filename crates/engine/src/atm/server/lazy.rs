//! The cheapest exact server for a port.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{
    Arrival, BuildServer, Departure, FifoServer, LossyServer, PriorityServer, PromptServer, Queued,
    Server, ServerCounts, ServerSettings,
};
use crate::atm::cell::Body;
use crate::atm::link::Outlet;
use crate::control::Control;
use crate::kernel::Ps;

/// [`FifoServer`] if departures are known at arrival, [`PromptServer`] if departures must be
/// reported, otherwise [`PriorityServer`]; all but the second as a [`LossyServer`] if the link loses
/// cells.
#[derive(Clone)]
pub enum LazyServer {
    /// One queue, whose departures cause nothing else.
    Fifo(FifoServer),
    /// Several queues, RM cells before others, or marking at departure.
    Priority(PriorityServer),
    /// Credit control.
    Prompt(Box<PromptServer>),
    /// The first before a link that loses cells.
    LossyFifo(Box<LossyServer<FifoServer>>),
    /// The second before a link that loses cells.
    LossyPriority(Box<LossyServer<PriorityServer>>),
}

macro_rules! whichever {
    ($self:ident, $server:ident => $call:expr) => {
        match $self {
            LazyServer::Fifo($server) => $call,
            LazyServer::Priority($server) => $call,
            LazyServer::Prompt($server) => $call,
            LazyServer::LossyFifo($server) => $call,
            LazyServer::LossyPriority($server) => $call,
        }
    };
}

impl BuildServer for LazyServer {
    const LOSES_AHEAD: bool = true;
    fn build(settings: ServerSettings) -> LazyServer {
        let ServerSettings {
            line,
            queues,
            watched,
            rm_first,
            prompt,
            losses,
        } = settings;
        if let Some(prompt) = prompt {
            let server = PromptServer::new(line, watched, rm_first, prompt);
            return LazyServer::Prompt(Box::new(server));
        }
        if queues == 1 && watched.is_none() && !rm_first {
            let server = FifoServer::new(line);
            match losses {
                None => LazyServer::Fifo(server),
                Some(losses) => {
                    LazyServer::LossyFifo(Box::new(LossyServer::new(server, line, losses)))
                }
            }
        } else {
            let server = PriorityServer::new(line, queues, watched, rm_first);
            match losses {
                None => LazyServer::Priority(server),
                Some(losses) => {
                    LazyServer::LossyPriority(Box::new(LossyServer::new(server, line, losses)))
                }
            }
        }
    }
}

impl Server for LazyServer {
    type Credited = PromptServer;
    #[inline]
    fn credited(&self) -> Option<&PromptServer> {
        match self {
            LazyServer::Prompt(server) => Some(server),
            _ => None,
        }
    }
    #[inline]
    fn credited_mut(&mut self) -> Option<&mut PromptServer> {
        match self {
            LazyServer::Prompt(server) => Some(server),
            _ => None,
        }
    }
    #[inline]
    fn queue_length(
        &mut self,
        now: Ps,
        queue: usize,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) -> u64 {
        whichever!(self, server => server.queue_length(now, queue, control, out))
    }
    #[inline(always)]
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool {
        whichever!(self, server => server.surely_shorter(now, queue, limit))
    }
    #[inline(always)]
    fn express(&mut self) -> Option<&mut FifoServer> {
        match self {
            LazyServer::Fifo(server) => Some(server),
            _ => None,
        }
    }
    fn take_lost(&mut self, until: Ps) -> Option<Departure> {
        whichever!(self, server => server.take_lost(until))
    }
    #[inline(always)]
    fn push(
        &mut self,
        now: Ps,
        arrival: &Arrival,
        body: Option<&Body>,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) {
        whichever!(self, server => server.push(now, arrival, body, control, out))
    }
    #[inline]
    fn advance(&mut self, now: Ps, control: &mut Control, out: &mut Outlet<'_>) {
        whichever!(self, server => server.advance(now, control, out))
    }
    #[inline(always)]
    fn next_event(&self) -> Ps {
        whichever!(self, server => server.next_event())
    }
}

impl ServerCounts for LazyServer {
    fn accepted(&self, queue: usize) -> u64 {
        whichever!(self, server => server.accepted(queue))
    }
    fn departed(&mut self, now: Ps, control: &mut Control, out: &mut Outlet<'_>) -> u64 {
        whichever!(self, server => server.departed(now, control, out))
    }
    fn backlog_integral(
        &mut self,
        now: Ps,
        queue: usize,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) -> f64 {
        whichever!(self, server => server.backlog_integral(now, queue, control, out))
    }
    fn longest(&self, queue: usize) -> u64 {
        whichever!(self, server => server.longest(queue))
    }
    fn forget_longest(&mut self, now: Ps, control: &mut Control, out: &mut Outlet<'_>) {
        whichever!(self, server => server.forget_longest(now, control, out));
    }
    fn held(&self) -> Vec<Queued> {
        whichever!(self, server => server.held())
    }
    fn storage(&self) -> (usize, usize) {
        whichever!(self, server => server.storage())
    }
}
