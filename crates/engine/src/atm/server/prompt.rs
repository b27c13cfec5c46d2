//! Strict priority among queues whose channels may take turns, each as far as its credit allows;
//! reports departures that cause other events.

mod counts;

use alloc::vec::Vec;

use super::{
    Arrival, ChannelSettings, CreditCounts, CreditedServer, Departure, Line, Message,
    PromptSettings, Queued, Server, Stays,
};
use crate::atm::cell::{Body, Cell, Info};
use crate::atm::errors::Errors;
use crate::atm::link::Outlet;
use crate::control::{Control, SwitchControl};
use crate::credit::{Purpose, Sender};
use crate::kernel::{Ps, Ring};

/// Cells of one channel, or of all channels of a queue that share a FIFO.
#[derive(Clone, Default)]
struct Lane {
    cells: Ring<(Queued, u32)>,
    bodies: Ring<Body>,
}

impl Lane {
    fn push(&mut self, cell: Queued, slot: u32, body: Option<&Body>) {
        self.cells.push((cell, slot));
        if let Some(body) = body {
            self.bodies.push(*body);
        }
    }
}

/// State of a channel.
#[derive(Clone)]
struct Channel {
    /// Queue of its data, in which it takes turns, and queue of its RM cells.
    queue: u32,
    rm_queue: u32,
    /// Credit; `None` if the channel needs none.
    sender: Option<Sender>,
    lane: Lane,
    /// Cells held here, including the one in service.
    here: u32,
    longest: u32,
    /// True if it is among the channels that wait for their turn.
    waits: bool,
    /// Number of departures after which the node is notified, and departures since the last
    /// notification.
    told_every: u32,
    untold: u32,
}

impl Channel {
    /// True if it has a cell and may send it.
    fn is_ready(&self) -> bool {
        !self.lane.cells.is_empty() && self.sender.is_none_or(|sender| sender.balance() > 0)
    }
    /// Counts a departure. Returns the number of departures to report, if the node is to be
    /// notified now.
    #[inline]
    fn leave(&mut self) -> Option<u32> {
        self.here -= 1;
        self.untold += 1;
        (self.untold >= self.told_every).then(|| core::mem::take(&mut self.untold))
    }
    /// True if the next departure is to be reported at once.
    #[inline]
    fn tells_next(&self) -> bool {
        self.untold + 1 >= self.told_every
    }
}

#[derive(Clone, Default)]
struct Queue {
    /// Cells in order of arrival, if the channels share a FIFO.
    fifo: Lane,
    /// RM cells of the FIFO, if they are served first.
    first: Lane,
    /// Slots of channels that may send, in the order of their turns, if they take turns.
    turns: Option<Ring<u32>>,
    length: u64,
    departed: u64,
    stays: Stays,
    longest: u64,
}

/// The cell in service.
#[derive(Clone, Copy)]
enum InService {
    /// A cell of a channel, from the queue with this number; `matters` if its departure must be
    /// reported at once.
    Cell {
        queue: u32,
        slot: u32,
        cell: Queued,
        lost: bool,
        matters: bool,
    },
    /// A cell of the credit protocol.
    Message { purpose: Purpose, lost: bool },
}

/// A server for ports at which some departures have immediate effects: a credit follows from them,
/// or the link has lost the cell. The others are processed at the next call, or when the next
/// service starts. A channel whose turn it is sends one cell and then, if it has more and may send
/// them, waits behind all others that may.
#[derive(Clone)]
pub struct PromptServer {
    line: Line,
    queues: Vec<Queue>,
    channels: Vec<Channel>,
    messages: Ring<Message>,
    records_per_cell: usize,
    records_before: usize,
    label: u32,
    errors: Option<Errors>,
    in_service: Option<InService>,
    departure: Option<Departure>,
    free_at: Ps,
    carry: u64,
    /// Earliest instant at which the next service may start although the line is free.
    ready_at: Ps,
    /// Number of cells and messages that may be served: of a channel that takes turns one.
    ready: u64,
    counts: CreditCounts,
    watched: Option<u32>,
    rm_first: bool,
}

impl PromptServer {
    /// A server of the queues and channels of `settings`. The control scheme is told of departures
    /// from queue `watched`; with `rm_first` queues of which no channels take turns serve their RM
    /// cells before their other cells.
    pub fn new(
        line: Line,
        watched: Option<usize>,
        rm_first: bool,
        settings: PromptSettings,
    ) -> PromptServer {
        let channel = |ChannelSettings {
                           queue,
                           rm_queue,
                           sender,
                           told_every,
                           ..
                       }: ChannelSettings| Channel {
            queue,
            rm_queue,
            sender,
            told_every,
            untold: 0,
            lane: Lane::default(),
            here: 0,
            longest: 0,
            waits: false,
        };
        let queue = |by_turns: bool| Queue {
            turns: by_turns.then(Ring::default),
            ..Queue::default()
        };
        PromptServer {
            line,
            queues: settings.by_turns.into_iter().map(queue).collect(),
            channels: settings.channels.into_iter().map(channel).collect(),
            messages: Ring::default(),
            records_per_cell: settings.records_per_cell,
            records_before: settings.records_before,
            label: settings.label,
            errors: settings.errors,
            in_service: None,
            departure: None,
            free_at: Ps::ZERO,
            carry: 0,
            ready_at: Ps::ZERO,
            ready: 0,
            counts: CreditCounts::default(),
            watched: watched.map(|queue| queue as u32),
            rm_first,
        }
    }
    /// Earliest start of a service whose completion may have to be reported. Those before it need no
    /// event: their cells are known, since whatever could take their place calls the server first.
    #[inline]
    fn next_start_that_matters(&self) -> Ps {
        let start = self.next_start();
        // The link may lose any cell.
        if self.ready == 0 || self.errors.is_some() {
            return start;
        }
        let (mut starts, mut served) = (0, 0);
        for (index, queue) in self.queues.iter().enumerate() {
            if index == self.records_before {
                // At least one, however many records a cell carries.
                starts += usize::from(!self.messages.is_empty());
                served += self.messages.len();
            }
            let Some(turns) = &queue.turns else {
                // Nobody is told of departures of channels without credit, as of messages.
                let cells = queue.fifo.cells.len() + queue.first.cells.len();
                (starts, served) = (starts + cells, served + cells);
                continue;
            };
            let Some(slot) = turns.front() else { continue };
            let channel = &self.channels[*slot as usize];
            let leaves = |cell: InService| matches!(cell, InService::Cell { slot: left, .. } if left == *slot);
            let before = u32::from(self.in_service.is_some_and(leaves));
            let tells = channel.untold + before + 1 >= channel.told_every;
            starts += usize::from(!tells);
            if tells || turns.len() > 1 || channel.lane.cells.len() > 1 {
                return Ps(start.0 + starts as u64 * self.line.clock.floor().0);
            }
            served += 1;
        }
        if served as u64 == self.ready {
            return Ps::NEVER;
        }
        Ps(start.0 + starts as u64 * self.line.clock.floor().0)
    }
    /// Counts a further cell or message that may be served from `now` on.
    #[inline]
    fn note_ready(&mut self, now: Ps) {
        if self.ready == 0 {
            self.ready_at = now;
        }
        self.ready += 1;
    }
    /// Lets the channel in `slot` wait for its turn, if it may send and is not waiting already.
    #[inline]
    fn queue_up(&mut self, now: Ps, slot: u32) {
        let channel = &mut self.channels[slot as usize];
        if channel.waits || !channel.is_ready() {
            return;
        }
        channel.waits = true;
        if let Some(turns) = &mut self.queues[channel.queue as usize].turns {
            turns.push(slot);
        }
        self.note_ready(now);
    }

    /// Counts a cell of the channel in `slot` that arrives at `now`, data or not. Returns its queue
    /// and its channel.
    #[inline(always)]
    fn count_arrival(&mut self, now: Ps, slot: u32, is_data: bool) -> (&mut Queue, &mut Channel) {
        let channel = &mut self.channels[slot as usize];
        let queue = &mut self.queues[if is_data {
            channel.queue
        } else {
            channel.rm_queue
        } as usize];
        queue.stays.arrive(now);
        queue.length += 1;
        queue.longest = queue.longest.max(queue.length);
        channel.here += 1;
        channel.longest = channel.longest.max(channel.here);
        (queue, channel)
    }

    /// Puts a cell of the channel in `slot` into its queue at `now`, to which the server must have been
    /// advanced.
    #[inline(always)]
    fn add(&mut self, now: Ps, slot: u32, cell: Queued, body: Option<&Body>) {
        let comes_first = self.rm_first && !cell.info.is_data();
        let (queue, channel) = self.count_arrival(now, slot, cell.info.is_data());
        let by_turns = queue.turns.is_some();
        let lane = match by_turns {
            true => &mut channel.lane,
            false if comes_first => &mut queue.first,
            false => &mut queue.fifo,
        };
        lane.push(cell, slot, body);
        if by_turns {
            self.queue_up(now, slot)
        } else {
            self.note_ready(now)
        }
    }

    /// True if a further cell of `queue` cannot bring [`Server::next_event`] forward: what waits in the
    /// queue bounds `next_start_that_matters` already, or nobody is told when its cells leave.
    #[inline]
    fn comes_behind(&self, queue: u32) -> bool {
        let Some(turns) = &self.queues[queue as usize].turns else {
            return self.ready > 0;
        };
        let more = |slot: &u32| self.channels[*slot as usize].lane.cells.len() > 1;
        turns.len() > 1 || turns.front().is_some_and(more)
    }

    #[inline(always)]
    fn complete(&mut self) {
        match self.in_service.take() {
            None => {}
            Some(InService::Message { purpose, lost }) => self.counts.count(purpose, lost),
            Some(InService::Cell {
                queue,
                slot,
                cell,
                lost,
                ..
            }) => {
                let queue = &mut self.queues[queue as usize];
                queue.stays.leave(self.free_at);
                queue.length -= 1;
                queue.departed += 1;
                let told = self.channels[slot as usize].leave();
                if lost || told.is_some() {
                    debug_assert!(
                        self.departure.is_none(),
                        "the node was not told of a departure"
                    );
                    let Queued { info, label } = cell;
                    let cells = told.unwrap_or(0);
                    self.departure = Some(Departure {
                        at: self.free_at,
                        slot,
                        info,
                        label,
                        lost,
                        cells,
                    });
                }
            }
        }
    }

    fn start(&mut self, at: Ps, control: &mut Control, out: &mut Outlet<'_>) {
        if at > self.free_at {
            self.carry = 0;
        }
        for index in 0..=self.queues.len() {
            if index == self.records_before && !self.messages.is_empty() {
                return self.start_message(at, out);
            }
            let Some(queue) = self.queues.get_mut(index) else {
                return;
            };
            let found = match &mut queue.turns {
                None => {
                    let lane = if queue.first.cells.is_empty() {
                        &mut queue.fifo
                    } else {
                        &mut queue.first
                    };
                    lane.cells
                        .pop()
                        .map(|(cell, slot)| (cell, slot, &mut lane.bodies))
                }
                Some(turns) => turns.pop().and_then(|slot| {
                    let channel = &mut self.channels[slot as usize];
                    channel.waits = false;
                    let (cell, _) = channel.lane.cells.pop()?;
                    if let Some(sender) = &mut channel.sender {
                        sender.send();
                    }
                    Some((cell, slot, &mut channel.lane.bodies))
                }),
            };
            if let Some((cell, slot, bodies)) = found {
                let place = (index as u32, slot);
                // Few cells have a body; the others must not wait for a copy of one that is not there.
                if cell.info.has_body() {
                    let body = bodies.pop();
                    return self.serve_next(at, place, cell, body.as_ref(), control, out);
                }
                return self.serve_next(at, place, cell, None, control, out);
            }
        }
    }

    /// Starts the service of a cell that has waited in a queue, of the channel in a slot.
    #[inline(always)]
    fn serve_next(
        &mut self,
        at: Ps,
        (index, slot): (u32, u32),
        mut cell: Queued,
        body: Option<&Body>,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) {
        if self.watched == Some(index) {
            let length = self.queues[index as usize].length;
            control.on_dequeue(at, &mut cell.info, length);
        }
        self.ready -= 1;
        self.queue_up(at, slot);
        self.serve(at, (index, slot), cell, body, out);
    }

    /// Starts the service of a cell from a queue, of the channel in a slot.
    #[inline(always)]
    fn serve(
        &mut self,
        at: Ps,
        (queue, slot): (u32, u32),
        cell: Queued,
        body: Option<&Body>,
        out: &mut Outlet<'_>,
    ) {
        let lost = self.put_on_link(at, cell, body, out);
        let matters = lost || self.channels[slot as usize].tells_next();
        self.in_service = Some(InService::Cell {
            queue,
            slot,
            cell,
            lost,
            matters,
        });
    }

    fn start_message(&mut self, at: Ps, out: &mut Outlet<'_>) {
        let Some(first) = self.messages.pop() else {
            return;
        };
        self.ready -= 1;
        let sender = |slot: u32| {
            self.channels[slot as usize]
                .sender
                .unwrap_or(Sender::new(0))
        };
        let mut cell = first.cell(sender);
        if cell.purpose == Purpose::Credit {
            for _ in 1..self.records_per_cell {
                let Some(Message::Credit(record)) = self.messages.front().copied() else {
                    break;
                };
                self.messages.pop();
                self.ready -= 1;
                cell.push(record);
            }
        }
        let queued = Queued {
            label: self.label,
            info: Info::credit(),
        };
        let lost = self.put_on_link(at, queued, Some(&Body::Credit(cell)), out);
        self.in_service = Some(InService::Message {
            purpose: cell.purpose,
            lost,
        });
    }

    /// Starts the service of a cell; returns true if the link will lose it.
    #[inline(always)]
    fn put_on_link(
        &mut self,
        at: Ps,
        cell: Queued,
        body: Option<&Body>,
        out: &mut Outlet<'_>,
    ) -> bool {
        (self.free_at, self.carry) = self.line.clock.complete(at, self.carry);
        let lost = self
            .errors
            .as_mut()
            .is_some_and(|errors| errors.hit(cell.info));
        if !lost {
            let cell = Cell {
                at: self.free_at + self.line.delay,
                label: cell.label,
                info: cell.info,
            };
            out.push(cell, body);
        }
        lost
    }
}

/// Removes `slot` from the order of turns.
fn remove(turns: &mut Ring<u32>, slot: u32) {
    for _ in 0..turns.len() {
        if let Some(waiting) = turns.pop().filter(|waiting| *waiting != slot) {
            turns.push(waiting);
        }
    }
}

impl Server for PromptServer {
    type Credited = PromptServer;
    fn credited(&self) -> Option<&PromptServer> {
        Some(self)
    }
    fn credited_mut(&mut self) -> Option<&mut PromptServer> {
        Some(self)
    }
    #[inline]
    fn queue_length(
        &mut self,
        now: Ps,
        queue: usize,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) -> u64 {
        self.advance(now, control, out);
        self.queues[queue].length
    }
    #[inline]
    fn surely_shorter(&self, _now: Ps, queue: usize, limit: u64) -> bool {
        self.queues[queue].length < limit
    }
    fn push(
        &mut self,
        now: Ps,
        arrival: &Arrival,
        body: Option<&Body>,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) {
        self.advance(now, control, out);
        self.add(now, arrival.slot, arrival.cell, body);
    }
    #[inline]
    fn advance(&mut self, now: Ps, control: &mut Control, out: &mut Outlet<'_>) {
        loop {
            if self.free_at <= now {
                self.complete();
            }
            let start = self.next_start();
            if start >= now {
                return;
            }
            self.start(start, control, out);
        }
    }
    /// The time of a departure to be reported, of the completion that matters, or of the next start
    /// whose completion may matter.
    #[inline]
    fn next_event(&self) -> Ps {
        match (&self.departure, &self.in_service) {
            (Some(departure), _) => departure.at,
            (None, Some(InService::Cell { matters: true, .. })) => self.free_at,
            _ => self.next_start_that_matters(),
        }
    }
}

impl CreditedServer for PromptServer {
    #[inline]
    fn push_alone(
        &mut self,
        now: Ps,
        arrival: &Arrival,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) -> bool {
        let (slot, mut cell) = (arrival.slot, arrival.cell);
        self.advance(now, control, out);
        let channel = &self.channels[slot as usize];
        let is_idle = self.in_service.is_none() && self.ready == 0;
        if !is_idle || channel.sender.is_some_and(|sender| sender.balance() == 0) {
            let waits = self.next_start() > now && self.comes_behind(channel.queue);
            self.add(now, slot, cell, None);
            if !waits {
                self.advance(Ps(now.0 + 1), control, out);
            }
            return !waits;
        }
        // No other cell could be served, so this cell need not wait either.
        let watched = self.watched;
        let (queue, channel) = self.count_arrival(now, slot, true);
        let index = channel.queue;
        if let Some(sender) = &mut channel.sender {
            sender.send();
        }
        if watched == Some(index) {
            control.on_dequeue(now, &mut cell.info, queue.length);
        }
        if now > self.free_at {
            self.carry = 0;
        }
        self.serve(now, (index, slot), cell, None, out);
        true
    }
    #[inline]
    fn take_departure(&mut self) -> Option<Departure> {
        self.departure.take()
    }
    #[inline]
    fn tells_next(&self) -> bool {
        self.departure.is_some()
            || matches!(self.in_service, Some(InService::Cell { matters: true, .. }))
    }
    #[inline]
    fn next_start(&self) -> Ps {
        if self.ready == 0 {
            Ps::NEVER
        } else {
            self.free_at.max(self.ready_at)
        }
    }
    fn tell(&mut self, now: Ps, message: Message, control: &mut Control, out: &mut Outlet<'_>) {
        self.advance(now, control, out);
        self.messages.push(message);
        self.note_ready(now);
    }
    fn set_limit(
        &mut self,
        now: Ps,
        slot: u32,
        limit: u32,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) {
        self.advance(now, control, out);
        let channel = &mut self.channels[slot as usize];
        let Some(sender) = &mut channel.sender else {
            return;
        };
        sender.set_limit(limit);
        if channel.waits && sender.balance() == 0 {
            // A reduction has ended the channel's turn.
            channel.waits = false;
            if let Some(turns) = &mut self.queues[channel.queue as usize].turns {
                remove(turns, slot);
            }
            self.ready -= 1;
        }
        self.queue_up(now, slot);
    }
    fn take_untold(
        &mut self,
        now: Ps,
        slot: u32,
        control: &mut Control,
        out: &mut Outlet<'_>,
    ) -> u32 {
        self.advance(now, control, out);
        core::mem::take(&mut self.channels[slot as usize].untold)
    }
    fn queued_of(&self, slot: u32) -> u64 {
        self.channels[slot as usize].here as u64
    }
    fn longest_of(&self, slot: u32) -> u64 {
        self.channels[slot as usize].longest as u64
    }
    fn sender(&self, slot: u32) -> Option<Sender> {
        self.channels[slot as usize].sender
    }
    fn credit_counts(&self) -> CreditCounts {
        self.counts
    }
}
