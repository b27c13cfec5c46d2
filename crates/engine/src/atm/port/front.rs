//! Cells that wait in front of a port in the queues of virtual sources. They share the buffer, the
//! discard policy and the control scheme of the controlled class with the queue behind them.

use super::{Arrival, Port, rm_of, show_controlled};
use crate::atm::cell::{Body, Info, RmCell};
use crate::atm::server::{Context, Server};
use crate::atm::transport::Outlet;
use crate::discard::Cause;
use crate::kernel::{Ps, Stays};

/// Number of cells that wait in front of the port, with statistics of that number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    cells: u64,
    longest: u64,
    stays: Stays,
    /// True if virtual sources feed the port.
    exists: bool,
    /// True if a full buffer or a policy may refuse a cell.
    asks: bool,
}

impl Front {
    /// True if cells in front may be refused, or leave no room for others.
    pub fn asks(&self) -> bool {
        self.asks
    }
    /// Notes if a full buffer or a policy may refuse a cell.
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
    /// Prepares the port for virtual sources that feed the controlled queue.
    pub fn expect_virtual_sources(&mut self) {
        self.front.exists = true;
        self.note_shortcuts();
    }

    /// Cells of the controlled class in the queue and in front of it; 0 unless `wanted`.
    pub(super) fn class_length(&mut self, now: Ps, wanted: bool, out: &mut Outlet<'_>) -> u64 {
        if wanted {
            self.front.cells + self.queue_length(now, self.controlled, out)
        } else {
            0
        }
    }

    /// True if a queue together with the cells in front of it certainly has room for another cell, and its
    /// policy requires no more than that.
    #[inline]
    fn has_room_in_front(&self, now: Ps, index: usize) -> bool {
        let room = self.queues[index].room_in_front;
        self.front.cells < room
            && self
                .server
                .surely_shorter(now, index, room - self.front.cells)
    }

    /// Handles a cell that arrives for a virtual source. The cell waits in front of the port unless
    /// it is refused. If the scheme `meters` arrivals it sees the cell and may mark it.
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

    /// Shows a data cell to the scheme, which may mark it.
    #[inline(always)]
    fn meter_data(&mut self, now: Ps, slot: u32, info: &mut Info, length: u64) {
        // A dispatch would be in vain.
        if !self.ignores_data {
            *info = show_controlled(&mut self.control, now, (slot, *info), None, length);
        }
    }

    /// Handles an RM cell that arrives and ends at this switch; the scheme uses `rate` as the rate
    /// of the RM cell's channel, and may mark the cell.
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

    /// Handles a cell that a virtual source sends into the controlled queue. If the scheme meters
    /// the output of virtual sources it sees the cell, with `metered` as the rate of the channel.
    /// Only RM cells can be refused: data was admitted when it arrived.
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

    /// Does what [`Port::arrive_in_front`] and [`Port::send_from_front`] do, at one instant, for a data cell
    /// without a body that is certainly admitted. Returns false, with nothing changed, in three cases. The
    /// cell may be refused, the scheme reads the length of the queue, or the server does not compute
    /// departures at arrival.
    #[inline(always)]
    pub fn pass_front(&mut self, now: Ps, mut arrival: Arrival, out: &mut Outlet<'_>) -> bool {
        let may_refuse = self.front.asks && !self.has_room_in_front(now, arrival.queue as usize);
        if self.reads_queue || may_refuse || self.server.express().is_none() {
            return false;
        }
        // The cell is in front for no time: its stay adds nothing, but it counts among the most.
        self.front.longest = self.front.longest.max(self.front.cells + 1);
        // The scheme meters either what arrives or what is sent; both are now.
        self.meter_data(now, arrival.control_slot, &mut arrival.cell.info, 0);
        if let Some(server) = self.server.express() {
            let context = &mut Context::new(now, &mut self.control, out);
            server.serve_and_mark(arrival.cell, None, context);
        }
        true
    }

    /// Number of cells in front; `None` if no virtual source feeds the port.
    pub fn front_length(&self) -> Option<u64> {
        self.front.exists.then_some(self.front.cells)
    }
    /// Greatest number of cells in front since the last [`Port::forget_longest`].
    pub fn front_longest(&self) -> Option<u64> {
        self.front.exists.then_some(self.front.longest)
    }
    /// Time integral of the number of cells in front, in cell picoseconds.
    pub fn front_integral(&self, now: Ps) -> f64 {
        self.front.stays.until(now, self.front.cells)
    }
    /// Starts the greatest number of cells in front anew from the present number.
    pub(super) fn forget_front(&mut self) {
        self.front.longest = self.front.cells;
    }
}
