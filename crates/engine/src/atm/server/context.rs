//! The surroundings in which a server works.

use crate::atm::cell::{Body, Cell, Info};
use crate::atm::transport::Outlet;
use crate::control::{Control, SwitchControl};
use crate::kernel::Ps;

/// The time, the control scheme of the port, and the end of its line. A server shows departures from
/// the watched queue to the scheme, and puts each cell whose service starts onto the line.
pub struct Context<'a, E> {
    /// The present time.
    pub now: Ps,
    /// Control scheme of the port.
    pub control: &'a mut Control,
    /// End of the line, which takes the cells whose service starts.
    pub out: &'a mut E,
}

impl<'a, E: LineEnd> Context<'a, E> {
    /// Surroundings of a server at the time `now`.
    #[inline(always)]
    pub fn new(now: Ps, control: &'a mut Control, out: &'a mut E) -> Context<'a, E> {
        Context { now, control, out }
    }
    /// Shows the control scheme a cell of the watched queue of `length` cells whose service starts now.
    #[inline(always)]
    pub fn show_start(&mut self, info: &mut Info, length: u64) {
        let mut passing = info.passing();
        self.control.on_dequeue(self.now, &mut passing, length);
        *info = info.marked_as(passing);
    }
    /// The same surroundings at the time `now`.
    #[inline(always)]
    pub fn at(&mut self, now: Ps) -> Context<'_, E> {
        Context::new(now, self.control, self.out)
    }
}

/// The end of a line, at which a server's cells arrive in the order of their service.
pub trait LineEnd {
    /// Takes a cell. Its service ends before `cell.at` by the propagation delay of the line.
    fn put(&mut self, cell: Cell, body: Option<&Body>);
}

impl LineEnd for Outlet<'_> {
    #[inline(always)]
    fn put(&mut self, cell: Cell, body: Option<&Body>) {
        self.push(cell, body);
    }
}
