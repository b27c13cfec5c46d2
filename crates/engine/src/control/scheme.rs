//! A control scheme as its port uses it: the trait of all schemes, and the facts from which one is
//! built and checked.

use alloc::vec::Vec;

use crate::component::Statistic;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};
use crate::passing::{Passing, RateRecord};

/// Facts about a port, from which a scheme is built.
#[derive(Clone, Copy, Debug)]
pub struct PortFacts {
    /// Rate of the outgoing link, in the units of service that the hooks count.
    pub rate: ServiceRate,
    /// Channels that the port carries; the hooks number them from 0 as slots.
    pub channels: usize,
    /// Seed of the random numbers of a scheme that draws some; it depends on the run and the port.
    pub seed: u64,
}

impl PortFacts {
    /// Facts about a port of any rate without channels, for queries that do not depend on a port.
    pub const ANY: PortFacts = PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(Rate::from_bps(155_520_000)),
        channels: 0,
    };
}

/// Facts about a switch, against which a scheme's parameters are checked.
#[derive(Clone, Copy, Debug)]
pub struct SwitchFacts {
    /// Limit of a queue of the switch in units of service; `u64::MAX` if there is none.
    pub buffer: u64,
    /// Longest service of one cell, or of the largest frame, on the links under control; zero if there are none.
    pub service_time: Ps,
}

impl SwitchFacts {
    /// Facts about a switch without limits.
    pub const ANY: SwitchFacts = SwitchFacts {
        buffer: u64::MAX,
        service_time: Ps::ZERO,
    };
}

/// Parameters of a scheme.
pub trait SchemeParameters: Clone {
    /// Findings about values outside their range at a switch with these `facts`.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding>;
    /// The parameters with the values that follow from others where they are left out.
    fn in_force(&self) -> Self {
        self.clone()
    }
    /// Time constant of a scheme that sends sources the free space of its queue, as a rate, for
    /// their Smith predictors, which need the same; `None` if it sends nothing of the kind.
    fn predictor_time_constant(&self) -> Option<Ps> {
        None
    }
}

/// Occasions on which a scheme reads the length of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueReading {
    /// The scheme never reads the length; the port may pass 0 to every hook.
    Never,
    /// The scheme reads the length at RM cells, in either direction, and at timers; the port may
    /// pass 0 with other cells.
    AtRmCells,
    /// The scheme reads the length at RM cells, at timers, and at those other cells for which
    /// [`SwitchControl::reads_at`] is true; the port may pass 0 with the rest.
    AtSomeCells,
    /// The scheme reads the length at every cell.
    AtEveryCell,
}

/// A congestion control scheme at one output port: a pure state machine without a clock of its own.
/// Every hook has a default that does nothing.
///
/// A scheme counts units of service, one for a cell and as many as octets on the line for a frame:
/// `queue` is always the length of the controlled queue in units, what is in service included, and all
/// rates are in units/s.
pub trait SwitchControl {
    /// Names, units and descriptions of the scheme's statistics.
    const STATISTICS: &'static [Statistic] = &[];
    /// True if the scheme depends on the order in which its queue receives the cells. Cells may
    /// then not wait in front of the queue in queues of channels (virtual sources).
    const FOLLOWS_ORDER: bool = false;

    /// A cell or frame under control, of channel `slot`, arrives for this port, before it is queued or
    /// dropped. `rm` holds the contents of an RM cell, which the scheme may mark.
    #[inline]
    fn on_forward(
        &mut self,
        _now: Ps,
        _slot: u32,
        _passing: &mut Passing,
        _rm: Option<&mut RateRecord>,
        _queue: u64,
    ) {
    }
    /// A cell or frame of another class arrives for this port.
    #[inline]
    fn on_background(&mut self, _now: Ps, _units: u64) {}
    /// A backward RM cell of channel `slot` passes in the other direction.
    #[inline]
    fn on_backward(&mut self, _now: Ps, _slot: u32, _rm: &mut RateRecord, _queue: u64) {}
    /// A cell or frame of the controlled queue starts its service; called only if
    /// [`Self::marks_at_dequeue`].
    #[inline]
    fn on_dequeue(&mut self, _now: Ps, _passing: &mut Passing, _queue: u64) {}
    /// True if [`Self::on_dequeue`] must be called. Must not change over time: a port without it
    /// need not follow every departure.
    fn marks_at_dequeue(&self) -> bool {
        false
    }
    /// Queue length above which [`Self::on_dequeue`] marks user data, if it does no more and keeps no
    /// state. `None` if it does more.
    fn marks_above(&self) -> Option<u64> {
        None
    }
    /// Does what [`Self::on_forward`] does with `units` units of user data, if that is no more than to count
    /// them. Returns false, with nothing changed, if it is more.
    #[inline]
    fn counts_only(&mut self, _now: Ps, _slot: u32, _units: u64) -> bool {
        false
    }
    /// True if [`Self::on_forward`] does nothing where `rm` is `None`, and [`Self::on_background`] nothing
    /// at all. Must not change over time.
    fn ignores_data(&self) -> bool {
        false
    }
    /// Occasions on which hooks read `queue`. Must not change over time.
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtEveryCell
    }
    /// True if the scheme must read `queue` when `units` units without a record arrive at `now`. Called
    /// only for schemes with [`QueueReading::AtSomeCells`].
    #[inline]
    fn reads_at(&self, _now: Ps, _units: u64) -> bool {
        true
    }
    /// Present values of [`Self::STATISTICS`], in their order; not finite while a value is missing.
    fn counted(&self) -> Vec<f64> {
        Vec::new()
    }
    /// Next time at which [`Self::wake`] is due, or `NEVER`. Only [`Self::wake`] may postpone it.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// The timer expires: the time of [`Self::wake_at`] has come. The cell or frame in service adds
    /// `in_service` units to `queue`; a port of cells passes 1, also while a cell of another queue is in
    /// service.
    #[inline]
    fn wake(&mut self, _now: Ps, _queue: u64, _in_service: u64) {}
}
