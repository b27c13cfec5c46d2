//! The trait of all control schemes, and the facts with which a port builds and checks its scheme.

use alloc::vec::Vec;

use crate::component::Statistic;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};
use crate::passing::{Passing, RateRecord};

/// Facts about a port, with which the state of its control scheme is built.
#[derive(Clone, Copy, Debug)]
pub struct PortFacts {
    /// Rate of the outgoing link, and the unit (cell or octet) in which the scheme counts service.
    pub rate: ServiceRate,
    /// Number of channels of the controlled class through the port. The methods of a scheme identify a channel by
    /// its slot: its index among these channels, from 0.
    pub channels: usize,
    /// Seed for the random numbers of a scheme; it depends on the run and the port.
    pub seed: u64,
}

impl PortFacts {
    /// Facts about a port without channels, for results that do not depend on the port.
    pub const ANY: PortFacts = PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(Rate::from_bps(155_520_000)),
        channels: 0,
    };
}

/// Facts about a switch, against which the parameters of a control scheme are checked.
#[derive(Clone, Copy, Debug)]
pub struct SwitchFacts {
    /// Limit of a queue of the switch in units of service; `u64::MAX` for no limit.
    pub buffer: u64,
    /// Longest service time of one cell, or of the largest frame, on the links with controlled classes; zero if
    /// there are no such links.
    pub service_time: Ps,
}

impl SwitchFacts {
    /// Facts about a switch with unlimited queues, for results that do not depend on the switch.
    pub const ANY: SwitchFacts = SwitchFacts {
        buffer: u64::MAX,
        service_time: Ps::ZERO,
    };
}

/// Interface of the parameters of every control scheme: check, defaults, and requirements on the switch.
pub trait SchemeParameters: Clone {
    /// Findings about values outside their range at a switch with these `facts`.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding>;
    /// The parameters with defaults applied: an absent value is replaced by its default, which may depend on
    /// other parameters.
    fn in_force(&self) -> Self {
        self.clone()
    }
    /// Time constant of a scheme that sends the free space of its queue, as a rate, to Smith predictors at the
    /// sources. The predictors need the same time constant. `None` if the scheme is of another kind.
    fn predictor_time_constant(&self) -> Option<Ps> {
        None
    }
}

/// Occasions on which a control scheme reads the length of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueReading {
    /// The scheme never reads the length, so the port may pass 0 to every method.
    Never,
    /// The scheme reads the length at RM cells of either direction and at timers. The port may pass
    /// 0 with other cells.
    AtRmCells,
    /// The scheme reads the length at RM cells, at timers, and at those other cells for which
    /// [`SwitchControl::reads_at`] is true. The port may pass 0 with other cells.
    AtSomeCells,
    /// The scheme reads the length at every cell.
    AtEveryCell,
}

/// A congestion control scheme at one output port: a state machine that gets the time from its
/// port. Every method has a default that does nothing.
///
/// A scheme counts in units of service: an ATM cell is one unit, and a frame has as many units as octets on the
/// line. `queue` is always the length of the controlled queue in units, including the cell or frame in service.
/// All rates are in units/s.
pub trait SwitchControl {
    /// Names, units and descriptions of the scheme's statistics.
    const STATISTICS: &'static [Statistic] = &[];
    /// True if the scheme depends on the order in which its queue receives the cells. A switch with
    /// such a scheme cannot have virtual sources, whose queues lie before the port's queue.
    const FOLLOWS_ORDER: bool = false;
    /// True if the scheme generates backward RM cells in [`Self::generate`]. Only ATM switches outside virtual
    /// sources and destinations call this method.
    const GENERATES: bool = false;

    /// A cell or frame of channel `slot`, of a controlled class, arrives for this port, before it
    /// is queued or dropped. `rm` is the contents of a forward RM cell, which the scheme may mark.
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
    /// A forward RM cell of channel `slot` arrives for this port, with the contents `rm`; [`Self::on_forward`]
    /// follows. Returns the contents of a backward RM cell that the switch sends to the source of the channel;
    /// `None` for no cell. Called only if [`Self::GENERATES`] is true.
    fn generate(
        &mut self,
        _now: Ps,
        _slot: u32,
        _rm: &RateRecord,
        _queue: u64,
    ) -> Option<RateRecord> {
        None
    }
    /// A cell or frame of another class, with `units` units, arrives for this port. Not called if its queue has a lower
    /// strict priority than the controlled queue.
    #[inline]
    fn on_background(&mut self, _now: Ps, _units: u64) {}
    /// A backward RM cell of channel `slot` passes through the switch in the other direction. The scheme may mark
    /// the cell.
    #[inline]
    fn on_backward(&mut self, _now: Ps, _slot: u32, _rm: &mut RateRecord, _queue: u64) {}
    /// The service of a cell or frame of the controlled queue starts. Called only if
    /// [`Self::marks_at_dequeue`] is true.
    #[inline]
    fn on_dequeue(&mut self, _now: Ps, _passing: &mut Passing, _queue: u64) {}
    /// True if the port must call [`Self::on_dequeue`]. The value must never change: a port without such calls
    /// need not process every departure.
    fn marks_at_dequeue(&self) -> bool {
        false
    }
    /// Queue length above which [`Self::on_dequeue`] marks user data, if this is all that it does
    /// and it has no state; `None` otherwise.
    fn marks_above(&self) -> Option<u64> {
        None
    }
    /// Does the work of [`Self::on_forward`] for `units` units of user data, if the scheme only counts these
    /// units. Returns false, with nothing changed, if the scheme may do more.
    #[inline]
    fn counts_only(&mut self, _now: Ps, _slot: u32, _units: u64) -> bool {
        false
    }
    /// True if [`Self::on_forward`] does nothing without `rm`, and [`Self::on_background`] does nothing at all.
    /// The value must never change.
    fn ignores_data(&self) -> bool {
        false
    }
    /// Occasions on which the methods read `queue`. The value must never change.
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtEveryCell
    }
    /// True if the scheme must read `queue` when `units` units of user data arrive at `now`. Called
    /// only for schemes with [`QueueReading::AtSomeCells`].
    #[inline]
    fn reads_at(&self, _now: Ps, _units: u64) -> bool {
        true
    }
    /// Present values of [`Self::STATISTICS`], in the same order. A value that is not known yet is returned as a
    /// number that is not finite.
    fn counted(&self) -> Vec<f64> {
        Vec::new()
    }
    /// Time of the next timer, at which the port must call [`Self::wake`]; `NEVER` if there is none. Only
    /// [`Self::wake`] may move the timer to a later time.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// The timer of [`Self::wake_at`] expires. Of the `queue` units in the queue, `in_service` belong to the cell
    /// or frame in service. A port of cells passes 1, also while a cell of another queue is in service.
    #[inline]
    fn wake(&mut self, _now: Ps, _queue: u64, _in_service: u64) {}
}
