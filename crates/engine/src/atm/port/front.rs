//! The queues of virtual sources, which lie before a port. Their cells share the buffer, the discard policy and
//! the control scheme with the port's controlled queue.

use super::{Arrival, Port, rm_of, show_controlled};
use crate::atm::cell::{Body, Info, RmCell};
use crate::atm::server::{Context, Server};
use crate::atm::transport::Outlet;
use crate::discard::Cause;
use crate::kernel::{Ps, Stays};

/// Number of cells in the queues of virtual sources before a port, with its statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    cells: u64,
    longest: u64,
    stays: Stays,
    /// True if a virtual source feeds the port.
    exists: bool,
    /// True if a virtual source feeds the port, and the port's buffer or discard policy may refuse a cell.
    asks: bool,
}

impl Front {
    /// True if a virtual source feeds the port, and the port's buffer or discard policy may refuse a cell.
    pub fn asks(&self) -> bool {
        self.asks
    }
    /// Stores whether the port's buffer or policy may refuse a cell.
    pub fn note_limits(&mut self, may_refuse: bool) {
        self.asks = self.exists && may_refuse;
    }
    fn arrive(&mut self, now: Ps) {
        self.stays.arrive(now);
        self.cells += 1;
        self.longest = self.longest.max(self.cells);
    }
    fn leave(&mut self, now: Ps) {
        self.stays.leave(now);
        self.cells -= 1;
    }
}

impl<S: Server> Port<S> {
    /// Prepares the port for virtual sources, which feed the controlled queue.
    pub fn expect_virtual_sources(&mut self) {
        self.front.exists = true;
        self.note_shortcuts();
    }

    /// Number of cells of the controlled class at the port: those in the queue, and those in the queues of
    /// virtual sources. 0 if `wanted` is false.
    pub(super) fn class_length(&mut self, now: Ps, wanted: bool, out: &mut Outlet<'_>) -> u64 {
        if wanted {
            self.front.cells + self.queue_length(now, self.controlled, out)
        } else {
            0
        }
    }

    /// True if another cell is always accepted: the queue `index` and the queues of virtual sources together have
    /// room, and the discard policy checks nothing else.
    #[inline]
    fn has_room_in_front(&self, now: Ps, index: usize) -> bool {
        let room = self.queues[index].room_in_front;
        self.front.cells < room
            && self
                .server
                .surely_shorter(now, index, room - self.front.cells)
    }

    /// Processes a cell that arrives for a virtual source. If the port does not refuse the cell, it joins the
    /// queue of the virtual source. If the control scheme meters arrivals (`meters`), the scheme gets the cell
    /// and may mark it.
    #[inline]
    pub fn arrive_in_front(
        &mut self,
        now: Ps,
        arrival: &Arrival,
        (info, mut body): (&mut Info, Option<&mut Body>),
        meters: bool,
        out: &mut Outlet<'_>,
    ) -> Option<Cause> {
        let place = (arrival.slot, arrival.queue as usize);
        let reads = meters && self.reads_queue;
        let asks = self.front.asks && (reads || !self.has_room_in_front(now, place.1));
        let length = self.class_length(now, asks || reads, out);
        if meters {
            self.meter_data(now, arrival.control_slot, info, length);
        }
        if !asks {
            self.losses.pass(arrival.slot, *info, &mut body);
        } else if let Some(cause) = self.refuses(now, place, (*info, &mut body), length) {
            return Some(cause);
        }
        self.front.arrive(now);
        None
    }

    /// Passes a data cell to the control scheme, which may mark it.
    #[inline(always)]
    fn meter_data(&mut self, now: Ps, slot: u32, info: &mut Info, length: u64) {
        // The call would have no effect.
        if !self.shown.ignores_data {
            *info = show_controlled(&mut self.control, now, (slot, *info), None, length);
        }
    }

    /// Passes an RM cell to the control scheme, which may mark the cell. The cell arrives at this
    /// switch and ends here. The scheme gets `rate` (cells/s) as the rate of the cell's channel.
    pub fn meter_rm(
        &mut self,
        now: Ps,
        cell: (u32, Info),
        rm: &mut RmCell,
        rate: f64,
        out: &mut Outlet<'_>,
    ) {
        let length = self.class_length(now, self.reads_queue, out);
        let ccr = core::mem::replace(&mut rm.ccr, rate);
        show_controlled(&mut self.control, now, cell, Some(rm), length);
        rm.ccr = ccr;
    }

    /// Processes a cell that a virtual source sends into the controlled queue. If the control scheme meters what
    /// virtual sources send, the scheme gets the cell and `metered` (cells/s) as the rate of the channel. Only an
    /// RM cell can be refused: a data cell was admitted at its arrival.
    #[inline]
    pub fn send_from_front(
        &mut self,
        now: Ps,
        mut arrival: Arrival,
        mut body: Option<&mut Body>,
        metered: Option<f64>,
        out: &mut Outlet<'_>,
    ) -> Option<Cause> {
        let is_data = arrival.cell.info.is_data();
        let asks = self.front.asks && !is_data;
        let length = self.class_length(now, asks || (metered.is_some() && self.reads_queue), out);
        if is_data {
            self.front.leave(now);
        }
        if let Some(rate) = metered {
            let info = &mut arrival.cell.info;
            match rm_of(&mut body) {
                Some(rm) => {
                    let ccr = core::mem::replace(&mut rm.ccr, rate);
                    let cell = (arrival.control_slot, *info);
                    *info = show_controlled(&mut self.control, now, cell, Some(rm), length);
                    rm.ccr = ccr;
                }
                None => self.meter_data(now, arrival.control_slot, info, length),
            }
        }
        let place = (arrival.slot, arrival.queue as usize);
        if asks
            && let Some(cause) = self.refuses(now, place, (arrival.cell.info, &mut body), length)
        {
            return Some(cause);
        }
        let body = body.as_deref();
        let context = &mut Context::new(now, &mut self.control, out);
        self.server.push(&arrival, body, context);
        None
    }

    /// Does the work of [`Port::arrive_in_front`] and [`Port::send_from_front`] at one instant, for a data cell
    /// without a body. Returns false, with nothing changed, in three cases: the cell may be refused, the scheme
    /// reads the queue, or the server does not compute departures at arrival.
    #[inline(always)]
    pub fn pass_front(&mut self, now: Ps, mut arrival: Arrival, out: &mut Outlet<'_>) -> bool {
        let may_refuse = self.front.asks && !self.has_room_in_front(now, arrival.queue as usize);
        if self.reads_queue || may_refuse || self.server.express().is_none() {
            return false;
        }
        // The cell waits for zero time in the queue of the virtual source, so it adds nothing to the time
        // integral. But it counts for the greatest number of cells.
        self.front.longest = self.front.longest.max(self.front.cells + 1);
        // The scheme meters either arriving or sent cells; here the cell arrives and is sent at one instant.
        self.meter_data(now, arrival.control_slot, &mut arrival.cell.info, 0);
        if let Some(server) = self.server.express() {
            let context = &mut Context::new(now, &mut self.control, out);
            server.serve_and_mark(arrival.cell, None, context);
        }
        true
    }

    /// Number of cells in the queues of virtual sources before the port; `None` if no virtual
    /// source feeds the port.
    pub fn front_length(&self) -> Option<u64> {
        self.front.exists.then_some(self.front.cells)
    }
    /// Greatest number of cells in the queues of virtual sources since the last [`Port::forget_longest`]; `None`
    /// if no virtual source feeds the port.
    pub fn front_longest(&self) -> Option<u64> {
        self.front.exists.then_some(self.front.longest)
    }
    /// Time integral of the number of cells in the queues of virtual sources, in cells times
    /// picoseconds.
    pub fn front_integral(&self, now: Ps) -> f64 {
        self.front.stays.until(now, self.front.cells)
    }
    /// Begins a new measurement of the greatest number of cells in the queues of virtual sources, with the
    /// present number.
    pub(super) fn forget_front(&mut self) {
        self.front.longest = self.front.cells;
    }
}
