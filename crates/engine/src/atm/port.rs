//! An output port: admission of cells, the control scheme's view of them, and counters.

mod front;

use alloc::vec::Vec;

use super::cell::{Body, Info, ServiceClass};
use super::link::Link;
use super::losses::LossCounts;
pub use super::losses::Losses;
use super::server::{Departure, Line, Message, Outlet, PromptSettings, Queued, Server};
use crate::control::{Control, QueueReading, SwitchControl};
use crate::credit;
use crate::discard::{Cause, Discard, DiscardPolicy, Verdict};
use crate::kernel::{CellClock, Digest, Ps, Rate};
use front::Front;

/// One queue of a port.
pub struct QueueSettings {
    /// Classes that share the queue.
    pub classes: Vec<ServiceClass>,
    /// Limit in cells, `u64::MAX` for none.
    pub buffer: u64,
    /// Policy that refuses cells.
    pub discard: Discard,
}

/// Settings of a port.
pub struct PortSettings {
    /// Rate of its link.
    pub rate: Rate,
    /// Propagation delay of its link.
    pub delay: Ps,
    /// Queues in order of priority, the highest first.
    pub queues: Vec<QueueSettings>,
    /// Queue under control.
    pub controlled: usize,
    /// True if RM cells are served before the other cells of their queue.
    pub rm_first: bool,
    /// Control scheme.
    pub control: Control,
    /// Number of channels through the port.
    pub channels: usize,
    /// Settings of a prompt server, if the port needs one.
    pub prompt: Option<PromptSettings>,
}

struct Queue {
    settings: QueueSettings,
    dropped: u64,
}

/// Counters of one queue over a window.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueCounts {
    /// Cells that arrived, refused ones included.
    pub arrived: u64,
    /// Cells refused.
    pub dropped: u64,
    /// Integral of the length in cell picoseconds.
    pub backlog: f64,
}

/// A cell as it arrives at a port.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Slot of its channel.
    pub slot: u32,
    /// Its slot in the control scheme, if its class is under control.
    pub control_slot: u32,
    /// Index of its class's queue.
    pub queue: u32,
    /// True if its class is under control.
    pub controlled: bool,
    /// The cell.
    pub cell: Queued,
}

/// An output port and its server.
pub struct Port<S> {
    server: S,
    control: Control,
    queues: Vec<Queue>,
    controlled: usize,
    /// Queue length below which a cell is admitted without further checks: the smallest buffer if
    /// the policies of all queues have no state, 0 if the length is needed at every arrival.
    freely_below: u64,
    /// Backlog of the line, below which the queue is certainly shorter than that.
    free_backlog: Ps,
    /// True if the control scheme reads the length of its queue at all.
    reads_queue: bool,
    /// True if it reads the length at RM cells only.
    reads_at_rm: bool,
    losses: LossCounts,
    /// True if every queue admits all cells without checks, so that a prompt port need not compute
    /// lengths.
    takes_all: bool,
    /// By slot: the most cells that a channel under credit control may have here.
    allocations: Vec<Option<u64>>,
    digest: Digest,
    rate: Rate,
    front: Front,
}

impl<S: Server> Port<S> {
    /// An empty port.
    pub fn new(settings: PortSettings) -> Port<S> {
        let line = Line {
            clock: CellClock::new(settings.rate),
            delay: settings.delay,
        };
        let marks = settings.control.marks_at_dequeue();
        let queues: Vec<Queue> = settings
            .queues
            .into_iter()
            .map(|settings| Queue {
                settings,
                dropped: 0,
            })
            .collect();
        let reads_queue = settings.control.reads_queue();
        let stateless = queues
            .iter()
            .all(|queue| queue.settings.discard.is_stateless());
        let smallest = queues
            .iter()
            .map(|queue| queue.settings.buffer)
            .min()
            .unwrap_or(0);
        let unasked =
            stateless && reads_queue != QueueReading::AtEveryCell && settings.prompt.is_none();
        let freely_below = if unasked { smallest } else { 0 };
        let mut allocations = Vec::new();
        // A queue whose channels take turns has enough buffer because of their credit.
        let has_room =
            |(queue, by_turns): (&Queue, &bool)| *by_turns || queue.settings.buffer == u64::MAX;
        let takes_all = settings.prompt.as_ref().is_some_and(|prompt| {
            stateless
                && reads_queue == QueueReading::Never
                && queues.iter().zip(&prompt.by_turns).all(has_room)
        });
        let server = match settings.prompt {
            Some(prompt) => {
                allocations = prompt.channels.iter().map(|channel| channel.most).collect();
                S::prompt(line, marks.then_some(settings.controlled), prompt)
            }
            None => S::new(
                line,
                queues.len(),
                settings.controlled,
                marks,
                settings.rm_first,
            ),
        };
        let cells = freely_below.saturating_sub(1);
        Port {
            freely_below,
            free_backlog: Ps(if freely_below == u64::MAX {
                u64::MAX
            } else {
                cells.saturating_mul(line.clock.floor().0)
            }),
            reads_queue: reads_queue != QueueReading::Never,
            reads_at_rm: reads_queue == QueueReading::AtRmCells,
            server,
            control: settings.control,
            queues,
            controlled: settings.controlled,
            takes_all,
            allocations,
            losses: LossCounts::new(settings.channels),
            digest: Digest::default(),
            rate: settings.rate,
            front: Front::default(),
        }
    }

    /// Handles a cell that arrives at `now`. Returns the reason if it is refused; sets `was_empty`
    /// if it enters an empty link.
    #[inline]
    pub fn arrive(
        &mut self,
        now: Ps,
        arrival: Arrival,
        mut body: Option<&mut Body>,
        link: &mut Link,
        was_empty: &mut bool,
    ) -> Option<Cause> {
        let Arrival {
            control_slot,
            queue,
            controlled,
            mut cell,
            ..
        } = arrival;
        let index = queue as usize;
        if self.reads_at_rm && controlled && !cell.info.is_data() {
            return self.arrive_watched(now, arrival, body, link, was_empty);
        }
        if let Some(server) = self.server.express()
            && server.backlog(now) < self.free_backlog
        {
            if controlled {
                self.control
                    .on_forward(now, control_slot, &mut cell.info, rm_of(&mut body), 0);
            } else {
                self.control.on_background(now);
            }
            self.losses.pass(arrival.slot, cell.info, &mut body);
            *was_empty |= server.send(now, cell, body.as_deref(), link);
            return None;
        }
        if self.freely_below < u64::MAX
            && !self.server.surely_shorter(now, index, self.freely_below)
        {
            return self.arrive_watched(now, arrival, body, link, was_empty);
        }
        if controlled {
            self.control
                .on_forward(now, control_slot, &mut cell.info, rm_of(&mut body), 0);
        } else {
            self.control.on_background(now);
        }
        self.losses.pass(arrival.slot, cell.info, &mut body);
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server
            .push(now, index, cell, body.as_deref(), &mut outlet);
        *was_empty |= outlet.link_was_empty;
        None
    }

    /// Handles a cell without a body that arrives at `now` and is certainly admitted;
    /// `control_slot` is that of its ABR channel if its class is under control. Returns true if it
    /// entered an empty link, or `None`, with nothing changed, if [`Port::arrive`] must handle it.
    #[inline(always)]
    pub fn arrive_express(
        &mut self,
        now: Ps,
        control_slot: Option<u32>,
        mut cell: Queued,
        link: &mut Link,
    ) -> Option<bool> {
        let server = self.server.express()?;
        if server.backlog(now) >= self.free_backlog {
            return None;
        }
        match control_slot {
            Some(slot) => self.control.on_forward(now, slot, &mut cell.info, None, 0),
            None => self.control.on_background(now),
        }
        Some(server.send(now, cell, None, link))
    }

    /// [`Port::arrive`] if the length of the queue matters.
    #[inline(never)]
    fn arrive_watched(
        &mut self,
        now: Ps,
        arrival: Arrival,
        mut body: Option<&mut Body>,
        link: &mut Link,
        was_empty: &mut bool,
    ) -> Option<Cause> {
        let Arrival {
            slot,
            control_slot,
            queue,
            controlled,
            mut cell,
        } = arrival;
        let index = queue as usize;
        if self.takes_all {
            return self.take(now, arrival, body, link, was_empty);
        }
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        let in_front = if index == self.controlled {
            self.front.cells()
        } else {
            0
        };
        let length = in_front + self.server.queue_length(now, index, &mut outlet);
        *was_empty |= outlet.link_was_empty;
        if controlled {
            self.control
                .on_forward(now, control_slot, &mut cell.info, rm_of(&mut body), length);
        } else {
            self.control.on_background(now);
        }
        let refused = self.refuses(now, (slot, index), (cell.info, &mut body), length);
        if refused.is_none() {
            let mut outlet = Outlet {
                link,
                control: &mut self.control,
                link_was_empty: false,
            };
            self.server
                .push_of(now, index, slot, cell, body.as_deref(), &mut outlet);
            *was_empty |= outlet.link_was_empty;
        }
        refused
    }

    /// True if [`Port::take_alone`] may be called: no cell is refused, and no queue length is
    /// needed.
    #[inline]
    pub fn takes_all(&self) -> bool {
        self.takes_all
    }
    /// Admits a cell to a prompt port without checks.
    #[inline]
    fn take(
        &mut self,
        now: Ps,
        arrival: Arrival,
        mut body: Option<&mut Body>,
        link: &mut Link,
        was_empty: &mut bool,
    ) -> Option<Cause> {
        let Arrival {
            slot,
            control_slot,
            queue,
            controlled,
            mut cell,
        } = arrival;
        if controlled {
            self.control
                .on_forward(now, control_slot, &mut cell.info, rm_of(&mut body), 0);
        } else {
            self.control.on_background(now);
        }
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.push_of(
            now,
            queue as usize,
            slot,
            cell,
            body.as_deref(),
            &mut outlet,
        );
        *was_empty |= outlet.link_was_empty;
        None
    }

    /// [`Port::take`] for a cell without a body, if all other events at `now` are done; its service
    /// starts at once if possible.
    #[inline]
    pub fn take_alone(&mut self, now: Ps, arrival: Arrival, link: &mut Link, was_empty: &mut bool) {
        let Arrival {
            slot,
            control_slot,
            controlled,
            mut cell,
            ..
        } = arrival;
        if controlled {
            self.control
                .on_forward(now, control_slot, &mut cell.info, None, 0);
        } else {
            self.control.on_background(now);
        }
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.push_alone(now, slot, cell, &mut outlet);
        *was_empty |= outlet.link_was_empty;
    }

    /// The reason if a queue of `length` cells refuses a cell of the channel in `slot`; the loss is
    /// then counted.
    #[inline]
    fn refuses(
        &mut self,
        now: Ps,
        (slot, index): (u32, usize),
        (info, body): (Info, &mut Option<&mut Body>),
        length: u64,
    ) -> Option<Cause> {
        let queue = &mut self.queues[index];
        let refused = match queue
            .settings
            .discard
            .admit(slot, info, length, queue.settings.buffer)
        {
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
        self.queues[queue].dropped += 1;
        self.losses.add(slot, info);
        self.digest.add(now.0);
        self.digest
            .add((slot as u64) << 32 | info.without_stamp().0 as u64);
    }

    /// The cell whose service has just completed, if the port is prompt. If the link loses the
    /// cell, the loss is counted.
    #[inline]
    pub fn take_departure(&mut self) -> Option<Departure> {
        let departure = self.server.take_departure()?;
        if departure.lost {
            self.lose_on_link(departure);
        }
        Some(departure)
    }

    #[cold]
    fn lose_on_link(&mut self, Departure { at, slot, info, .. }: Departure) {
        self.losses.add_on_link(slot, info);
        self.digest.add(at.0);
        self.digest
            .add((slot as u64) << 32 | info.without_stamp().0 as u64 | 1 << 63);
    }

    /// Number of cells of the channel in `slot` that have left by `now` and have not been reported
    /// to the node.
    pub fn take_untold(&mut self, now: Ps, slot: u32, link: &mut Link) -> u32 {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.take_untold(now, slot, &mut outlet)
    }
    /// Sends a message of credit control at `now`.
    pub fn tell(&mut self, now: Ps, message: Message, link: &mut Link) {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.tell(now, message, &mut outlet);
    }
    /// Allows the channel in `slot` to send up to `limit` from `now` on.
    pub fn set_limit(&mut self, now: Ps, slot: u32, limit: u32, link: &mut Link) {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.set_limit(now, slot, limit, &mut outlet);
    }
    /// True if the node must call [`Port::take_departure`] when the service of the next cell
    /// completes.
    #[inline]
    pub fn tells_next(&self) -> bool {
        self.server.tells_next()
    }
    /// The server.
    pub fn server(&self) -> &S {
        &self.server
    }

    /// Handles a backward RM cell of the channel in `slot` that passes in the other direction.
    pub fn pass_backward(
        &mut self,
        now: Ps,
        slot: u32,
        rm: &mut super::cell::RmCell,
        link: &mut Link,
        was_empty: &mut bool,
    ) {
        let queue = self.class_length(now, self.reads_queue, link, was_empty);
        self.control.on_backward(now, slot, rm, queue);
    }
    /// Time at which [`Port::wake`] is due.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        self.control.wake_at()
    }
    /// Runs the timer of the control scheme.
    pub fn wake(&mut self, now: Ps, link: &mut Link, was_empty: &mut bool) {
        let queue = self.class_length(now, self.reads_queue, link, was_empty);
        self.control.wake(now, queue);
    }
    /// Processes everything before `now`, and the completions at `now`.
    #[inline]
    pub fn advance(&mut self, now: Ps, link: &mut Link, was_empty: &mut bool) {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.advance(now, &mut outlet);
        *was_empty |= outlet.link_was_empty;
    }
    /// Time at which [`Port::advance`] is due; `NEVER` if departures need no event.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.server.next_event()
    }
    /// Cells in `queue` at `now`.
    pub fn queue_length(
        &mut self,
        now: Ps,
        queue: usize,
        link: &mut Link,
        was_empty: &mut bool,
    ) -> u64 {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        let length = self.server.queue_length(now, queue, &mut outlet);
        *was_empty |= outlet.link_was_empty;
        length
    }
    /// Counters up to `now`, and the number of cells whose service has completed. To be called only
    /// at the end of a slice of the run, when the link's receiver looks for new cells anyway.
    pub fn counts(&mut self, now: Ps, link: &mut Link) -> (Vec<QueueCounts>, u64) {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        let departed = self.server.departed(now, &mut outlet);
        let counts = self
            .queues
            .iter()
            .enumerate()
            .map(|(i, queue)| QueueCounts {
                arrived: self.server.accepted(i) + queue.dropped,
                dropped: queue.dropped,
                backlog: self.server.backlog_integral(now, i, &mut outlet),
            });
        (counts.collect(), departed)
    }
    /// Greatest length of `queue` since the last call of [`Port::forget_longest`].
    pub fn longest(&self, queue: usize) -> u64 {
        self.server.longest(queue)
    }
    /// Starts new maxima at `now`.
    pub fn forget_longest(&mut self, now: Ps, link: &mut Link) {
        let mut outlet = Outlet {
            link,
            control: &mut self.control,
            link_was_empty: false,
        };
        self.server.forget_longest(now, &mut outlet);
        self.forget_front();
    }
    /// Losses of the channel in `slot`.
    pub fn losses(&self, slot: u32) -> Losses {
        self.losses.of(slot)
    }
    /// The control scheme.
    pub fn control(&self) -> &Control {
        &self.control
    }
    /// Name and statistics of the scheme that controls the port; `fcvc` if channels are under
    /// credit control.
    pub fn control_report(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        let credited = self.allocations().count();
        if credited == 0 && self.credit_cells_sent() == 0 {
            return (self.control.name(), self.control.statistics());
        }
        let counts = self.server.credit_counts();
        let longest = self
            .allocations()
            .map(|(slot, _)| self.server.longest_of(slot))
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
    /// Number of cells of credit control that were sent.
    pub fn credit_cells_sent(&self) -> u64 {
        self.server.credit_counts().cells()
    }
    /// For each channel under credit control that comes from another node: its slot, and the most
    /// cells that it may have here.
    pub fn allocations(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let slots = self.allocations.iter().enumerate();
        slots.filter_map(|(slot, most)| Some((slot as u32, (*most)?)))
    }
    /// Queues in order of priority.
    pub fn queues(&self) -> impl Iterator<Item = &QueueSettings> {
        self.queues.iter().map(|queue| &queue.settings)
    }
    /// Number of queues.
    pub fn queue_count(&self) -> usize {
        self.queues.len()
    }
    /// Rate of the link.
    pub fn rate(&self) -> Rate {
        self.rate
    }
    /// Hash of every loss.
    pub fn digest(&self) -> Digest {
        self.digest
    }
    /// Cells held here that are not yet on the link.
    pub fn held(&self) -> Vec<Queued> {
        self.server.held()
    }
    /// Bytes of storage for queued cells, and cells held there.
    pub fn storage(&self) -> (usize, usize) {
        self.server.storage()
    }
}

#[inline]
fn rm_of<'a>(body: &'a mut Option<&mut Body>) -> Option<&'a mut super::cell::RmCell> {
    match body {
        Some(Body::Rm(rm)) => Some(rm),
        _ => None,
    }
}
