//! The cheapest exact server for a port.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{
    Arrival, BuildServer, FifoServer, PriorityServer, PromptServer, Queued, Server, ServerCounts,
    ServerSettings,
};
use crate::atm::cell::Body;
use crate::atm::link::Outlet;
use crate::control::Control;
use crate::kernel::Ps;

/// [`FifoServer`] if departures are known at arrival, [`PromptServer`] if departures must be
/// reported, otherwise [`PriorityServer`].
#[derive(Clone)]
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

impl BuildServer for LazyServer {
    fn build(settings: ServerSettings) -> LazyServer {
        let ServerSettings {
            line,
            queues,
            watched,
            rm_first,
            prompt,
        } = settings;
        match prompt {
            Some(prompt) => {
                LazyServer::Prompt(Box::new(PromptServer::new(line, watched, rm_first, prompt)))
            }
            None if queues == 1 && watched.is_none() && !rm_first => {
                LazyServer::Fifo(FifoServer::new(line))
            }
            None => LazyServer::Priority(PriorityServer::new(line, queues, watched, rm_first)),
        }
    }
}

impl Server for LazyServer {
    type Credited = PromptServer;
    #[inline]
    fn credited(&self) -> Option<&PromptServer> {
        match self {
            LazyServer::Prompt(server) => Some(server),
            LazyServer::Fifo(_) | LazyServer::Priority(_) => None,
        }
    }
    #[inline]
    fn credited_mut(&mut self) -> Option<&mut PromptServer> {
        match self {
            LazyServer::Prompt(server) => Some(server),
            LazyServer::Fifo(_) | LazyServer::Priority(_) => None,
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
            LazyServer::Priority(_) | LazyServer::Prompt(_) => None,
        }
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
