//! The arguments of a server's methods: the time, the control scheme and the near end of the line.

use crate::atm::cell::{Body, Cell, Info};
use crate::atm::transport::Outlet;
use crate::control::{Control, SwitchControl};
use crate::kernel::Ps;

/// The present time, the control scheme of the port, and the near end of its line. A server passes departures
/// from the watched queue (`ServerSettings::watched`) to the scheme, and puts each cell whose service starts onto
/// the line.
pub struct Context<'a, E> {
    /// The present time.
    pub now: Ps,
    /// Control scheme of the port.
    pub control: &'a mut Control,
    /// Near end of the line, onto which the server puts each cell whose service starts.
    pub out: &'a mut E,
}

impl<'a, E: LineEnd> Context<'a, E> {
    /// The arguments of a server's method that is called at the time `now`.
    #[inline(always)]
    pub fn new(now: Ps, control: &'a mut Control, out: &'a mut E) -> Context<'a, E> {
        Context { now, control, out }
    }
    /// Passes a cell of the watched queue to the control scheme. The service of the cell starts now. `length` is
    /// the queue length in cells.
    #[inline(always)]
    pub fn show_start(&mut self, info: &mut Info, length: u64) {
        let mut passing = info.passing();
        self.control.on_dequeue(self.now, &mut passing, length);
        *info = info.marked_as(passing);
    }
    /// A context with the time `now` and everything else as in this context.
    #[inline(always)]
    pub fn at(&mut self, now: Ps) -> Context<'_, E> {
        Context::new(now, self.control, self.out)
    }
}

/// The near end of a line, onto which a server puts its cells in the order of their service.
pub trait LineEnd {
    /// Puts a cell onto the line. `cell.at` is the end of the cell's service plus the propagation delay of the
    /// line.
    fn put(&mut self, cell: Cell, body: Option<&Body>);
}

impl LineEnd for Outlet<'_> {
    #[inline(always)]
    fn put(&mut self, cell: Cell, body: Option<&Body>) {
        self.push(cell, body);
    }
}
