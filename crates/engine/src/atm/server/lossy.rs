//! A server for a link that loses cells, if departures cause no events other than losses.

use alloc::vec::Vec;

use super::{
    Arrival, Context, Departure, Line, LineServer, PromptServer, Queued, Server, ServerCounts,
};
use crate::atm::cell::{Body, Cell};
use crate::atm::errors::Errors;
use crate::atm::hec::Fate;
use crate::atm::server::LineEnd;
use crate::atm::transport::Outlet;
use crate::kernel::{Ps, Ring};

/// Settings for the losses on the link of a port that is not event-driven.
#[derive(Clone, Debug)]
pub struct LossSettings {
    /// The error process of the link, which decides which cells are lost.
    pub errors: Errors,
    /// For each channel, by its index at the port (slot): the label (VPI/VCI) of the channel's cells at the far
    /// end of the link.
    pub labels: Vec<u32>,
}

/// A server for a link that loses cells. The random losses are drawn in the order of service, in which the server
/// puts cells onto the line. So no departure needs an event: a lost cell is stored until [`Server::take_lost`]
/// returns it.
#[derive(Clone)]
pub struct LossyServer<T> {
    server: T,
    lossy: LossyEnd,
}

/// The near end of a line that loses cells.
#[derive(Clone)]
struct LossyEnd {
    errors: Errors,
    delay: Ps,
    /// For each channel: the label (VPI/VCI) of its cells at the far end of the link, and its index at the port
    /// (slot). Sorted by label.
    slots: Vec<(u32, u32)>,
    /// Lost cells that [`Server::take_lost`] has not returned yet, in the order of their
    /// departures.
    lost: Ring<Departure>,
}

struct LossyOutlet<'a, 'b> {
    lossy: &'a mut LossyEnd,
    out: &'a mut Outlet<'b>,
}

impl LineEnd for LossyOutlet<'_, '_> {
    #[inline(always)]
    fn put(&mut self, cell: Cell, body: Option<&Body>) {
        let end = Ps(cell.at.0 - self.lossy.delay.0);
        match self.lossy.errors.meet(cell.info, cell.label, end) {
            Fate::Whole => self.out.push(cell, body),
            Fate::Errored => self
                .out
                .push(cell, body.map(|body| body.errored()).as_ref()),
            Fate::Lost => self.lossy.lose(cell),
        }
    }
}

impl LossyEnd {
    /// The line end that removes lost cells and passes all others to the link of `out`.
    #[inline(always)]
    fn before<'a, 'b>(&'a mut self, out: &'a mut Outlet<'b>) -> LossyOutlet<'a, 'b> {
        LossyOutlet { lossy: self, out }
    }
    #[cold]
    fn lose(&mut self, Cell { at, label, info }: Cell) {
        let Ok(place) = self.slots.binary_search_by_key(&label, |(label, _)| *label) else {
            unreachable!("every cell belongs to a channel of the port")
        };
        self.lost.push(Departure {
            at: Ps(at.0 - self.delay.0),
            slot: self.slots[place].1,
            info,
            label,
            lost: true,
            cells: 0,
        });
    }
}

impl<T: LineServer> LossyServer<T> {
    /// The server `server` for a link with the losses of `settings`.
    pub fn new(server: T, line: Line, settings: LossSettings) -> LossyServer<T> {
        let mut slots: Vec<(u32, u32)> = settings.labels.into_iter().zip(0..).collect();
        slots.sort_unstable();
        let lossy = LossyEnd {
            errors: settings.errors,
            delay: line.delay,
            slots,
            lost: Ring::default(),
        };
        LossyServer { server, lossy }
    }
}

impl<T: LineServer> Server for LossyServer<T> {
    type Credited = PromptServer;
    #[inline]
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        let out = &mut self.lossy.before(context.out);
        let context = &mut Context::new(context.now, context.control, out);
        self.server.push_to(arrival, body, context);
    }
    #[inline]
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let out = &mut self.lossy.before(context.out);
        let context = &mut Context::new(context.now, context.control, out);
        self.server.advance_to(context);
    }
    #[inline]
    fn next_event(&self) -> Ps {
        self.server.next_event()
    }
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.server.queue_length(queue, context)
    }
    #[inline]
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool {
        self.server.surely_shorter(now, queue, limit)
    }
    fn take_lost(&mut self, until: Ps) -> Option<Departure> {
        let next = self.lossy.lost.front()?;
        if next.at > until {
            return None;
        }
        self.lossy.lost.pop()
    }
}

impl<T: LineServer> ServerCounts for LossyServer<T> {
    fn accepted(&self, queue: usize) -> u64 {
        self.server.accepted(queue)
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.server.departed(context)
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        self.advance(context);
        self.server.served(context)
    }
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        self.advance(context);
        self.server.backlog_integral(queue, context)
    }
    fn longest(&self, queue: usize) -> u64 {
        self.server.longest(queue)
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        self.advance(context);
        self.server.forget_longest(context);
    }
    /// Cells that the server stores, including each lost cell that [`Server::take_lost`] has not
    /// returned yet.
    fn held(&self) -> Vec<Queued> {
        let lost = self.lossy.lost.iter().map(|departure| Queued {
            label: departure.label,
            info: departure.info,
        });
        self.server.held().into_iter().chain(lost).collect()
    }
    fn storage(&self) -> (usize, usize) {
        let (bytes, cells) = self.server.storage();
        let lost = &self.lossy.lost;
        (bytes + lost.bytes(), cells + lost.len())
    }
}
