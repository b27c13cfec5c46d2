//! The methods of a port for credit control, and for cells that the port's link loses.

use alloc::vec::Vec;

use super::Port;
use crate::atm::server::{Context, CreditCounts, CreditedServer, Departure, Message, Server};
use crate::atm::transport::Outlet;
use crate::credit::{self, Sender};
use crate::kernel::Ps;

impl<S: Server> Port<S> {
    /// At an event-driven port, the departure that has just ended and that the node must process; `None` if there
    /// is none. If the link loses the cell, this method counts the loss.
    #[inline]
    pub fn take_departure(&mut self) -> Option<Departure> {
        let departure = self.server.credited_mut()?.take_departure()?;
        if departure.lost {
            self.lose_on_link(departure);
        }
        Some(departure)
    }

    /// At a port that is not event-driven: those cells lost on its link that were completely sent by `until`, in
    /// order of time. [`Port::advance`] must have been called for `until`.
    pub fn take_losses(&mut self, until: Ps) -> Vec<Departure> {
        self.count_lost(until);
        core::mem::take(&mut self.untaken)
    }

    /// Counts those cells lost on the link that were completely sent by `until`.
    pub(super) fn count_lost(&mut self, until: Ps) {
        while let Some(departure) = self.server.take_lost(until) {
            self.lose_on_link(departure);
            self.untaken.push(departure);
        }
    }

    #[cold]
    fn lose_on_link(&mut self, Departure { at, slot, info, .. }: Departure) {
        self.losses.add_on_link(slot, info);
        self.digest.add(at.0);
        self.digest
            .add((slot as u64) << 32 | info.without_stamp().0 as u64 | 1 << 63);
    }

    /// Number of cells of the channel with index `slot` that have left by `now` and whose departure the port has
    /// not reported to its node.
    pub fn take_untold(&mut self, now: Ps, slot: u32, out: &mut Outlet<'_>) -> u32 {
        match self.server.credited_mut() {
            Some(server) => {
                server.take_untold(slot, &mut Context::new(now, &mut self.control, out))
            }
            None => 0,
        }
    }
    /// Sends a message of credit control at `now`.
    pub fn tell(&mut self, now: Ps, message: Message, out: &mut Outlet<'_>) {
        if let Some(server) = self.server.credited_mut() {
            server.tell(message, &mut Context::new(now, &mut self.control, out));
        }
    }
    /// Queues a message of credit control that enters the port at the later time `at`; see
    /// [`CreditedServer::tell_at`].
    pub fn tell_at(&mut self, at: Ps, rank: u32, message: Message) {
        if let Some(server) = self.server.credited_mut() {
            server.tell_at(at, rank, message);
        }
    }
    /// Sets the credit limit of the channel with index `slot` at `now` ([`Sender::set_limit`]).
    pub fn set_limit(&mut self, now: Ps, slot: u32, limit: u32, out: &mut Outlet<'_>) {
        if let Some(server) = self.server.credited_mut() {
            server.set_limit(slot, limit, &mut Context::new(now, &mut self.control, out));
        }
    }
    /// The departure of the cell whose service has just started, if the port reports departures at the start and
    /// the node must process this one; `None` otherwise.
    #[inline]
    pub fn take_departure_ahead(&mut self) -> Option<Departure> {
        self.server.credited_mut()?.take_departure_ahead()
    }
    /// True if the port is event-driven and never reports a departure to its node:
    /// [`Port::take_departure`] always returns `None`.
    #[inline]
    pub fn tells_nobody(&self) -> bool {
        let server = self.server.credited();
        server.is_some_and(CreditedServer::tells_nobody)
    }
    /// True if the node must call [`Port::take_departure`] when the service of the next cell ends.
    #[inline]
    pub fn tells_next(&self) -> bool {
        let server = self.server.credited();
        server.is_none_or(CreditedServer::tells_next)
    }
    /// At an event-driven port, time of the next service start; see [`CreditedServer::next_start`].
    #[inline]
    pub fn next_start(&self) -> Ps {
        let server = self.server.credited();
        server.map_or(Ps::NEVER, CreditedServer::next_start)
    }
    /// Number of cells of the channel with index `slot` that are at the port, including the cell in service.
    /// [`Port::advance`] must have been called for the present instant.
    pub fn queued_of(&self, slot: u32) -> u64 {
        let server = self.server.credited();
        server.map_or(0, |server| server.queued_of(slot))
    }
    /// Largest number of cells of the channel with index `slot` that have been at the port at once.
    pub fn longest_of(&self, slot: u32) -> u64 {
        let server = self.server.credited();
        server.map_or(0, |server| server.longest_of(slot))
    }
    /// State of the credit of the channel with index `slot`; `None` without credit control.
    pub fn sender(&self, slot: u32) -> Option<Sender> {
        self.server.credited()?.sender(slot)
    }
    /// Name and statistics of the port's control scheme; `fcvc` and its counters if channels are
    /// under credit control.
    pub fn control_report(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        let credited = self.allocations().count();
        if credited == 0 && self.credit_cells_sent() == 0 {
            return (self.control.name(), self.control.statistics());
        }
        let counts = self.credit_counts();
        let longest = self
            .allocations()
            .map(|(slot, _)| self.longest_of(slot))
            .max();
        let counted = [
            credited as u64,
            counts.credits,
            counts.marks,
            counts.lost,
            longest.unwrap_or(0),
        ];
        let names = credit::STATISTICS.iter().map(|one| one.name);
        (
            "fcvc",
            names.zip(counted.map(|count| count as f64)).collect(),
        )
    }
    /// Number of credit-control cells that the port has sent.
    pub fn credit_cells_sent(&self) -> u64 {
        self.credit_counts().cells()
    }
    fn credit_counts(&self) -> CreditCounts {
        let server = self.server.credited();
        server.map_or_else(CreditCounts::default, CreditedServer::credit_counts)
    }
    /// For each channel under credit control that comes from another node: its index at this port (slot), and the
    /// largest number of cells that the channel may have at this port.
    pub fn allocations(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let slots = self.allocations.iter().enumerate();
        slots.filter_map(|(slot, most)| Some((slot as u32, (*most)?)))
    }
}
