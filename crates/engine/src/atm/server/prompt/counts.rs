//! Counters of an event-driven server.

use alloc::vec::Vec;

use super::{InService, PromptServer};
use crate::atm::server::{Context, Queued, Server, ServerCounts};
use crate::atm::transport::Outlet;

impl ServerCounts for PromptServer {
    fn accepted(&self, queue: usize) -> u64 {
        self.queues[queue].departed + self.queues[queue].length
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.queues.iter().map(|queue| queue.departed).sum::<u64>() + self.counts.cells()
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        let now = context.now;
        let begun = self.departed(context) + self.in_service.is_some() as u64;
        let (last, carry) = (self.free_at, self.carry);
        self.line.clock.served(begun, now, last, carry)
    }
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        let now = context.now;
        self.advance(context);
        let queue = &self.queues[queue];
        queue.stays.until(now, queue.length)
    }
    fn longest(&self, queue: usize) -> u64 {
        self.queues[queue].longest
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        self.advance(context);
        self.queues
            .iter_mut()
            .for_each(|queue| queue.longest = queue.length);
    }
    fn held(&self) -> Vec<Queued> {
        let lanes = self
            .queues
            .iter()
            .flat_map(|queue| [&queue.first, &queue.fifo])
            .chain(self.channels.iter().map(|c| &c.lane));
        let waiting = lanes.flat_map(|lane| lane.cells.iter().map(|(cell, _)| *cell));
        // A lost cell counts as present until the node has processed the loss.
        let in_service = match self.in_service {
            Some(InService::Cell {
                cell, lost: true, ..
            }) => Some(cell),
            _ => None,
        };
        let departed = self.departure.filter(|departure| departure.lost);
        let departed = departed.map(|departure| Queued {
            label: departure.label,
            info: departure.info,
        });
        waiting.chain(in_service).chain(departed).collect()
    }
    fn storage(&self) -> (usize, usize) {
        let lanes = self
            .queues
            .iter()
            .flat_map(|queue| [&queue.first, &queue.fifo])
            .chain(self.channels.iter().map(|c| &c.lane));
        let bytes = lanes
            .map(|lane| lane.cells.bytes() + lane.bodies.bytes())
            .sum();
        (
            bytes,
            self.queues.iter().map(|queue| queue.length as usize).sum(),
        )
    }
}
