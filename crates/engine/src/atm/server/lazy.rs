//! Chooses the cheapest server that is exact for a port.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::lanes::ByChannel;
use super::{
    Arrival, BuildServer, Context, Departure, FifoServer, LossyServer, Marks, PriorityServer,
    PromptServer, Queued, Server, ServerCounts, ServerSettings,
};
use crate::atm::cell::Body;
use crate::atm::transport::Outlet;
use crate::kernel::Ps;

/// The cheapest server that is exact for a port. [`FifoServer`] serves if departures and marks are known at
/// arrival, [`PromptServer`] if departures must be reported, otherwise [`PriorityServer`]. If the link loses
/// cells, a [`LossyServer`] contains the `FifoServer` or the `PriorityServer`. If a discipline orders the channels of a
/// queue, a `PriorityServer` with a lane for each channel serves.
#[derive(Clone)]
pub enum LazyServer {
    /// Server of one queue whose departures cause no events except marks by the queue length.
    Fifo(FifoServer),
    /// Server for several queues, for RM cells before other cells, or for a kind of marking at departure that a
    /// [`FifoServer`] does not know.
    Priority(PriorityServer),
    /// Server for credit control, for a link that loses cells, or for queues with a lane for each channel. One variant
    /// for all these keeps the choice between the first two variants fast.
    Special(Box<SpecialServer>),
}

/// A server for credit control, for a link that loses cells, or for queues with a lane for each channel.
#[derive(Clone)]
pub enum SpecialServer {
    /// Server for credit control.
    Prompt(PromptServer),
    /// Server of one queue for a link that loses cells. Departures cause no events other than losses.
    LossyFifo(LossyServer<FifoServer>),
    /// Server for a link that loses cells, with several queues, RM cells before other cells, or marking at
    /// departure.
    LossyPriority(LossyServer<PriorityServer>),
    /// Server with a lane for each channel.
    Channels(PriorityServer<ByChannel>),
    /// Server with a lane for each channel, for a link that loses cells.
    LossyChannels(LossyServer<PriorityServer<ByChannel>>),
}

macro_rules! whichever {
    ($self:ident.$borrow:ident(), $server:ident => $call:expr) => {
        match $self {
            LazyServer::Fifo($server) => $call,
            LazyServer::Priority($server) => $call,
            LazyServer::Special(special) => match special.$borrow() {
                SpecialServer::Prompt($server) => $call,
                SpecialServer::LossyFifo($server) => $call,
                SpecialServer::LossyPriority($server) => $call,
                SpecialServer::Channels($server) => $call,
                SpecialServer::LossyChannels($server) => $call,
            },
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
            marks_above,
            rm_first,
            orders,
            prompt,
            losses,
        } = settings;
        if let Some(orders) = orders {
            let server = PriorityServer::by_channel(line, orders, watched);
            let special = match losses {
                None => SpecialServer::Channels(server),
                Some(losses) => {
                    SpecialServer::LossyChannels(LossyServer::new(server, line, losses))
                }
            };
            return LazyServer::Special(Box::new(special));
        }
        let is_single = queues == 1 && !rm_first;
        let marks = marks_above.and_then(|above| Marks::new(&line, above));
        let special = match (prompt, losses) {
            (None, None) if is_single && watched.is_none() => {
                return LazyServer::Fifo(FifoServer::new(line));
            }
            (None, None) if is_single && let Some(marks) = marks => {
                return LazyServer::Fifo(FifoServer::marking(line, marks));
            }
            (None, None) => {
                let server = PriorityServer::new(line, queues, watched, rm_first);
                return LazyServer::Priority(server);
            }
            (Some(prompt), _) => {
                SpecialServer::Prompt(PromptServer::new(line, watched, rm_first, prompt))
            }
            (None, Some(losses)) if is_single && watched.is_none() => {
                let server = FifoServer::new(line);
                SpecialServer::LossyFifo(LossyServer::new(server, line, losses))
            }
            (None, Some(losses)) => {
                let server = PriorityServer::new(line, queues, watched, rm_first);
                SpecialServer::LossyPriority(LossyServer::new(server, line, losses))
            }
        };
        LazyServer::Special(Box::new(special))
    }
}

impl Server for LazyServer {
    type Credited = PromptServer;
    #[inline]
    fn credited(&self) -> Option<&PromptServer> {
        let LazyServer::Special(special) = self else {
            return None;
        };
        match special.as_ref() {
            SpecialServer::Prompt(server) => Some(server),
            _ => None,
        }
    }
    #[inline]
    fn credited_mut(&mut self) -> Option<&mut PromptServer> {
        let LazyServer::Special(special) = self else {
            return None;
        };
        match special.as_mut() {
            SpecialServer::Prompt(server) => Some(server),
            _ => None,
        }
    }
    #[inline]
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        whichever!(self.as_mut(), server => server.queue_length(queue, context))
    }
    #[inline(always)]
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool {
        whichever!(self.as_ref(), server => server.surely_shorter(now, queue, limit))
    }
    #[inline(always)]
    fn express(&mut self) -> Option<&mut FifoServer> {
        match self {
            LazyServer::Fifo(server) => Some(server),
            _ => None,
        }
    }
    #[inline(always)]
    fn priority(&mut self) -> Option<&mut PriorityServer> {
        match self {
            LazyServer::Priority(server) => Some(server),
            _ => None,
        }
    }
    fn take_lost(&mut self, until: Ps) -> Option<Departure> {
        whichever!(self.as_mut(), server => server.take_lost(until))
    }
    #[inline(always)]
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        whichever!(self.as_mut(), server => server.push(arrival, body, context))
    }
    #[inline]
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        whichever!(self.as_mut(), server => server.advance(context))
    }
    #[inline(always)]
    fn next_event(&self) -> Ps {
        whichever!(self.as_ref(), server => server.next_event())
    }
}

impl ServerCounts for LazyServer {
    fn accepted(&self, queue: usize) -> u64 {
        whichever!(self.as_ref(), server => server.accepted(queue))
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        whichever!(self.as_mut(), server => server.departed(context))
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        whichever!(self.as_mut(), server => server.served(context))
    }
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        whichever!(self.as_mut(), server => server.backlog_integral(queue, context))
    }
    fn longest(&self, queue: usize) -> u64 {
        whichever!(self.as_ref(), server => server.longest(queue))
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        whichever!(self.as_mut(), server => server.forget_longest(context));
    }
    fn held(&self) -> Vec<Queued> {
        whichever!(self.as_ref(), server => server.held())
    }
    fn storage(&self) -> (usize, usize) {
        whichever!(self.as_ref(), server => server.storage())
    }
}
