//! An output port: admission of cells to its queues, its control scheme, and its counters.

mod change;
mod counts;
mod credited;
mod express;
mod front;

use alloc::vec::Vec;

use super::cell::{Body, CELL_UNITS, Info, RmCell, ServiceClass};
use super::losses::LossCounts;
pub use super::losses::Losses;
pub use super::server::Arrival;
use super::server::{
    BuildServer, Context, CreditedServer, Departure, Line, LossSettings, PortOrder, PromptSettings,
    Server, ServerSettings,
};
use super::transport::Outlet;
use crate::control::{Control, SwitchControl};
use crate::discard::{Cause, Discard, DiscardPolicy, Verdict};
use crate::kernel::{CellClock, Digest, Ps, Rate};
pub use counts::QueueCounts;
pub use express::{Already, OnLink, Row, RowEnd};
use front::Front;

/// Settings of one queue of a port.
#[derive(Clone)]
pub struct QueueSettings {
    /// Service classes that share the queue.
    pub classes: Vec<ServiceClass>,
    /// Limit of the queue in cells, `u64::MAX` for none.
    pub buffer: u64,
    /// Limit of the queue in cells for cells with CLP = 1, `u64::MAX` for none but `buffer`.
    pub tagged_buffer: u64,
    /// True if credit control limits the queue; `buffer` is then not used.
    pub is_credited: bool,
    /// Discard policy, which decides about the cells that the queue refuses.
    pub discard: Discard,
}

impl QueueSettings {
    /// Limit of the queue in cells that holds for every cell, whatever its CLP.
    fn least_buffer(&self) -> u64 {
        self.buffer.min(self.tagged_buffer)
    }
    /// Limit of the queue in cells for the cell `info`.
    #[inline]
    fn buffer_for(&self, info: Info) -> u64 {
        if info.clp() {
            self.least_buffer()
        } else {
            self.buffer
        }
    }
}

/// Settings from which an output port is built: line, queues, control scheme and kind of server.
pub struct PortSettings {
    /// Rate of the link that the port feeds.
    pub rate: Rate,
    /// Propagation delay of the link that the port feeds.
    pub delay: Ps,
    /// Queues in order of priority, the highest first.
    pub queues: Vec<QueueSettings>,
    /// Index of the queue that the control scheme controls.
    pub controlled: usize,
    /// True if RM cells are served before the other cells of their queue.
    pub rm_first: bool,
    /// Orders of service of channels and queues; `None` if the cells of a queue leave in the order of their arrivals, and
    /// queues are served in strict priority.
    pub orders: Option<PortOrder>,
    /// Control scheme of the queue with index `controlled`.
    pub control: Control,
    /// Number of channels through the port.
    pub channels: usize,
    /// Settings of an event-driven server, which has an event for each departure. Credit control needs such a
    /// server, and in the plain (reference) engine also a link that loses cells. `None` for all other ports.
    pub prompt: Option<PromptSettings>,
    /// Settings for the losses of the port's link; `None` if the link loses no cells or if the port is
    /// event-driven.
    pub losses: Option<LossSettings>,
    /// True if parameters of the control scheme may change during a run.
    pub may_change: bool,
}

#[derive(Clone)]
struct Queue {
    settings: QueueSettings,
    /// True if the port is event-driven and serves the channels of the queue in round-robin order.
    by_turns: bool,
    /// Length in cells below which the queue always accepts another cell.
    taken_below: u64,
    /// Number of cells below which another cell is always accepted. Counted are the cells in the queue and in the
    /// queues of virtual sources before the port. 0 if the discard policy must decide about each cell.
    room_in_front: u64,
    dropped: u64,
}

/// An output port and its server. The fields that each cell needs come first, so that a cell uses
/// few cache lines.
#[derive(Clone)]
#[repr(C)]
pub struct Port<S> {
    server: S,
    /// Backlog, as the time that the line needs for all cells present, below which the queue is always shorter
    /// than `freely_below`.
    free_backlog: Ps,
    /// Backlog, as the time that the line needs for all cells present, below which the queue is always shorter
    /// than `freely_below` and no cell is marked.
    express_backlog: Ps,
    /// Queue length in cells below which a cell is admitted if the discard policy of its queue lets the cell pass
    /// ([`DiscardPolicy::passes`]). The queue is always shorter than this while the line needs less time than
    /// `passing_backlog` for all cells present.
    passing_below: u64,
    passing_backlog: Ps,
    /// True if the control scheme reads the length of its queue at RM cells, but not at all other
    /// cells.
    reads_at_rm: bool,
    /// True if the control scheme reads the length of its queue at some cells that are not RM
    /// cells.
    reads_some: bool,
    /// True if the control scheme reads the length of its queue at any cell or timer.
    reads_queue: bool,
    shown: Shown,
    /// True if the port is event-driven: if it processes each departure at the time of the departure.
    is_prompt: bool,
    /// True if the port is event-driven, no discard policy has a state, and the control scheme decides about no
    /// cell. Then a cell can be refused only because of the length of its queue.
    asks_nobody: bool,
    control: Control,
    queues: Vec<Queue>,
    controlled: usize,
    /// Queue length in cells below which a cell is admitted without further checks. If the policies of all queues
    /// have no state, this is the smallest buffer. If each arrival needs the queue length, this is 0.
    freely_below: u64,
    /// Transmission time of a cell on the line, rounded down.
    cell_time: Ps,
    losses: LossCounts,
    /// By slot (index of the channel at the port): the largest number of cells that a channel under credit
    /// control may have at this port.
    allocations: Vec<Option<u64>>,
    digest: Digest,
    rate: Rate,
    front: Front,
    /// Backlog, as the time that the line needs for all cells present, below which the server marks no cell.
    unmarked_below: Ps,
    /// Cells that the link has lost and the port has counted, but that [`Port::take_losses`] has
    /// not returned yet.
    untaken: Vec<Departure>,
}

impl<S: BuildServer> Port<S> {
    /// A port without cells, at time zero.
    pub fn new(settings: PortSettings) -> Port<S> {
        let line = Line {
            clock: CellClock::new(settings.rate),
            delay: settings.delay,
        };
        let marks = settings.control.marks_at_dequeue();
        let by_turns = |queue: usize| settings.prompt.as_ref().is_some_and(|p| p.by_turns[queue]);
        let queues: Vec<Queue> = settings
            .queues
            .into_iter()
            .enumerate()
            .map(|(index, settings)| Queue {
                settings,
                by_turns: by_turns(index),
                taken_below: 0,
                room_in_front: 0,
                dropped: 0,
            })
            .collect();
        let classes = settings.orders.as_ref();
        let classes = classes.and_then(|orders| orders.classes.as_ref());
        let is_strict = classes.is_none_or(|classes| classes.is_strict(settings.controlled));
        let counted_queues = if is_strict {
            settings.controlled as u32 + 1
        } else {
            u32::MAX
        };
        let is_prompt = settings.prompt.is_some();
        let mut allocations = Vec::new();
        if let Some(prompt) = &settings.prompt {
            allocations = prompt.channels.iter().map(|channel| channel.most).collect();
        }
        let mut server = S::build(ServerSettings {
            line,
            queues: queues.len(),
            watched: marks.then_some(settings.controlled),
            marks_above: (!settings.may_change)
                .then(|| settings.control.marks_above())
                .flatten(),
            rm_first: settings.rm_first,
            orders: settings.orders,
            prompt: settings.prompt,
            losses: settings.losses,
        });
        let unmarked_below = server
            .express()
            .map_or(Ps::NEVER, |server| server.unmarked_below());
        let mut port = Port {
            unmarked_below,
            express_backlog: Ps::ZERO,
            passing_below: 0,
            passing_backlog: Ps::ZERO,
            freely_below: 0,
            is_prompt,
            cell_time: line.clock.floor(),
            free_backlog: Ps::ZERO,
            reads_queue: false,
            reads_at_rm: false,
            reads_some: false,
            shown: Shown {
                ignores_data: false,
                counted_queues,
            },
            server,
            control: settings.control,
            queues,
            controlled: settings.controlled,
            asks_nobody: false,
            allocations,
            losses: LossCounts::new(settings.channels),
            untaken: Vec::new(),
            digest: Digest::default(),
            rate: settings.rate,
            front: Front::default(),
        };
        port.note_shortcuts();
        port
    }
}

impl<S: Server> Port<S> {
    /// Processes a cell that arrives at `now`. Returns the reason if the port refuses the cell.
    #[inline(always)]
    pub fn arrive(
        &mut self,
        now: Ps,
        mut arrival: Arrival,
        mut body: Option<&mut Body>,
        out: &mut Outlet<'_>,
    ) -> Option<Cause> {
        if !self.admits_unseen(now, &arrival) {
            return self.arrive_watched(now, arrival, body, out);
        }
        arrival.cell.info = self.show(now, &arrival, rm_of(&mut body), 0);
        self.losses.pass(arrival.slot, arrival.cell.info, &mut body);
        let body = body.as_deref();
        let context = &mut Context::new(now, &mut self.control, out);
        self.server.push(&arrival, body, context);
        None
    }

    /// Processes a cell without a body (a data cell that does not end a PDU) for which [`Port::takes`] is true.
    /// All other events at `now` must have been processed. The service of the cell begins at once if the line is
    /// free. Returns false if [`Port::next_event`] and [`Port::next_start`] have not become earlier.
    #[inline]
    pub fn arrive_alone(&mut self, now: Ps, mut arrival: Arrival, out: &mut Outlet<'_>) -> bool {
        arrival.cell.info = self.show(now, &arrival, None, 0);
        let server = self.server.credited_mut();
        server.is_some_and(|server| {
            server.push_alone(&arrival, &mut Context::new(now, &mut self.control, out))
        })
    }

    /// True if an event-driven port admits a data cell at `now` into `queue` although neither discard policy nor
    /// control scheme reads the length of the queue. [`Port::arrive_alone`] may then be used.
    #[inline(always)]
    pub fn takes(&self, now: Ps, queue: u32) -> bool {
        if !self.asks_nobody {
            return false;
        }
        let limit = self.queues[queue as usize].taken_below;
        self.server.surely_shorter(now, queue as usize, limit)
    }

    /// Passes an arriving cell to the port's control scheme with the function [`show`].
    #[inline(always)]
    fn show(&mut self, now: Ps, arrival: &Arrival, rm: Option<&mut RmCell>, length: u64) -> Info {
        show((&mut self.control, self.shown), now, arrival, rm, length)
    }

    /// True if the control scheme must know the length of its queue when `arrival`, a cell with user data, arrives.
    #[inline(always)]
    fn reads_at(&self, now: Ps, arrival: &Arrival) -> bool {
        self.reads_some && arrival.controlled && self.control.reads_at(now, CELL_UNITS.into())
    }

    /// True if the cell is always admitted, and neither discard policy nor control scheme needs the length of its
    /// queue.
    #[inline(always)]
    fn admits_unseen(&mut self, now: Ps, arrival: &Arrival) -> bool {
        if self.reads_at_rm && arrival.controlled && !arrival.cell.info.is_data() {
            return false;
        }
        if self.reads_at(now, arrival) {
            return false;
        }
        if let Some(server) = self.server.express() {
            return server.backlog(now) < self.free_backlog;
        }
        let (queue, limit) = (arrival.queue as usize, self.freely_below);
        limit == u64::MAX
            || self.server.surely_shorter(now, queue, limit)
            || self.takes(now, arrival.queue)
    }

    /// Processes a cell as [`Port::arrive`] does, if discard policy or control scheme needs the length of the
    /// queue.
    #[inline(never)]
    fn arrive_watched(
        &mut self,
        now: Ps,
        mut arrival: Arrival,
        mut body: Option<&mut Body>,
        out: &mut Outlet<'_>,
    ) -> Option<Cause> {
        let index = arrival.queue as usize;
        let length = if index == self.controlled {
            self.class_length(now, true, out)
        } else {
            self.queue_length(now, index, out)
        };
        arrival.cell.info = self.show(now, &arrival, rm_of(&mut body), length);
        let Arrival { slot, cell, .. } = arrival;
        if let Some(cause) = self.refuses(now, (slot, index), (cell.info, &mut body), length) {
            return Some(cause);
        }
        let body = body.as_deref();
        let context = &mut Context::new(now, &mut self.control, out);
        self.server.push(&arrival, body, context);
        None
    }

    /// Reason why the queue with index `index` and `length` cells refuses a cell of the channel with index
    /// `slot`; `None` if the cell is admitted. Counts a refused cell as lost.
    #[inline]
    fn refuses(
        &mut self,
        now: Ps,
        (slot, index): (u32, usize),
        (info, body): (Info, &mut Option<&mut Body>),
        length: u64,
    ) -> Option<Cause> {
        let queue = &mut self.queues[index];
        let buffer = queue.settings.buffer_for(info);
        let discard = &mut queue.settings.discard;
        let refused = match discard.admit(now, slot, info.passing(), length, buffer) {
            Verdict::Accept => None,
            Verdict::Drop(cause) => Some(cause),
        };
        if refused.is_some() {
            self.lose(now, slot, index, info);
        }
        self.losses.pass(slot, info, body);
        refused
    }

    #[cold]
    fn lose(&mut self, now: Ps, slot: u32, queue: usize, info: Info) {
        // The digest (hash) takes all losses in order of time: losses on the link at service ends come before
        // arrivals.
        self.count_lost(now);
        self.queues[queue].dropped += 1;
        self.losses.add(slot, info);
        self.digest.add(now.0);
        self.digest
            .add((slot as u64) << 32 | info.without_stamp().0 as u64);
    }

    /// Passes a backward RM cell to the control scheme. The cell belongs to the opposite channel of the channel
    /// with index `slot`, and leaves through another port of the switch.
    pub fn pass_backward(&mut self, now: Ps, slot: u32, rm: &mut RmCell, out: &mut Outlet<'_>) {
        let queue = self.class_length(now, self.reads_queue, out);
        self.control.on_backward(now, slot, rm, queue);
    }
    /// Passes the contents `rm` of a forward RM cell of the channel with index `slot` to the control scheme. Returns
    /// the contents of a backward RM cell that the switch must send to the source of the channel.
    pub fn generate(
        &mut self,
        now: Ps,
        slot: u32,
        rm: &RmCell,
        out: &mut Outlet<'_>,
    ) -> Option<RmCell> {
        let queue = self.class_length(now, self.reads_queue, out);
        self.control.generate(now, slot, rm, queue)
    }
    /// Time of the control scheme's next timer, at which [`Port::wake`] must be called.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        self.control.wake_at()
    }
    /// Runs the timer of the control scheme.
    pub fn wake(&mut self, now: Ps, out: &mut Outlet<'_>) {
        let queue = self.class_length(now, self.reads_queue, out);
        self.control.wake(now, queue, CELL_UNITS.into());
    }
    /// Processes all service starts and ends before `now`, and the service ends at `now`.
    #[inline]
    pub fn advance(&mut self, now: Ps, out: &mut Outlet<'_>) {
        self.server
            .advance(&mut Context::new(now, &mut self.control, out));
    }
    /// Time at which [`Port::advance`] must be called next; `NEVER` if the port's departures need
    /// no event.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.server.next_event()
    }
    /// Number of cells in `queue` at `now`.
    pub fn queue_length(&mut self, now: Ps, queue: usize, out: &mut Outlet<'_>) -> u64 {
        self.server
            .queue_length(queue, &mut Context::new(now, &mut self.control, out))
    }
    /// Losses of the channel with index `slot` at the port.
    pub fn losses(&self, slot: u32) -> Losses {
        self.losses.of(slot)
    }
    /// True if the port may still mark a cell that is already in the link's ring buffer. A port can do so until
    /// the service (transmission) of the cell starts.
    pub fn marks_later(&self) -> bool {
        self.unmarked_below != Ps::NEVER
    }
    /// State of the control scheme.
    pub fn control(&self) -> &Control {
        &self.control
    }
    /// State of the control scheme, mutable.
    pub fn control_mut(&mut self) -> &mut Control {
        &mut self.control
    }
    /// Length of the controlled queue in cells at `now`, as a timer of the scheme would see it.
    pub fn controlled_length(&mut self, now: Ps, out: &mut Outlet<'_>) -> u64 {
        self.class_length(now, true, out)
    }
    /// Settings of the queues in order of priority.
    pub fn queues(&self) -> impl Iterator<Item = &QueueSettings> {
        self.queues.iter().map(|queue| &queue.settings)
    }
    /// Number of queues.
    pub fn queue_count(&self) -> usize {
        self.queues.len()
    }
    /// Rate of the link that the port feeds.
    pub fn rate(&self) -> Rate {
        self.rate
    }
    /// Hash over the times and cells of all losses of the port.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// Cells that a port shows to its control scheme as they arrive.
#[derive(Clone, Copy)]
struct Shown {
    /// True if the control scheme ignores all cells except RM cells.
    ignores_data: bool,
    /// Number of queues, from the first on, whose cells of other classes count as missing capacity. A queue of lower
    /// strict priority takes nothing from the line of the controlled queue, so its cells do not count.
    counted_queues: u32,
}

/// Passes an arriving cell to the control scheme, if the scheme takes account of such cells (`shown`). Returns the
/// header bits of the cell, which the scheme may have marked.
///
/// The scheme gets only the header bits. If it borrowed the whole arrival, each arrival would be copied through
/// memory.
#[inline(always)]
fn show(
    (control, shown): (&mut Control, Shown),
    now: Ps,
    arrival: &Arrival,
    rm: Option<&mut RmCell>,
    length: u64,
) -> Info {
    let info = arrival.cell.info;
    // The call would have no effect.
    if shown.ignores_data && rm.is_none() {
        return info;
    }
    if arrival.controlled {
        show_controlled(control, now, (arrival.control_slot, info), rm, length)
    } else {
        if arrival.queue < shown.counted_queues {
            control.on_background(now, CELL_UNITS.into());
        }
        info
    }
}

/// Passes a cell of a controlled class to the control scheme; `slot` is the index of its channel in the scheme.
/// Returns the header bits of the cell, which the scheme may have marked.
#[inline(always)]
fn show_controlled(
    control: &mut Control,
    now: Ps,
    (slot, info): (u32, Info),
    rm: Option<&mut RmCell>,
    length: u64,
) -> Info {
    if rm.is_none() && control.counts_only(now, slot, CELL_UNITS.into()) {
        return info;
    }
    let mut passing = info.passing();
    control.on_forward(now, slot, &mut passing, rm, length);
    info.marked_as(passing)
}

#[inline]
fn rm_of<'a>(body: &'a mut Option<&mut Body>) -> Option<&'a mut RmCell> {
    match body {
        Some(Body::Rm(rm)) => Some(rm),
        _ => None,
    }
}
